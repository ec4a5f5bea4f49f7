package throughput

import (
	"strings"
	"testing"

	"assay/gpu/gputest"
	shgemm "assay/shaders/gemm"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

// A GEMM on larger matrices appears next to the exact one of the same case, and its operations are the requested ones.
func TestRoundedUp(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	set := workloads.Values{"compare": shgemm.GEMV, "align": roundedSizes, "min_size": 5, "max_size": 5, "m": 5, "n": 64, "k": 7}
	if err := b.Run(t.Context(), t, Matmul(), set); err != nil {
		t.Fatal(err)
	}
	last := &b.Measured[len(b.Measured)-1]
	if last.Variant != inLarger().name || last.Status != workloads.OK || last.Case != b.Measured[0].Case || last.Baseline != byTiles {
		t.Errorf("%s of %s against %q is %s: %s", last.Variant, last.Case, last.Baseline, last.Status, last.Failure.Text)
	}
	if got, want := last.Number(workloads.Ops), 2.0*5*64*7; got != want {
		t.Errorf("%g operations, want %g", got, want)
	}
	if got, want := last.Number(workloads.Outputs), 64.0*64; got != want {
		t.Errorf("%g outputs, want %g", got, want)
	}
	said := false
	for i := range b.Findings {
		said = said || strings.Contains(b.Findings[i].Sentence(), "rounding up to multiples of 64")
	}
	if !said {
		t.Errorf("findings %+v", b.Findings)
	}

	b = benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Matmul(), set.With(workloads.Values{"m": 64, "k": 128})); err != nil {
		t.Fatal(err)
	}
	for _, r := range b.Measured {
		if r.Variant == inLarger().name {
			t.Error("sides of multiples of 64 are rounded up")
		}
	}
}
