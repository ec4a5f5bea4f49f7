package own

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"assay/gpu/msl"
	"assay/gpu/msl/clang"
	"assay/internal/regular"
)

// errStop ends a job whose report says why.
var errStop = errors.New("stopped")

// worker does a job, and sends its report after each step.
type worker struct {
	job      *Job
	engines  []Engine
	compiler *clang.Compiler
	report   *Report
	tell     func(*Report)
	watchdog *watchdog // nil: no code of the kernel runs in this process
	began    time.Time
}

// kernel is a description with its compiled source.
type kernel struct {
	parser  *parser
	source  msl.Source
	library *clang.Library
	checked *clang.Library // compiled for checked mode; nil: not requested
	entry   *msl.Entry
	args    []bound
	truth   *kernel // the reference for results; nil: Starlark or nothing
}

// work does a job. The report says what is wrong with the kernel; the error comes from the context, or from something that Assay
// needs.
func (w *worker) work(ctx context.Context) error {
	err := w.steps(ctx)
	if errors.Is(err, errStop) {
		err = nil
	}
	w.report.Seconds = time.Since(w.began).Seconds()
	w.report.Done = err == nil
	w.tell(w.report)
	return err
}

func (w *worker) steps(ctx context.Context) error {
	k, err := w.prepare(ctx, &w.job.Kernel)
	if err != nil || w.job.Do == Checking {
		return err
	}
	if err := w.checked(ctx, k); err != nil {
		return err
	}
	if w.job.Do == Comparing {
		return w.compare(ctx, k)
	}
	return w.onEngine(ctx, k)
}

// prepare reads, checks and compiles a kernel.
func (w *worker) prepare(ctx context.Context, f *Files) (*kernel, error) {
	k := &kernel{}
	err := w.stage(Describe, func() (err error) {
		k.parser, k.source, err = w.read(f)
		return err
	})
	if err == nil {
		err = w.stage(Build, func() error { return w.build(ctx, k) })
	}
	return k, err
}

// stage does a step, and reports how it ended.
func (w *worker) stage(name StageName, do func() error) error {
	at := len(w.report.Stages)
	w.report.Stages = append(w.report.Stages, Stage{Name: name, State: Started})
	w.tell(w.report)
	start := time.Now()
	err := do()
	s := &w.report.Stages[at]
	s.Seconds, s.State = time.Since(start).Seconds(), Passed
	if err != nil {
		s.State = Failed
	}
	w.tell(w.report)
	return err
}

func (w *worker) skip(name StageName, why string) {
	w.report.Stages = append(w.report.Stages, Stage{Name: name, State: Skipped, Why: why})
}

// problem adds a problem to the report and ends the job.
func (w *worker) problem(all ...Problem) error {
	w.report.Problems = append(w.report.Problems, all...)
	return errStop
}

// read parses the description and reads the source.
func (w *worker) read(f *Files) (*parser, msl.Source, error) {
	first := w.report.Path == ""
	if first {
		w.report.Name, w.report.Path = (&Description{Path: f.Path}).Name(), f.Path
	}
	text := f.Description
	if text == "" {
		b, err := regular.Read(f.Path, "a description", maxDescription)
		if err != nil {
			return nil, msl.Source{}, w.problem(Problem{Kind: Invalid, File: f.Path, Message: err.Error()})
		}
		text = string(b)
	}
	d, problems := Parse(f.Path, text)
	p := &parser{d: d, text: text, problems: nil}
	if len(problems) > 0 {
		return p, msl.Source{}, w.problem(problems...)
	}
	if err := w.resize(p); err != nil {
		return p, msl.Source{}, err
	}
	s, err := sourceOf(d, d.Source, f.Source)
	if err != nil {
		return p, s, w.problem(Problem{Kind: Invalid, File: d.Path, Line: lineOf(text, "source"), Key: "source", Message: err.Error()})
	}
	if first {
		w.report.Source, w.report.Hash = s.Name, hash(text, s.Text)
	}
	return p, s, nil
}

// resize sets the sizes that the job specifies, and checks the one that it sweeps.
func (w *worker) resize(p *parser) error {
	if _, err := w.swept(p); err != nil {
		return err // before anything is compiled
	}
	for name, v := range w.job.Sizes {
		i := slices.IndexFunc(p.d.Sizes, func(s Size) bool { return s.Name == name })
		if i < 0 {
			return w.problem(noSize(p.d, name))
		}
		if !isSize(v) {
			return w.problem(Problem{Kind: Invalid, File: p.d.Path, Key: "sizes." + name, Message: fmt.Sprintf("%g was asked for, want 0 to %d", v, math.MaxInt32)})
		}
		s := &p.d.Sizes[i]
		if s.Check == s.Value {
			s.Check = v
		}
		s.Value = v
	}
	return nil
}

// sourceOf returns a .metal file that a description names; text is its text, or empty to read it.
func sourceOf(d *Description, file, text string) (msl.Source, error) {
	s := msl.Source{Name: beside(d.Folder(), file), Text: text, Macros: d.Define}
	for _, dir := range d.Include {
		s.Include = append(s.Include, beside(d.Folder(), dir))
	}
	if text != "" {
		return s, nil
	}
	if _, err := os.Stat(s.Name); errors.Is(err, os.ErrNotExist) {
		return s, fmt.Errorf("there is no file %s", s.Name)
	}
	var err error
	s.Text, err = msl.ReadFile(s.Name)
	return s, err
}

// hash identifies a kernel by its texts.
func hash(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%d\n%s", len(t), t)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
