package patterns

import (
	"assay/shaders"
	"assay/shaders/elementwise"
	"assay/shaders/gemm"
	"assay/shaders/norm"
	"assay/workloads/bench"
)

func f32(op string) shaders.Pick { return shaders.Pick{Op: op, Type: shaders.F32} }

// linear is out = act(a · b + bias), with what the constants choose.
func linear(m, n, k int, c shaders.Constants, a, b, bias, out string) bench.Step {
	p := gemm.MatmulParams{M: uint32(m), N: uint32(n), K: uint32(k), Batch: 1}
	return bench.Step{Pick: f32("matmul"), Constants: c, Params: p, Args: []string{a, b, bias, out}}
}

// mlp is the feed-forward block of a transformer: norm, a layer four times as wide, a layer back, and the residual.
func mlp(size sizes) []stage {
	rows, cols := size.n, size.width
	bias := shaders.Constants{gemm.HasBias: 1}
	gelu := shaders.Constants{gemm.HasBias: 1, gemm.Activation: shaders.ActGelu}
	return []stage{
		{"norm", []bench.Step{{
			Pick: f32("layernorm"), Params: norm.LayerNormParams{Rows: uint32(rows), Cols: uint32(cols), Eps: 1e-5},
			Args: []string{"x", "norm weight", "norm bias", "normalized"},
		}}},
		{"up, GELU", []bench.Step{linear(rows, 4*cols, cols, gelu, "normalized", "up", "up bias", "hidden")}},
		{"down", []bench.Step{linear(rows, cols, 4*cols, bias, "hidden", "down", "down bias", "out")}},
		{"residual", []bench.Step{{
			Pick: f32("add"), Params: elementwise.ElementwiseParams{N: uint32(rows * cols)}, Args: []string{"x", "out", "result"},
		}}},
	}
}
