package workloads

import (
	"math"
	"strings"
	"testing"

	"assay/gpu"
)

// Only what was published of just this device counts: no other bin, no card of a similar name, no other format.
func TestSpecOf(t *testing.T) {
	for _, c := range []struct {
		of     gpu.Info
		format string
		want   float64 // FLOP/s; 0: not known
		by     string
	}{
		{gpu.Info{Device: "Apple M1 Max", Cores: 32}, "f32", 10.4e12, "announced by Apple"},
		{gpu.Info{Device: "Apple M1 Max", Cores: 24}, "f32", 0, ""},
		{gpu.Info{Device: "Apple M1 Max", Cores: 32}, "f16", 0, ""},
		{gpu.Info{Device: "Apple M4 Max", Cores: 40}, "f32", 17.2e12, "reviewers"},
		{gpu.Info{Device: "Apple M1 Max", Cores: 32, Simulated: true}, "f32", 0, ""},
		{gpu.Info{Device: "NVIDIA H100 80GB HBM3", Cores: 132}, "f32", 66.9e12, "NVIDIA"},
		{gpu.Info{Device: "NVIDIA H200"}, "f16", 989.4e12, "tensor cores, NVIDIA"},
		{gpu.Info{Device: "NVIDIA H200 NVL"}, "f16", 0, ""},
		{gpu.Info{Device: "NVIDIA H200"}, "int8", 0, ""},
		{gpu.Info{Device: "Test CPU"}, "f32", 0, ""},
	} {
		s, r := SpecOf(&c.of), rated("v", 1e12, 1e9)
		r.Values.SetText(Arithmetic, c.format)
		s.Place(&r)
		got, has := r.Values.Number(SpecCompute), c.want > 0
		if has != (got == c.want) || has != strings.Contains(r.Values.Text(Specification), c.by) && c.by != "" {
			t.Errorf("%+v in %s: %v, %q", c.of, c.format, got, r.Values.Text(Specification))
		}
		if share := r.Values.Number(OfSpecCompute); has && math.Abs(share-1e12/c.want) > 1e-12 || !has && !math.IsNaN(share) {
			t.Errorf("%+v in %s: a share of %v", c.of, c.format, share)
		}
	}
}

func TestSpecOfBandwidth(t *testing.T) {
	s := SpecOf(&gpu.Info{Device: "Apple M9", Bandwidth: 4e9})
	r := rated("v", 1, 1e9)
	s.Place(&r)
	if got := r.Values.Number(OfSpecBandwidth); got != 0.25 || s.String() != "" {
		t.Errorf("%v of the bandwidth; rates %q", got, s.String())
	}
	wrong := rated("v", 1, 1e9)
	wrong.Status = Failed
	s.Place(&wrong)
	if got := wrong.Values.Number(SpecBandwidth); !math.IsNaN(got) {
		t.Errorf("a result that failed is placed: %v", got)
	}
	h200 := SpecOf(&gpu.Info{Device: "NVIDIA H200"})
	if got := h200.String(); got != "f32 66.9 TFLOP/s, f16 989 TFLOP/s with tensor cores, bf16 989 TFLOP/s with tensor cores (NVIDIA’s data sheet, at boost clock)" {
		t.Error(got)
	}
}
