package precision

import (
	"slices"

	"assay/gpu"
	"assay/shaders"
	shgemm "assay/shaders/gemm"
	shquant "assay/shaders/quant"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/quant"
)

// bitLinear is the choice of formats for ternary weights with one scale, and activations quantized to int8 as part of the layer. Its
// loss shows in the errors of the output; the weights' errors are those of ternary.
const bitLinear = "bitlinear"

// choosesBitLinear reports whether v selects it: its weights share one scale.
func choosesBitLinear(v workloads.Values) bool {
	formats := v.String("formats")
	return formats == bitLinear || formats == "all" && slices.Contains([]string{"all", "tensor"}, v.String("scales"))
}

// bitGEMM returns the layer with sets of ternary weights, and their errors: its activations are quantized by row, then multiplied as
// integers.
func (l *layer) bitGEMM(sets int) ([][]gpu.Launch, *quant.Errors, error) {
	const t = shaders.Ternary
	p := shquant.QuantParams{Rows: uint32(l.rows), Cols: uint32(l.cols)}
	w, key, err := l.coded(t, p, nil)
	if err != nil {
		return nil, nil, err
	}
	codes, err := l.copies(key, w.codes, t.Bytes(p.Codes(t)), sets, "weights "+t.String())
	if err != nil {
		return nil, nil, err
	}
	x, err := l.Buffer(shaders.I8, l.batch*l.cols, "activations int8")
	if err != nil {
		return nil, nil, err
	}
	scales, err := l.Buffer(shaders.F32, l.batch, "scales of activations")
	if err != nil {
		return nil, nil, err
	}
	out, err := l.Outputs(shaders.F32.Bytes(l.batch*l.rows), sets, "out "+bitLinear)
	if err != nil {
		return nil, nil, err
	}
	rows := shquant.RowsParams{Rows: uint32(l.batch), Cols: p.Cols}
	first, err := l.Dispatch(shaders.Pick{Op: "quantize_rows", Type: shaders.I8}, nil, rows, l.x, x, scales)
	if err != nil {
		return nil, nil, err
	}
	size := shgemm.BitLinearParams{M: uint32(l.batch), N: p.Rows, K: p.Cols}
	second, err := l.Dispatch(shaders.Pick{Op: "matmul_bitlinear", Type: t}, nil, size, x, scales, codes.Buffer, w.scale, out.Buffer)
	if err != nil {
		return nil, nil, err
	}
	launches := bench.Rotate(second, codes, out)
	for i := range launches {
		launches[i] = slices.Concat([]gpu.Launch{first}, launches[i])
	}
	return launches, w.lost, nil
}
