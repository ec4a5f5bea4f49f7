package workloads

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/gpu"
	"assay/shaders"
	"assay/workloads/measure"
)

// Observer hears what a workload does. Its methods are called from the workload's goroutine and must return at once.
type Observer interface {
	Progress(Progress)
	Result(Result)
	Finding(Finding)
	// Iteration is called whenever the live buffers should be the same as at the last call within the same case.
	Iteration(caseName string)
}

// Progress is where a run of a workload stands.
type Progress struct {
	Workload string
	Case     string
	Done     int // cases
	Total    int
	Measure  measure.Progress
}

// Env is what a workload runs in.
type Env struct {
	Workload string
	Engine   gpu.Engine
	Queue    gpu.Queue
	Pool     *gpu.Pool
	Options  measure.Options
	Seed     uint64
	Observer Observer

	done, total int
	results     []Result
}

// Case is one setting, with the variants to compare there.
type Case struct {
	Name     string
	Settings []Setting
	// Build allocates and fills buffers from the scope, which are released after the case.
	Build func(s *Scope) ([]Variant, error)
}

// Variant is one way to do a case's work.
type Variant struct {
	Name       string
	Settings   []Setting // beyond the case's, for axes that differ between variants
	Dispatches []gpu.Dispatch
	Items      float64
	// Baseline names the variant to compare with; empty means none.
	Baseline string
	// Adjust completes the result with what only the workload knows.
	Adjust func(r *Result)
}

// Results are those so far, of this run of the workload.
func (e *Env) Results() []Result { return e.results }

// MeasureAll measures the cases one after another. A case that cannot be built or run is a result that says why; only
// the end of ctx and a lost device stop the rest.
func (e *Env) MeasureAll(ctx context.Context, cases []Case) error {
	e.total += len(cases)
	for i := range cases {
		if err := e.measure(ctx, &cases[i]); err != nil {
			return err
		}
		e.done++
	}
	return nil
}

func (e *Env) measure(ctx context.Context, c *Case) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e.progress(c, measure.Progress{Phase: "preparing"})
	scope := &Scope{env: e, ctx: ctx}
	defer scope.release()
	started := time.Now()
	variants, err := c.Build(scope)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		e.emit(e.broken(c, started, err))
		return stopping(err)
	}
	results, err := measure.Case(ctx, e.subjects(variants), e.Options, func(p measure.Progress) {
		e.progress(c, p)
		e.Observer.Iteration(c.Name)
	})
	if err != nil {
		return err
	}
	return e.collect(c, started, variants, results)
}

func (e *Env) progress(c *Case, p measure.Progress) {
	e.Observer.Progress(Progress{Workload: e.Workload, Case: c.Name, Done: e.done, Total: e.total, Measure: p})
}

func (e *Env) subjects(variants []Variant) []measure.Subject {
	subjects := make([]measure.Subject, len(variants))
	for i := range variants {
		subjects[i] = e.subject(&variants[i])
	}
	return subjects
}

// collect turns measurements into results, compares variants with their baselines, and emits them.
func (e *Env) collect(c *Case, started time.Time, variants []Variant, measured []measure.Result) error {
	var fatal error
	all := make([]Result, len(variants))
	for i := range variants {
		all[i] = e.result(c, started, &variants[i], &measured[i])
		fatal = errors.Join(fatal, stopping(measured[i].Err))
	}
	for i := range variants {
		compare(all, i, variants[i].Baseline)
		if adjust := variants[i].Adjust; adjust != nil {
			adjust(&all[i])
		}
	}
	for _, r := range all {
		e.emit(r)
	}
	return fatal
}

func (e *Env) emit(r Result) {
	e.results = append(e.results, r)
	e.Observer.Result(r)
}

// Find emits a finding, and marks the result that it points at.
func (e *Env) Find(f Finding) {
	f.Workload = e.Workload
	e.Observer.Finding(f)
}

func (e *Env) result(c *Case, started time.Time, v *Variant, m *measure.Result) Result {
	r := newResult()
	r.Workload, r.Case, r.Variant, r.Started = e.Workload, c.Name, v.Name, started
	r.Settings = slices.Concat(c.Settings, v.Settings)
	r.Time, r.Samples, r.Outliers, r.Reps, r.Warmups, r.Stop = m.Time, m.Samples, m.Outliers, m.Reps, m.Warmups, m.Stop
	r.Warnings = m.Warnings
	r.Items, r.Dispatches = v.Items, len(v.Dispatches)
	for _, d := range v.Dispatches {
		cost := d.Kernel.Spec().Cost(d.Params, d.Kernel.Constants())
		r.Ops += cost.Ops
		r.Bytes += cost.Bytes
	}
	if m.Check.Checked > 0 {
		r.ErrorMax, r.ErrorRel = m.Check.MaxError, m.Check.MaxRel
	}
	r.Status, r.Reason = status(m)
	return r
}

func status(m *measure.Result) (Status, string) {
	switch {
	case errors.Is(m.Err, gpu.ErrUnsupported):
		return Unsupported, m.Err.Error()
	case m.Err != nil:
		return Errored, m.Err.Error()
	case !m.Check.OK:
		return Failed, "wrong result: " + m.Check.Failure
	}
	return OK, ""
}

// broken is the result of a case that could not be built.
func (e *Env) broken(c *Case, started time.Time, err error) Result {
	r := newResult()
	r.Workload, r.Case, r.Variant, r.Settings, r.Started = e.Workload, c.Name, "all", c.Settings, started
	r.Status, r.Reason = status(&measure.Result{Err: err})
	return r
}

