package app

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"assay/workloads/own"
)

// The playground's plain types, as the window and the command line use them. A kernel is two texts, OwnKernel: the
// description in TOML and the .metal source. Reports say what was done with them; each holds everything known so far.
type (
	// OwnKernel is a kernel's texts, which need not be saved.
	OwnKernel = own.Files
	// OwnJob is what to do with a kernel; its Kernel, Do and Engine are set by the methods of Playground.
	OwnJob = own.Job
	// OwnReport is what is known of a kernel: stages, problems with their places, outputs compared, times.
	OwnReport = own.Report
	// OwnProblem is one thing that is wrong with a kernel, with file, line and column.
	OwnProblem = own.Problem
	// OwnStage, OwnBound, OwnOutcome, OwnPoint and OwnSpan are parts of a report.
	OwnStage   = own.Stage
	OwnBound   = own.Bound
	OwnOutcome = own.Outcome
	OwnPoint   = own.Point
	OwnSpan    = own.Span
	// OwnDescription is a description that was parsed.
	OwnDescription = own.Description
	// OwnExample is a template, or a broken kernel of the gallery.
	OwnExample = own.Example
)

// UseOwn is the lease of timing a user's kernel.
const UseOwn Use = "timing a kernel of your own"

// Playground runs the kernels that users write:
//
//	k, d, err := p.Open("folder")             // or one description: NAME.kernel.toml, kernel.toml
//	d, problems := p.Describe(k)              // parses k.Description; nothing is compiled. For each keystroke
//	r, err := p.Check(ctx, k)                 // compiles and fits both texts together: r.Problems are the squiggles
//	r, err = p.Run(ctx, k, opts, each)        // checked and race mode, then one verified launch on the engine
//	r, err = p.Time(ctx, k, opts, each)       // the same, and r.Points; opts.Sweep is a named size to sweep
//	r, err = p.Compare(ctx, a, b, opts, each) // verify both, then A B B A: r.Compared
//	err = p.Save(k, opened, false); err = p.Keep(k, r) // the two texts, over what was opened; the report into results/ beside them
//
// Run, Time and Compare work in a child process with the description's limits on time and memory: an endless loop or a crash is
// a problem in the report, and canceling ctx kills the child. Errors come from ctx, or from what Assay itself needs, such as clang;
// anything wrong with a kernel is in its report. `each` is called from the calling goroutine with each new report, including the
// last; reports are never changed afterward. r.OK() is the verdict; figures of a report that is not r.Verified() are
// shown with own.NotVerified, times of one that is r.OnCPU with own.OnACPU (both words also in OwnNotVerified, OwnOnCPU).
type Playground struct {
	s *Session
	// program serves jobs; nil: this program.
	program own.Program
}

// OwnServeCommand is the subcommand of "assay kernel" that does a job.
const OwnServeCommand = own.ServeCommand

// Words that must stand beside figures; see Playground.
const (
	OwnNotVerified = own.NotVerified
	OwnOnCPU       = own.OnACPU
)

// Playground runs the user's own kernels.
func (s *Session) Playground() *Playground { return &Playground{s: s, program: s.config.OwnProgram} }

// OwnOptions say how to run a kernel.
type OwnOptions struct {
	Engine    string // one of Engines; empty: auto
	Sweep     string // the named size to sweep, for Time
	Sizes     own.Sizes
	Unchecked bool          // without checked and race mode
	Budget    time.Duration // of one measurement; 0: 1 s
}

// OwnEngine is an engine that kernels can run on.
type OwnEngine struct{ Name, Title string }

// Engines returns where kernels can run: the session's engines that take Metal sources, and the CPU. Whether one opens is known
// only when it is used.
func (p *Playground) Engines() []OwnEngine {
	all := []OwnEngine{{own.Auto, "Automatic"}}
	for _, e := range p.s.config.Engines {
		if e.Name != own.CPU && e.Open != nil {
			all = append(all, OwnEngine{e.Name, e.Title})
		}
	}
	return append(all, OwnEngine{own.CPU, "CPU (checks, no GPU)"})
}

// Find lists the descriptions in a folder and below it.
func (p *Playground) Find(folder string) ([]string, error) { return own.Find(folder) }

// Open reads a kernel by its description, or by a folder with one description. Problems of the texts are not errors:
// see Describe.
func (p *Playground) Open(path string) (OwnKernel, *OwnDescription, error) {
	all, err := own.Find(path)
	if err != nil {
		return OwnKernel{}, nil, err
	}
	if len(all) != 1 {
		return OwnKernel{}, nil, fmt.Errorf("%s has %d kernel descriptions (NAME.kernel.toml): want one, or the name of one", path, len(all))
	}
	return own.Read(all[0])
}

// Describe parses a kernel's description.
func (p *Playground) Describe(k OwnKernel) (*OwnDescription, []OwnProblem) {
	return own.Parse(k.Path, k.Description)
}

// Check compiles a kernel and checks its description against its source; nothing runs.
func (p *Playground) Check(ctx context.Context, k OwnKernel) (*OwnReport, error) {
	return own.Check(ctx, k, "")
}

// Run runs a kernel in checked and race mode, then once on the engine, and verifies its output.
func (p *Playground) Run(ctx context.Context, k OwnKernel, o OwnOptions, each func(*OwnReport)) (*OwnReport, error) {
	return p.start(ctx, o.job(own.Running, k), each)
}

