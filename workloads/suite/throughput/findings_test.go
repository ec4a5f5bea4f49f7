package throughput

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/internal/stats"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

// found checks that there is one finding, about that case and variant, with the words.
func found(t *testing.T, what string, got []workloads.Finding, name, variant string, words ...string) {
	t.Helper()
	if len(got) != 1 {
		t.Errorf("%s: %d findings, want 1", what, len(got))
		return
	}
	f := got[0]
	if f.Case != name || f.Variant != variant {
		t.Errorf("%s: the finding is about %q %q, want %q %q", what, f.Case, f.Variant, name, variant)
	}
	for _, w := range words {
		if !strings.Contains(f.Text, w) {
			t.Errorf("%s: %q does not say %q", what, f.Text, w)
		}
	}
}

func TestKnee(t *testing.T) {
	// curve has the sizes 64, 128, … at so many GFLOP/s; 0 is a failed case.
	curve := func(sweep, axis string, rates ...float64) []workloads.Result {
		var out []workloads.Result
		for i, rate := range rates {
			n := 64 << i
			r := benchtest.Timed(fmt.Sprintf("%s %d", sweep, n), "f32", 1)
			r.Settings = []workloads.Setting{{Name: "sweep", Value: sweep}, {Name: axis, Value: n}}
			r.Values.SetNumber(workloads.Ops, rate*1e9)
			r.Values.SetNumber(workloads.Items, 8)
			workloads.Metrics().Derive(&r.Values)
			if rate == 0 {
				r.Status = workloads.Failed
			}
			out = append(out, r)
		}
		return out
	}
	for _, tc := range []struct {
		name  string
		rates []float64
		part  float64
		at    string // the case; empty: no finding
		words string
	}{
		{
			"rises and flattens",
			[]float64{10, 50, 91, 100, 99},
			0.9, "matmul 256", "Square products in f32 reach at least 90 % of their best throughput from 256 rows on; the best is 100 GFLOP/s, at 512 rows.",
		},
		{"half", []float64{10, 50, 91, 100, 99}, 0.5, "matmul 128", "reach at least 50 % of their best throughput from 128 rows on; the best"},
		{"dips", []float64{10, 95, 80, 100, 99}, 0.9, "matmul 512", "from 512 rows on; the best is 100 GFLOP/s, at 512 rows."},
		{"flat", []float64{99, 100, 98}, 0.9, "matmul 64", "from 64 rows on; the best is 100 GFLOP/s, at 128 rows."},
		{
			"falls",
			[]float64{100, 50, 20},
			0.9, "matmul 64", "Square products in f32 are at their best, 100 GFLOP/s, at 64 rows: no other size reaches 90 % of that.",
		},
		{"rises throughout", []float64{1, 2, 4}, 0.9, "matmul 256", "at 256 rows: no other size reaches 90 % of that."},
		{
			"falls at the end",
			[]float64{10, 95, 100, 80},
			0.9, "matmul 256", "at 256 rows: 2 of 4 sizes reach 90 % of that, but larger ones fall below it again.",
		},
		{
			"dips before the last",
			[]float64{95, 50, 100},
			0.9, "matmul 256", "2 of 3 sizes reach 90 % of that, but larger ones fall below",
		},
		{"failed best", []float64{10, 50, 0, 52}, 0.9, "matmul 128", "from 128 rows on; the best is 52.0 GFLOP/s, at 512 rows."},
		{"one point", []float64{10}, 0.9, "", ""},
		{"all failed", []float64{0, 0, 0}, 0.9, "", ""},
	} {
		got := findKnee(curve("matmul", "size", tc.rates...), "matmul", "f32", tc.part)
		if tc.at == "" {
			if len(got) > 0 {
				t.Errorf("%s: found %q", tc.name, got[0].Text)
			}
			continue
		}
		found(t, tc.name, got, tc.at, "f32", tc.words)
		kind := "best"
		if strings.Contains(tc.words, " on; ") {
			kind = "knee"
		}
		if got[0].Kind != kind {
			t.Errorf("%s: kind %q, want %q", tc.name, got[0].Kind, kind)
		}
	}
	got := findKnee(curve("mlp", "batch", 10, 95, 100), "mlp", "f32", 0.9)
	found(t, "mlp", got, "mlp 128", "f32",
		"The MLP in f32 reaches at least 90 % of its best throughput from a batch of 128 on, there with 8.00 items/s and 1.00 s a batch; "+
			"the best is 100 GFLOP/s, at a batch of 256.")
	noisy := curve("matmul", "size", 100, 50)
	noisy[0].Values.Set(workloads.Time, stats.Interval{Median: 1, Lo: 0.98, Hi: 1.02})
	workloads.Metrics().Derive(&noisy[0].Values)
	got = findKnee(noisy, "matmul", "f32", 0.9)
	found(t, "with an interval", got, "matmul 64", "f32", "100 (98.0 to 102) GFLOP/s, at 64 rows")
}

