package precision

import (
	"math"
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

// A sum in f16 stops growing when the next term is less than half of its last place, and beyond 65504 it is infinite.
func TestHalfDot(t *testing.T) {
	ones := make([]float32, 5000)
	for i := range ones {
		ones[i] = 1
	}
	if got := halfDot(ones, ones); got != 2048 {
		t.Errorf("5000 ones sum up to %g in f16, want 2048", got)
	}
	large := []float32{300, 300, -300}
	if got := halfDot(large, []float32{200, 200, 200}); !math.IsInf(float64(got), 1) {
		t.Errorf("60000 + 60000 − 60000 is %g in f16, want +Inf", got)
	}
}

// A layer whose sums overflow in f16 is reported, with the advice to sum in f32; a layer with small sums loses only part of its
// output.
func TestSumsInHalf(t *testing.T) {
	const rows, cols = 4, 1024
	x, w := make([]float32, cols), make([]float32, rows*cols)
	for i := range w {
		x[i%cols], w[i] = 10, 2
		if i >= 2*cols && i%cols >= cols/2 {
			w[i] = -2 // two of four outputs are 0, from sums of 10 240
		}
		if i < cols {
			w[i] = 20 // its sum is 204 800, beyond f16
		}
	}
	set := workloads.Values{
		"weights": "file", "file": saveTensors(t, tensor{"w", []int{rows, cols}, w}), "formats": "f16",
		"activations": "file", "activations_file": saveTensors(t, tensor{"x", []int{1, cols}, x}),
	}
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Quantization(), set); err != nil {
		t.Fatal(err)
	}
	r := &b.Measured[1]
	if r.Number(workloads.HalfSumsOverflowed) != 1 || r.Number(workloads.HalfSumsOf) != rows || r.Number(workloads.OutputsOverflowed) != 1 {
		t.Errorf("%s: %g of %g overflow, %g of the outputs", r.Variant, r.Number(workloads.HalfSumsOverflowed), r.Number(workloads.HalfSumsOf), r.Number(workloads.OutputsOverflowed))
	}
	found := inHalfSums(b.Measured, r.Case)
	if len(found) != 1 || !strings.HasSuffix(found[0].Sentence(), ": with sums in f16, 1 of 4 outputs would overflow. Accumulate in f32.") {
		t.Errorf("%+v", found)
	}
	set = workloads.Values{"weights": "normal", "rows": 16, "cols": 2048, "formats": "f16"}
	b = benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Quantization(), set); err != nil {
		t.Fatal(err)
	}
	r = &b.Measured[1]
	half, full := r.Number(workloads.HalfSumsSNR), r.Number(workloads.OutputSNR)
	if !(half > 30 && half < full-6) || r.Number(workloads.OutputsOverflowed) != 0 {
		t.Errorf("by sums in f16 the output has %g dB, by f32 %g", half, full)
	}
	if s := inHalfSums(b.Measured, r.Case)[0].Sentence(); !strings.HasSuffix(s, "; none would overflow. Accumulate in f32.") {
		t.Errorf("says %q", s)
	}
}
