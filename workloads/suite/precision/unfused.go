package precision

import (
	"errors"
	"slices"
	"strings"

	"assay/gpu"
	"assay/shaders"
	"assay/shaders/blocks"
	shgemm "assay/shaders/gemm"
	shquant "assay/shaders/quant"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/quant"
)

// The variants that dequantize weights before the multiplication, by their names and the value of the axis dequantized.
const (
	unfusedSuffix = ", dequantized first"
	unfusedValue  = "first"
)

// usesCodes rejects dequantizing first if no weights are quantized.
func usesCodes(v workloads.Values) error {
	if k, known := quant.ParseKind(v.String("formats")); known && !k.Quantized() {
		return errors.New("floats are multiplied as they are: choose a quantized format, such as int4")
	}
	return nil
}

// unfused is the layer with weights stored as f, which a separate kernel dequantizes before the f32 GEMM.
func (l *layer) unfused(name, format string, f quant.Format) bench.Variant {
	v := l.variant(name+unfusedSuffix, format, f, func(sets int) ([][]gpu.Launch, *quant.Errors, error) { return l.unfusedGEMM(f, sets) })
	v.Settings = append(v.Settings, workloads.Setting{Name: "dequantized", Value: unfusedValue})
	return v
}

// unfusedGEMM returns the layer in two dispatches for each set of weights, and the format's errors.
func (l *layer) unfusedGEMM(f quant.Format, sets int) ([][]gpu.Launch, *quant.Errors, error) {
	dequantize, lost, err := l.dequantizing(f, sets)
	if err != nil {
		return nil, nil, err
	}
	out, err := l.Outputs(shaders.F32.Bytes(l.batch*l.rows), sets, "out f32")
	if err != nil {
		return nil, nil, err
	}
	p := shgemm.MatmulParams{M: uint32(l.batch), N: uint32(l.rows), K: uint32(l.cols), Batch: 1}
	d, err := l.Dispatch(shaders.Pick{Op: "matmul", Type: shaders.F32}, shaders.Constants{shgemm.TransposeB: 1}, p, l.x, l.scratch, nil, out.Buffer)
	if err != nil {
		return nil, nil, err
	}
	launches := bench.Rotate(d, out)
	for i := range launches {
		launches[i] = slices.Concat(dequantize[i], launches[i])
	}
	return launches, lost, nil
}

// dequantizing returns the dispatch that fills l.scratch, for each set of weights.
func (l *layer) dequantizing(f quant.Format, sets int) ([][]gpu.Launch, *quant.Errors, error) {
	t, err := typeOf(f.Kind)
	if err != nil {
		return nil, nil, err
	}
	if err := l.needScratch(); err != nil { // weights from the cache have already been dequantized
		return nil, nil, err
	}
	if t.Block() != nil {
		ring, lost, err := l.blockRing(t, f, sets)
		if err != nil {
			return nil, nil, err
		}
		p := blocks.BlockParams{Rows: uint32(l.rows), Cols: uint32(l.cols)}
		d, err := l.Dispatch(shaders.Pick{Op: "dequantize_blocks", Type: t}, nil, p, ring.Buffer, l.scratch)
		return bench.Rotate(d, ring), lost, err
	}
	p := shquant.QuantParams{Rows: uint32(l.rows), Cols: uint32(l.cols), Block: uint32(l.blockOf(f))}
	c := scaleConstants(f)
	rings, lost, err := l.codeRings(t, p, c, sets)
	if err != nil {
		return nil, nil, err
	}
	d, err := l.Dispatch(shaders.Pick{Op: "dequantize", Type: t}, c, p, rings[0].Buffer, rings[1].Buffer, rings[2].Buffer, l.scratch)
	return bench.Rotate(d, rings...), lost, err
}

// inOneKernel reports, for each format of a case that was measured both ways, what its fused kernel saves over dequantizing first.
// Disturbed results are left to the advice on the formats.
func inOneKernel(results []workloads.Result, name string) []workloads.Finding {
	of := map[string]*workloads.Result{}
	for i := range results {
		if r := &results[i]; r.Case == name {
			of[r.Variant] = r
		}
	}
	var found []workloads.Finding
	for i := range results {
		r := &results[i]
		fused := of[strings.TrimSuffix(r.Variant, unfusedSuffix)]
		if r.Case != name || r.Setting("dequantized") != unfusedValue || fused == nil {
			continue
		}
		s := workloads.Subject{Name: "Weights " + name + ", " + fused.Variant, Way: "one kernel", Baseline: "dequantizing to f32 first"}
		for _, f := range workloads.SavedBetween(r, fused, s) {
			if f.Facts.Lack.Disturbed == 0 {
				found = append(found, f)
			}
		}
	}
	return found
}
