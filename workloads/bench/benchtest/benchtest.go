// Package benchtest is shared by the tests of workloads: a fake engine with an environment, and a recording observer.
package benchtest

import (
	"context"
	"maps"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/measure"
)

// Recorder is an Observer that records every call.
type Recorder struct {
	Reports    []workloads.Progress
	Measured   []workloads.Result
	Findings   []workloads.Finding
	Iterations int
	OnProgress func(workloads.Progress) // called for each progress; nil: nothing
	// OnIteration is called for each iteration with its case; nil: nothing.
	OnIteration func(caseName string)
}

// Progress is part of workloads.Observer.
func (r *Recorder) Progress(p workloads.Progress) {
	r.Reports = append(r.Reports, p)
	if r.OnProgress != nil {
		r.OnProgress(p)
	}
}

// Results is part of workloads.Observer.
func (r *Recorder) Results(x ...workloads.Result) { r.Measured = append(r.Measured, x...) }

// Finding is part of workloads.Observer.
func (r *Recorder) Finding(f workloads.Finding) { r.Findings = append(r.Findings, f) }

// Iteration is part of workloads.Observer.
func (r *Recorder) Iteration(caseName string) {
	r.Iterations++
	if r.OnIteration != nil {
		r.OnIteration(caseName)
	}
}

// Rig is a fake engine with an environment for running a workload.
type Rig struct {
	*Recorder
	Engine *gputest.Fake
	Pool   *gpu.Pool
	Env    *workloads.Env
}

// New opens a rig whose queue is closed when the test ends.
func New(t testing.TB, script gputest.Script) *Rig {
	t.Helper()
	r := &Rig{Recorder: &Recorder{}, Engine: gputest.NewFake(script)}
	r.Pool = gpu.NewPool(r.Engine, gpu.PoolOptions{
		Storage: r.Engine.Info().Storage(), Mode: gpu.ModePoison, Disabled: true,
	})
	queue, err := r.Engine.NewQueue("test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := queue.Close(); err != nil {
			t.Error(err)
		}
	})
	r.Env = &workloads.Env{
		Engine: r.Engine, Queue: queue, Pool: r.Pool, Seed: 7, Observer: r.Recorder,
		// One repetition, few samples: the fake computes through references, and its clock has no noise.
		Options: measure.Options{MinSamples: 8, LateSamples: 8, MaxSamples: 30, MinTime: time.Nanosecond, SampleTime: time.Nanosecond, Now: ticking()},
	}
	return r
}

// On opens a rig on a separate engine, with the host's clock. The engine is closed when the test ends, which names buffers that are
// left.
func On(t testing.TB, e gpu.Engine) *Rig {
	t.Helper()
	q, err := e.NewQueue("test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := q.Close(); err != nil {
			t.Error(err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	r := New(t, gputest.Script{})
	r.Env.Engine, r.Env.Queue, r.Env.Pool = e, q, gpu.NewPool(e, gpu.PoolOptions{Disabled: true})
	r.Env.Options.Now = nil
	return r
}

// ticking is a host clock without noise: a tick passes each time it is read.
func ticking() func() time.Time {
	const tick = time.Microsecond
	now := time.Unix(1e9, 0)
	return func() time.Time {
		now = now.Add(tick)
		return now
	}
}

// Run runs a workload with its quick values, overridden by those given.
func (r *Rig) Run(ctx context.Context, t testing.TB, w workloads.Workload, set workloads.Values) error {
	t.Helper()
	v := w.Defaults(true)
	maps.Copy(v, set)
	if err := w.Check(v); err != nil {
		t.Fatal(err)
	}
	r.Env.Workload = &w
	return w.Run(ctx, r.Env, v)
}

// NoLive fails the test if buffers are live.
func (r *Rig) NoLive(t testing.TB) {
	t.Helper()
	for _, l := range r.Pool.Live() {
		t.Errorf("a buffer is live: %q, %d B", l.Label, l.Requested)
	}
	if m := r.Engine.Memory(); m.Buffers != 0 {
		t.Errorf("%d buffers of the engine are live", m.Buffers)
	}
}
