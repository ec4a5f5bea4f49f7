package memory

import (
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

// Every format has a verified peak rate, and bandwidth has its levels; an unsupported format says why.
func TestPeaks(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Peaks(), workloads.Values{"elements": 64, "size": 8, "min_set": 1, "max_set": 16}); err != nil {
		t.Fatal(err)
	}
	p, ok := workloads.PeaksOf(b.Measured)
	if !ok || len(p.Compute) != 4 || len(p.Bandwidth) != 5 {
		t.Fatalf("peaks %+v", p)
	}
	for i := range b.Measured {
		r := &b.Measured[i]
		if r.Status == workloads.OK && r.Number(workloads.Compared) == 0 {
			t.Errorf("%s %s is not verified", r.Case, r.Variant)
		}
		if r.Status != workloads.OK && r.Failure.Text == "" {
			t.Errorf("%s %s says not why", r.Case, r.Variant)
		}
	}
	var text []string
	for _, f := range b.Findings {
		text = append(text, f.Text)
	}
	for _, format := range []string{"f32", "f16", "bf16", "int8"} {
		if all := strings.Join(text, "\n"); !strings.Contains(all, "Arithmetic in "+format+": up to ") {
			t.Errorf("no finding of %s in %s", format, all)
		}
	}
}
