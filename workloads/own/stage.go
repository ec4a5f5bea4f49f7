package own

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/gpu/msl"
	"assay/gpu/msl/clang"
	"assay/gpu/msl/exec"
	"assay/internal/regular"
)

// errStop ends a job whose report says why.
var errStop = errors.New("stopped")

// worker does a job, and tells its report after each step.
type worker struct {
	job      *Job
	engines  []Engine
	compiler *clang.Compiler
	report   *Report
	tell     func(*Report)
	began    time.Time
}

// kernel is a description with its compiled source.
type kernel struct {
	parser  *parser
	source  msl.Source
	library *clang.Library
	checked *clang.Library // compiled for checked mode; nil: not asked for
	entry   *msl.Entry
	args    []bound
	truth   *kernel // what results are compared with; nil: Starlark or nothing
}

// work does a job. The report says what is wrong with the kernel; the error is the context's, or of what Assay needs.
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

// stage does a step, and tells how it ended.
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

// problem adds one to the report and ends the job.
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

// resize sets the sizes that the job asks for.
func (w *worker) resize(p *parser) error {
	for name, v := range w.job.Sizes {
		i := slices.IndexFunc(p.d.Sizes, func(s Size) bool { return s.Name == name })
		if i < 0 {
			return w.problem(Problem{Kind: Invalid, File: p.d.Path, Message: fmt.Sprintf("there is no size %q", name)})
		}
		s := &p.d.Sizes[i]
		if s.Check == s.Value {
			s.Check = v
		}
		s.Value = v
	}
	return nil
}

// sourceOf is a .metal file that a description names; text is its text, or empty to read it.
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

// compileProblems are the errors of a source.
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

// buildTruth compiles the kernel that the results are compared with: it has the same arguments.
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

// describe lists the arguments with what they hold.
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
	n, _ := b.as.elements(folder, b.element, vars)
	return fmt.Sprintf("%s, %d %s", b.as.Fill, n, b.element.Name), n * int64(b.element.Bytes())
}

// load compiles the kernel's code for this processor. Its errors are problems in the report.
func (w *worker) load(ctx context.Context, k *kernel, vars map[string]float64, checked bool) (*exec.Kernel, error) {
	x, err := k.load(ctx, vars, checked)
	if err != nil {
		return nil, w.compileProblems(k.source.Name, err)
	}
	return x, nil
}

// load leaves the report alone: other goroutines may call it.
func (k *kernel) load(ctx context.Context, vars map[string]float64, checked bool) (*exec.Kernel, error) {
	library := k.library
	if checked {
		library = k.checked
	}
	values := constantValues(&parser{d: k.parser.d}, library.Constants(), vars)
	object, err := library.Object(ctx, k.entry.Name, values)
	if err != nil {
		return nil, err
	}
	return exec.Load(object)
}

func (c *call) launch() exec.Launch {
	return exec.Launch{Groups: c.groups, Threads: c.threads, Grid: c.grid, Buffers: c.buffers, Threadgroup: c.threadgroup, Workers: workers()}
}

// workers is how many threadgroups the executor runs at once.
func workers() int { return min(runtime.GOMAXPROCS(0), 16) }

// stacksOfWorker is the address space that each of them reserves for the stacks of its threads, and hardly touches.
const stacksOfWorker = 1024 * (1<<20 + 256<<10)

// canCheck is whether this system has checked mode.
const canCheck = runtime.GOOS != "darwin"

// orders is how many orders of threads race mode compares.
const orders = 4

// checked runs the kernel in checked and race mode at the sizes for that, and verifies what it leaves.
func (w *worker) checked(ctx context.Context, k *kernel) error {
	if w.job.Unchecked {
		return nil
	}
	if !canCheck {
		w.skip(Checked, clang.ErrNoChecking.Error())
		return nil
	}
	d := k.parser.d
	c, err := w.newCall(k, d.Values(true))
	if err != nil {
		return err
	}
	var warming sync.WaitGroup // the code of race mode is compiled while checked mode's is
	defer warming.Wait()
	err = w.stage(Checked, func() error {
		warming.Go(func() {
			if x, err := k.load(ctx, c.vars, false); err == nil { // else the next step tells
				_ = x.Close()
			}
		})
		x, err := w.load(ctx, k, c.vars, true)
		if err != nil {
			return err
		}
		defer x.Close()
		if err := w.fault(k, x.Run(ctx, c.launch())); err != nil {
			return err
		}
		return w.verify(ctx, k, c)
	})
	if err != nil {
		return err
	}
	if d.NoRace != "" {
		w.skip(Raced, d.NoRace)
		return nil
	}
	warming.Wait()
	return w.stage(Raced, func() error {
		x, err := w.load(ctx, k, c.vars, false)
		if err != nil {
			return err
		}
		defer x.Close()
		c.reset()
		return w.fault(k, x.Race(ctx, c.launch(), orders))
	})
}

func (w *worker) newCall(k *kernel, vars map[string]float64) (*call, error) {
	p := &parser{d: k.parser.d, text: k.parser.text}
	c := newCall(p, k.entry, k.args, &k.parser.d.Launch, vars)
	if len(p.problems) > 0 {
		return nil, w.problem(p.problems...)
	}
	return c, nil
}

// fault is a problem of a kernel that the executor stopped.
func (w *worker) fault(k *kernel, err error) error {
	var f *exec.Fault
	if !errors.As(err, &f) {
		return err
	}
	p := Problem{Kind: kindOf(f.Message), File: f.File, Line: f.Line, Column: f.Column, Message: f.Message}
	if p.Line == 0 {
		p.File, p.Line = k.source.Name, k.entry.Line
	}
	if filepath.Clean(p.File) == filepath.Clean(k.source.Name) {
		p.File = k.source.Name
	}
	return w.problem(p)
}

// kindOf tells faults apart by the executor's words.
func kindOf(message string) Kind {
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(message, word) })
	}
	switch {
	case has("no memory for"):
		return Memory
	case strings.HasPrefix(message, "data race"):
		return Race
	case has("reached by", "barrier", "SIMD"):
		return Diverged
	case has("at offset", "outside of any buffer", "null pointer", "not the kernel's"):
		return Bounds
	}
	return Crashed
}

// hash tells kernels apart.
func hash(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%d\n%s", len(t), t)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
