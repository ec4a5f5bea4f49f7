package app

import (
	"testing"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/workloads"
	"assay/workloads/measure"
	"assay/workloads/suite"
)

// measured is a run of single kernels with their rates, with warnings of a kind; a fusion names several.
func measured(t *testing.T, root, name string, device gpu.Info, rates map[string]float64, warned ...workloads.WarningKind) {
	t.Helper()
	b, err := bundle.Create(root, bundle.Meta{
		ID: name, Version: "1.2", Started: libraryStart.Add(time.Hour), Engine: device,
		Jobs: []bundle.Job{{Workload: "batching", Params: workloads.Values{}}},
	}, suite.All())
	if err != nil {
		t.Fatal(err)
	}
	for kernel, rate := range rates {
		r := workloads.Result{
			Workload: "batching", Case: "of " + name, Variant: "f32", Status: workloads.OK,
			Settings: []workloads.Setting{{Name: "kernel", Value: kernel}},
		}
		r.Values.SetNumber(workloads.Ops, rate)
		r.Values.SetNumber(workloads.Bytes, 1e3)
		r.Values.SetNumber(workloads.Time, 1)
		workloads.Metrics().Derive(&r.Values)
		for _, kind := range warned {
			r.Warn(kind, "something was wrong")
		}
		if rate < 0 {
			r.Status = workloads.Failed
		}
		if err := b.Results(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Finish(bundle.Finished, nil); err != nil {
		t.Fatal(err)
	}
}

// The best of all runs counts, for kernels that a verified result ran alone, whatever their constants.
func TestKernelBests(t *testing.T) {
	root, device := t.TempDir(), gpu.Info{Engine: "cpu", Device: "Test Device"}
	measured(t, root, "one", device, map[string]float64{"a/x/f32 (the only one)": 5e9, "a/y/f32; b/z/f32": 9e9, "b/z/f16": -1})
	measured(t, root, "two", device, map[string]float64{"a/x/f32{threads=64}": 7e9, "c/v/f32": 0})
	l := NewLibrary(root)
	for range 2 { // the second time from memory
		got, err := l.KernelBests(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if x := got["a/x/f32"]; len(got) != 2 || x.Value != 7e9 || x.Run != "two" || x.Metric != workloads.Throughput || x.Device != "Test Device" {
			t.Errorf("found %+v", got)
		}
		if v := got["c/v/f32"]; v.Metric != workloads.Bandwidth || v.Value != 1e3 {
			t.Errorf("without arithmetic: %+v", v)
		}
	}
	measured(t, root, "three", device, map[string]float64{"a/x/f32": 8e9})
	if got, err := l.KernelBests(t.Context()); err != nil || got["a/x/f32"].Run != "three" {
		t.Errorf("with a new run: %+v, %v", got, err)
	}
}

// Disturbed results count only as long as there is nothing else, and say so.
func TestDisturbedKernelBests(t *testing.T) {
	root, device := t.TempDir(), gpu.Info{Engine: "cpu", Device: "Test Device"}
	const disturbed = workloads.WarningKind(measure.Disturbed)
	l := NewLibrary(root)
	for _, run := range []struct {
		name   string
		rate   float64
		warned []workloads.WarningKind
		best   string // then
		says   bool   // that it was disturbed
	}{
		{"one", 5e9, []workloads.WarningKind{disturbed}, "one", true},
		{"two", 7e9, []workloads.WarningKind{disturbed}, "two", true},
		{"three", 4e9, nil, "three", false},
		{"four", 9e9, []workloads.WarningKind{disturbed}, "three", false},
		{"five", 6e9, nil, "five", false},
	} {
		measured(t, root, run.name, device, map[string]float64{"a/x/f32": run.rate}, run.warned...)
		got, err := l.KernelBests(t.Context())
		if best := got["a/x/f32"]; err != nil || best.Run != run.best || best.Disturbed != run.says {
			t.Errorf("after run %s: %+v, %v", run.name, best, err)
		}
	}
}
