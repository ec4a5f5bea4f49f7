package own

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"assay/gpu/msl/clang"
	"assay/gpu/msl/exec"
)

// load compiles the kernel's code for this processor. Its errors are problems in the report.
func (w *worker) load(ctx context.Context, k *kernel, vars map[string]float64, checked bool) (*exec.Kernel, error) {
	x, err := k.load(ctx, vars, checked)
	if err != nil {
		return nil, w.compileProblems(k.source.Name, err)
	}
	return x, nil
}

// load does not touch the report: other goroutines may call it.
func (k *kernel) load(ctx context.Context, vars map[string]float64, checked bool) (*exec.Kernel, error) {
	library := k.library
	if checked {
		library = k.checked
	}
	values := constantBytes(&parser{d: k.parser.d}, library.Constants(), vars)
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

// stacksOfWorker is the address space that each of them reserves for the stacks of its threads; little of it is ever touched.
const stacksOfWorker = 1024 * (1<<20 + 256<<10)

// canCheck reports whether checked mode is available on this system.
const canCheck = runtime.GOOS != "darwin"

// orders is how many thread orders race mode compares.
const orders = 4

// checked runs the kernel in checked and race mode at the sizes for those modes, and verifies its outputs.
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
	var warming sync.WaitGroup // race mode's code is compiled while checked mode's is
	defer warming.Wait()
	err = w.stage(Checked, func() error {
		warming.Go(func() {
			if x, err := k.load(ctx, c.vars, false); err == nil { // otherwise the next step reports it
				_ = x.Close()
			}
		})
		x, err := w.load(ctx, k, c.vars, true)
		if err != nil {
			return err
		}
		defer x.Close()
		if err := w.execute(ctx, k, x, c); err != nil {
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
		err = w.launching(k, orders, func() error { return x.Race(ctx, c.launch(), orders) })
		var f *exec.Fault
		if err == nil || errors.As(err, &f) {
			err = w.witness(ctx, k, c, f)
		}
		return w.fault(k, err)
	})
}

// witness looks for the racing accesses of a fault found in race mode or, without one, for a race that its thread orders do not
// reveal. It gives up if that takes too long.
func (w *worker) witness(ctx context.Context, k *kernel, c *call, f *exec.Fault) error {
	found := error(nil)
	if f != nil {
		found = f
	}
	x, err := k.load(ctx, c.vars, true)
	if err != nil {
		return found
	}
	defer x.Close()
	c.reset()
	ctx, cancel := context.WithTimeout(ctx, k.parser.d.Time)
	defer cancel()
	if f == nil {
		f, err = x.Unordered(ctx, c.launch())
	} else {
		f, err = x.Witness(ctx, c.launch(), f)
	}
	if err == nil && f != nil {
		return f
	}
	return found
}

// execute runs one launch on this processor.
func (w *worker) execute(ctx context.Context, k *kernel, x *exec.Kernel, c *call) error {
	return w.fault(k, w.launching(k, 1, func() error { return x.Run(ctx, c.launch()) }))
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
	all := []Problem{{Kind: kindOf(f.Message), File: f.File, Line: f.Line, Column: f.Column, Message: f.Message}}
	if f.Line == 0 {
		all[0].File, all[0].Line = k.source.Name, k.entry.Line
	}
	if o := f.Other; o != nil {
		all = append(all, Problem{Kind: Race, File: o.File, Line: o.Line, Column: o.Column, Message: o.Message, Hint: true})
	}
	for i := range all {
		if filepath.Clean(all[i].File) == filepath.Clean(k.source.Name) {
			all[i].File = k.source.Name
		}
	}
	return w.problem(all...)
}

// kindOf classifies faults by the executor's message.
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
