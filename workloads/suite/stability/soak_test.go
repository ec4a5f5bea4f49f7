package stability

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

// steps scripts command buffers that each last a second, except one.
func steps(at int, differs gputest.Step) gputest.Script {
	s := gputest.Script{Steps: make([]gputest.Step, 1000)}
	s.Steps[at] = differs
	for i := range s.Steps {
		s.Steps[i].Seconds = 1
	}
	return s
}

// soaked is a rig whose clock advances by one step at every reading.
func soaked(t *testing.T, script gputest.Script, step time.Duration) *benchtest.Rig {
	t.Helper()
	b := benchtest.New(t, script)
	clock := time.Unix(0, 0)
	b.Env.Options.Now = func() time.Time { clock = clock.Add(step); return clock }
	return b
}

var small = workloads.Values{"size": 4, "duration": 20.0, "window": 1.0}

func TestSoakFollowsOneCase(t *testing.T) {
	b := soaked(t, steps(0, gputest.Step{}), 100*time.Millisecond)
	w := Soak()
	if err := b.Run(t.Context(), t, w, small); err != nil {
		t.Fatal(err)
	}
	b.NoLive(t)
	if len(b.Measured) != 20 {
		t.Fatalf("%d windows of 1 s in 20 s", len(b.Measured))
	}
	last := 0.0
	cases := map[string]bool{}
	for i := range b.Measured {
		r := &b.Measured[i]
		at, ok := r.Setting("elapsed").(float64)
		if !ok || at <= last || r.Status != workloads.OK || len(r.Samples) != 10 || !(r.Number(workloads.Throughput) > 0) || r.Setting("size") != 4 {
			t.Errorf("window at %v after %g s: %s %q, %d samples", r.Setting("elapsed"), last, r.Status, r.Failure.Text, len(r.Samples))
		}
		last, cases[r.Case] = at, true
	}
	if len(cases) != len(b.Measured) {
		t.Errorf("%d names for %d windows", len(cases), len(b.Measured))
	}
	if len(b.Findings) != 1 || b.Findings[0].Kind != workloads.KindSteady {
		t.Errorf("findings %+v", b.Findings)
	}
}

// A soak reports a device that fails or computes a wrong result, and has no finding.
func TestSoakThatFails(t *testing.T) {
	for _, tc := range []struct {
		name   string
		script gputest.Script
		status workloads.Status
		words  string
		err    error
	}{
		{"out of memory", gputest.Script{Allocations: map[int]error{2: gpu.ErrOutOfMemory}}, workloads.Errored, "out of memory", nil},
		{"no such kernel", gputest.Script{Unsupported: gputest.Without("matmul_tiled_f32", "no such unit")}, workloads.Unsupported, "no such unit", nil},
		{"wrong at the start", steps(0, gputest.Step{Wrong: true}), workloads.Failed, "wrong result", nil},
		{"wrong at the end of a window", steps(30, gputest.Step{Wrong: true}), workloads.Failed, "wrong result", nil},
		{"lost", steps(50, gputest.Step{Err: gpu.ErrDeviceLost}), workloads.Errored, "device lost", gpu.ErrDeviceLost},
	} {
		b := soaked(t, tc.script, 100*time.Millisecond)
		if err := b.Run(t.Context(), t, Soak(), small); !errors.Is(err, tc.err) {
			t.Errorf("%s: error %v, want %v", tc.name, err, tc.err)
		}
		b.NoLive(t)
		at := slices.IndexFunc(b.Measured, func(r workloads.Result) bool { return r.Status != workloads.OK })
		if at < 0 {
			t.Errorf("%s: no result reports it", tc.name)
			continue
		}
		r := &b.Measured[at]
		benchtest.Untimed(t, r)
		if r.Status != tc.status || !strings.Contains(r.Failure.Text, tc.words) || len(b.Findings) > 0 {
			t.Errorf("%s: %s %q, %d findings", tc.name, r.Status, r.Failure.Text, len(b.Findings))
		}
	}
}

func TestSoakStops(t *testing.T) {
	b := soaked(t, steps(0, gputest.Step{}), 100*time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	b.OnProgress = func(p workloads.Progress) {
		if p.Measure.Spent > 3*time.Second {
			cancel()
		}
	}
	if err := b.Run(ctx, t, Soak(), small); !errors.Is(err, context.Canceled) || len(b.Findings) > 0 || len(b.Measured) != 4 {
		t.Errorf("stopped after three seconds: %v, %d windows, %d findings", err, len(b.Measured), len(b.Findings))
	}
	b.NoLive(t)
	w := Soak()
	v := w.Defaults(false).With(workloads.Values{"window": 60.0, "duration": 30.0})
	var odds *workloads.ParamError
	if err := w.Check(v); !errors.As(err, &odds) {
		t.Errorf("a window longer than the whole: %v", err)
	}
	if err := w.Check(w.Defaults(false).With(workloads.Values{"window": 0.01})); !errors.As(err, &odds) {
		t.Errorf("a window of 10 ms: %v", err)
	}
	for duration, want := range map[float64]float64{2: 2, 180: 5, 3600: 15, 86400: 360} {
		if got := windowOf(workloads.Values{"window": 0.0, "duration": duration}); got != want {
			t.Errorf("windows of %g s in %g s, want %g s", got, duration, want)
		}
	}
}

// Each kind of work is measured, verified and found to be steady on a clock without noise.
func TestSoakOffersEveryWork(t *testing.T) {
	for _, work := range works() {
		b := soaked(t, steps(0, gputest.Step{}), 100*time.Millisecond)
		set := small.With(workloads.Values{"work": work.name, "dtype": "f16"})
		if err := b.Run(t.Context(), t, Soak(), set); err != nil {
			t.Fatal(err)
		}
		b.NoLive(t)
		if len(b.Measured) != 20 || len(b.Findings) != 1 || b.Findings[0].Kind != workloads.KindSteady {
			t.Errorf("%s: %d windows, findings %+v", work.name, len(b.Measured), b.Findings)
		}
		for i := range b.Measured {
			r := &b.Measured[i]
			if want := map[bool]string{true: "f32", false: "f16"}[work.f32]; r.Status != workloads.OK || r.Variant != want || r.Setting("work") != work.name || !(r.Number(work.of) > 0) {
				t.Errorf("%s: %s in %s, %s %q", work.name, r.Case, r.Variant, r.Status, r.Failure.Text)
			}
		}
	}
	if err := hasFormats(workloads.Values{"work": "triad"}); err == nil || !strings.Contains(err.Error(), "f32 only") {
		t.Errorf("formats of a triad: %v", err)
	}
}
