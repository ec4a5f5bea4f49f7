package bench

import (
	"context"
	"fmt"
	"math"
	"slices"

	"assay/gpu"
	"assay/shaders"
	"assay/workloads/measure"
)

// inPlace supports launches with in-out arguments. Poison would destroy their input, and each repetition works on the output
// of the previous one. Therefore a copy of each operand stays on the device:
//
//   - Before each sample, outside its time, it is restored, so that all samples do the same work. Within a sample, values
//     drift as the kernel is applied to its own output. If they leave the range of normal numbers, on which the cost of arithmetic
//     may depend, the result carries a warning.
//   - The output of a sample cannot be verified: only the first repetition has a reference. Verify runs a separate pass:
//     every set once, with operands restored and outputs poisoned, with a copy of each in-out argument before its launch.
//
// An output in memory that an earlier launch of its set read or wrote (Scope.Compact) is verified in the same pass: what it
// overwrites is copied before its launch and restored after the comparison.
type inPlace struct {
	work     *launches
	sets     [][]operand
	kept     bool // the carried operands were copied
	restores map[segment]gpu.Program
	passes   map[passKey]gpu.Program
	applied  bool   // samples ran since the last drift check
	drift    string // how values drifted in samples; empty: they stayed normal numbers
	err      error  // why operands cannot be copied
}

// operand is an in-out argument of one launch of a set.
type operand struct {
	launch, arg int
	name        string
	kind        shaders.Type
	at, before  gpu.Binding // the operand, and the copy of its contents before the launch
	bytes       int
	// carried is true for an operand that no earlier launch of the set writes: it is an input, and is restored.
	carried bool
	reused  bool // an output in memory that an earlier launch of the set uses; not carried
}

// newInPlace allocates copies of the in-out operands of work; nil if there are none. A launch without a kernel, which
// could not be made, is never run.
//
//go:noinline
func newInPlace(work *launches) *inPlace {
	p := &inPlace{work: work, restores: map[segment]gpu.Program{}, passes: map[passKey]gpu.Program{}}
	found := false
	for _, set := range work.sets {
		operands := operandsOf(set)
		for i := range operands {
			o := &operands[i]
			found = true
			if o.before.Buffer, p.err = work.scope.bytes(o.bytes, o.name+" before"); p.err != nil {
				return p
			}
		}
		p.sets = append(p.sets, operands)
	}
	if !found {
		return nil
	}
	return p
}

// operandsOf lists the in-out arguments of a set.
func operandsOf(set []gpu.Launch) []operand {
	var all []operand
	for j, d := range set {
		if d.Kernel == nil {
			continue
		}
		k := d.Kernel.Spec()
		for arg, a := range k.Args {
			if a.Access == shaders.In || !k.Uses(arg) || a.Access == shaders.Out && !used(set[:j], d.Bindings[arg], k.Bytes(arg, d.Params)) {
				continue
			}
			o := operand{launch: j, arg: arg, name: a.Name, kind: a.Type, at: d.Bindings[arg], bytes: aligned(k.Bytes(arg, d.Params))}
			o.reused = a.Access == shaders.Out
			o.carried = !o.reused && !slices.ContainsFunc(set[:j], func(d gpu.Launch) bool { return d.Kernel != nil && writes(&d, o.at, o.bytes) })
			all = append(all, o)
		}
	}
	return all
}

// used reports whether one of the launches reads or writes some of so many bytes.
func used(set []gpu.Launch, at gpu.Binding, bytes int) bool {
	for i := range set {
		for arg, b := range set[i].Bindings {
			if b.Buffer == nil || b.Buffer != at.Buffer || set[i].Kernel == nil {
				continue
			}
			size := set[i].Kernel.Spec().Bytes(arg, set[i].Params)
			if b.Offset < at.Offset+aligned(bytes) && at.Offset < b.Offset+aligned(size) {
				return true
			}
		}
	}
	return false
}

// writes reports whether a launch writes all of so many bytes.
func writes(d *gpu.Launch, at gpu.Binding, bytes int) bool {
	k := d.Kernel.Spec()
	for _, arg := range k.Outputs() {
		b := d.Bindings[arg]
		if b.Buffer == at.Buffer && b.Offset <= at.Offset && at.Offset+bytes <= b.Offset+aligned(k.Bytes(arg, d.Params)) {
			return true
		}
	}
	return false
}

// aligned is the size rounded up to what commands can copy; Scope.bytes allocates that much.
func aligned(bytes int) int { return (bytes + gpu.CopyAlign - 1) / gpu.CopyAlign * gpu.CopyAlign }

func (o *operand) save() gpu.Command { return gpu.Copy{From: o.at, To: o.before, Bytes: o.bytes} }

func (o *operand) putBack() gpu.Command { return gpu.Copy{From: o.before, To: o.at, Bytes: o.bytes} }

// carried lists the operands of a set that no launch of the set writes first.
func (p *inPlace) carried(set int) []operand {
	return slices.DeleteFunc(slices.Clone(p.sets[set]), func(o operand) bool { return !o.carried })
}

// keep copies the carried operands, once.
func (p *inPlace) keep() error {
	if p.kept || p.err != nil {
		return p.err
	}
	var copies []gpu.Command
	for i := range p.sets {
		for _, o := range p.carried(i) {
			copies = append(copies, o.save())
		}
	}
	if len(copies) > 0 {
		program, err := p.work.scope.prepare(copies...)
		if err != nil {
			return fmt.Errorf("keep in-out operands: %w", err)
		}
		if err := p.run(p.work.scope.ctx, program); err != nil {
			return fmt.Errorf("keep in-out operands: %w", err)
		}
	}
	p.kept = true
	return nil
}

