package workloads

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads/measure"
)

func TestWorkloadsMeasureAndVerify(t *testing.T) {
	for _, w := range measuring(t) {
		t.Run(w.Name, func(t *testing.T) {
			b := newBench(t, gputest.Script{})
			if err := b.run(t.Context(), t, w, small()[w.Name]); err != nil {
				t.Fatal(err)
			}
			b.noLive(t)
			if len(b.results) == 0 || len(b.findings) == 0 {
				t.Fatalf("%d results, %d findings", len(b.results), len(b.findings))
			}
			for i := range b.results {
				checkMeasured(t, &w, &b.results[i])
			}
			last := b.progress[len(b.progress)-1]
			if last.Total == 0 || last.Done != last.Total-1 || b.iterations == 0 {
				t.Errorf("last progress %d of %d, %d iterations", last.Done, last.Total, b.iterations)
			}
			for _, f := range b.findings {
				if f.Workload != w.Name || !strings.HasSuffix(f.Text, ".") || f.Case != "" && !marked(b, f) {
					t.Errorf("finding %+v points at no result", f)
				}
			}
		})
	}
}

// marked reports whether the result that a finding points at says so.
func marked(b *bench, f Finding) bool {
	for _, r := range b.env.Results() {
		if r.Case == f.Case && r.Variant == f.Variant {
			return strings.Contains(r.Mark, f.Kind)
		}
	}
	return false
}

// checkMeasured checks a result of the fake engine, which is right and whose clock has no noise.
func checkMeasured(t *testing.T, w *Workload, r *Result) {
	t.Helper()
	if r.Status != OK || r.Reason != "" || !(r.Time.Median > 0) || r.Time.Lo != r.Time.Hi || len(r.Samples) < 6 {
		t.Errorf("%s %s: status %s %q, time %+v of %d samples", r.Case, r.Variant, r.Status, r.Reason, r.Time, len(r.Samples))
	}
	if r.Dispatches < 1 || !(r.Bytes > 0) || r.Items == 0 || r.Reps != 1 {
		t.Errorf("%s %s: %d dispatches, %g B, %g items, %d reps", r.Case, r.Variant, r.Dispatches, r.Bytes, r.Items, r.Reps)
	}
	if math.IsNaN(r.ErrorMax) || math.IsNaN(r.ErrorRel) {
		t.Errorf("%s %s: no errors against the reference", r.Case, r.Variant)
	}
	if r.Baseline != "" && !r.Speedup.Bounded() {
		t.Errorf("%s %s: speed-up %+v", r.Case, r.Variant, r.Speedup)
	}
	for _, s := range r.Settings {
		found := false
		for _, a := range w.Axes {
			found = found || a.Name == s.Name
		}
		if !found {
			t.Errorf("%s %s: setting %s is no axis", r.Case, r.Variant, s.Name)
		}
	}
	for name, q := range map[string]float64{
		"time_s": r.Time.Median, "gflops": r.GFLOPS(), "gbps": r.GBps(), "items_per_s": r.ItemsPerS(), "speedup": r.Speedup.Median,
	} {
		got := r.Quantity(Quantity(name)).Median
		if math.Abs(got-q) > 1e-12*math.Abs(q) || math.IsNaN(got) != math.IsNaN(q) {
			t.Errorf("%s %s: quantity %s is %g, want %g", r.Case, r.Variant, name, got, q)
		}
	}
}

// probes bounds the points of a run at which a fault is tried.
const probes = 12

// submissions is how many command buffers a run without faults takes.
func submissions(t *testing.T, w Workload) int {
	t.Helper()
	b := newBench(t, gputest.Script{})
	if err := b.run(t.Context(), t, w, small()[w.Name]); err != nil {
		t.Fatal(err)
	}
	return b.engine.Submissions()
}

// untimed checks that a result that is not OK says why and has no time.
func untimed(t *testing.T, r *Result) {
	t.Helper()
	if r.Reason == "" || len(r.Samples) > 0 || !math.IsNaN(r.Time.Median) || r.Speedup.Bounded() ||
		!math.IsNaN(r.Quantity(Throughput).Median) || !math.IsNaN(r.GFLOPS()) {
		t.Errorf("%s %s is %s (%q) and has the time %+v", r.Case, r.Variant, r.Status, r.Reason, r.Time)
	}
}

