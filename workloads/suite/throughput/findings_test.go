package throughput

import (
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"assay/gpu/gputest"
	"assay/internal/stats"
	"assay/shaders"
	"assay/shaders/attention"
	"assay/workloads"
	"assay/workloads/bench"
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
			"of the best throughput, 500 MFLOP/s at a batch of 1. Every measured size reaches it."},
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

// The platform's GEMM is a variant if the engine has it and the user selects it. If an engine of its kind lacks it, that is reported
// once.
func TestLibraryProduct(t *testing.T) {
	missing := gputest.Script{Unsupported: map[string]string{"matmul_mps_f32": "no such library here"}}
	of := func(s gputest.Script, kind string) gputest.Script {
		s.Kind = kind
		return s
	}
	kind := func(l shaders.Library) string { // an engine on this system that may have it
		if !l.MayBeOn(runtime.GOOS) {
			t.Fatalf("no system like this has %s", l)
		}
		return l.Engine()
	}
	for _, tc := range []struct {
		name   string
		script gputest.Script
		wanted bool
		want   []string
	}{
		{"both", gputest.Script{}, true, []string{"f32", "f32 MPS", "f32", "f32 MPS"}},
		{"not wanted", gputest.Script{}, false, []string{"f32", "f32"}},
		{"another engine's", missing, true, []string{"f32", "f32"}},
		{"the engine has none", of(missing, kind(shaders.MPS)), true, []string{"f32", "f32 MPS", "f32"}},
		{"not wanted, nor there", of(missing, kind(shaders.MPS)), false, []string{"f32", "f32"}},
	} {
		b := benchtest.New(t, tc.script)
		set := workloads.Values{"sweep": "matmul", "min_size": 4, "max_size": 8, "library": tc.wanted}
		if err := b.Run(t.Context(), t, Batching(), set); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range b.Measured {
			got = append(got, r.Variant)
			if r.Status == workloads.Unsupported {
				benchtest.Untimed(t, &r)
				if r.Variant != "f32 MPS" || !strings.Contains(r.Failure.Text, "no such library here") {
					t.Errorf("%s: %s: %q", tc.name, r.Variant, r.Failure.Text)
				}
			} else if r.Status != workloads.OK || (r.Variant == "f32 MPS") != (r.Baseline == "f32") {
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

// The finding about attention concerns the fastest single-dispatch kernel, whichever it is at a given length.
func TestAttentionFindsTheFastest(t *testing.T) {
	b := benchtest.New(t, gputest.Script{Compute: 90, Unsupported: map[string]string{"attention_flash_simd_f32": "no such unit"}})
	set := workloads.Values{"queries": wholeSequence, "min_length": 4, "max_length": 8, "heads": 2, "dim": 4}
	if err := b.Run(t.Context(), t, Attention(), set); err != nil {
		t.Fatal(err)
	}
	kernels := map[string]string{}
	for i := range b.Measured {
		r := &b.Measured[i]
		text, _ := r.Setting("kernel").(string)
		kernels[r.Variant] = text
		if (r.Status == workloads.Unsupported) != (r.Variant == "flash, simdgroup_matrix") {
			t.Errorf("%s is %s: %s", r.Variant, r.Status, r.Failure.Text)
		}
	}
	if k := kernels["flash, in registers"]; !strings.Contains(k, "tile_queries=128} (large tiles") || kernels["split keys"] != "" {
		t.Errorf("kernels %q", kernels)
	}
	if f := b.Findings; len(f) != 2 || !strings.Contains(f[0].Text, "the fastest single dispatch is faster than three dispatches at every size measured") ||
		f[1].Kind != workloads.KindLeaders {
		t.Errorf("findings %+v", b.Findings)
	}
	b.Measured, b.Findings = nil, nil
	if err := b.Run(t.Context(), t, Attention(), workloads.Values(set).With(workloads.Values{"compare": attention.Decode})); err != nil {
		t.Fatal(err)
	}
	if r := &b.Measured[1]; r.Status != workloads.Unsupported || !strings.Contains(r.Failure.Text, "4 queries of each head; it is made for one") {
		t.Errorf("%s is %s: %s", r.Variant, r.Status, r.Failure.Text)
	}
}

// The best of a curve is the best at each point, of those that count.
func TestBestOfEachPlace(t *testing.T) {
	b := bench.New(benchtest.New(t, gputest.Script{}).Env)
	w := Attention()
	b.Workload = &w
	of := func(variant string, keys int, speedup float64) {
		r := benchtest.Timed(strconv.Itoa(keys), variant, 1)
		r.Settings, r.Baseline = []workloads.Setting{{Name: "queries", Value: wholeSequence}, {Name: "length", Value: keys}}, "three"
		r.Values.Set(workloads.Speedup, stats.Interval{Median: speedup, Lo: speedup, Hi: speedup})
		b.Earlier = func(string) []workloads.Result { return []workloads.Result{r} }
		if err := b.MeasureAll(t.Context(), []bench.Case{{Name: r.Case}}); err != nil {
			t.Fatal(err)
		}
	}
	of("x", 4, 2)
	of("y", 4, 3)
	of("x", 8, 0.8)
	of("y", 8, 0.7)
	s := workloads.Subject{Name: "A", Way: "the best", Baseline: "three"}
	f := bySequence().best(b, wholeSequence, s, nil).Crossover()
	if len(f) != 1 || f[0].Kind != workloads.KindCrossover || f[0].Variant != "x" || f[0].Facts.Best.Value.Median != 3 {
		t.Fatalf("%+v", f)
	}
	later := benchtest.Timed("4", "x", 1) // slower at 4, where y is the best
	later.Settings = []workloads.Setting{{Name: "queries", Value: wholeSequence}, {Name: "length", Value: 4}}
	later.Values.Set(workloads.Speedup, stats.Interval{Median: 0.5, Lo: 0.5, Hi: 0.5})
	v := w.Defaults(false)
	if got := w.Standing(f[0], b.Results(), v, []workloads.Later{{Result: &later, Case: v}}); got.Kind != workloads.KindCrossover {
		t.Errorf("a kernel that was not the best there contradicts it: %+v", got)
	}
	only := bySequence().best(b, wholeSequence, s, func(r *workloads.Result) bool { return r.Variant == "x" })
	if len(only.Results) != 2 || only.Results[0].Variant != "x" {
		t.Errorf("%+v", only.Results)
	}
	of("z", 8, math.NaN()) // without an interval, where others have one and where none has
	of("z", 16, math.NaN())
	if left := bySequence().best(b, wholeSequence, s, nil).Left; len(left) != 1 || left[0].Case != "16" {
		t.Errorf("left out: %+v", left)
	}
}

// Rows are kept in registers at the preferred width for their length; a row that is too long is reported.
func TestNormalizationKeepsRowsInRegisters(t *testing.T) {
	for compute, want := range map[int]string{0: "softmax/registers/f32", 90: "softmax/registers/f32{kept=1,rows=4,whole=1} (rows kept in registers are read once)"} {
		b := benchtest.New(t, gputest.Script{Compute: compute})
		set := workloads.Values{"op": "softmax", "compare": "registers", "min_cols": 64, "max_cols": 65536, "elements": 65536, "operands": bench.FromCache}
		if compute == 0 {
			set["min_cols"] = 65536
		} else {
			set["max_cols"] = 64
		}
		if err := b.Run(t.Context(), t, Normalization(), set); err != nil {
			t.Fatal(err)
		}
		r := &b.Measured[1]
		if compute == 0 {
			if r.Status != workloads.Unsupported || !strings.Contains(r.Failure.Text, "rows of 65536 elements; 1024 threads that keep 16 each hold 16384") {
				t.Errorf("%s is %s: %s", r.Variant, r.Status, r.Failure.Text)
			}
		} else if got := r.Setting("kernel"); r.Variant != "rows in registers" || got != want {
			t.Errorf("%s by %v, want %s", r.Variant, got, want)
		}
	}
}

// int8 GEMMs are measured next to those of floats, are exact, and their gain is a finding.
func TestInt8BesideFloats(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Matmul(), workloads.Values{"dtype": inInt8, "min_size": 8, "max_size": 16, "batch": 3, "transpose": "a", "compare": "naive"}); err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range b.Measured {
		r := &b.Measured[i]
		w := Matmul()
		benchtest.CheckMeasured(t, &w, r)
		names = append(names, r.Variant)
		if exact := strings.HasPrefix(r.Variant, "int8"); exact && r.Number(workloads.ErrorMax) != 0 || (r.Baseline == "f32") != (r.Variant != "f32") {
			t.Errorf("%s is off by %g, against %q", r.Variant, r.Number(workloads.ErrorMax), r.Baseline)
		}
	}
	if want := []string{"f32", "f16", "bf16", "int8 × int8, tiled"}; !slices.Equal(names, slices.Repeat(want, 2)) {
		t.Errorf("variants %q", names)
	}
	if f := b.Findings; len(f) != 2 || f[0].Kind != workloads.KindLeaders || !strings.HasPrefix(f[1].Text, "Matrix products of int8 and of floats: int8 × int8 ") {
		t.Errorf("findings %+v", f)
	}
	w := Matmul()
	v := w.Defaults(false).With(workloads.Values{"dtype": inInt8})
	for _, name := range []string{"batch", "transpose", "compare"} {
		if p, err := w.Param(name); err != nil || !strings.Contains(w.Unused(p, v), "products of int8 ") {
			t.Errorf("%s is used, %v", name, err)
		}
	}
	if err := w.Check(v.With(workloads.Values{"m": 16384, "n": 16384, "k": 512})); err == nil || !strings.Contains(err.Error(), "workload matmul: m, n and k make 275 GFLOP per dispatch") {
		t.Errorf("%v", err)
	}
}

// If sides are set, findings name them, and the size is what the sweep varies.
func TestSidesThatAreSet(t *testing.T) {
	for want, set := range map[string]workloads.Values{
		"Matrix products in f32: the fastest is ":                          {},
		"Matrix products in f32 with M = 1: the fastest is ":               {"m": 1},
		"Matrix products in f32 with M = 2 and K = 4: the fastest is ":     {"m": 2, "k": 4},
		"Batches of 2 matrix products in f32, 1 × 16 × 8: the fastest is ": {"m": 1, "n": 16, "k": 8, "batch": 2},
	} {
		b := benchtest.New(t, gputest.Script{})
		v := workloads.Values{"min_size": 8, "max_size": 8, "compare": "naive"}
		if err := b.Run(t.Context(), t, Matmul(), v.With(set)); err != nil {
			t.Fatal(err)
		}
		if len(b.Findings) != 1 || !strings.HasPrefix(b.Findings[0].Text, want) || strings.Contains(b.Findings[0].Text, " at this size, ") != (len(set) > 2) ||
			strings.Contains(b.Findings[0].Text, " at size 8, ") != (len(set) <= 2) {
			t.Errorf("%v: findings %+v", set, b.Findings)
		}
		size := map[bool]int{true: 5, false: 8}[len(set) > 2] // 5³ is about 1 × 16 × 8
		for i := range b.Measured {
			if got := b.Measured[i].Setting("size"); got != size {
				t.Errorf("%v: size %v, want %d", set, got, size)
			}
		}
	}
}

// The error of ways to add up is reported even if times show nothing.
func TestErrorsOfSumsAreTold(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Reduction(), workloads.Values{"op": "sum", "min_elements": 8, "max_elements": 64, "slices": 4}); err != nil {
		t.Fatal(err)
	}
	told := slices.IndexFunc(b.Findings, func(f workloads.Finding) bool { return f.Kind == workloads.KindNoted })
	if told < 0 {
		t.Fatalf("findings %+v", b.Findings)
	}
	if text := b.Findings[told].Text; !strings.HasPrefix(text, "Sum in f32: over 64 elements, the error against float64 is at most 0 (two dispatches), 0 (one dispatch)") {
		t.Errorf("told %q", text)
	}
}

// The first finding, the headline, answers the workload's question.
func TestTheQuestionIsAnsweredFirst(t *testing.T) {
	for _, tc := range []struct {
		w         workloads.Workload
		op, first string
	}{
		{Reduction(), "sum", "Sum in f32: one dispatch is faster than two dispatches"},
		{Elementwise(), "add", "Add in f32, in one dispatch"}, // speed first, then which width pays
	} {
		b := benchtest.New(t, gputest.Script{})
		if err := b.Run(t.Context(), t, tc.w, workloads.Values{"op": tc.op, "min_elements": 8, "max_elements": 64}); err != nil {
			t.Fatal(err)
		}
		if len(b.Findings) == 0 || !strings.HasPrefix(b.Findings[0].Text, tc.first) {
			t.Errorf("findings %+v, want first %q", b.Findings, tc.first)
		}
	}
	if got := widthsFirst(dispatchShapes()); got[0].name != inOne || got[1].differs != byWidth || got[len(got)-1].differs != byAttribute || len(got) != len(dispatchShapes()) {
		t.Errorf("the shapes in order: %+v", got)
	}
}

// After the rates come the widths, which the workload's question is about, although other shapes are measured before them.
func TestElementwiseTellsOfWidthsFirst(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Elementwise(), workloads.Values{"op": "add", "min_elements": 8, "max_elements": 64, "compare": "all"}); err != nil {
		t.Fatal(err)
	}
	var ways []string
	for i := range b.Findings {
		ways = append(ways, b.Findings[i].Facts.Subject.Way)
	}
	want := []string{
		"", "one element per thread", "two elements per thread", "eight elements per thread", "splitting into small dispatches",
		"limiting threads by max_total_threads_per_threadgroup",
	}
	if !slices.Equal(ways, want) {
		t.Errorf("findings about %q, want %q", ways, want)
	}
}
