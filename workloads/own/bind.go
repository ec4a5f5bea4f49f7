package own

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/gpu/msl"
	"assay/internal/meant"
	"assay/internal/si"
)

// bound is an argument of the entry point together with its description.
type bound struct {
	of      msl.Arg
	as      *Argument
	element Element
}

// typeOf returns the type that an argument points to: "device const float *" is float.
func typeOf(text string) string {
	text = strings.NewReplacer("device ", " ", "constant ", " ", "threadgroup ", " ", "const ", " ", "volatile ", " ", "*", " ", "&", " ",
		"restrict ", " ", "__restrict ", " ").Replace(" " + text + " ")
	return strings.Join(strings.Fields(text), " ")
}

// chooseEntry finds the entry point that a description names.
func chooseEntry(name string, entries []msl.Entry) (*msl.Entry, error) {
	if len(entries) == 0 {
		return nil, fmt.Errorf("the source has no kernel")
	}
	if name == "" && len(entries) == 1 {
		return &entries[0], nil
	}
	var names []string
	for i := range entries {
		if entries[i].Name == name {
			return &entries[i], nil
		}
		names = append(names, entries[i].Name)
	}
	shown := names
	if len(shown) > 10 {
		shown = append(slices.Clone(shown[:10]), fmt.Sprintf("… and %d more", len(names)-10))
	}
	if name == "" {
		return nil, fmt.Errorf("the source has several kernels: want one of %s", strings.Join(shown, ", "))
	}
	return nil, fmt.Errorf("the source has no kernel %q%s; it has %s", name, meant.Hint(name, names), strings.Join(shown, ", "))
}

// bind matches the description's arguments with those of the entry point.
func bind(p *parser, e *msl.Entry) []bound {
	d := p.d
	var all []bound
	var names []string
	for _, a := range e.Args {
		if a.Kind == msl.Builtin {
			continue
		}
		names = append(names, a.Name)
		i := slices.IndexFunc(d.Args, func(x Argument) bool { return x.Name == a.Name })
		if i < 0 {
			if a.Condition == "" {
				p.mismatch("args", "%s needs argument %s (%s %d, %s)", e.Name, a.Name, a.Kind, a.Index, a.Type)
			}
			continue
		}
		b := bound{of: a, as: &d.Args[i]}
		p.fits(&b)
		all = append(all, b)
	}
	for _, a := range d.Args {
		if !slices.Contains(names, a.Name) {
			p.mismatch("args."+a.Name, "%s has no argument %q%s; it has %s", e.Name, a.Name, meant.Hint(a.Name, names), strings.Join(names, ", "))
		}
	}
	return all
}

func (p *parser) mismatch(key, format string, args ...any) {
	p.problem(key, format, args...)
	p.problems[len(p.problems)-1].Kind = Mismatch
}

// fits rejects what an argument of the entry point cannot hold.
func (p *parser) fits(b *bound) {
	key := "args." + b.as.Name
	isThreadgroup := b.as.Bytes.Text != ""
	switch {
	case isThreadgroup != (b.of.Kind == msl.Threadgroup):
		p.mismatch(key, "%s is %s %d in the source: want %s", b.as.Name, b.of.Kind, b.of.Index, map[bool]string{true: "bytes", false: "length, value or fields"}[!isThreadgroup])
		return
	case isThreadgroup || len(b.as.Fields) > 0:
		return
	case b.as.Fill == Written && b.of.Access == msl.Read:
		p.mismatch(key+".fill", "%s is read-only in the source (%s), so it cannot be an output", b.as.Name, b.of.Type)
	}
	p.rankFits(b, key)
	p.elementFits(b, key)
}