func (p *inPlace) run(ctx context.Context, program gpu.Program) error {
	wait, err := p.work.submit(ctx, program, 1)
	if err == nil {
		_, err = wait()
	}
	return err
}

// restore starts restoring the operands of a segment of the sets, and returns how to wait for it.
func (p *inPlace) restore(ctx context.Context, at segment) (wait func() error, err error) {
	if err := p.keep(); err != nil {
		return nil, err
	}
	program, ok := p.restores[at]
	if !ok {
		var copies []gpu.Command
		for i := range at.count {
			for _, o := range p.carried((at.first + i) % len(p.sets)) {
				copies = append(copies, o.putBack())
			}
		}
		if len(copies) > 0 {
			if program, err = p.work.scope.prepare(copies...); err != nil {
				return nil, fmt.Errorf("restore in-out operands: %w", err)
			}
		}
		p.restores[at] = program
	}
	p.applied = true
	if program == nil {
		return func() error { return nil }, nil
	}
	timed, err := p.work.submit(ctx, program, 1)
	return func() error { _, err := timed(); return err }, err
}

// passKey is what differs between passes.
type passKey struct {
	set    int
	poison byte
}

// pass runs a set once, as it is verified, over poison.
func (p *inPlace) pass(ctx context.Context, i int, set []gpu.Launch, poison byte) error {
	if err := p.keep(); err != nil {
		return err
	}
	key := passKey{i, poison}
	program, ok := p.passes[key]
	if !ok {
		var err error
		if program, err = p.work.scope.prepare(p.passOf(i, set, poison)...); err != nil {
			return err
		}
		p.passes[key] = program
	}
	return p.run(ctx, program)
}

// passOf returns the commands of a pass: poison, operands, and each launch after copies of what it overwrites.
func (p *inPlace) passOf(i int, set []gpu.Launch, poison byte) []gpu.Command {
	var all []gpu.Command
	for _, d := range set {
		k := d.Kernel.Spec()
		for _, arg := range k.Outputs() {
			if b := d.Bindings[arg]; k.Args[arg].Access == shaders.Out && b.Buffer != nil {
				all = append(all, gpu.Fill{To: b, Bytes: aligned(k.Bytes(arg, d.Params)), Value: poison})
			}
		}
	}
	for _, o := range p.carried(i) {
		all = append(all, o.putBack())
	}
	for j, d := range set {
		for _, o := range p.sets[i] {
			if o.launch == j && !o.carried {
				all = append(all, o.save())
			}
			if o.launch == j && o.reused {
				all = append(all, gpu.Fill{To: o.at, Bytes: o.bytes, Value: poison})
			}
		}
		all = append(all, d)
	}
	return all
}

// before gives the views of launch j the previous contents of its in-out arguments. undo restores those, and what its outputs
// overwrote, so that the outputs of earlier launches can be compared too; the views, which may be nil, must not be used after it.
func (p *inPlace) before(i, j int, views []shaders.View) (undo func() error, err error) {
	var own []operand
	var was [][]byte
	for _, o := range p.sets[i] {
		if o.launch != j {
			continue
		}
		data, err := contents(o.before, o.bytes)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", o.name, err)
		}
		own, was = append(own, o), append(was, data)
		if views != nil && !o.reused {
			views[o.arg].Before = data
		}
	}
	return func() error {
		for k, o := range own {
			if err := o.at.Buffer.Write(o.at.Offset, was[k][:o.bytes]); err != nil {
				return fmt.Errorf("undo %s: %w", o.name, err)
			}
		}
		return nil
	}, nil
}

// undo restores what launch j overwrote.
func (p *inPlace) undo(i, j int) error {
	undo, err := p.before(i, j, nil)
	if err != nil {
		return err
	}
	return undo()
}

// look records how samples changed the values.
func (p *inPlace) look() error {
	if !p.applied {
		return nil
	}
	p.applied = false
	for i := range p.sets {
		for _, o := range p.carried(i) {
			if p.drift != "" || !o.kind.Float() {
				continue
			}
			now, err := abnormal(&o, o.at)
			if err != nil {
				return err
			}
			if now == 0 {
				continue
			}
			was, err := abnormal(&o, o.before)
			if err != nil {
				return err
			}
			if now > was {
				p.drift = fmt.Sprintf("repetitions on their own output led %d elements of %s to subnormal or infinite values or NaN, which may change the time",
					now-was, o.name)
			}
		}
	}
	return nil
}

// warnings returns the warnings about values.
func (p *inPlace) warnings() []measure.Warning {
	if p == nil || p.drift == "" {
		return nil
	}
	return []measure.Warning{{Kind: measure.OwnOutput, Text: p.drift}}
}

// abnormal counts the elements of an operand, in one of its buffers, on which arithmetic may take a different time.
func abnormal(o *operand, at gpu.Binding) (n int, err error) {
	data, err := contents(at, o.bytes)
	v := shaders.View{Type: o.kind, Data: data}
	for i := range v.Len() {
		x := math.Abs(v.At(i))
		if x > 0 && x < o.kind.SmallestNormal() || math.IsInf(x, 0) || math.IsNaN(x) {
			n++
		}
	}
	return n, err
}
