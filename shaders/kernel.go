package shaders

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strings"
)

// Kernel is an implementation with an element type and constants. Impl.Kernel makes one, With gives it constants.
type Kernel struct {
	Impl *Impl
	Type Type
	// Name is the entry point in the source, if it has one, and unique among all kernels: operation, implementation
	// unless that is plain, and type, as in "add_f32" or "matmul_tiled_f16".
	Name string
	Args []Arg // the operation's, with the types that the kernel's and its constants give them

	given, constants Constants // as they were given; with the defaults of tunables
}

// With is the kernel with constants c, which it copies.
func (k Kernel) With(c Constants) Kernel {
	k.given = maps.Clone(c)
	k.constants = k.Impl.defaults()
	maps.Copy(k.constants, c)
	k.Args = k.Impl.args(k.Type, k.constants)
	return k
}

// Constants are those that the kernel was given; the map must not be changed.
func (k *Kernel) Constants() Constants { return k.given }

// Tuned lists the tunables that were given another value than their default, sorted.
func (k *Kernel) Tuned() []string {
	var names []string
	for _, t := range k.Impl.Tunables {
		if v, given := k.given[t.Name]; given && v != t.Default {
			names = append(names, t.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Key spells the constants that differ from their defaults, and those that the implementation fixes, for cache keys and labels:
// "a=1,b=2".
func (k *Kernel) Key() string {
	key := k.constants.key(k.Impl.defaults())
	for _, v := range k.Impl.Fixed {
		key += "," + v.String()
	}
	return strings.TrimPrefix(key, ",")
}

// ID says which kernel this is: "matmul/tiled/f16{transpose_b=1}". One of a user's source ends in "#" and the hash of
// its text.
func (k *Kernel) ID() string {
	id := k.Impl.Op.Name + "/" + k.Impl.Name + "/" + k.Type.String()
	if key := k.Key(); key != "" {
		id += "{" + key + "}"
	}
	if k.Impl.Source.user {
		id += "#" + k.Impl.Source.Hash()[:8]
	}
	return id
}

// About is one plain sentence.
func (k *Kernel) About() string {
	if k.Impl.About != "" {
		return k.Impl.About
	}
	return k.Impl.Op.About
}

// Needs is what a device must offer to run the kernel.
func (k *Kernel) Needs() Feature { return k.Impl.Needs | types[k.Type].needs }

// Call is what the functions of the kernel's operation and implementation are given for parameters p.
func (k *Kernel) Call(p any) Call { return Call{Params: p, Type: k.Type, Constants: k.constants} }

// Uses reports whether argument i exists under the kernel's constants.
func (k *Kernel) Uses(i int) bool {
	cond := k.Args[i].If
	return cond == "" || k.constants[cond] != 0
}

// Len is the number of elements of argument i that the kernel touches with parameters p.
func (k *Kernel) Len(i int, p any) int { return k.Args[i].Len(k.Call(p)) }

// Bytes is the minimum size of argument i's buffer with parameters p.
func (k *Kernel) Bytes(i int, p any) int { return k.Args[i].Type.Bytes(k.Len(i, p)) }

// Outputs lists the indices of the arguments that the kernel writes, in-out ones among them.
func (k *Kernel) Outputs() []int {
	var out []int
	for i, a := range k.Args {
		if a.Access != In {
			out = append(out, i)
		}
	}
	return out
}

// MaxThreads is the attribute max_total_threads_per_threadgroup that an engine must compile the kernel with; 0: none beside what its source
// has.
func (k *Kernel) MaxThreads() int {
	for _, t := range k.Impl.Tunables {
		if t.Index == Attribute && k.constants[t.Name] != 0 {
			return k.Impl.MaxThreads(k.constants)
		}
	}
	return 0
}

// Launch is the geometry for parameters p, or an error if it exceeds the limits, of which the kernel's attribute is one.
func (k *Kernel) Launch(p any, limits Limits) (Launch, error) {
	if n := k.MaxThreads(); n > 0 && (limits.Threads == 0 || n < limits.Threads) {
		limits.Threads = n
	}
	l := k.Impl.Launch(k.Call(p), limits)
	return l, l.check(limits)
}

// Cost is what one dispatch with parameters p does.
func (k *Kernel) Cost(p any) Cost { return k.Impl.Op.Cost(k.Call(p)) }

// Tolerance is what results may be off by with parameters p.
func (k *Kernel) Tolerance(p any) Tolerance { return k.Impl.Op.Tolerance(k.Call(p)) }

// Reference computes element i of argument arg; see Op.Reference.
func (k *Kernel) Reference(p any, args []View, arg, i int) Value {
	return k.Impl.Op.Reference(k.Call(p), args, arg, i)
}

// Check reports whether p is of the kernel's kind and its constants are within range.
func (k *Kernel) Check(p any) error {
	op := k.Impl.Op
	if got, want := reflect.TypeOf(p), reflect.TypeOf(op.Params); got != want {
		return fmt.Errorf("kernel %s: parameters are %v, want %v", k.Name, got, want)
	}
	for _, valid := range []func(Call) error{op.Valid, k.Impl.Valid} {
		if valid == nil {
			continue
		}
		if err := valid(k.Call(p)); err != nil {
			return fmt.Errorf("kernel %s: %w", k.Name, err)
		}
	}
	return k.CheckConstants()
}

// CheckConstants reports whether the kernel was given only constants and tunables that it has, within their range.
func (k *Kernel) CheckConstants() error {
	for name, v := range k.given {
		if err := k.Impl.checkConstant(name, v); err != nil {
			return fmt.Errorf("kernel %s: %w", k.Name, err)
		}
	}
	return nil
}

func (m *Impl) checkConstant(name string, v int32) error {
	if i := slices.IndexFunc(m.Tunables, func(t Tunable) bool { return t.Name == name }); i >= 0 {
		if !slices.Contains(m.Tunables[i].Values, v) {
			return fmt.Errorf("tunable %s is %d, want %s", name, v, Choices(m.Tunables[i].Values))
		}
		return nil
	}
	i := slices.IndexFunc(m.Constants, func(c Constant) bool { return c.Name == name })
	if i < 0 {
		return fmt.Errorf("no function constant %q", name)
	}
	if v < 0 || v > m.Constants[i].Max {
		return fmt.Errorf("function constant %s is %d, want 0…%d", name, v, m.Constants[i].Max)
	}
	return nil
}

// Cases are the operation's that ask for nothing the implementation lacks or refuses, one of each, and the implementation's own.
func (k *Kernel) Cases() []Case {
	type setting struct {
		params    any
		key       string
		magnitude float64
	}
	var cases []Case
	seen := map[setting]bool{}
	for _, c := range slices.Concat(k.Impl.Op.Cases, k.Impl.Cases) {
		wanted := maps.Clone(c.Constants)
		maps.DeleteFunc(wanted, func(_ string, v int32) bool { return v == 0 })
		with := k.With(wanted)
		s := setting{c.Params, with.Key(), c.Magnitude}
		if seen[s] || with.Check(c.Params) != nil {
			continue
		}
		seen[s] = true
		c.Constants = wanted
		cases = append(cases, c)
	}
	return cases
}

// ConstantValue is what a function constant is compiled with.
type ConstantValue struct {
	Name  string
	Index int
	Type  string // the source's: "bool", "int" and, among those of Impl.Fixed, any number or vector, as "half" or "uint3"
	Value int32  // of a bool or an int
	Other string // the bytes of a value of another type
}

// Bytes are the value as the source's type holds it; three lanes of a vector take the room of four.
func (v ConstantValue) Bytes() []byte {
	switch {
	case v.Other != "":
		return []byte(v.Other)
	case v.Type == boolConstant:
		return []byte{byte(v.Value)}
	}
	return binary.NativeEndian.AppendUint32(nil, uint32(v.Value))
}

// String spells the constant for keys: "n=3", "scale=half:003c".
func (v ConstantValue) String() string {
	if v.Other != "" {
		return fmt.Sprintf("%s=%s:%x", v.Name, v.Type, v.Other)
	}
	return fmt.Sprintf("%s=%d", v.Name, v.Value)
}

// Values are those of all function constants in the kernel's source.
func (k *Kernel) Values() []ConstantValue {
	var all []ConstantValue
	for _, c := range k.Impl.Constants {
		all = append(all, ConstantValue{Name: c.Name, Index: c.Index, Type: c.typeName(), Value: k.constants[c.Name]})
	}
	for _, t := range k.Impl.Tunables {
		if t.InSource() {
			all = append(all, ConstantValue{Name: t.Name, Index: t.Index, Type: intConstant, Value: k.constants[t.Name]})
		}
	}
	return append(all, k.Impl.Fixed...)
}

// Product is that of sizes, held below a limit where its bytes would overflow: no buffer is that large.
func Product(sizes ...int) int {
	product := uint64(1)
	for _, n := range sizes {
		over, low := bits.Mul64(product, uint64(n))
		if product = min(low, math.MaxInt/8); over != 0 {
			product = math.MaxInt / 8
		}
	}
	return int(product)
}