// Wherever a command buffer computes something wrong that is verified, its row has failed and no time.
func TestWrongOutputHasNoTime(t *testing.T) {
	for _, w := range measuring(t) {
		t.Run(w.Name, func(t *testing.T) {
			total := submissions(t, w)
			for name, at := range map[string]int{"first": 0, "last": total - 1} {
				script := gputest.Script{Steps: make([]gputest.Step, total)}
				script.Steps[at].Wrong = true
				b := newBench(t, script)
				if err := b.run(t.Context(), t, w, small()[w.Name]); err != nil {
					t.Fatal(err)
				}
				b.noLive(t)
				failed := 0
				for i := range b.results {
					switch r := &b.results[i]; r.Status {
					case Failed:
						failed++
						untimed(t, r)
						if !strings.Contains(r.Reason, "wrong result: kernel ") {
							t.Errorf("%s: reason %q", name, r.Reason)
						}
					case OK:
					default:
						t.Errorf("%s: %s %s is %s: %s", name, r.Case, r.Variant, r.Status, r.Reason)
					}
				}
				if failed != 1 {
					t.Errorf("%s command buffer wrong: %d rows failed, want 1", name, failed)
				}
			}
		})
	}
}

// An allocation that fails, wherever, costs rows but not the run, and leaks nothing.
func TestOutOfMemoryCostsOneCase(t *testing.T) {
	for _, w := range measuring(t) {
		t.Run(w.Name, func(t *testing.T) {
			set := small()[w.Name]
			if w.Name == "quantization" {
				set["min_block"] = 256 // fewer formats
			}
			clean := newBench(t, gputest.Script{})
			if err := clean.run(t.Context(), t, w, set); err != nil {
				t.Fatal(err)
			}
			total := clean.engine.Allocations()
			for n := 1; n <= total; n += 1 + total/probes {
				b := newBench(t, gputest.Script{Allocations: map[int]error{n: gpu.ErrOutOfMemory}})
				if err := b.run(t.Context(), t, w, set); err != nil {
					t.Fatalf("allocation %d: %v", n, err)
				}
				b.noLive(t)
				lost, ok := 0, 0
				for i := range b.results {
					switch r := &b.results[i]; r.Status {
					case Errored:
						lost++
						untimed(t, r)
						if !strings.Contains(r.Reason, "out of memory") {
							t.Errorf("allocation %d: reason %q", n, r.Reason)
						}
					case OK:
						ok++
					default:
						t.Errorf("allocation %d: %s %s is %s: %s", n, r.Case, r.Variant, r.Status, r.Reason)
					}
				}
				if lost != 1 || ok == 0 {
					t.Errorf("allocation %d: %d rows lost, %d measured", n, lost, ok)
				}
			}
		})
	}
}

func TestLostDeviceStops(t *testing.T) {
	for _, w := range measuring(t) {
		total := submissions(t, w)
		for _, at := range []int{0, total / 2, total - 1} {
			script := gputest.Script{Steps: make([]gputest.Step, total)}
			script.Steps[at].Err = gpu.ErrDeviceLost
			b := newBench(t, script)
			if err := b.run(t.Context(), t, w, small()[w.Name]); !errors.Is(err, gpu.ErrDeviceLost) {
				t.Errorf("%s: device lost at %d: %v", w.Name, at, err)
			}
			b.noLive(t)
			if n := b.engine.Submissions(); n != at+1 {
				t.Errorf("%s: %d command buffers after the device was lost", w.Name, n-at-1)
			}
			lost := 0
			for i := range b.results {
				if r := &b.results[i]; r.Status == Errored && strings.Contains(r.Reason, "device lost") {
					lost++
					untimed(t, r)
				}
			}
			if lost == 0 {
				t.Errorf("%s: device lost at %d: no row says so", w.Name, at)
			}
		}
	}
}

// A command buffer that fails is an error of its row; the rest goes on.
func TestFailedCommandBuffer(t *testing.T) {
	for _, w := range measuring(t) {
		total := submissions(t, w)
		for _, at := range []int{0, total / 2, total - 1} {
			script := gputest.Script{Steps: make([]gputest.Step, total)}
			script.Steps[at].Err = gpu.ErrExecution
			b := newBench(t, script)
			if err := b.run(t.Context(), t, w, small()[w.Name]); err != nil {
				t.Errorf("%s: command buffer %d failed: %v", w.Name, at, err)
			}
			b.noLive(t)
			counts := map[Status]int{}
			for _, r := range b.results {
				counts[r.Status]++
			}
			if counts[Errored] != 1 || counts[OK] != len(b.results)-1 {
				t.Errorf("%s: command buffer %d failed: %v", w.Name, at, counts)
			}
		}
	}
}

