package own

import (
	"context"
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"assay/gpu/msl"
)

// verify compares the outputs of a launch with the reference.
func (w *worker) verify(ctx context.Context, k *kernel, c *call) error {
	r := k.parser.d.Reference
	w.report.Outputs = nil
	switch {
	case r == nil:
		for _, b := range c.written() {
			if err := w.notCompared(k, c, b, "the description has no reference"); err != nil {
				return err
			}
		}
		return nil
	case k.truth != nil:
		return w.verifyByKernel(ctx, k, c)
	}
	return w.verifyByScript(ctx, k, c)
}

// written lists the buffers that the kernel may write.
func (c *call) written() []*bound {
	var all []*bound
	for i := range c.args {
		if c.before[c.args[i].of.Index] != nil && c.args[i].of.Kind == msl.Buffer && c.args[i].of.Access == msl.ReadWrite {
			all = append(all, &c.args[i])
		}
	}
	return all
}

func (c *call) view(b *bound) View { return View{b.element, c.buffers[b.of.Index]} }

// untouched reports whether an output is unchanged since before the launch.
func (c *call) untouched(b *bound) bool {
	return b.as.Fill == Written && slices.Equal(c.buffers[b.of.Index], c.before[b.of.Index])
}

// notCompared adds an unverified output to the report, and rejects an output that the kernel left unchanged. A buffer with contents
// that the reference does not mention and the kernel did not change is not an output: sources often omit const.
func (w *worker) notCompared(k *kernel, c *call, b *bound, why string) error {
	if k.parser.d.Verified() && b.as.Fill != Written && slices.Equal(c.buffers[b.of.Index], c.before[b.of.Index]) {
		return nil
	}
	w.report.Outputs = append(w.report.Outputs, Outcome{Name: b.of.Name, Elements: c.view(b).Len(), Why: why})
	if c.untouched(b) {
		return w.problem(k.wrong(fmt.Sprintf("output %s was not written at all", b.of.Name), b))
	}
	return nil
}

func (k *kernel) wrong(message string, b *bound) Problem {
	return Problem{Kind: Wrong, File: k.source.Name, Line: k.entry.Line, Message: message, Argument: b.of.Name}
}

// verifyByKernel runs the kernel that serves as the reference on the same arguments and compares all outputs.
func (w *worker) verifyByKernel(ctx context.Context, k *kernel, c *call) error {
	g := &k.parser.d.Launch
	if r := k.parser.d.Reference; len(r.Launch.Threadgroup) > 0 {
		g = &r.Launch
	}
	p := &parser{d: k.parser.d, text: k.parser.text}
	truth := newCall(p, k.truth.entry, k.truth.args, g, c.vars)
	if len(p.problems) > 0 {
		return w.problem(p.problems...)
	}
	x, err := w.load(ctx, k.truth, c.vars, false)
	if err != nil {
		return err
	}
	defer x.Close()
	if err := w.execute(ctx, k.truth, x, truth); err != nil {
		return err
	}
	for _, b := range c.written() {
		if err := w.verifyByLaunch(ctx, k, c, truth, b); err != nil {
			return err
		}
	}
	return w.someCompared(k)
}

// verifyByLaunch compares an output with the output of the same name from another launch.
func (w *worker) verifyByLaunch(ctx context.Context, k *kernel, c, truth *call, b *bound) error {
	all := truth.written()
	i := slices.IndexFunc(all, func(o *bound) bool { return o.of.Name == b.of.Name })
	if i < 0 || truth.untouched(all[i]) {
		return w.notCompared(k, c, b, "the reference kernel does not write it")
	}
	wanted := truth.view(all[i])
	o := comparison{b: b, got: c.view(b), truth: k.parser.d.Reference}
	for j := range o.got.Len() {
		if err := ctx.Err(); j%4096 == 0 && err != nil {
			return err
		}
		o.add(j, wanted.Number(j))
	}
	return w.compared(k, &o)
}

// verifyByScript compares outputs with the functions of the same name.
func (w *worker) verifyByScript(ctx context.Context, k *kernel, c *call) error {
	var s *script
	err := w.referring(k, func() (err error) {
		s, err = newScript(ctx, k.parser.d.Reference.Starlark, c.names())
		return err
	})
	if err != nil {
		return w.referenceFailed(ctx, k, err)
	}
	defer s.close()
	for _, b := range c.written() {
		f := s.function(b.of.Name)
		if f == nil {
			if err := w.notCompared(k, c, b, "the reference has no function "+inScript(b.of.Name)); err != nil {
				return err
			}
			continue
		}
		o := comparison{b: b, got: c.view(b), truth: k.parser.d.Reference}
		if err := w.referring(k, func() error { return o.byScript(s, f) }); err != nil {
			return w.referenceFailed(ctx, k, err)
		}
		if err := w.compared(k, &o); err != nil {
			return err
		}
	}
	return w.someCompared(k)
}

// before is the suffix of the names for the initial contents of written buffers: y is the function that returns the expected contents.
const before = "_before"

// names are the names that a reference may use: the sizes, the scalars, and the buffers as they were before the launch. A buffer that
// the source lets the kernel write, as it often does even if the kernel only reads it, has its plain name too, unless the reference
// has a function of that name.
func (c *call) names() starlark.StringDict {
	names := starlark.StringDict{}
	for name, v := range c.vars {
		names[name] = sizeNumber(v)
	}
	for i := range c.args {
		b := &c.args[i]
		name := inScript(b.of.Name)
		switch data := c.buffers[b.of.Index]; {
		case b.of.Kind != msl.Buffer || b.as.Fill == Written || len(b.as.Fields) > 0:
		case b.as.Value.Text != "":
			names[name] = View{b.element, data}.starlark(0)
		case c.before[b.of.Index] != nil:
			names[name+before] = numbers{name + before, View{b.element, c.before[b.of.Index]}}
			names[name] = names[name+before]
		default:
			names[name] = numbers{name, View{b.element, data}}
		}
	}
	return names
}

func (w *worker) referenceFailed(ctx context.Context, k *kernel, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p := &parser{d: k.parser.d, text: k.parser.text}
	p.scriptProblem(err)
	return w.problem(p.problems...)
}

// someCompared rejects a reference that no output was compared with.
func (w *worker) someCompared(k *kernel) error {
	for _, o := range w.report.Outputs {
		if o.Compared > 0 {
			return nil
		}
	}
	return w.problem(Problem{
		Kind: Reference, File: k.parser.d.Path, Line: lineOf(k.parser.text, "reference"), Key: "reference",
		Message: "no output was compared: want a function of the name of each buffer that the kernel writes",
	})
}

// compared adds an output to the report, and ends the job if it is wrong.
func (w *worker) compared(k *kernel, o *comparison) error {
	w.report.Outputs = append(w.report.Outputs, Outcome{
		Name: o.b.of.Name, Elements: o.got.Len(), Compared: o.compared, Wrong: o.wrong, Largest: o.largest,
	})
	if o.wrong == 0 {
		return nil
	}
	return w.problem(k.wrong(o.first, o.b))
}
