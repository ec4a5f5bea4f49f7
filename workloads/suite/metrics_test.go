package suite

import (
	"math"
	"testing"

	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
	"assay/workloads/suite/precision"
	"assay/workloads/suite/throughput"
)

func TestMetricsAreDescribed(t *testing.T) {
	if err := workloads.MetricsOf(All()).Check(); err != nil {
		t.Error(err)
	}
	for _, w := range All() {
		for _, m := range w.Metrics {
			if _, ok := workloads.Metrics().Find(m.Name); ok {
				t.Errorf("%s declares %s, which all results have", w.Name, m.Name)
			}
		}
	}
}

// The error of a kernel's outputs and the error of a format's weights are separate: an exact kernel stays exact in a format that loses
// half the bits.
func TestVerificationIsNotTheLossOfTheFormat(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	set := workloads.Values{"rows": 16, "cols": 64, "weights": "normal", "formats": "int4"}
	if err := b.Run(t.Context(), t, precision.Quantization(), set); err != nil {
		t.Fatal(err)
	}
	lossy := 0
	for _, r := range b.Measured {
		output, weights := r.Number(workloads.ErrorRel), r.Number(workloads.WeightErrorRel)
		if math.IsNaN(output) || math.IsNaN(weights) {
			t.Fatalf("%s: verified output is off by %g, the weights by %g", r.Variant, output, weights)
		}
		if r.Setting("format") != "int4" {
			continue
		}
		lossy++
		if !(weights > 0.01) || !(output < 1e-4) {
			t.Errorf("%s: verified output is off by %g, the weights by %g", r.Variant, output, weights)
		}
	}
	if lossy == 0 {
		t.Error("no result in int4")
	}
}

func TestResultsHaveTheirOwnIDs(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	b.Env.Job = 2
	fusion := throughput.Fusion()
	if err := b.Run(t.Context(), t, fusion, small(&fusion)); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range b.Measured {
		if seen[r.ID] || r.ID == "" || r.Job != 2 {
			t.Errorf("%s %s has ID %q in job %d", r.Case, r.Variant, r.ID, r.Job)
		}
		seen[r.ID] = true
	}
	for _, f := range b.Findings {
		if f.Case != "" && !seen[f.Result] {
			t.Errorf("finding %q points at %q", f.Text, f.Result)
		}
	}
}
