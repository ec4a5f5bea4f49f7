package workloads

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/workloads/measure"
)

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
			if len(b.findings) > 0 {
				t.Errorf("%s: device lost at %d: part of a sweep led to %q", w.Name, at, b.findings[0].Text)
			}
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

// A device that is lost while a case is built stops the run too.
func TestLostDeviceInBuildStops(t *testing.T) {
	for _, w := range measuring(t) {
		b := newBench(t, gputest.Script{Allocations: map[int]error{1: gpu.ErrDeviceLost}})
		if err := b.run(t.Context(), t, w, small()[w.Name]); !errors.Is(err, gpu.ErrDeviceLost) {
			t.Errorf("%s: %v", w.Name, err)
		}
		if len(b.results) != 1 || b.results[0].Status != Errored {
			t.Errorf("%s: results %+v", w.Name, b.results)
		}
	}
}

// idle is a queue that says it has worked and has not.
type idle struct{ gpu.Queue }

func (idle) Submit(...gpu.Dispatch) (gpu.Submission, error) { return idleSubmission{}, nil }

type idleSubmission struct{}

func (idleSubmission) Wait(context.Context) (gpu.Timing, error) { return gpu.Timing{Device: 1e-3}, nil }

// An output that is not written is wrong even where what was there before is right: ReLU of nothing but −1 is 0.
func TestUnwrittenOutputIsWrong(t *testing.T) {
	b := newBench(t, gputest.Script{})
	s := &Scope{env: b.env, ctx: t.Context()}
	defer s.release()
	const n = 2000
	x, err := s.Buffer(shaders.F32, n, "x")
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Buffer(shaders.F32, n, "out")
	if err != nil {
		t.Fatal(err)
	}
	minus := func(dst []float32, _ int) error {
		for i := range dst {
			dst[i] = -1
		}
		return nil
	}
	if err := errors.Join(s.fillFloats(x, shaders.F32, n, minus), out.Fill(0)); err != nil {
		t.Fatal(err)
	}
	d, err := s.Dispatch("relu_f32", nil, shaders.ElementwiseParams{N: n}, x, out)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(d); err != nil {
		t.Errorf("work that was done: %v", err)
	}
	if err := out.Fill(0); err != nil {
		t.Fatal(err)
	}
	b.env.Queue = idle{b.env.Queue}
	if err := s.Verify(d); !errors.Is(err, errWrong) {
		t.Errorf("work that was not done: %v", err)
	}
	views := []shaders.View{{}, {Type: shaders.F32, Data: make([]byte, 4*n)}}
	if got := unwritten(d.Kernel.Spec(), views); got != "" {
		t.Errorf("zeros are not written: %s", got)
	}
	for i := range 4 {
		views[1].Data[4*1234+i] = gpu.PoisonByte
	}
	if got := unwritten(d.Kernel.Spec(), views); !strings.Contains(got, "out[1234] was not written") {
		t.Errorf("an element that holds poison: %q", got)
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
				if len(b.findings) > 0 {
					t.Errorf("stopped at %d: part of a sweep led to %q", at, b.findings[0].Text)
				}
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