func TestUnsupportedKernelIsARow(t *testing.T) {
	for _, tc := range []struct {
		workload, kernel string
		unsupported, ok  string // variants
	}{
		{"batching", "matmul_f16", "f16", "f32"},
		{"fusion", "add_relu_f32", "all", "fused"},
		{"quantization", "matmul_i4", "int4 block 64", "int8 block 64"},
		{"quantization", "quantise_i8", "int8 tensor", "int4 tensor"},
		{"quantization", "matmul_f16", "f16", "f32"},
	} {
		b := newBench(t, gputest.Script{Unsupported: map[string]string{tc.kernel: "this device has no such unit"}})
		w, err := Find(All(), tc.workload)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.run(t.Context(), t, *w, small()[tc.workload]); err != nil {
			t.Fatal(err)
		}
		b.noLive(t)
		seen := map[Status]bool{}
		for i := range b.results {
			r := &b.results[i]
			seen[r.Status] = true
			if r.Variant == tc.unsupported {
				untimed(t, r)
				if r.Status != Unsupported || !strings.Contains(r.Reason, "this device has no such unit") {
					t.Errorf("%s without %s: %s is %s: %q", tc.workload, tc.kernel, r.Variant, r.Status, r.Reason)
				}
			}
			if r.Variant == tc.ok && r.Status != OK {
				t.Errorf("%s without %s: %s is %s: %q", tc.workload, tc.kernel, r.Variant, r.Status, r.Reason)
			}
		}
		if !seen[OK] || !seen[Unsupported] || len(seen) != 2 {
			t.Errorf("%s without %s: statuses %v", tc.workload, tc.kernel, seen)
		}
	}
}

// A run can be stopped wherever it reports progress, and leaves no buffer behind.
func TestCancelLeavesNothing(t *testing.T) {
	for _, w := range measuring(t) {
		t.Run(w.Name, func(t *testing.T) {
			clean := newBench(t, gputest.Script{})
			if err := clean.run(t.Context(), t, w, small()[w.Name]); err != nil {
				t.Fatal(err)
			}
			step := 1 + len(clean.progress)/probes
			for at := 0; at < len(clean.progress); at += step {
				ctx, cancel := context.WithCancel(t.Context())
				b := newBench(t, gputest.Script{})
				b.heard = func(Progress) {
					if len(b.progress) == at+1 {
						cancel()
					}
				}
				if err := b.run(ctx, t, w, small()[w.Name]); !errors.Is(err, context.Canceled) {
					t.Errorf("stopped at %d (%s): %v", at, clean.progress[at].Measure.Phase, err)
				}
				cancel()
				b.noLive(t)
				if len(b.progress) > at+1 {
					t.Errorf("stopped at %d: %d progress reports after", at, len(b.progress)-at-1)
				}
			}
		})
	}
}

// Buffers of a command buffer that never ends are not handed out again.
func TestHungCommandBufferKeepsItsBuffers(t *testing.T) {
	w := Batching()
	script := gputest.Script{Steps: []gputest.Step{{}, {Hang: true}}}
	b := newBench(t, script)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b.heard = func(p Progress) {
		if p.Measure.Phase == measure.WarmingUp { // the second command buffer calibrates, before the first warm-up
			t.Error("a hung command buffer was passed")
		}
	}
	go func() {
		for b.engine.Submissions() < 2 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if err := b.run(ctx, t, w, Values{"sweep": "matmul", "min_size": 4, "max_size": 4}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped while a command buffer hangs: %v", err)
	}
	if len(b.pool.Live()) == 0 {
		t.Error("the buffers of a command buffer that still runs went back to the pool")
	}
}

func TestSeedDecidesTheInputs(t *testing.T) {
	content := func(seed uint64) string {
		b := newBench(t, gputest.Script{})
		b.env.Seed = seed
		s := &Scope{env: b.env, ctx: t.Context()}
		defer s.release()
		var all string
		for range 2 {
			x, err := s.Random(0, 10, "x")
			if err != nil {
				t.Fatal(err)
			}
			all += fmt.Sprintf("%x ", x.Bytes())
		}
		if parts := strings.Fields(all); parts[0] == parts[1] {
			t.Error("two buffers have the same content")
		}
		return all
	}
	if first, again := content(1), content(1); first != again || first == content(2) {
		t.Error("the seed does not decide the inputs")
	}
}

func TestLeakControl(t *testing.T) {
	for _, tc := range []struct {
		name   string
		set    Values
		leaks  bool
		atMost int // bytes
	}{
		{"leaks", Values{"rate": 10.0, "iterations": 100.0, "duration": 0.2, "limit": 100.0}, true, 100e6},
		{"up to the limit", Values{"rate": 1000.0, "iterations": 1000.0, "duration": 0.2, "limit": 3.0}, true, 3e6},
		{"clean", Values{"rate": 0.0, "iterations": 100.0, "duration": 0.2}, false, 0},
	} {
		b := newBench(t, gputest.Script{})
		if err := b.run(t.Context(), t, Leak(), tc.set); err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, l := range b.pool.Live() {
			sum += l.Requested
			if l.Label != "leaked on purpose" {
				t.Errorf("%s: %q is live", tc.name, l.Label)
			}
		}
		if (sum > 0) != tc.leaks || sum > tc.atMost || b.iterations < 2 || len(b.results) != 0 {
			t.Errorf("%s: %d B live after %d iterations, %d results", tc.name, sum, b.iterations, len(b.results))
		}
	}
	b := newBench(t, gputest.Script{})
	ctx, cancel := context.WithCancel(t.Context())
	b.heard = func(Progress) { cancel() }
	if err := b.run(ctx, t, Leak(), Values{"iterations": 1.0}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}
