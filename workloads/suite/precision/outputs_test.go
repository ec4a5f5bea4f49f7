package precision

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
	"assay/workloads/quant"
)

// measured runs the workload on the fake engine.
func measured(t *testing.T, set workloads.Values) []workloads.Result {
	t.Helper()
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Quantization(), set); err != nil {
		t.Fatal(err)
	}
	return b.Measured
}

// uniformWeights are values for a tensor.
func uniformWeights(n int, seed uint64) []float32 {
	r, out := rand.New(rand.NewPCG(seed, 0)), make([]float32, n)
	for i := range out {
		out[i] = 2*r.Float32() - 1
	}
	return out
}

// product is x · wᵀ in float64.
func product(x, w []float32, batch, rows, cols int) []float32 {
	out := make([]float32, 0, batch*rows)
	for i := range batch {
		for r := range rows {
			var sum float64
			for d := range cols {
				sum += float64(x[i*cols+d]) * float64(w[r*cols+d])
			}
			out = append(out, float32(sum))
		}
	}
	return out
}

// The errors of the output are those of products with the weights after a round trip.
func TestOutputErrorsAgreeWithTheReference(t *testing.T) {
	const batch, rows, cols = 2, 24, 96
	w, x := uniformWeights(rows*cols, 1), uniformWeights(3*cols, 2)
	weights := saveTensors(t, tensor{"w", []int{rows, cols}, w})
	inputs := saveTensors(t, tensor{"other", []int{5, cols + 1}, make([]float32, 5*(cols+1))}, tensor{"x", []int{3, cols}, x})
	results := measured(t, workloads.Values{
		"weights": "file", "file": weights, "activations": "file", "activations_file": inputs, "batch": batch, "max_block": quant.MinBlock,
	})
	exact := product(x, w, batch, rows, cols)
	for _, r := range results {
		if r.Variant == bitLinear {
			continue // its activations are rounded too
		}
		all := quant.Grouped(measuredKinds(), quant.MinBlock, quant.MaxBlock)
		at := slices.IndexFunc(all, func(f quant.Format) bool { return f.String() == r.Variant })
		if at < 0 {
			t.Fatalf("unknown format %q", r.Variant)
		}
		if k := all[at].Kind; k == quant.F16 || k == quant.BF16 {
			continue // their activations and outputs are rounded too
		}
		var want quant.Errors
		if err := want.Add(exact, product(x, approximated(t, w, rows, cols, all[at], quant.Affine), batch, rows, cols)); err != nil {
			t.Fatal(err)
		}
		if got := r.Number(workloads.OutputErrorRel); math.Abs(got-want.Rel()) > 0.02*want.Rel()+1e-6 { // a code at a tie may differ
			t.Errorf("%s: relative error of the output %g, want %g", r.Variant, got, want.Rel())
		}
		if r.Number(workloads.OutputsJudged) != batch*rows || r.Setting("activations") != "file" {
			t.Errorf("%s: %v outputs judged, settings %v", r.Variant, r.Number(workloads.OutputsJudged), r.Settings)
		}
	}
	if len(results) < 5 {
		t.Errorf("%d results", len(results))
	}
}

// Activations with outliers differ from uniform ones, and case names say so.
func TestActivationsWithOutliers(t *testing.T) {
	set := workloads.Values{"weights": "normal", "formats": "int4", "scales": "tensor", "rows": 16, "cols": 400}
	usual := measured(t, set)
	set["activations"] = "outliers"
	other := measured(t, set)
	if u, o := usual[1].Number(workloads.OutputErrorRMS), other[1].Number(workloads.OutputErrorRMS); !(u > 0) || u == o {
		t.Errorf("error of the output %g with uniform activations, %g with outliers", u, o)
	}
	if !strings.Contains(other[0].Case, "activations with outliers") || strings.Contains(usual[0].Case, "activations") {
		t.Errorf("cases %q and %q", usual[0].Case, other[0].Case)
	}
}

// A file without fitting activations is rejected before anything is measured, and the error names what they need.
func TestActivationsThatDoNotFit(t *testing.T) {
	inputs := saveTensors(t, tensor{"x", []int{3, 64}, make([]float32, 3*64)})
	for _, set := range []workloads.Values{{"cols": 32, "batch": 1}, {"cols": 64, "batch": 4}} {
		set["weights"], set["activations"], set["activations_file"] = "normal", "file", inputs
		w := Quantization()
		if err := w.CheckAll(w.Defaults(true).With(set)); err == nil || !strings.Contains(err.Error(), "which activations need") {
			t.Errorf("%v: %v", set, err)
		}
	}
	w := Quantization()
	if err := w.Check(w.Defaults(true).With(workloads.Values{"activations": "file"})); err == nil || !strings.Contains(err.Error(), "activations_file") {
		t.Errorf("no file: %v", err)
	}
}

// The outputs checked take at most that many products, unless one row takes more.
func TestJudged(t *testing.T) {
	for _, tc := range []struct{ rows, cols, batch, items, every int }{
		{4, 8, 2, 2, 1}, {4, 8, 9, 4, 1}, {16, 8, 9, 1, 1}, {17, 8, 9, 1, 2}, {64, 8, 1, 1, 4}, {3, 1000, 5, 1, 24},
	} {
		e := judged(tc.rows, tc.cols, tc.batch, 128)
		if e.items != tc.items || e.every != tc.every {
			t.Errorf("%+v: %d items, every %d", tc, e.items, e.every)
		}
	}
}