// elementFits finds the element type, which the source may not give, and rejects one of another size.
func (p *parser) elementFits(b *bound, key string) {
	source, sourceErr := elementOf(b.elementType())
	if b.as.Type == "" {
		if sourceErr != nil {
			p.mismatch(key, "the source says %s, whose elements Assay does not know: want type", b.of.Type)
		}
		b.element = source
		return
	}
	e, err := elementOf(b.as.Type)
	if err != nil {
		return // already reported
	}
	bytes := sourceErr == nil && source.Bytes() == 1 // the kernel casts it
	if b.element = e; sourceErr == nil && !bytes && (source.scalar.name != e.scalar.name || source.stride != 1 && e.stride != 1 && source.stride != e.stride) {
		p.mismatch(key+".type", "is %s, but the source says %s", b.as.Type, b.of.Type)
	}
}

// constantValue is the value of a function constant in the bytes of its type.
type constantValue struct {
	of    msl.Constant
	value []byte
}

// constantBytes are the bytes of the function constants by index.
func constantBytes(p *parser, list []msl.Constant, vars map[string]float64) map[int][]byte {
	values := map[int][]byte{}
	for _, v := range constantValues(p, list, vars) {
		values[v.of.Index] = v.value
	}
	return values
}

// constantValues returns the values of the function constants that the description sets.
func constantValues(p *parser, list []msl.Constant, vars map[string]float64) []constantValue {
	var values []constantValue
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
		i := slices.IndexFunc(p.d.Constants, func(s Setting) bool { return s.Name == c.Name })
		if i < 0 {
			if c.Required {
				p.mismatch("constants", "function constant %s (%s, index %d) needs a value", c.Name, c.Type, c.Index)
			}
			continue
		}
		v, err := p.d.Constants[i].Value.Value(vars)
		b := []byte(nil)
		if err == nil {
			b, err = encode(typeOf(c.Type), v)
		}
		if err != nil {
			p.mismatch("constants."+c.Name, "%v", err)
		}
		values = append(values, constantValue{c, b})
	}
	for _, s := range p.d.Constants {
		if !slices.Contains(names, s.Name) {
			p.mismatch("constants."+s.Name, "the source has no function constant %q%s", s.Name, meant.Hint(s.Name, names))
		}
	}
	return values
}

// encode converts a number to a value of a type, repeated in each lane of a vector.
func encode(name string, v float64) ([]byte, error) {
	e, err := elementOf(name)
	if err != nil {
		return nil, err
	}
	b := make([]byte, e.Bytes())
	view := View{e, b}
	for i := range e.lanes {
		view.Set(i, v)
		if got := view.At(i); !e.scalar.float && got != v {
			return nil, fmt.Errorf("%g does not fit into %s", v, name)
		}
	}
	return b, nil
}

// structBytes lays out the fields as the language does: each is aligned to its own size, and the whole to the largest.
func structBytes(fields []Field, vars map[string]float64) ([]byte, error) {
	var b []byte
	largest := 1
	for i, f := range fields {
		v, err := f.Value.Value(vars)
		if err != nil {
			return nil, fmt.Errorf("field %d: %w", i+1, err)
		}
		x, err := encode(f.Type, v)
		if err != nil {
			return nil, fmt.Errorf("field %d: %w", i+1, err)
		}
		e, err := elementOf(f.Type)
		if err != nil {
			return nil, err
		}
		align := e.Bytes()
		if strings.Contains(f.Type, "packed_") {
			align = e.scalar.bytes
		}
		largest = max(largest, align)
		b = append(padded(b, align), x...)
	}
	return padded(b, largest), nil
}

func padded(b []byte, align int) []byte {
	return append(b, make([]byte, (align-len(b)%align)%align)...)
}

// call is a kernel with everything that one launch needs.
type call struct {
	entry       msl.Entry
	args        []bound
	buffers     [31][]byte
	before      [31][]byte // initial contents of the buffers that the kernel writes
	threadgroup [31]int
	grid        [3]uint32 // 0: whole groups
	groups      [3]uint32
	threads     [3]uint32
	vars        map[string]float64
	bytes       int64
}