// Time does what Run does, and times the kernel with the device to itself.
func (p *Playground) Time(ctx context.Context, k OwnKernel, o OwnOptions, each func(*OwnReport)) (*OwnReport, error) {
	return p.alone(ctx, o.job(own.Timing, k), each)
}

// Compare times two kernels alternately and judges which is faster.
func (p *Playground) Compare(ctx context.Context, base, variant OwnKernel, o OwnOptions, each func(*OwnReport)) (*OwnReport, error) {
	job := o.job(own.Comparing, base)
	job.Other = variant
	return p.alone(ctx, job, each)
}

func (o *OwnOptions) job(do own.Do, k OwnKernel) *own.Job {
	return &own.Job{Do: do, Kernel: k, Engine: o.Engine, Sweep: o.Sweep, Sizes: o.Sizes, Unchecked: o.Unchecked, Budget: o.Budget}
}

// alone does a job while holding the device: no run proceeds meanwhile.
func (p *Playground) alone(ctx context.Context, job *own.Job, each func(*OwnReport)) (*OwnReport, error) {
	lease, err := p.s.device.Acquire(ctx, UseOwn)
	if err != nil {
		return &OwnReport{Path: job.Kernel.Path}, err
	}
	defer lease.Release()
	return p.start(ctx, job, each)
}

func (p *Playground) start(ctx context.Context, job *own.Job, each func(*OwnReport)) (*OwnReport, error) {
	program := p.program
	if len(program) == 0 {
		var err error
		if program, err = own.ThisProgram(); err != nil {
			return &OwnReport{Path: job.Kernel.Path}, err
		}
	}
	return own.Start(ctx, program, job, each)
}

func asErrors(problems []OwnProblem) []error {
	var all []error
	for _, p := range problems {
		all = append(all, p)
	}
	return all
}

// New writes a copy of an example into a folder, which is created if needed, and opens it. Files that already exist are
// an error.
func (p *Playground) New(e OwnExample, folder, name string) (OwnKernel, error) {
	k, source := e.As(folder, name)
	for _, file := range []string{k.Path, source} {
		if _, err := os.Stat(file); err == nil {
			return k, fmt.Errorf("%s exists already", file)
		}
	}
	return k, p.Save(k, OwnKernel{}, false)
}

// Templates are kernels to start from.
func (p *Playground) Templates() []OwnExample { return own.Templates() }

// Gallery returns broken kernels, and what Assay finds in them.
func (p *Playground) Gallery() []OwnExample { return own.Gallery() }

// Example finds a template or a kernel of the gallery by its name.
func (p *Playground) Example(name string) (OwnExample, error) {
	all := slices.Concat(p.Templates(), p.Gallery())
	i := slices.IndexFunc(all, func(e OwnExample) bool { return e.Name == name })
	if i < 0 {
		var names []string
		for _, e := range all {
			names = append(names, e.Name)
		}
		return OwnExample{}, fmt.Errorf("no example %q: want one of %s", name, strings.Join(names, ", "))
	}
	return all[i], nil
}

// Keep adds a report to the results beside its kernel: results/NAME.csv gets a row per time, results/NAME.json the
// whole report.
func (p *Playground) Keep(k OwnKernel, r *OwnReport) error {
	return own.Keep(filepath.Join(filepath.Dir(k.Path), own.Results), r)
}

// ServeOwn is the child's side of the playground; see own.Serve.
func ServeOwn(ctx context.Context, c Config) error {
	var engines []own.Engine
	for _, e := range c.Engines {
		if e.Name != own.CPU {
			engines = append(engines, own.Engine{Name: e.Name, Title: e.Title, Open: e.Open})
		}
	}
	return own.Serve(ctx, os.Stdin, os.Stdout, engines)
}

// Test runs the kernels of all descriptions, as Run does, some of them in parallel: 0 means one per processor. It calls each
// in the order of the paths. The error comes from ctx: an error of a single kernel is a problem in its report.
func (p *Playground) Test(ctx context.Context, paths []string, o OwnOptions, jobs int, each func(*OwnReport)) ([]*OwnReport, error) {
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		report *OwnReport
		err    error
	}
	room, ended := make(chan struct{}, jobs), make([]chan outcome, len(paths))
	for i := range paths {
		ended[i] = make(chan outcome, 1)
	}
	go func() {
		for i, path := range paths {
			room <- struct{}{}
			go func() {
				r, err := p.Run(ctx, OwnKernel{Path: path}, o, func(*OwnReport) {})
				ended[i] <- outcome{r, err}
				<-room
			}()
		}
	}()
	var all []*OwnReport
	for i := range paths {
		x := <-ended[i]
		if ctx.Err() != nil {
			return all, ctx.Err()
		}
		if x.err != nil {
			x.report = failedReport(paths[i], x.err)
		}
		all = append(all, x.report)
		each(x.report)
	}
	return all, nil
}

// failedReport reports a kernel that could not be run: the error is not the kernel's, and the others continue.
func failedReport(path string, err error) *OwnReport {
	return &OwnReport{
		Name: (&OwnDescription{Path: path}).Name(), Path: path, Done: true,
		Problems: []OwnProblem{{Kind: own.Refused, File: path, Message: err.Error()}},
	}
}

// OwnSARIF writes the problems of reports for code scanning.
func OwnSARIF(w io.Writer, version string, all []*OwnReport) error {
	return own.WriteSARIF(w, version, all)
}

// OwnJUnit writes one test case per report.
func OwnJUnit(w io.Writer, all []*OwnReport) error { return own.WriteJUnit(w, all) }
