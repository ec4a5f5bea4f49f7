package cpu_test

import (
	"math"
	"testing"

	"assay/shaders"
	"assay/shaders/attention"
	"assay/shaders/norm"
)

// TestHiddenKeysWeighNothing: a mask may hide keys with −∞, even all keys of a block.
func TestHiddenKeysWeighNothing(t *testing.T) {
	onEach(t, func(t *testing.T, r *bench) {
		for _, name := range []string{"attention_flash_f32", "attention_decode_f32"} {
			p := attention.AttentionParams{Heads: 1, KVHeads: 1, Queries: 6, Keys: 300, Dim: 16}
			d := r.dispatch(name, p, shaders.Constants{attention.HasMask: 1})
			mask := shaders.View{Data: d.Bindings[3].Buffer.Bytes()}
			for i := range mask.Len() {
				if i%300 < 290 {
					mask.Set(i, math.Inf(-1))
				}
			}
			r.verify(d)
		}
	})
}

// TestHiddenScoresBecomeZero: a score of −∞, or far below the maximum, has probability 0, not a subnormal number, which would
// slow down later multiplications. NaN stays NaN.
func TestHiddenScoresBecomeZero(t *testing.T) {
	onEach(t, func(t *testing.T, r *bench) {
		const rows, cols, shown = 5, 2101, 1030 // blocks of a row with and without visible scores
		for name, of := range map[string]shaders.Type{
			"softmax_f32": shaders.F32, "softmax_twopass_f32": shaders.F32, "softmax_f16": shaders.F16, "softmax_bf16": shaders.BF16,
		} {
			d := r.dispatch(name, norm.SoftmaxParams{Rows: rows, Cols: cols}, nil)
			in := shaders.View{Type: of, Data: d.Bindings[0].Buffer.Bytes()}
			for i := range in.Len() {
				if i%cols >= shown {
					in.Set(i, []float64{math.Inf(-1), -90, -1000}[i%3])
				}
			}
			r.verify(d)
			out := shaders.View{Type: of, Data: d.Bindings[1].Buffer.Bytes()}
			for i := range out.Len() {
				if i%cols >= shown && out.At(i) != 0 {
					t.Fatalf("%s: the probability of score %g is %g, want 0", name, in.At(i), out.At(i))
				}
			}
			in.Set(cols+7, math.NaN())
			r.run(d)
			if got := out.At(cols + 7); !math.IsNaN(got) {
				t.Errorf("%s: the probability of NaN is %g", name, got)
			}
		}
	})
}
