package own

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"assay/gpu/msl"
	"assay/gpu/msl/clang"
)

// build compiles the source, and finds the entry point and its arguments.
func (w *worker) build(ctx context.Context, k *kernel) (err error) {
	if w.compiler == nil {
		if w.compiler, err = clang.Find(); err != nil {
			return fmt.Errorf("kernels cannot be compiled: %w", err)
		}
	}
	if err := w.compile(ctx, k); err != nil {
		return err
	}
	d := k.parser.d
	for _, e := range k.library.Entries() {
		w.report.Entries = append(w.report.Entries, e.Name)
	}
	if k.entry, err = chooseEntry(d.Entry, k.library.Entries()); err != nil {
		k.parser.mismatch("entry", "%v", err)
		return w.problem(k.parser.problems...)
	}
	k.args = bind(k.parser, k.entry)
	constantValues(k.parser, k.library.Constants(), d.Values(false))
	if d.Reference != nil && d.Reference.Starlark == "" {
		if err := w.buildTruth(ctx, k); err != nil {
			return err
		}
	}
	if len(k.parser.problems) > 0 {
		return w.problem(k.parser.problems...)
	}
	if w.report.Entry == "" {
		w.report.Entry, w.report.Line = k.entry.Name, k.entry.Line
		w.report.Arguments = k.describe()
	}
	return nil
}

func (w *worker) compile(ctx context.Context, k *kernel) (err error) {
	o := clang.Options{Cache: w.job.Cache, FastMath: k.parser.d.FastMath}
	var checkedErr error
	var both sync.WaitGroup
	if w.job.Do != Checking && !w.job.Unchecked && canCheck {
		checked := o
		checked.Checked = true
		both.Go(func() { k.checked, checkedErr = w.compiler.Compile(ctx, k.source, checked) })
	}
	k.library, err = w.compiler.Compile(ctx, k.source, o)
	both.Wait()
	return w.compileProblems(k.source.Name, cmp.Or(err, checkedErr))
}

// compileProblems returns the errors of a source.
func (w *worker) compileProblems(name string, err error) error {
	var refused *msl.CompileError
	if !errors.As(err, &refused) {
		return err
	}
	var all []Problem
	for _, d := range refused.Diagnostics {
		if d.Severity == "error" {
			all = append(all, Problem{Kind: Compile, File: d.File, Line: d.Line, Column: d.Column, Message: d.Message})
		}
	}
	if len(all) == 0 {
		all = []Problem{{Kind: Compile, File: name, Message: err.Error()}}
	}
	return w.problem(all...)
}

// buildTruth compiles the kernel that the results are compared with; it has the same arguments.
func (w *worker) buildTruth(ctx context.Context, k *kernel) error {
	d, r := k.parser.d, k.parser.d.Reference
	t := &kernel{parser: &parser{d: d, text: k.parser.text}, source: k.source, library: k.library}
	if r.Kernel != "" {
		s, err := sourceOf(d, r.Kernel, "")
		if err != nil {
			k.parser.problem("reference.kernel", "%v", err)
			return w.problem(k.parser.problems...)
		}
		t.source = s
		if err := w.compile(ctx, t); err != nil {
			return err
		}
	}
	entry, err := chooseEntry(r.Entry, t.library.Entries())
	if err != nil {
		k.parser.problem("reference.entry", "%v", err)
		return w.problem(k.parser.problems...)
	}
	t.entry = entry
	t.args = bind(t.parser, entry)
	for _, p := range t.parser.problems {
		p.Message = "of the reference: " + p.Message
		k.parser.problems = append(k.parser.problems, p)
	}
	k.truth = t
	return nil
}

// describe lists the arguments and what they hold.
func (k *kernel) describe() []Bound {
	var all []Bound
	vars := k.parser.d.Values(false)
	for i := range k.args {
		b := &k.args[i]
		x := Bound{Name: b.of.Name, Binding: fmt.Sprintf("%s %d", b.of.Kind, b.of.Index), Type: b.of.Type, Access: b.of.Access.String()}
		x.Holds, x.Bytes = b.holds(k.parser.d.Folder(), vars)
		all = append(all, x)
	}
	return all
}

// holds says what an argument holds.
func (b *bound) holds(folder string, vars map[string]float64) (string, int64) {
	switch {
	case b.as.Bytes.Text != "":
		n, _ := b.as.Bytes.Whole(vars, 0, maxShared)
		return "threadgroup memory", n
	case len(b.as.Fields) > 0:
		x, _ := structBytes(b.as.Fields, vars)
		return "struct", int64(len(x))
	case b.as.Value.Text != "":
		v, _ := b.as.Value.Value(vars)
		return plainNumber(v), int64(b.element.Bytes())
	}
	n, _ := b.elements(folder, vars)
	if extents, _, err := b.as.shapeOf(vars); err == nil && b.of.Tensor != nil {
		return fmt.Sprintf("%s, %s %s", b.as.Fill, dimensionsText(extents), b.elementType()), n * int64(b.element.Bytes())
	}
	return fmt.Sprintf("%s, %d %s", b.as.Fill, n, b.element.Name), n * int64(b.element.Bytes())
}
