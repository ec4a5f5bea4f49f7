package throughput

import (
	"slices"
	"strings"
	"testing"
	"time"

	"assay/gpu/gputest"
	"assay/internal/stats"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
	"assay/workloads/measure"
)

// Each workload builds its curve from results of one sweep, variant and pattern, and only from those with a time.
func TestCurves(t *testing.T) {
	add := func(name, variant string, seconds float64, at ...workloads.Setting) workloads.Result {
		r := benchtest.Timed(name, variant, seconds)
		r.Settings = at
		r.Values.SetNumber(workloads.Ops, 1e9)
		r.Values.SetNumber(workloads.Items, 8)
		workloads.Metrics().Derive(&r.Values)
		return r
	}
	in := func(name string, value any) workloads.Setting { return workloads.Setting{Name: name, Value: value} }
	failed := add("matmul 256", "f32", 1e-9, in("sweep", "matmul"), in("size", 256))
	failed.Status = workloads.Failed
	results := []workloads.Result{
		add("matmul 64", "f32", 1, in("sweep", "matmul"), in("size", 64)), add("matmul 64", "f16", 1, in("sweep", "matmul"), in("size", 64)),
		add("matmul 128", "f32", 0.5, in("sweep", "matmul"), in("size", 128)), failed,
		add("matmul 512", "f32", 0.5, in("sweep", "matmul"), in("size", 512)),
		add("mlp batch 1", "f32", 2, in("sweep", "mlp"), in("batch", 1)), add("mlp batch 2", "f32", 2, in("sweep", "mlp"), in("batch", 2)),
	}
	batching := Batching()
	for _, tc := range []struct {
		curve *workloads.Curve
		want  string
	}{
		{products(&batching, results, "f32"), "Square products in f32: use 128 rows or more: at least 90 % of the best throughput, " +
			"2.00 GFLOP/s at 128 rows."},
		{batches(&batching, results, "f32"), "The MLP in f32: use a batch of 1 or larger: 4.00 items/s and 2.00 s per batch, at least 90 % " +
			"of the best throughput, 500 MFLOP/s at a batch of 1. Every size measured reaches that."},
	} {
		if got := tc.curve.Knee(0.9); len(got) != 1 || got[0].Sentence() != tc.want {
			t.Errorf("%+v, want %q", got, tc.want)
		}
	}
	if got := products(&batching, results, "f16").Knee(0.9); len(got) > 0 {
		t.Errorf("of one size: %+v", got)
	}
	fused := func(n int, operands string, speedup float64) workloads.Result {
		r := add("affine", "fused", 1, in("pattern", "affine"), in("operands", operands), in("elements", n))
		r.Values.Set(workloads.Speedup, stats.Interval{Median: speedup, Lo: speedup, Hi: speedup})
		return r
	}
	fusion, all := Fusion(), patterns()
	affine := all[slices.IndexFunc(all, func(p pattern) bool { return p.name == "affine" })]
	for operands, words := range map[string]string{"memory": "operands from memory", "cache": "operands in cache"} {
		want := "Affine in f32, " + words + ": one fused kernel is faster than separate dispatches at 10 elements: 2.00× (2.00× to 2.00×); " +
			"the gain ends between 10 and 100."
		found := speedups(&fusion, []workloads.Result{fused(10, operands, 2), fused(100, operands, 0.5)}, &affine, shaders.F32).Crossover()
		if len(found) != 1 || found[0].Sentence() != want {
			t.Errorf("%+v, want %q", found, want)
		}
	}
}

// The platform's GEMM is a variant if the engine has it and the user selects it.
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

// Two questions about the same disturbed curve have one answer.
func TestNoConclusionIsSaidOnce(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	b.Env.Options.Budget = 20 * time.Millisecond
	b.Env.Options.Surroundings = measure.Surroundings{
		Factors: []measure.Factor{{Name: "others_cpu", Limit: 0.1, Text: func(float64) string { return "busy" }}},
		Lap:     func() []float64 { return []float64{0.6} },
	}
	set := workloads.Values{"sweep": "mlp", "width": 8, "layers": 1, "max_batch": 4, "max_latency": 1000.0}
	if err := b.Run(t.Context(), t, Batching(), set); err != nil {
		t.Fatal(err)
	}
	if len(b.Findings) != 1 || b.Findings[0].Kind != workloads.KindNone {
		t.Errorf("findings %+v", b.Findings)
	}
}

// A latency limit is a question of its own.
func TestLatencyLimit(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	set := workloads.Values{"sweep": "mlp", "width": 8, "layers": 1, "max_batch": 4, "max_latency": 1000.0}
	if err := b.Run(t.Context(), t, Batching(), set); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(b.Findings, func(f workloads.Finding) bool { return f.Kind == workloads.KindWithin })
	if at < 0 || b.Findings[at].Case != "mlp batch 4" || b.Findings[at].Facts.Limit != 1 {
		t.Errorf("findings %+v", b.Findings)
	}
}

func TestConvolutionNamesTheBestByShape(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	set := workloads.Values{"filter": "3x3", "channels": 2, "min_side": 4, "max_side": 8}
	if err := b.Run(t.Context(), t, Convolution(), set); err != nil {
		t.Fatal(err)
	}
	if f := b.Findings[0]; f.Kind != workloads.KindLeaders || !strings.HasPrefix(f.Text, "Filters of 3 × 3 on 2 channels in f32: the fastest is N") {
		t.Errorf("%s: %q", f.Kind, f.Text)
	}
}

func TestRatesHaveAKnee(t *testing.T) {
	w := Reduction()
	var results []workloads.Result
	for i, n := range []int{100, 1000, 20_000, 200_000, 2_000_000} {
		for variant, factor := range map[string]float64{inTwo: 1, "one dispatch": 10} {
			r := benchtest.Timed("sum", variant, factor*(1e-6+float64(n)/1e10)) // a dispatch takes 1 µs, an element 0.1 ns
			r.ID, r.Settings = string(rune('a'+i)), []workloads.Setting{{Name: "op", Value: "sum"}, {Name: "elements", Value: n}}
			r.Values.SetNumber(workloads.Items, float64(n))
			metrics := workloads.Metrics()
			metrics.Derive(&r.Values)
			results = append(results, r)
		}
	}
	c := byLength().rates(&w, results, "sum", inTwo, workloads.Subject{Name: "Sum"})
	if len(c.Results) != 5 || len(byLength().rates(&w, results, "max", inTwo, workloads.Subject{}).Results) != 0 {
		t.Fatalf("%d results", len(c.Results))
	}
	f := c.Knee(0.5)
	if len(f) != 1 || f[0].Kind != workloads.KindKnee || f[0].Facts.Place.At != 20_000 {
		t.Errorf("%+v", f)
	}
}

// An addition and a ReLU in one dispatch neither write the sum nor read it back.
func TestFusionTellsWhatItSaves(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Fusion(), workloads.Values{"pattern": "add+relu", "min_elements": 100, "max_elements": 100}); err != nil {
		t.Fatal(err)
	}
	fused := b.Measured[1]
	if saved, less := fused.Number(workloads.BytesSaved), fused.Number(workloads.DispatchesSaved); saved != 2*4*100 || less != 1 {
		t.Errorf("%s saves %g B and %g dispatches, want 800 and 1", fused.Variant, saved, less)
	}
}

// Half a thousandth, where |x| is about 2.7: known from the literature on the tanh form.
func TestFormsOfGELUDiffer(t *testing.T) {
	if d := geluFormDifference(); d < 4.72e-4 || d > 4.74e-4 {
		t.Errorf("the forms differ by up to %g, want 4.73e-4", d)
	}
}