// That a size is below the line is said only where its whole interval is.
func TestNoKneeWhereTheIntervalReachesOverTheLine(t *testing.T) {
	curve := func(rates ...stats.Interval) []workloads.Result {
		var out []workloads.Result
		for i, rate := range rates {
			r := benchtest.Timed(fmt.Sprintf("matmul %d", 64<<i), "f32", 1)
			r.Settings = []workloads.Setting{{Name: "sweep", Value: "matmul"}, {Name: "size", Value: 64 << i}}
			r.Values.SetNumber(workloads.Ops, 1e9)
			r.Values.Set(workloads.Time, stats.Interval{Median: 1 / rate.Median, Lo: 1 / rate.Hi, Hi: 1 / rate.Lo})
			workloads.Metrics().Derive(&r.Values)
			out = append(out, r)
		}
		return out
	}
	sharp := func(v float64) stats.Interval { return stats.Interval{Median: v, Lo: v, Hi: v} }
	wide, clear := stats.Interval{Median: 80, Lo: 43, Hi: 117}, stats.Interval{Median: 80, Lo: 75, Hi: 85}
	unbounded := stats.Interval{Median: 80, Lo: 1 / math.Inf(1), Hi: 1 / math.Inf(-1)}
	for _, tc := range []struct {
		name  string
		rates []stats.Interval
		words string
	}{
		{"reaches over", []stats.Interval{sharp(10), sharp(95), sharp(100), wide}, "2 of 4 sizes reach 90 % of that, and whether larger ones " +
			"fall below it again cannot be told: at 512 rows the interval, 80.0 (43.0 to 117) GFLOP/s, reaches over it."},
		{"no interval", []stats.Interval{sharp(10), sharp(95), sharp(100), unbounded}, "cannot be told: at 512 rows"},
		{"clear", []stats.Interval{sharp(10), sharp(95), sharp(100), clear}, "but larger ones fall below it again."},
		{"one is clear", []stats.Interval{sharp(95), sharp(100), clear, wide}, "but larger ones fall below it again."},
		{"alone", []stats.Interval{sharp(10), sharp(100), wide}, "whether another size reaches 90 % of that cannot be told: at 256 rows"},
	} {
		got := findKnee(curve(tc.rates...), "matmul", "f32", 0.9)
		if len(got) != 1 || !strings.Contains(got[0].Text, tc.words) {
			t.Errorf("%s: %+v does not say %q", tc.name, got, tc.words)
		}
	}
}

