//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"assay/gpu"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
	"assay/workloads/measure"
	"assay/workloads/suite"
)

// TestWorkloads runs workloads from end to end in device memory: with results that are read for verification, and operands that
// are changed in place and restored.
func TestWorkloads(t *testing.T) {
	ledger(t)
	e := openFake(t, "")
	pool := gpu.NewPool(e, gpu.PoolOptions{Mode: gpu.ModePoison, Storage: e.Info().Storage()})
	for name, set := range map[string]workloads.Values{
		"elementwise": nil, "training": {"layers": 3, "segment": 2, "steps": 1, "max_batch": 4},
	} {
		i := slices.IndexFunc(suite.All(), func(w workloads.Workload) bool { return w.Name == name })
		if i < 0 {
			t.Fatalf("there is no workload %s", name)
		}
		t.Run(name, func(t *testing.T) { runWorkload(t, e, pool, suite.All()[i], set) })
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
	if m := e.Memory(); m != (gpu.Memory{}) {
		t.Errorf("the pool is closed, yet Memory is %+v", m)
	}
	closed(t, e)
}

func runWorkload(t *testing.T, e gpu.Engine, pool *gpu.Pool, w workloads.Workload, set workloads.Values) {
	q, err := e.NewQueue(w.Name)
	if err != nil {
		t.Fatal(err)
	}
	r := &benchtest.Recorder{}
	env := &workloads.Env{
		Workload: &w, Engine: e, Queue: q, Pool: pool, Seed: 7, Observer: r,
		Options: measure.Options{MinSamples: 16, LateSamples: 16, MaxSamples: 16, Budget: time.Millisecond, SampleTime: time.Nanosecond},
	}
	v := w.Defaults(true)
	maps.Copy(v, benchtest.Small(&w))
	maps.Copy(v, set)
	if err := w.Check(v); err != nil {
		t.Fatal(err)
	}
	if err := w.Run(t.Context(), env, v); err != nil {
		t.Fatal(err)
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
	for i := range r.Measured {
		if m := &r.Measured[i]; m.Status != workloads.OK || !(m.Time().Median > 0) {
			t.Errorf("%s %s: %s %q, %g s", m.Case, m.Variant, m.Status, m.Failure.Text, m.Time().Median)
		}
	}
	if len(r.Measured) == 0 || len(pool.Live()) > 0 {
		t.Errorf("%d results, %d buffers are live", len(r.Measured), len(pool.Live()))
	}
}

// Every kernel is compiled cold, and warm from disk or from the built-in code; here there is only one, since clang takes a while.
func TestCompileWorkload(t *testing.T) {
	ledger(t)
	o := fakeOptions(t, "")
	add, err := fakeCompile(t.Context(), catalog.MustFind("add_f32"), true)
	if err != nil {
		t.Fatal(err)
	}
	o.Compile = func(_ context.Context, _ shaders.Kernel, cold bool) (Code, error) {
		code := add
		code.Warm = !cold
		return code, nil
	}
	e := open(t, o)
	pool := gpu.NewPool(e, gpu.PoolOptions{})
	i := slices.IndexFunc(suite.All(), func(w workloads.Workload) bool { return w.Name == "compile" })
	runWorkload(t, e, pool, suite.All()[i], workloads.Values{"kernel": "all"})
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
	closed(t, e)
}
