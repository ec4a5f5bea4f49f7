package patterns

import (
	"assay/shaders"
	"assay/shaders/elementwise"
	"assay/shaders/gemm"
	"assay/shaders/norm"
	"assay/workloads/bench"
)

// linear is out = act(a · b + bias), as selected by the constants.
func (z sizes) linear(m, n, k int, c shaders.Constants, a, b, bias, out string) bench.Step {
	p := gemm.MatmulParams{M: uint32(m), N: uint32(n), K: uint32(k), Batch: 1}
	return bench.Step{Pick: z.pick("matmul"), Constants: c, Params: p, Args: []string{a, b, bias, out}}
}

// mlp is the feed-forward block of a transformer: norm, a layer four times as wide, a layer back, and the residual.
func mlp(size sizes) []stage {
	rows, cols := size.n, size.width
	bias := shaders.Constants{gemm.HasBias: 1}
	gelu := shaders.Constants{gemm.HasBias: 1, gemm.Activation: shaders.ActGelu}
	return []stage{
		{"norm", []bench.Step{{
			Pick: size.pick("layernorm"), Params: norm.LayerNormParams{Rows: uint32(rows), Cols: uint32(cols), Eps: 1e-5},
			Args: []string{"x", "norm weight", "norm bias", "normalized"},
		}}},
		{"up, GELU", []bench.Step{size.linear(rows, 4*cols, cols, gelu, "normalized", "up", "up bias", "hidden")}},
		{"down", []bench.Step{size.linear(rows, cols, 4*cols, bias, "hidden", "down", "down bias", "out")}},
		{"residual", []bench.Step{{
			Pick: size.pick("add"), Params: elementwise.ElementwiseParams{N: uint32(rows * cols)}, Args: []string{"x", "out", "result"},
		}}},
	}
}
