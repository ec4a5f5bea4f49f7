//go:build metalsim && cgo && !darwin

package metal

import (
	"maps"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/metal/sim"
	"assay/workloads"
	"assay/workloads/measure"
	"assay/workloads/suite"
)

// hearer keeps what a workload says.
type hearer struct {
	results  []workloads.Result
	findings []workloads.Finding
}

func (*hearer) Progress(workloads.Progress)      {}
func (h *hearer) Results(rs ...workloads.Result) { h.results = append(h.results, rs...) }
func (h *hearer) Finding(f workloads.Finding)    { h.findings = append(h.findings, f) }
func (*hearer) Iteration(string)                 {}
func (h *hearer) of(s workloads.Status) (n int) {
	for i := range h.results {
		if h.results[i].Status == s {
			n++
		}
	}
	return n
}

// smallest are values that make each workload quick on a simulated GPU.
func smallest() map[string]workloads.Values {
	return map[string]workloads.Values{
		"batching":     {"dtype": "both", "min_size": 8, "max_size": 16, "max_batch": 4, "width": 8, "layers": 2},
		"fusion":       {"min_size": 4, "max_size": 8, "min_elements": 10, "max_elements": 100},
		"quantization": {"rows": 6, "cols": 70, "batch": 2, "operands": "cache"},
		"leak":         {"rate": 10.0, "iterations": 100.0, "duration": 0.2, "limit": 100.0},
		"compile":      {"kernel": "add"},
		"soak":         {"size": 8, "duration": 2.0, "window": 0.1},
	}
}

// runWorkload runs w from end to end on the engine, through the pool, and returns what it said.
func runWorkload(t *testing.T, e gpu.Engine, pool *gpu.Pool, w workloads.Workload) (*hearer, error) {
	t.Helper()
	q, err := e.NewQueue(w.Name)
	if err != nil {
		t.Fatal(err)
	}
	h := &hearer{}
	samples := 16
	switch w.Name {
	case "fusion":
		samples = 32 // its findings rest on ratios, whose intervals take more rounds
	case "compile":
		samples = 8 // a compiler takes long
	}
	env := &workloads.Env{
		Workload: &w, Engine: e, Queue: q, Pool: pool, Seed: 7, Observer: h,
		Options: measure.Options{MinSamples: samples, LateSamples: samples, MaxSamples: samples, Budget: time.Millisecond, SampleTime: time.Nanosecond},
	}
	v := w.Defaults(true)
	maps.Copy(v, smallest()[w.Name])
	if err := w.Check(v); err != nil {
		t.Fatal(err)
	}
	err = w.Run(t.Context(), env, v)
	if closing := q.Close(); closing != nil {
		t.Error(closing)
	}
	return h, err
}

// TestWorkloads runs every workload from end to end. All that measure verify each result; none may fail, and what is
// left in the pool is what the leak control leaked on purpose.
func TestWorkloads(t *testing.T) {
	o := simOptions(t)
	books(t)
	e := openSim(t, o)
	pool := gpu.NewPool(e, gpu.PoolOptions{Mode: gpu.ModePoison})
	for _, w := range suite.All() {
		t.Run(w.Name, func(t *testing.T) {
			if smallest()[w.Name] == nil {
				t.Fatal("no small values for it")
			}
			h, err := runWorkload(t, e, pool, w)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range h.results {
				if r.Status != workloads.OK || !(r.Time().Median > 0) {
					t.Errorf("%s %s: %s %q, %g s", r.Case, r.Variant, r.Status, r.Failure.Text, r.Time().Median)
				}
			}
			few := w.Name == "compile" // too few samples for an interval
			if !w.Control && (len(h.results) == 0 || len(h.findings) == 0 && !few) {
				t.Errorf("%d results, %d findings", len(h.results), len(h.findings))
			}
			if leaked := len(pool.Live()) > 0; leaked != w.Control {
				t.Errorf("%d buffers are live", len(pool.Live()))
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

// A device that is lost in the middle of a workload stops it; the results before stay, and an engine that is opened
// again runs it to its end.
func TestWorkloadOnLostDevice(t *testing.T) {
	o := simOptions(t)
	books(t)
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
