package precision

import (
	"math"
	"testing"

	"assay/internal/stats"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

// The formats of a case are those with a time, and the sentence says where the weights were read from.
func TestFormatsOfACase(t *testing.T) {
	format := func(name, variant string, bytes, snr float64) workloads.Result {
		r := benchtest.Timed(name, variant, 1)
		r.Settings = workloads.Point{{Name: "rows", Value: 10}, {Name: "cols", Value: 10}}
		r.Values.SetNumber(workloads.Footprint, bytes)
		r.Values.SetNumber(workloads.SNR, snr)
		if variant != "f32" {
			r.Values.Set(workloads.Speedup, stats.Interval{Median: 1.8, Lo: 1.7, Hi: 1.9})
		}
		return r
	}
	failed := format("normal", "int4", 50, 60)
	failed.Status = workloads.Failed
	results := []workloads.Result{
		format("normal", "f32", 400, math.Inf(1)), format("normal", "f16", 200, 70), failed, format("other", "int8", 10, 90),
	}
	for operands, words := range map[string]string{"memory": "weights from memory", "cache": "weights in cache"} {
		w := Quantization()
		got := candidates(results, &results[0], w.Defaults(false).With(workloads.Values{"batch": 3, "operands": operands}))
		small, fast := got.Smallest(), got.Fastest()
		if len(small) != 1 || small[0].Sentence() !=
			"Weights normal: f16 is the smallest measured format that keeps 20 dB SNR of the weights, with 70.0 dB at 16 bits per weight (2.00× smaller than f32)." {
			t.Errorf("%+v", small)
		}
		if want := "Weights normal: f16 is the fastest measured format that keeps 20 dB SNR of the weights: 1.80× faster than f32 (1.70–1.90) at batch 3, " +
			words + ", with 70.0 dB."; len(fast) != 1 || fast[0].Sentence() != want {
			t.Errorf("%+v, want %q", fast, want)
		}
	}
}
