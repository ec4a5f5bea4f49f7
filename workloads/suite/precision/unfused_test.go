package precision

import (
	"math"
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/internal/stats"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

// Each quantized format is measured with a fused kernel and dequantized first, with the same weight errors.
func TestDequantizingFirst(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	w := Quantization()
	set := workloads.Values{"rows": 5, "cols": 512, "batch": 2, "weights": "normal", "scales": "tensor", "dequantize_first": true}
	if err := b.Run(t.Context(), t, w, set); err != nil {
		t.Fatal(err)
	}
	of := map[string]*workloads.Result{}
	for i := range b.Measured {
		of[b.Measured[i].Variant] = &b.Measured[i]
	}
	pairs := 0
	for name, r := range of {
		fused := of[strings.TrimSuffix(name, unfusedSuffix)]
		if r.Status != workloads.OK || fused == nil {
			t.Fatalf("%s: %s %q", name, r.Status, r.Failure.Text)
		}
		if fused == r {
			continue
		}
		pairs++
		if r.Setting("dequantized") != unfusedValue || fused.Setting("dequantized") != nil || r.Number(workloads.SNR) != fused.Number(workloads.SNR) {
			t.Errorf("%s: %v, SNR %g dB, in one kernel %g", name, r.Settings, r.Number(workloads.SNR), fused.Number(workloads.SNR))
		}
		x, y := r.Number(workloads.OutputErrorRel), fused.Number(workloads.OutputErrorRel)
		if limit := 1e-3 + 0.05*y; math.Abs(x-y) > limit {
			t.Errorf("%s: the output is off by %g of it, in one kernel by %g", name, x, y)
		}
	}
	if pairs != 11 { // five with scales, five block formats, BitLinear
		t.Errorf("%d formats are dequantized first", pairs)
	}
	if v := w.Defaults(false).With(set); w.Variants(v) != len(of) {
		t.Errorf("%d variants are promised, %d measured", w.Variants(v), len(of))
	}
}

// The gain of a fused kernel is computed from both speedups over f32, with an interval that combines both.
func TestWhatOneKernelSaves(t *testing.T) {
	result := func(variant string, seconds, speedup float64) workloads.Result {
		r := benchtest.Timed("normal", variant, seconds)
		r.Values.Set(workloads.Speedup, stats.Interval{Median: speedup, Lo: 0.9 * speedup, Hi: 1.1 * speedup})
		return r
	}
	first := result("ternary tensor"+unfusedSuffix, 4, 0.5)
	first.Settings = append(first.Settings, workloads.Setting{Name: "dequantized", Value: unfusedValue})
	found := inOneKernel([]workloads.Result{result("f32", 2, 1), result("ternary tensor", 1, 2), first}, "normal")
	if len(found) != 1 {
		t.Fatalf("%+v", found)
	}
	v := found[0].Facts.Value
	if v.Median != 4 || math.Abs(v.Lo-1.8/0.55) > 1e-9 || math.Abs(v.Hi-2.2/0.45) > 1e-9 {
		t.Errorf("%g times as fast, %g to %g", v.Median, v.Lo, v.Hi)
	}
	if s := found[0].Sentence(); !strings.HasPrefix(s, "Weights normal, ternary tensor: one kernel saves 75.0 % (69.4–79.5 %) of the time of dequantizing to f32 first, ") {
		t.Errorf("says %q", s)
	}
}
