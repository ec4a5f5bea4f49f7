package workloads

import (
	"context"
	"maps"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads/measure"
)

// recorder is an Observer that keeps what it hears.
type recorder struct {
	progress   []Progress
	results    []Result
	findings   []Finding
	iterations int
	heard      func(Progress) // called for each progress; nil: nothing
}

func (r *recorder) Progress(p Progress) {
	r.progress = append(r.progress, p)
	if r.heard != nil {
		r.heard(p)
	}
}
func (r *recorder) Results(x ...Result) { r.results = append(r.results, x...) }
func (r *recorder) Finding(f Finding)   { r.findings = append(r.findings, f) }
func (r *recorder) Iteration(string)    { r.iterations++ }

// bench is a fake engine with an Env on it.
type bench struct {
	*recorder
	engine *gputest.Fake
	pool   *gpu.Pool
	env    *Env
}

// newBench opens a bench whose engine, pool and queue are closed when the test ends.
func newBench(t *testing.T, script gputest.Script) *bench {
	t.Helper()
	b := &bench{recorder: &recorder{}, engine: gputest.NewFake(script)}
	b.pool = gpu.NewPool(b.engine, gpu.PoolOptions{Mode: gpu.ModePoison, Disabled: true, Helpers: Helpers()})
	queue, err := b.engine.NewQueue("test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := queue.Close(); err != nil {
			t.Error(err)
		}
	})
	b.env = &Env{
		Engine: b.engine, Queue: queue, Pool: b.pool, Seed: 7, Observer: b.recorder,
		// One repetition, few samples: the fake computes through references, and its clock has no noise.
		Options: measure.Options{MinSamples: 6, SampleTime: time.Nanosecond},
	}
	return b
}

// run runs a workload with its quick values but for those given.
func (b *bench) run(ctx context.Context, t *testing.T, w Workload, set Values) error {
	t.Helper()
	v := w.Defaults(true)
	maps.Copy(v, set)
	if err := w.Check(v); err != nil {
		t.Fatal(err)
	}
	b.env.Workload = w.Name
	return w.Run(ctx, b.env, v)
}

// noLive fails the test if buffers are live.
func (b *bench) noLive(t *testing.T) {
	t.Helper()
	for _, l := range b.pool.Live() {
		t.Errorf("a buffer is live: %q, %d B", l.Label, l.Requested)
	}
	if m := b.engine.Memory(); m.Buffers != 0 {
		t.Errorf("%d buffers of the engine are live", m.Buffers)
	}
}

// small are values that make each measuring workload fast on the fake engine.
func small() map[string]Values {
	return map[string]Values{
		"batching":     {"dtype": "both", "min_size": 8, "max_size": 16, "max_batch": 4, "width": 8, "layers": 2},
		"fusion":       {"min_size": 4, "max_size": 8, "min_elements": 10, "max_elements": 100},
		"quantization": {"rows": 6, "cols": 70, "batch": 2},
	}
}

// measuring lists the workloads that measure.
func measuring(t *testing.T) []Workload {
	t.Helper()
	var out []Workload
	for _, w := range All() {
		if w.Control {
			continue
		}
		if small()[w.Name] == nil {
			t.Errorf("workload %s has no small values", w.Name)
		}
		out = append(out, w)
	}
	return out
}
