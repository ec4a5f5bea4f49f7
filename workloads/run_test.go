package workloads

import (
	"context"
	"math"
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
			for _, r := range b.results {
				checkMeasured(t, &r)
			}
			last := b.progress[len(b.progress)-1]
			if last.Total == 0 || last.Done != last.Total-1 || b.iterations == 0 {
				t.Errorf("last progress %d of %d, %d iterations", last.Done, last.Total, b.iterations)
			}
			for _, f := range b.findings {
				t.Log(f.Text)
			}
		})
	}
}

// checkMeasured checks a result of the fake engine, which is right and whose clock has no noise.
func checkMeasured(t *testing.T, r *Result) {
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
}

var _ = context.Background
