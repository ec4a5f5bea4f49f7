package suite

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/internal/race"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
	"assay/workloads/measure"
	"assay/workloads/suite/throughput"
)

// probes limits the points of a run at which a fault is injected. Under the race detector, fewer suffice to exercise the goroutines;
// the outcomes are checked without it.
func probes() int {
	if race.On {
		return 3
	}
	return 12
}

// submissions returns how many command buffers a run without faults takes, and the number of the last one whose outputs are all
// compared: others poison or copy words of outputs, or time kernels one by one.
func submissions(t *testing.T, w workloads.Workload) (total, last int) {
	t.Helper()
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, w, small(&w)); err != nil {
		t.Fatal(err)
	}
	return b.Engine.Submissions(), b.Engine.LastLaunching()
}

// If a command buffer writes a wrong output, its row has failed and has no time.
func TestWrongOutputHasNoTime(t *testing.T) {
	for _, w := range dispatching(t) {
		t.Run(w.Name, func(t *testing.T) {
			total, last := submissions(t, w)
			first := map[string]int{"training": 3, "classifier": 3}[w.Name] // what it overwrites is saved, restored, and verified in a separate pass
			for name, at := range map[string]int{"first": first, "last": last} {
				script := gputest.Script{Steps: make([]gputest.Step, total)}
				script.Steps[at].Wrong = true
				b := benchtest.New(t, script)
				if err := b.Run(t.Context(), t, w, small(&w)); err != nil {
					t.Fatal(err)
				}
				b.NoLive(t)
				failed := 0
				for i := range b.Measured {
					switch r := &b.Measured[i]; r.Status {
					case workloads.Failed:
						failed++
						benchtest.Untimed(t, r)
						if !strings.Contains(r.Failure.Text, "wrong result: kernel ") {
							t.Errorf("%s: reason %q", name, r.Failure.Text)
						}
					case workloads.OK:
					default:
						t.Errorf("%s: %s %s is %s: %s", name, r.Case, r.Variant, r.Status, r.Failure.Text)
					}
				}
				if failed != 1 {
					t.Errorf("%s command buffer wrong: %d rows failed, want 1", name, failed)
				}
			}
		})
	}
}

// A failed allocation costs rows but not the run, and leaks nothing.
func TestOutOfMemoryCostsOneCase(t *testing.T) {
	for _, w := range dispatching(t) {
		t.Run(w.Name, func(t *testing.T) {
			set := small(&w)
			if w.Name == "quantization" {
				set["min_block"] = 256 // fewer formats
			}
			clean := benchtest.New(t, gputest.Script{})
			if err := clean.Run(t.Context(), t, w, set); err != nil {
				t.Fatal(err)
			}
			total := clean.Engine.Allocations()
			for n := 1; n <= total; n += 1 + total/probes() {
				b := benchtest.New(t, gputest.Script{Allocations: map[int]error{n: gpu.ErrOutOfMemory}})
				if err := b.Run(t.Context(), t, w, set); err != nil {
					t.Fatalf("allocation %d: %v", n, err)
				}
				b.NoLive(t)
				lost, ok, again := 0, 0, 0
				for i := range b.Measured {
					switch r := &b.Measured[i]; r.Status {
					case workloads.Errored:
						lost++
						benchtest.Untimed(t, r)
						if !strings.Contains(r.Failure.Text, "out of memory") {
							t.Errorf("allocation %d: reason %q", n, r.Failure.Text)
						}
					case workloads.OK:
						ok++
						if r.Number(workloads.Retries) == 1 {
							again++
						}
					default:
						t.Errorf("allocation %d: %s %s is %s: %s", n, r.Case, r.Variant, r.Status, r.Failure.Text)
					}
				}
				if lost+again != 1 || ok == 0 { // a sample that runs out of memory is submitted again
					t.Errorf("allocation %d: %d rows lost, %d samples submitted again, %d measured", n, lost, again, ok)
				}
			}
		})
	}
}

