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

// Kernel is an implementation with an element type and constants. Impl.Kernel creates one; With gives it constants.
type Kernel struct {
	Impl *Impl
	Type Type
	// Name is the entry point in the source, if there is one, and unique among all kernels: operation, implementation
	// (unless it is plain) and type, as in "add_f32" or "matmul_tiled_f16".
	Name string
	Args []Arg // the operation's, with the types given by the kernel's type and constants

	given, constants Constants // as given; with the defaults of tunables
}

// With returns the kernel with constants c, which it copies.
func (k Kernel) With(c Constants) Kernel {
	k.given = maps.Clone(c)
	k.constants = k.Impl.defaults()
	maps.Copy(k.constants, c)
	k.Args = k.Impl.args(k.Type, k.constants)
	return k
}

// Constants returns the constants that the kernel was given; the map must not be changed.
func (k *Kernel) Constants() Constants { return k.given }

// Tuned lists the tunables that were given a value other than their default, sorted.
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

// ID identifies the kernel: "matmul/tiled/f16{transpose_b=1}". For a user's source it ends in "#" and the hash of
// the text.
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

// About returns one plain sentence.
func (k *Kernel) About() string {
	if k.Impl.About != "" {
		return k.Impl.About
	}
	return k.Impl.Op.About
}

// Needs returns what a device must offer to run the kernel.
func (k *Kernel) Needs() Feature { return k.Impl.Needs | types[k.Type].needs }

// Call returns what the functions of the kernel's operation and implementation receive for parameters p.
func (k *Kernel) Call(p any) Call { return Call{Params: p, Type: k.Type, Constants: k.constants} }

// Uses reports whether argument i exists under the kernel's constants.
func (k *Kernel) Uses(i int) bool {
	cond := k.Args[i].If
	return cond == "" || k.constants[cond] != 0
}

// Len returns the number of elements of argument i that the kernel touches with parameters p.
func (k *Kernel) Len(i int, p any) int { return k.Args[i].Len(k.Call(p)) }

// Bytes returns the minimum size of argument i's buffer with parameters p.
func (k *Kernel) Bytes(i int, p any) int { return k.Args[i].Type.Bytes(k.Len(i, p)) }

// Outputs lists the indices of the arguments that the kernel writes, including in-out arguments.
func (k *Kernel) Outputs() []int {
	var out []int
	for i, a := range k.Args {
		if a.Access != In {
			out = append(out, i)
		}
	}
	return out
}

// MaxThreads returns the attribute max_total_threads_per_threadgroup that an engine must compile the kernel with; 0: none beyond what its source
// declares.
func (k *Kernel) MaxThreads() int {
	for _, t := range k.Impl.Tunables {
		if t.Index == Attribute && k.constants[t.Name] != 0 {
			return k.Impl.MaxThreads(k.constants)
		}
	}
	return 0
}

// Launch returns the geometry for parameters p, or an error if it exceeds the limits, one of which is the kernel's attribute.
func (k *Kernel) Launch(p any, limits Limits) (Launch, error) {
	if n := k.MaxThreads(); n > 0 && (limits.Threads == 0 || n < limits.Threads) {
		limits.Threads = n
	}
	l := k.Impl.Launch(k.Call(p), limits)
	return l, l.check(limits)
}

// Cost returns what one dispatch with parameters p does.
func (k *Kernel) Cost(p any) Cost { return k.Impl.Op.Cost(k.Call(p)) }

// Tolerance returns how far results may be off with parameters p.
func (k *Kernel) Tolerance(p any) Tolerance { return k.Impl.Op.Tolerance(k.Call(p)) }

// Reference computes element i of argument arg; see Op.Reference.
func (k *Kernel) Reference(p any, args []View, arg, i int) Value {
	return k.Impl.Op.Reference(k.Call(p), args, arg, i)
}

// Check returns an error if p is not of the kernel's parameter type or its constants are out of range.
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

// CheckConstants returns an error if the kernel was given constants or tunables that it does not have, or values out of their range.
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

// Cases returns the distinct cases of the operation that the implementation supports and accepts, and the implementation's own.
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

// ConstantValue is the value with which a function constant is compiled.
type ConstantValue struct {
	Name  string
	Index int
	Type  string // the source's: "bool" or "int"; in Impl.Fixed also any number or vector, such as "half" or "uint3"
	Value int32  // for a bool or an int
	Other string // the bytes of a value of any other type
}

// Bytes returns the value as the source's type stores it; a vector of three lanes takes the space of four.
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

// Values returns the values of all function constants in the kernel's source.
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

// Product returns the product of sizes, capped where its bytes would overflow: no buffer is that large.
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
