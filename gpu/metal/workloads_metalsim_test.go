//go:build metalsim && cgo && !darwin

package metal

import (
	"maps"
	"strings"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/metal/sim"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
	"assay/workloads/measure"
	"assay/workloads/suite"
)

// recorder records the output of a workload.
type recorder struct {
	results  []workloads.Result
	findings []workloads.Finding
}

func (*recorder) Progress(workloads.Progress)      {}
func (h *recorder) Results(rs ...workloads.Result) { h.results = append(h.results, rs...) }
func (h *recorder) Finding(f workloads.Finding)    { h.findings = append(h.findings, f) }
func (*recorder) Iteration(string)                 {}
func (h *recorder) of(s workloads.Status) (n int) {
	for i := range h.results {
		if h.results[i].Status == s {
			n++
		}
	}
	return n
}

// smallest returns parameter values with which a workload is quick on a simulated GPU.
func smallest(w *workloads.Workload) workloads.Values {
	v := benchtest.Small(w)
	maps.Copy(v, map[string]workloads.Values{
		"batching":     {"dtype": "both", "layers": 2},
		"quantization": {"cols": 70, "batch": 2},
		"tiles":        {"min_tile": 64, "max_tile": 128},
		"patterns":     {"max_batch": 4, "max_images": 4, "steps": 2},
		"published":    {"tables": "operations", "scale": 2},
		"graph":        {"sizes": "width=4, channels=2, heads=2, hidden=5, columns=12"},
		"training":     {"layers": 3, "segment": 2, "steps": 1, "max_batch": 4},
		"leak":         {"rate": 10.0, "iterations": 100.0, "duration": 0.2, "limit": 100.0},
		"compile":      {"kernel": "add"},
		"wrong":        {"size": 16},
		"same":         {"size": 16, "copies": 1, "matters": 50.0},
		"throttle":     {"size": 16, "rest": 0.2},
		"hog":          {"size": 16},
		"classifier":   {"formats": "int8", "min_layers": 2, "max_layers": 2, "allowed": 20.0},
		"tuning":       {"rows": 8, "columns": 8, "inner": 8, "candidates": 4, "budget": 0.5},
		"soak":         {"size": 8, "duration": 3.0, "window": 0.1}, // findings take 15 windows, and a slow machine skips some
	}[w.Name])
	return v
}

// timedControls draw conclusions from times, and report when the machine does not allow it. The tests of suite/controls script
// the times.
var timedControls = map[string]bool{"same": true, "throttle": true, "hog": true}

// runWorkload runs w from end to end on the engine, through the pool, and returns its output.
func runWorkload(t *testing.T, e gpu.Engine, pool *gpu.Pool, w workloads.Workload) (*recorder, error) {
	t.Helper()
	return runWith(t, e, pool, w, smallest(&w))
}

func runWith(t *testing.T, e gpu.Engine, pool *gpu.Pool, w workloads.Workload, set workloads.Values) (*recorder, error) {
	t.Helper()
	q, err := e.NewQueue(w.Name)
	if err != nil {
		t.Fatal(err)
	}
	h := &recorder{}
	samples := 16
	switch w.Name {
	case "batching", "quantization", "soak":
	case "compile":
		samples = 8 // a compiler takes long
	default:
		samples = 32 // findings rest on ratios, whose intervals require more rounds
	}
	env := &workloads.Env{
		Workload: &w, Engine: e, Queue: q, Pool: pool, Seed: 7, Observer: h,
		Options: measure.Options{MinSamples: samples, LateSamples: samples, MaxSamples: samples, Budget: time.Millisecond, SampleTime: time.Nanosecond},
	}
	v := w.Defaults(true)
	maps.Copy(v, set)
	if err := w.Check(v); err != nil {
		t.Fatal(err)
	}
	err = w.Run(t.Context(), env, v)
	if closing := q.Close(); closing != nil {
		t.Error(closing)
	}
	return h, err
}

