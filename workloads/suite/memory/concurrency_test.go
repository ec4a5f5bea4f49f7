package memory

import (
	"math"
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

// Requests share the weights: each additional one holds only its activations, which the finding reports to the byte.
func TestConcurrentRequestsShareWeights(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	b.Env.Options.MinSamples, b.Env.Options.LateSamples = 30, 30
	set := workloads.Values{"min_requests": 1, "max_requests": 4, "rows": 16, "width": 32, "layers": 2}
	if err := b.Run(t.Context(), t, Concurrency(), set); err != nil {
		t.Fatal(err)
	}
	b.NoLive(t)
	const weights, activations = 2 * 32 * 32 * 4, 3 * 16 * 32 * 4
	for i := range b.Measured {
		r := &b.Measured[i]
		n := r.Setting("requests").(int)
		if r.Status != workloads.OK || r.Number(workloads.Items) != float64(n) || r.Values.Text(workloads.Clock) != workloads.HostClock {
			t.Errorf("%s %s: %s %q, %g items", r.Case, r.Variant, r.Status, r.Failure.Text, r.Number(workloads.Items))
		}
		if got := r.Number(workloads.HeldBytes); got != float64(weights+n*activations) {
			t.Errorf("%d requests hold %g B, want %d", n, got, weights+n*activations)
		}
		share := r.Get(efficiency)
		if n == 1 && share.Median != 1 || math.IsNaN(share.Median) || math.Abs(share.Median*float64(n)*b.Measured[i%2].Number(workloads.ItemRate)/r.Number(workloads.ItemRate)-1) > 1e-9 {
			t.Errorf("%d requests, %s: efficiency %+v", n, r.Variant, share)
		}
	}
	var grows string
	for _, f := range b.Findings {
		if f.Kind == workloads.KindGrowth {
			grows = f.Text
		}
	}
	if !strings.Contains(grows, "6.14 kB for each additional request, on top of 8.19 kB") || !strings.Contains(grows, "R² 1.0000") {
		t.Errorf("finding %q", grows)
	}
}

func TestConcurrencyRefusesWhatIsTooLarge(t *testing.T) {
	w := Concurrency()
	for _, tc := range []struct {
		set  workloads.Values
		want string
	}{
		{workloads.Values{"width": 4096, "rows": 1, "layers": 64, "max_requests": 32}, ""},
		{workloads.Values{"width": 4096, "rows": 4096, "layers": 64, "max_requests": 32}, "of buffers; the maximum is 8.59 GB"},
		{workloads.Values{"width": 4096, "rows": 4096, "layers": 1, "max_requests": 32}, "TFLOP per repetition; the maximum is 4.00 TFLOP"},
	} {
		err := w.Check(w.Defaults(false).With(tc.set))
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: error %v, want %q", tc.set, err, tc.want)
		}
	}
}