func TestLostDeviceStops(t *testing.T) {
	for _, w := range dispatching(t) {
		total, _ := submissions(t, w)
		for _, at := range []int{0, total / 2, total - 1} {
			script := gputest.Script{Steps: make([]gputest.Step, total)}
			script.Steps[at].Err = gpu.ErrDeviceLost
			b := benchtest.New(t, script)
			if err := b.Run(t.Context(), t, w, small(&w)); !errors.Is(err, gpu.ErrDeviceLost) {
				t.Errorf("%s: device lost at %d: %v", w.Name, at, err)
			}
			b.NoLive(t)
			if len(b.Findings) > 0 {
				t.Errorf("%s: device lost at %d: part of a sweep led to %q", w.Name, at, b.Findings[0].Text)
			}
			if n := b.Engine.Submissions(); n != at+1 {
				t.Errorf("%s: %d command buffers after the device was lost", w.Name, n-at-1)
			}
			lost := 0
			for i := range b.Measured {
				if r := &b.Measured[i]; r.Status == workloads.Errored && strings.Contains(r.Failure.Text, "device lost") {
					lost++
					benchtest.Untimed(t, r)
				}
			}
			if lost == 0 {
				t.Errorf("%s: device lost at %d: no row reports it", w.Name, at)
			}
		}
	}
}

// A device lost while a case is being built stops the run too.
func TestLostDeviceInBuildStops(t *testing.T) {
	for _, w := range dispatching(t) {
		b := benchtest.New(t, gputest.Script{Allocations: map[int]error{1: gpu.ErrDeviceLost}})
		if err := b.Run(t.Context(), t, w, small(&w)); !errors.Is(err, gpu.ErrDeviceLost) {
			t.Errorf("%s: %v", w.Name, err)
		}
		if len(b.Measured) != 1 || b.Measured[0].Status != workloads.Errored {
			t.Errorf("%s: results %+v", w.Name, b.Measured)
		}
	}
}

// A command buffer that fails once is retried, which its row reports, or the times of single kernels are missing. If no row's work can
// be repeated, as while inputs are being created, one row has an error. The rest continues.
func TestFailedCommandBuffer(t *testing.T) {
	for _, w := range dispatching(t) {
		total, _ := submissions(t, w)
		for _, at := range []int{0, total / 2, total - 1} {
			script := gputest.Script{Steps: make([]gputest.Step, total)}
			script.Steps[at].Err = gpu.ErrExecution
			b := benchtest.New(t, script)
			if err := b.Run(t.Context(), t, w, small(&w)); err != nil {
				t.Errorf("%s: command buffer %d failed: %v", w.Name, at, err)
			}
			b.NoLive(t)
			counts, told := map[workloads.Status]int{}, 0
			for i := range b.Measured {
				counts[b.Measured[i].Status]++
				if r := &b.Measured[i]; r.Number(workloads.Retries) == 1 || strings.Contains(r.Values.Text(workloads.KernelTimes), "scripted") {
					told++
				}
			}
			if counts[workloads.Errored]+told != 1 || counts[workloads.OK] != len(b.Measured)-counts[workloads.Errored] {
				t.Errorf("%s: command buffer %d failed: %v, %d rows tell of it", w.Name, at, counts, told)
			}
		}
	}
}

func TestUnsupportedKernelIsARow(t *testing.T) {
	for _, tc := range []struct {
		workload, kernel string
		unsupported, ok  string // variants
	}{
		{"batching", "matmul_tiled_f16", "f16", "f32"},
		{"fusion", "add_relu_f32", "all", "fused"},
		{"quantization", "matmul_quant_tiled_int4", "int4 block 64", "int8 block 64"},
		{"quantization", "quantize_tensor_int8", "int8 tensor", "int4 tensor"},
		{"quantization", "matmul_tiled_f16", "f16", "f32"},
	} {
		b := benchtest.New(t, gputest.Script{Unsupported: gputest.Without(tc.kernel, "this device has no such unit")})
		w, err := workloads.Find(All(), tc.workload)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Run(t.Context(), t, *w, small(w)); err != nil {
			t.Fatal(err)
		}
		b.NoLive(t)
		seen := map[workloads.Status]bool{}
		for i := range b.Measured {
			r := &b.Measured[i]
			seen[r.Status] = true
			if r.Variant == tc.unsupported {
				benchtest.Untimed(t, r)
				if r.Status != workloads.Unsupported || !strings.Contains(r.Failure.Text, "this device has no such unit") {
					t.Errorf("%s without %s: %s is %s: %q", tc.workload, tc.kernel, r.Variant, r.Status, r.Failure.Text)
				}
			}
			if r.Variant == tc.ok && r.Status != workloads.OK {
				t.Errorf("%s without %s: %s is %s: %q", tc.workload, tc.kernel, r.Variant, r.Status, r.Failure.Text)
			}
		}
		if !seen[workloads.OK] || !seen[workloads.Unsupported] || len(seen) != 2 {
			t.Errorf("%s without %s: statuses %v", tc.workload, tc.kernel, seen)
		}
	}
}