func TestCrossover(t *testing.T) {
	// curve has the sizes 10, 100, … with intervals of the speed-up.
	curve := func(intervals ...[2]float64) []workloads.Result {
		var out []workloads.Result
		n := 10
		for _, iv := range intervals {
			r := benchtest.Timed(fmt.Sprintf("add+relu %d", n), "fused", 1)
			r.Settings = []workloads.Setting{{Name: "pattern", Value: "add+relu"}, {Name: "elements", Value: n}}
			r.Values.Set(workloads.Speedup, stats.Interval{Median: (iv[0] + iv[1]) / 2, Lo: iv[0], Hi: iv[1]})
			out = append(out, r)
			n *= 10
		}
		return out
	}
	for _, tc := range []struct {
		name      string
		intervals [][2]float64
		at        string
		words     string
	}{
		{
			"stops",
			[][2]float64{{1.8, 2}, {1.2, 1.4}, {0.7, 0.8}},
			"add+relu 1000",
			"Add+relu in f32, operands in cache: one fused kernel is faster than separate dispatches from 10 to 100 elements, up to 1.90× (1.80× to 2.00×) at 10; it stops paying between 100 and 1000.",
		},
		{
			"stops after doubt",
			[][2]float64{{1.8, 2}, {1.2, 1.4}, {0.9, 1.1}, {0.7, 0.8}},
			"add+relu 10000",
			"it stops paying between 100 and 10000.",
		},
		{
			"slower once, then doubt",
			[][2]float64{{1.8, 2}, {1.2, 1.4}, {0.7, 0.8}, {0.9, 1.1}},
			"",
			"it is no longer shown to be faster from 1000 on.",
		},
		{
			"doubt within",
			[][2]float64{{1.8, 2}, {0.9, 1.1}, {1.2, 1.4}, {0.7, 0.8}},
			"add+relu 10000",
			"at 2 of the 3 sizes from 10 to 1000 elements, up to 1.90× (1.80× to 2.00×) at 10; it stops paying between 1000 and 10000.",
		},
		{
			"doubt at the end",
			[][2]float64{{1.8, 2}, {0.95, 1.25}},
			"",
			"is faster than separate dispatches at 10 elements: 1.90× (1.80× to 2.00×); it is no longer shown to be faster from 100 on.",
		},
		{
			"pays throughout",
			[][2]float64{{1.8, 2}, {1.4, 1.6}},
			"",
			"at every size measured, 10 to 100 elements, up to 1.90× (1.80× to 2.00×) at 10.",
		},
		{
			"pays at the largest only",
			[][2]float64{{0.5, 0.6}, {0.9, 1.1}, {1.01, 1.03}},
			"",
			"at 1000 elements: 1.02× (1.01× to 1.03×).",
		},
		{"barely pays", [][2]float64{{0.5, 0.6}, {1.002, 1.018}}, "", "at 100 elements: 1.010× (1.002× to 1.018×)."},
		{"pays from the middle on", [][2]float64{{0.5, 0.6}, {1.4, 1.6}, {1.8, 2}}, "", "from 100 to 1000 elements, up to 1.90× "},
		{"never", [][2]float64{{0.8, 0.9}, {0.5, 0.6}}, "", "is slower than separate dispatches at every size measured, 10 to 100 elements: at best 0.850× (0.800× to 0.900×) at 10."},
		{"all in doubt", [][2]float64{{0.9, 1.1}, {0.5, 0.6}}, "", "is not shown to be faster than separate dispatches at any size measured, 10 to 100 elements."},
		{"one point", [][2]float64{{1.8, 2}}, "", ""},
	} {
		got := findCrossover(curve(tc.intervals...), "add+relu", shaders.F32)
		if tc.words == "" {
			if len(got) > 0 {
				t.Errorf("%s: found %q", tc.name, got[0].Text)
			}
			continue
		}
		found(t, tc.name, got, tc.at, "fused", tc.words)
	}
}

// The platform's matrix product stands beside ours where the engine has it and the user wants it.
func TestLibraryProduct(t *testing.T) {
	missing := gputest.Script{Unsupported: map[string]string{"matmul_mps_f32": "no such library here"}}
	for _, tc := range []struct {
		name   string
		script gputest.Script
		wanted bool
		want   []string
	}{
		{"both", gputest.Script{}, true, []string{"f32", "f32 MPS"}},
		{"not wanted", gputest.Script{}, false, []string{"f32"}},
		{"the engine has none", missing, true, []string{"f32"}},
	} {
		b := benchtest.New(t, tc.script)
		set := workloads.Values{"sweep": "matmul", "min_size": 8, "max_size": 8, "library": tc.wanted}
		if err := b.Run(t.Context(), t, Batching(), set); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range b.Measured {
			got = append(got, r.Variant)
			if r.Status != workloads.OK || (r.Variant == "f32 MPS") != (r.Baseline == "f32") {
				t.Errorf("%s: %s is %s %q against %q", tc.name, r.Variant, r.Status, r.Failure.Text, r.Baseline)
			}
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: variants %q, want %q", tc.name, got, tc.want)
		}
	}
}