// testControl checks what a control concludes from its output. One that depends on times may be inconclusive, and has three
// attempts, since the machine may be busy.
func testControl(t *testing.T, e gpu.Engine, pool *gpu.Pool, w *workloads.Workload, h *recorder) {
	t.Helper()
	for attempt := 1; ; attempt++ {
		seen := workloads.Seen{Values: w.Defaults(true).With(smallest(w)), Results: h.results}
		if len(pool.Live()) > 0 {
			seen.Leaks = []string{"live"}
		}
		f, timed := w.Conclude(seen), timedControls[w.Name]
		switch {
		case f.Kind == workloads.KindPassed, f.Kind == workloads.KindUndecided && timed:
			return
		case !timed || attempt == 3:
			t.Error(f.Text)
			return
		}
		t.Logf("attempt %d: %s", attempt, f.Text)
		var err error
		if h, err = runWorkload(t, e, pool, *w); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWorkloads runs every workload from end to end. Those that measure verify each result; none may fail, and only the buffers
// that the leak control leaks deliberately may remain in the pool.
func TestWorkloads(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	e := openSim(t, o)
	pool := gpu.NewPool(e, gpu.PoolOptions{Mode: gpu.ModePoison})
	for _, w := range suite.All() {
		t.Run(w.Name, func(t *testing.T) {
			h, err := runWorkload(t, e, pool, w)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range h.results {
				if w.Control {
					break // the control's effect is checked below
				}
				if r.Status != workloads.OK || !(r.Time().Median > 0) {
					t.Errorf("%s %s: %s %q, %g s", r.Case, r.Variant, r.Status, r.Failure.Text, r.Time().Median)
				}
			}
			few := w.Name == "compile" // too few samples for an interval
			if !w.Control && (len(h.results) == 0 || len(h.findings) == 0 && !few) {
				t.Errorf("%d results, %d findings", len(h.results), len(h.findings))
			}
			if w.Control {
				testControl(t, e, pool, &w, h)
			} else if n := len(pool.Live()); n > 0 {
				t.Errorf("%d buffers are live", n)
			}
			if _, err := pool.Reclaim(); err != nil {
				t.Error(err)
			}
		})
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
	if m := e.Memory(); m != (gpu.Memory{}) {
		t.Errorf("the pool is closed, yet Memory is %+v", m)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// A limit of the device yields a row that names it.
func TestBeyondTheDevice(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	e := openSim(t, o)
	pool := gpu.NewPool(e, gpu.PoolOptions{Mode: gpu.ModePoison})
	for name, tc := range map[string]struct {
		set    workloads.Values
		reason string
	}{
		"tiles":       {workloads.Values{"compare": "blocked", "min_tile": 256, "max_tile": 256}, "33280 B of threadgroup memory, the device has 32768 B"},
		"elementwise": {workloads.Values{"threads": 2048, "op": "add"}, "2048 × 1 × 1 threads in a threadgroup, the pipeline allows 1024"},
	} {
		w, err := workloads.Find(suite.All(), name)
		if err != nil {
			t.Fatal(err)
		}
		h, err := runWith(t, e, pool, *w, smallest(w).With(tc.set))
		if err != nil {
			t.Fatal(err)
		}
		refused := 0
		for _, r := range h.results {
			if r.Status == workloads.Unsupported && strings.Contains(r.Failure.Text, tc.reason) {
				refused++
			} else if name == "elementwise" || r.Status != workloads.OK {
				t.Errorf("%s %s: %s %q", r.Case, r.Variant, r.Status, r.Failure.Text)
			}
		}
		if refused == 0 {
			t.Errorf("%s: no row says %q", name, tc.reason)
		}
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// If the device is lost in the middle of a workload, the workload stops and earlier results are kept. On an engine that is
// opened again it runs to the end.
func TestWorkloadOnLostDevice(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	w := suite.All()[0]
	e := openSim(t, o)
	pool := gpu.NewPool(e, gpu.PoolOptions{Mode: gpu.ModePoison})
	sim.Inject(sim.Script{RemoveDevice: 100})
	if _, err := runWorkload(t, e, pool, w); err == nil {
		t.Error("the device was removed, yet the workload ended well")
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	sim.Inject(sim.Script{})
	again := openSim(t, o)
	pool = gpu.NewPool(again, gpu.PoolOptions{Mode: gpu.ModePoison})
	h, err := runWorkload(t, again, pool, w)
	if err != nil || len(h.results) == 0 || h.of(workloads.OK) != len(h.results) {
		t.Errorf("on the new device: %d results, %d of them well, %v", len(h.results), h.of(workloads.OK), err)
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