// Of all variants compared, one that the engine does not support is a row with the reason, once per run, unless nothing else is left.
func TestWhatTheEngineLacksIsSaidOnce(t *testing.T) {
	for _, tc := range []struct {
		workload, kernel, variant string
		rows                      int
	}{
		{"matmul", "matmul_simd_f32", "simd 64", 1},
		{"attention", "attention_flash_simd_f32", "flash, simdgroup_matrix", 1},
		{"convolution", "conv2d_tiled_f32", "NHWC tiled", 1},
		{"reduction", "sum_into_f32", "atomics", 1},
		{"reduction", "max_tree_f32", "tree, two dispatches", 1},
		{"normalization", "softmax_twopass_f32", "two passes", 1},
		{"elementwise", "add_f32", "one dispatch", 2}, // lengths: without the baseline, nothing else remains
		{"entropy", "entropy_shared_int8", "per threadgroup", 1},
		{"broadcast", "add_broadcast_indexed_f32", "by elements", 1},
	} {
		b := benchtest.New(t, gputest.Script{Unsupported: gputest.Without(tc.kernel, "this device has no such unit")})
		w, err := workloads.Find(All(), tc.workload)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Run(t.Context(), t, *w, small(w)); err != nil {
			t.Fatal(err)
		}
		b.NoLive(t)
		said := 0
		for i := range b.Measured {
			r := &b.Measured[i]
			if r.Status == workloads.Unsupported {
				benchtest.Untimed(t, r)
				if r.Variant == tc.variant && strings.Contains(r.Failure.Text, "this device has no such unit") {
					said++
				}
			}
		}
		if said != tc.rows {
			t.Errorf("%s without %s: %d rows say why %s is missing, want %d", tc.workload, tc.kernel, said, tc.variant, tc.rows)
		}
	}
}

// A run can be stopped at any progress report, and leaks no buffer.
func TestCancelLeavesNothing(t *testing.T) {
	for _, w := range dispatching(t) {
		t.Run(w.Name, func(t *testing.T) {
			clean := benchtest.New(t, gputest.Script{})
			if err := clean.Run(t.Context(), t, w, small(&w)); err != nil {
				t.Fatal(err)
			}
			step := 1 + len(clean.Reports)/probes()
			for at := 0; at < len(clean.Reports); at += step {
				ctx, cancel := context.WithCancel(t.Context())
				b := benchtest.New(t, gputest.Script{})
				b.OnProgress = func(workloads.Progress) {
					if len(b.Reports) == at+1 {
						cancel()
					}
				}
				if err := b.Run(ctx, t, w, small(&w)); !errors.Is(err, context.Canceled) {
					t.Errorf("stopped at %d (%s): %v", at, clean.Reports[at].Measure.Phase, err)
				}
				cancel()
				b.NoLive(t)
				if len(b.Findings) > 0 {
					t.Errorf("stopped at %d: part of a sweep led to %q", at, b.Findings[0].Text)
				}
				if len(b.Reports) > at+1 {
					t.Errorf("stopped at %d: %d progress reports after", at, len(b.Reports)-at-1)
				}
			}
		})
	}
}

// Buffers of a command buffer that never completes are not reused.
func TestHungCommandBufferKeepsItsBuffers(t *testing.T) {
	w := throughput.Batching()
	script := gputest.Script{Steps: []gputest.Step{{}, {Hang: true}}}
	b := benchtest.New(t, script)
	told := 0
	b.Env.InFlight = func() { told++ }
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b.OnProgress = func(p workloads.Progress) {
		if p.Measure.Phase == measure.WarmingUp { // the second command buffer calibrates, before the first warm-up
			t.Error("a hung command buffer was passed")
		}
	}
	go func() {
		for b.Engine.Submissions() < 2 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if err := b.Run(ctx, t, w, workloads.Values{"sweep": "matmul", "min_size": 4, "max_size": 4}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped while a command buffer hangs: %v", err)
	}
	if len(b.Pool.Live()) == 0 {
		t.Error("the buffers of a command buffer that still runs went back to the pool")
	}
	if told == 0 {
		t.Error("nothing tells that they are in flight")
	}
}
