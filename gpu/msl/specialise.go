package msl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// maxConstantBytes is the room for one function constant's value: that of msl_constant.
const maxConstantBytes = 32

// Kernel is an entry point with values for its function constants, loaded. One Kernel runs one launch at a time.
type Kernel struct {
	name   string
	args   []Arg
	unit   *unit
	output output
	object string // the shared object's file
	module *module
}

// Kernel compiles an entry point, with values of function constants by index, each in the bytes of its type.
func (l *Library) Kernel(ctx context.Context, name string, values map[int][]byte) (*Kernel, error) {
	i := slices.IndexFunc(l.unit.entries, func(e *entry) bool { return e.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%s has no kernel %q", l.name, name)
	}
	if err := l.checkValues(values); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	if err := l.place(ctx); err != nil { // for faults
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	e := l.unit.entries[i]
	o := l.unit.forEntry(e)
	object, err := l.object(ctx, &o)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	shared, err := l.link(ctx, object, values)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	m, err := load(shared)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	return &Kernel{name: name, args: e.Args, unit: l.unit, output: o, object: shared, module: m}, nil
}

// checkValues refuses values that no function constant can have. Those of other indices are ignored, as Metal does.
func (l *Library) checkValues(values map[int][]byte) error {
	for index, v := range values {
		if len(v) == 0 || len(v) > maxConstantBytes {
			return fmt.Errorf("function constant %d has %d bytes, want 1 to %d", index, len(v), maxConstantBytes)
		}
	}
	return nil
}

// object compiles one entry point to machine code.
func (l *Library) object(ctx context.Context, o *output) (string, error) {
	b := l.build
	name := "entry-" + key(o.text, b.shimHash, b.compiler.version, hostCPU(), strings.Join(b.flags(), " ")) + ".o"
	return b.cache.get(name, func(path string) error {
		pch, err := b.prefix(ctx)
		if err != nil {
			return err
		}
		args := append(b.flags(), "-include-pch", pch, "-c", "-x", "c++", "-", "-o", path)
		if _, _, err := b.compiler.exec(ctx, []byte(o.text), args...); err != nil {
			return l.explain(ctx, o, err)
		}
		return nil
	})
}

// link makes a shared object of an entry point and the values of its function constants.
func (l *Library) link(ctx context.Context, object string, values map[int][]byte) (string, error) {
	b := l.build
	text := constantsText(values)
	name := "kernel-" + key(filepath.Base(object), text) + ".so"
	return b.cache.get(name, func(path string) error {
		source := path + ".c"
		if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
			return err
		}
		args := []string{"-shared", "-fPIC", "-O1", "-nostdlib", "-w", "-I", b.shimDir}
		if b.options.Checked {
			args = append(args, "-DMSL_CHECKED=1")
		}
		args = append(append(args, linkFlags()...), source, object, "-lm", "-o", path)
		_, said, err := b.compiler.exec(ctx, nil, args...)
		var exit *exitError
		if errors.As(err, &exit) {
			return fmt.Errorf("link: %s", strings.TrimSpace(said))
		}
		return err
	})
}

// linkFlags choose the linker.
func linkFlags() []string {
	if runtime.GOOS == "linux" {
		return []string{"-Wl,-Bsymbolic"}
	}
	return nil
}

// constantsText is the C source of the table of values.
func constantsText(values map[int][]byte) string {
	var b strings.Builder
	b.WriteString("#include \"abi.h\"\nconst uint32_t msl_constant_count = " + itoa(len(values)) + ";\nconst msl_constant msl_constants[] = {\n")
	indices := make([]int, 0, len(values))
	for i := range values {
		indices = append(indices, i)
	}
	slices.Sort(indices)
	for _, i := range indices {
		fmt.Fprintf(&b, "{%d, %d, {", i, len(values[i]))
		for _, v := range values[i] {
			fmt.Fprintf(&b, "%d,", v)
		}
		b.WriteString("}},\n")
	}
	b.WriteString("{0, 0, {0}}};\n")
	return b.String()
}

// Run runs one dispatch to its end. A kernel that was stopped is a *Fault.
func (k *Kernel) Run(ctx context.Context, l Launch) error {
	return k.run(ctx, l, 0)
}

// run checks what is bound and runs the threads in one of their orders.
func (k *Kernel) run(ctx context.Context, l Launch, order int) error {
	if k.module == nil {
		return fmt.Errorf("kernel %s is closed", k.name)
	}
	if err := k.bound(&l); err != nil {
		return err
	}
	return k.fault(k.module.run(ctx, l, order))
}

// bound refuses a launch that lacks an argument which the kernel always has.
func (k *Kernel) bound(l *Launch) error {
	for _, a := range k.args {
		missing := a.Kind == Buffer && l.Buffers[a.Index] == nil || a.Kind == Threadgroup && l.Threadgroup[a.Index] <= 0
		if missing && a.Condition == "" {
			return fmt.Errorf("kernel %s: nothing is bound to argument %s, %s %d", k.name, a.Name, a.Kind, a.Index)
		}
	}
	return nil
}

// Race runs a dispatch in several orders of its threads, each from the same memory, and compares what they leave: an
// order that leaves other bytes is a *Fault. The buffers hold the result of the first order.
func (k *Kernel) Race(ctx context.Context, l Launch, orders int) error {
	start := copyBuffers(&l)
	if err := k.run(ctx, l, 0); err != nil {
		return err
	}
	for order := 1; order < orders; order++ {
		again := l
		again.Buffers = cloneAll(&start)
		if err := k.run(ctx, again, order); err != nil {
			return err
		}
		if err := k.compare(&l, &again, order); err != nil {
			return err
		}
	}
	return nil
}

func copyBuffers(l *Launch) [31][]byte { return cloneAll(&l.Buffers) }

// cloneAll copies every buffer once, however often it is bound.
func cloneAll(all *[31][]byte) [31][]byte {
	var out [31][]byte
	copies := map[*byte][]byte{}
	for i, b := range all {
		if len(b) == 0 {
			out[i] = b
			continue
		}
		c, ok := copies[&b[0]]
		if !ok || len(c) < len(b) {
			c = slices.Clone(b)
			copies[&b[0]] = c
		}
		out[i] = c[:len(b)]
	}
	return out
}

// compare reports the first byte in which two orders differ.
func (k *Kernel) compare(first, other *Launch, order int) error {
	for i, want := range first.Buffers {
		got := other.Buffers[i]
		for j := range want {
			if want[j] != got[j] {
				f := &Fault{Kernel: k.name, File: k.unit.name}
				f.Message = fmt.Sprintf("data race: byte %d of buffer %d%s depends on the order of threads (order %d differs)",
					j, i, k.bufferName(i), order)
				return f
			}
		}
	}
	return nil
}

func (k *Kernel) bufferName(index int) string {
	for _, a := range k.args {
		if a.Kind == Buffer && a.Index == index && a.Name != "" {
			return " (" + a.Name + ")"
		}
	}
	return ""
}

// Close unloads the kernel.
func (k *Kernel) Close() error {
	if k.module != nil {
		k.module.close()
		k.module = nil
	}
	return nil
}