// newCall evaluates a description for sizes, and fills the buffers.
func newCall(p *parser, e *msl.Entry, args []bound, g *Geometry, vars map[string]float64) *call {
	c := &call{entry: *e, args: args, vars: vars}
	if n := e.Shapes.Count; n > 0 {
		c.buffers[e.Shapes.Index] = memory(8 * n)
	}
	c.geometry(p, g)
	for i := range args {
		c.argument(p, &args[i])
	}
	if threads := uint64(c.threads[0]) * uint64(c.threads[1]) * uint64(c.threads[2]); e.MaxThreads > 0 && threads > uint64(e.MaxThreads) {
		p.mismatch("launch.threadgroup", "has %d threads, but %s allows %d", threads, e.Name, e.MaxThreads)
	}
	return c
}

// Limits of a launch that no device exceeds.
const (
	maxThreads = 1024
	maxShared  = 32 << 10
)

func (c *call) geometry(p *parser, g *Geometry) {
	threads, ok := dimensions(p, "launch.threadgroup", g.Threadgroup, c.vars)
	if !ok {
		return
	}
	c.threads = threads
	if n := uint64(threads[0]) * uint64(threads[1]) * uint64(threads[2]); n > maxThreads {
		p.problem("launch.threadgroup", "has %d threads, want at most %d", n, maxThreads)
	}
	if len(g.Groups) > 0 {
		c.groups, _ = dimensions(p, "launch.groups", g.Groups, c.vars)
		return
	}
	c.grid, _ = dimensions(p, "launch.grid", g.Grid, c.vars)
	for i := range 3 {
		c.groups[i] = (c.grid[i] + c.threads[i] - 1) / c.threads[i]
	}
}

func dimensions(p *parser, key string, list []Expr, vars map[string]float64) ([3]uint32, bool) {
	all := [3]uint32{1, 1, 1}
	for i, e := range list {
		n, err := e.Whole(vars, 1, math.MaxInt32)
		if err != nil {
			p.problem(key, "%v", err)
			return all, false
		}
		all[i] = uint32(n)
	}
	return all, true
}

func (c *call) argument(p *parser, b *bound) {
	key := "args." + b.as.Name
	var err error
	switch {
	case b.as.Bytes.Text != "":
		var n int64
		n, err = b.as.Bytes.Whole(c.vars, 1, maxShared)
		c.threadgroup[b.of.Index] = int(n)
	case len(b.as.Fields) > 0:
		c.buffers[b.of.Index], err = structBytes(b.as.Fields, c.vars)
	case b.as.Value.Text != "":
		var v float64
		if v, err = b.as.Value.Value(c.vars); err == nil {
			c.buffers[b.of.Index], err = encode(b.element.Name, v)
		}
	default:
		err = c.buffer(p, b)
	}
	if err != nil {
		p.mismatch(key, "%v", err)
	}
}

func (c *call) buffer(p *parser, b *bound) error {
	n, err := b.elements(p.d.Folder(), c.vars)
	if err == nil && b.of.Tensor != nil {
		err = c.shape(b, n)
	}
	if err != nil {
		return err
	}
	size := n * int64(b.element.Bytes())
	if c.bytes += size; size > maxBuffer || c.bytes > p.d.Memory/2 {
		return fmt.Errorf("%s elements are %s; all buffers may have half of limits.memory, which is %s", si.Count(int(n)),
			si.Bytes(float64(size)), si.Bytes(float64(p.d.Memory)))
	}
	v := View{b.element, memory(int(size))}
	if err := b.as.fill(v, p.d.Folder()); err != nil {
		return err
	}
	c.buffers[b.of.Index] = v.Data
	if b.of.Access == msl.ReadWrite {
		c.before[b.of.Index] = slices.Clone(v.Data)
	}
	return nil
}

// reset restores what buffers held before the first launch.
func (c *call) reset() {
	for i, b := range c.before {
		copy(c.buffers[i], b)
	}
}
