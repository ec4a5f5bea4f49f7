package precision

import (
	"math"
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/internal/stats"
	"assay/shaders/blocks"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
	"assay/workloads/quant"
)

// roundedActivations are rows of x in int8, with each block scaled by its largest magnitude.
func roundedActivations(x []float32, cols, block int) []float32 {
	out := make([]float32, len(x))
	for row := 0; row < len(x); row += cols {
		for from := row; from < row+cols; from += block {
			end, most := min(from+block, row+cols), 0.0
			for _, v := range x[from:end] {
				most = max(most, math.Abs(float64(v)))
			}
			scale := float32(most / 127)
			for i := from; i < end; i++ {
				out[i] = float32(math.RoundToEven(float64(x[i]/scale))) * scale
			}
		}
	}
	return out
}

// Integer weights are measured with f32 activations and with int8 ones, whose rounding shows in the errors of the output, not in those
// of the weights.
func TestInt8ActivationsErrInTheOutput(t *testing.T) {
	const batch, rows, cols = 2, 24, 256
	w, x := uniformWeights(rows*cols, 1), uniformWeights(batch*cols, 2)
	set := workloads.Values{
		"weights": "file", "file": saveTensors(t, tensor{"w", []int{rows, cols}, w}), "activations": "file",
		"activations_file": saveTensors(t, tensor{"x", []int{batch, cols}, x}), "batch": batch, "max_block": 64, "int8_activations": true,
	}
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Quantization(), set); err != nil {
		t.Fatal(err)
	}
	of := map[string]*workloads.Result{}
	for i := range b.Measured {
		of[b.Measured[i].Variant] = &b.Measured[i]
	}
	exact, pairs := product(x, w, batch, rows, cols), 0
	for _, f := range quant.Grouped(integers(), quant.MinBlock, 64) {
		r, plain := of[f.String()+roundedSuffix], of[f.String()]
		if r == nil || plain == nil || r.Status != workloads.OK {
			t.Fatalf("%v: %+v", f, r)
		}
		pairs++
		if r.Setting("rounded") != roundedValue || plain.Setting("rounded") != nil || r.Number(workloads.SNR) != plain.Number(workloads.SNR) {
			t.Errorf("%s: %v, SNR of the weights %g dB, with f32 activations %g", r.Variant, r.Settings, r.Number(workloads.SNR), plain.Number(workloads.SNR))
		}
		block := f.Block
		switch {
		case !f.Kind.Scaled():
			stored, err := typeOf(f.Kind)
			if err != nil {
				t.Fatal(err)
			}
			block = blocks.Rounded(stored)
		case block == 0:
			block = cols
		}
		var want quant.Errors
		if err := want.Add(exact, product(roundedActivations(x, cols, block), approximated(t, w, rows, cols, f, quant.Affine), batch, rows, cols)); err != nil {
			t.Fatal(err)
		}
		if got := r.Number(workloads.OutputErrorRel); math.Abs(got-want.Rel()) > 0.05*want.Rel() { // a code at a tie may differ
			t.Errorf("%s: relative error of the output %g, want %g", r.Variant, got, want.Rel())
		}
	}
	if pairs != 11 { // two with scales for the tensor, two block lengths, five block formats
		t.Errorf("%d formats with int8 activations", pairs)
	}
}

// The promised number of variants is measured; there are none if no weights are integers.
func TestInt8ActivationsAreCounted(t *testing.T) {
	w := Quantization()
	for formats, want := range map[string]int{"int4": 1 + 2*2, "f16": 2} {
		set := workloads.Values{"rows": 8, "cols": 96, "weights": "normal", "formats": formats, "max_block": 32, "int8_activations": true}
		v := w.Defaults(false).With(set)
		if got := len(measured(t, set)); got != want || w.Variants(v) != want {
			t.Errorf("%s: %d results, %d promised, want %d", formats, got, w.Variants(v), want)
		}
		if err := usesIntegers(v); (err == nil) != (formats == "int4") {
			t.Errorf("%s: %v", formats, err)
		}
	}
}

// A finding reports what int8 activations save and lose; choosing a format by its weights ignores them.
func TestWhatInt8ActivationsSave(t *testing.T) {
	result := func(variant string, seconds, speedup, snr float64) workloads.Result {
		r := benchtest.Timed("normal", variant, seconds)
		r.Values.Set(workloads.Speedup, stats.Interval{Median: speedup, Lo: 0.99 * speedup, Hi: 1.01 * speedup})
		r.Values.SetNumber(workloads.OutputSNR, snr)
		return r
	}
	rounded := result("int4 /32"+roundedSuffix, 1, 4, 19.75)
	rounded.Settings = append(rounded.Settings, workloads.Setting{Name: "rounded", Value: roundedValue})
	results := []workloads.Result{result("f32", 4, 1, 140), result("int4 /32", 2, 2, 20.5), rounded}
	found := inInt8(results, "normal")
	if len(found) != 1 {
		t.Fatalf("%+v", found)
	}
	s := found[0].Sentence()
	if !strings.HasPrefix(s, "Weights normal, int4 /32: rounding activations to int8 saves 50.0 %") || !strings.HasSuffix(s, "the output’s SNR is 19.8 dB instead of 20.5 dB.") {
		t.Errorf("says %q", s)
	}
	results[1].Values.Set(workloads.Speedup, stats.Unbounded(2))
	open := inInt8(results, "normal")
	if len(open) != 1 || open[0].Kind != workloads.KindNone || !strings.HasSuffix(open[0].Sentence(), " measure longer. With it the output’s SNR is 19.8 dB instead of 20.5 dB.") {
		t.Errorf("without an interval: %+v", open)
	}
	w := Quantization()
	if c := candidates(results, &results[0], w.Defaults(false)); len(c.Results) != 2 {
		t.Errorf("%d candidates", len(c.Results))
	}
}
