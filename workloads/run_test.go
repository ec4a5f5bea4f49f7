package workloads

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"assay/gpu/gputest"
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