// stopping is err if there is no use in going on with other cases.
func stopping(err error) error {
	if errors.Is(err, gpu.ErrDeviceLost) || errors.Is(err, gpu.ErrClosed) {
		return err
	}
	return nil
}

// compare fills in how all[i] does against the baseline.
func compare(all []Result, i int, baseline string) {
	r := &all[i]
	for j := range all {
		b := &all[j]
		if j == i || b.Variant != baseline {
			continue
		}
		r.Baseline = baseline
		r.BytesSaved = b.Bytes - r.Bytes
		r.DispatchesSaved = b.Dispatches - r.Dispatches
		if r.Status == OK && b.Status == OK {
			r.Speedup = measure.Ratio(b.Samples, r.Samples)
		}
	}
}

// maxDispatches bounds one command buffer.
const maxDispatches = 4096

// subject makes a variant measurable: its dispatches, repeated, are one command buffer.
func (e *Env) subject(v *Variant) measure.Subject {
	return measure.Subject{
		Name:    v.Name,
		MaxReps: max(1, maxDispatches/max(1, len(v.Dispatches))),
		Run: func(ctx context.Context, reps int) (float64, error) {
			batch := make([]gpu.Dispatch, 0, reps*len(v.Dispatches))
			for range reps {
				batch = append(batch, v.Dispatches...)
			}
			t, err := e.submit(ctx, batch...)
			return t.Device / float64(reps), err
		},
		Check: func(ctx context.Context) (measure.Check, error) { return e.verify(ctx, v) },
	}
}

// runTimeout bounds one command buffer: none is meant to take a tenth of it.
const runTimeout = 60 * time.Second

// submit runs dispatches as one command buffer and waits.
func (e *Env) submit(ctx context.Context, dispatches ...gpu.Dispatch) (gpu.Timing, error) {
	sub, err := e.Queue.Submit(dispatches...)
	if err != nil {
		return gpu.Timing{}, err
	}
	wait, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	t, err := sub.Wait(wait)
	if err != nil && ctx.Err() == nil && wait.Err() != nil {
		return t, gpu.Errorf(gpu.ErrTimeout, "dispatch", "", "no answer within %v", runTimeout)
	}
	return t, err
}

// verifyLimit is how many elements of each output are compared with the reference.
const verifyLimit = 256

// poison is what outputs are filled with before a verified run: as f32 or f16 it is NaN, so an element that was not
// written cannot pass for a result.
const poison = 0xff

// verify poisons the outputs of all dispatches, runs them once, and compares each with its reference. No two
// dispatches of a variant write the same buffer.
func (e *Env) verify(ctx context.Context, v *Variant) (measure.Check, error) {
	for _, d := range v.Dispatches {
		for _, arg := range d.Kernel.Spec().Outputs() {
			if err := d.Bindings[arg].Buffer.Fill(poison); err != nil {
				return measure.Check{}, err
			}
		}
	}
	if _, err := e.submit(ctx, v.Dispatches...); err != nil {
		return measure.Check{}, err
	}
	total := measure.Check{OK: true}
	for _, d := range v.Dispatches {
		views, err := views(&d)
		if err != nil {
			return total, err
		}
		c := d.Kernel.Spec().Verify(d.Params, d.Kernel.Constants(), views, verifyLimit, e.Seed)
		if c.OK() {
			c.Failure = unwritten(d.Kernel.Spec(), views)
		}
		total.Checked += c.Checked
		total.MaxError, total.MaxRel = max(total.MaxError, c.MaxError), max(total.MaxRel, c.MaxRel)
		if !c.OK() && total.OK {
			total.OK, total.Failure = false, c.Failure
		}
		if err := ctx.Err(); err != nil {
			return total, err
		}
	}
	return total, nil
}

// unwritten names the first element of a float output that still holds poison, which Verify may not have picked;
// empty if there is none.
func unwritten(k *shaders.Kernel, views []shaders.View) string {
	for _, arg := range k.Outputs() {
		v, size := views[arg], k.Args[arg].Type.Bytes(1)
		if size < 2 { // every byte is a valid integer code
			continue
		}
		for at := 0; at < len(v.Data); at += size {
			if v.Data[at] == poison && bytes.Count(v.Data[at:at+size], []byte{poison}) == size {
				return fmt.Sprintf("kernel %s: %s[%d] was not written", k.Name, k.Args[arg].Name, at/size)
			}
		}
	}
	return ""
}

// views are host copies of a dispatch's arguments, or the memory itself where the host sees it.
func views(d *gpu.Dispatch) ([]shaders.View, error) {
	k := d.Kernel.Spec()
	out := make([]shaders.View, len(k.Args))
	for i, arg := range k.Args {
		b := d.Bindings[i]
		if b.Buffer == nil {
			continue
		}
		n := k.Bytes(i, d.Params)
		data := b.Buffer.Bytes()
		if data != nil {
			data = data[b.Offset : b.Offset+n]
		} else {
			data = make([]byte, n)
			if err := b.Buffer.Read(b.Offset, data); err != nil {
				return nil, fmt.Errorf("read %s of %s: %w", arg.Name, k.Name, err)
			}
		}
		out[i] = shaders.View{Type: arg.Type, Data: data}
	}
	return out, nil
}
