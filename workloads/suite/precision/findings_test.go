package precision

import (
	"math"
	"slices"
	"strings"
	"testing"

	"assay/internal/stats"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

func TestQuantizationFindings(t *testing.T) {
	// format is a row of a 10×10 matrix: its bytes, SNR, and the speed-up with its lower end.
	format := func(variant string, bytes, snr, speedup, lo float64) workloads.Result {
		r := benchtest.Timed("normal", variant, 1/speedup)
		r.Settings = []workloads.Setting{{Name: "rows", Value: 10}, {Name: "cols", Value: 10}}
		r.Values.SetNumber(workloads.Footprint, bytes)
		r.Values.SetNumber(workloads.SNR, snr)
		if variant != "f32" {
			r.Values.Set(workloads.Speedup, stats.Interval{Median: speedup, Lo: lo, Hi: speedup * 1.1})
		}
		return r
	}
	v := workloads.Values{"target_snr": 20.0, "batch": 3, "operands": "memory"}
	f32 := format("f32", 400, math.Inf(1), 1, 1)
	failed := format("int4 tensor", 50, 60, 9, 9)
	failed.Status = workloads.Failed
	for _, tc := range []struct {
		name              string
		rows              []workloads.Result
		smallest, fastest string // variants; empty: no finding
		words             []string
	}{
		{
			"both",
			[]workloads.Result{f32, format("f16", 200, 70, 1.8, 1.7), format("int8", 120, 40, 1.5, 1.4), format("int4", 60, 12, 3, 2.9)},
			"int8", "f16",
			[]string{
				"Weights normal: int8 is the smallest format measured that keeps 20 dB SNR, with 40.0 dB at 9.6 bits a weight (3.33 times smaller than f32).",
				"f16 is the fastest format measured that keeps 20 dB SNR: 1.80× (1.70× to 1.98×) the speed of f32 at batch 3, weights from memory, with 70.0 dB.",
			},
		},
		{
			"chance",
			[]workloads.Result{f32, format("f16", 200, 70, 1.2, 0.9)},
			"f16", "f32",
			[]string{"no format measured that keeps 20 dB SNR is shown to be faster than f32 at batch 3, weights from memory."},
		},
		{"failed rows do not count", []workloads.Result{f32, failed, format("f16", 200, 70, 2, 1.5)}, "f16", "f16", nil},
		{"nothing is good enough", []workloads.Result{f32, format("int4", 60, 12, 3, 2.9)}, "f32", "", []string{"no format measured that is smaller than f32 keeps 20 dB SNR; int4 comes nearest with 12.0 dB."}},
		{"alone", []workloads.Result{f32}, "", "", nil},
		{"overflow", []workloads.Result{f32, format("f16", 200, math.Inf(-1), 3, 2.9)}, "f32", "", []string{"f16 comes nearest with weights beyond its range."}},
	} {
		findings := slices.Concat(findSmallest(tc.rows, "normal", 20), findFastest(tc.rows, "normal", v))
		var got [2]string
		var all string
		for _, f := range findings {
			all += f.Text + "\n"
			if f.Kind == "smallest" {
				got[0] = f.Variant
			} else {
				got[1] = f.Variant
			}
		}
		if got != [2]string{tc.smallest, tc.fastest} {
			t.Errorf("%s: smallest and fastest are %q, want %q and %q", tc.name, got, tc.smallest, tc.fastest)
		}
		for _, w := range tc.words {
			if !strings.Contains(all, w) {
				t.Errorf("%s: %q does not say %q", tc.name, all, w)
			}
		}
	}
}
