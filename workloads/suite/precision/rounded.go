package precision

import (
	"errors"
	"fmt"
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

// The variants whose activations are rounded to int8 before the multiplication, by their names and the value of the axis rounded.
const (
	roundedSuffix = ", int8 activations"
	roundedValue  = "int8"
)

// integers lists the kinds of weights that kernels multiply with int8 activations.
func integers() []quant.Kind {
	kinds := []quant.Kind{quant.Int8, quant.Int4}
	for _, t := range blocks.Types() {
		kinds = append(kinds, quant.Kind(t.String()))
	}
	return kinds
}

// usesIntegers rejects int8 activations if no weights are codes that they can be multiplied with.
func usesIntegers(v workloads.Values) error {
	if k := v.String("formats"); k != "all" && !slices.Contains(integers(), quant.Kind(k)) {
		return errors.New("int8 activations are multiplied with weights in int8, int4 and the blocks of .gguf files: choose one of these")
	}
	return nil
}

// roundedFormats returns the formats that are also measured with int8 activations.
func roundedFormats(formats []quant.Format, v workloads.Values) []quant.Format {
	return slices.DeleteFunc(slices.Clone(formats), func(f quant.Format) bool {
		return !v.Bool("int8_activations") || !slices.Contains(integers(), f.Kind)
	})
}

// rounded is the layer with weights stored as f, and activations that a separate kernel rounds to int8, in blocks of the weights'
// length, as part of the layer. The loss shows in the errors of the output; the weights' errors are the format's.
func (l *layer) rounded(f quant.Format) bench.Variant {
	v := l.variant(f.String()+roundedSuffix, series(f), f, func(sets int) ([][]gpu.Launch, *quant.Errors, error) { return l.roundedGEMM(f, sets) })
	v.Settings = append(v.Settings, workloads.Setting{Name: "rounded", Value: roundedValue})
	return v
}

// roundedGEMM returns the layer in two dispatches for each set of weights, and the format's errors.
func (l *layer) roundedGEMM(f quant.Format, sets int) ([][]gpu.Launch, *quant.Errors, error) {
	t, err := typeOf(f.Kind)
	if err != nil {
		return nil, nil, err
	}
	out, err := l.Outputs(shaders.F32.Bytes(l.batch*l.rows), sets, "out "+t.String()+roundedSuffix)
	if err != nil {
		return nil, nil, err
	}
	build := l.roundedCodes
	if t.Block() != nil {
		build = l.roundedBlocks
	}
	first, second, rings, lost, err := build(t, f, sets, out)
	if err != nil {
		return nil, nil, err
	}
	launches := bench.Rotate(second, append(rings, out)...)
	for i := range launches {
		launches[i] = slices.Concat([]gpu.Launch{first}, launches[i])
	}
	return launches, lost, nil
}

// roundedCodes returns the rounding and the multiplication for weights as codes, what is rotated of them, and the format's errors.
func (l *layer) roundedCodes(t shaders.Type, f quant.Format, sets int, out bench.Ring) (first, second gpu.Launch, rings []bench.Ring, lost *quant.Errors, err error) {
	size := shgemm.QuantInt8MatmulParams{M: uint32(l.batch), N: uint32(l.rows), K: uint32(l.cols), Block: uint32(l.blockOf(f))}
	c := scaleConstants(f)
	if rings, lost, err = l.codeRings(t, size.Weights(), c, sets); err != nil {
		return first, second, nil, nil, err
	}
	first, x, err := l.rounding(size.Activations())
	if err != nil {
		return first, second, nil, nil, err
	}
	second, err = l.Dispatch(shaders.Pick{Op: "matmul_quant_int8", Type: t}, c, size,
		x.codes, x.scale, rings[0].Buffer, rings[1].Buffer, rings[2].Buffer, out.Buffer)
	return first, second, rings, lost, err
}

// roundedBlocks is the same for weights in blocks.
func (l *layer) roundedBlocks(t shaders.Type, f quant.Format, sets int, out bench.Ring) (first, second gpu.Launch, rings []bench.Ring, lost *quant.Errors, err error) {
	weights, lost, err := l.blockRing(t, f, sets)
	if err != nil {
		return first, second, nil, nil, err
	}
	first, x, err := l.rounding(shquant.QuantParams{Rows: uint32(l.batch), Cols: uint32(l.cols), Block: uint32(blocks.Rounded(t))})
	if err != nil {
		return first, second, nil, nil, err
	}
	size := blocks.BlockMatmulParams{M: uint32(l.batch), N: uint32(l.rows), K: uint32(l.cols)}
	second, err = l.Dispatch(shaders.Pick{Op: "matmul_blocks_int8", Type: t}, nil, size, x.codes, x.scale, weights.Buffer, out.Buffer)
	return first, second, []bench.Ring{weights}, lost, err
}

// rounding returns the dispatch that rounds the activations, and its outputs. Their zero points are 0.
func (l *layer) rounding(p shquant.QuantParams) (gpu.Launch, *packed, error) {
	var x packed
	for _, b := range []struct {
		to    *gpu.Buffer
		t     shaders.Type
		n     int
		label string
	}{
		{&x.codes, shaders.I8, p.Codes(shaders.I8), "activations int8"},
		{&x.scale, shaders.F32, p.Blocks(), "scales of activations"},
		{&x.zero, shaders.F32, p.Blocks(), "zero points of activations"},
	} {
		room, err := l.Buffer(b.t, b.n, b.label)
		if err != nil {
			return gpu.Launch{}, nil, err
		}
		*b.to = room
	}
	d, err := l.Dispatch(shaders.Pick{Op: "quantize", Type: shaders.I8}, shaders.Constants{shquant.Symmetric: 1}, p, l.x, x.codes, x.scale, x.zero)
	return d, &x, err
}

// inInt8 reports, for each format of a case that was also measured with int8 activations, what they save of the time with f32 ones and
// what the output loses. Disturbed results are left to the advice on the formats.
func inInt8(results []workloads.Result, name string) []workloads.Finding {
	var found []workloads.Finding
	for i := range results {
		r := &results[i]
		plain := slices.IndexFunc(results, func(p workloads.Result) bool {
			return p.Case == name && p.Variant == strings.TrimSuffix(r.Variant, roundedSuffix)
		})
		if r.Case != name || r.Setting("rounded") != roundedValue || plain < 0 {
			continue
		}
		p := &results[plain]
		s := workloads.Subject{Name: "Weights " + name + ", " + p.Variant, Way: "rounding activations to int8", Baseline: "keeping them in f32"}
		for _, f := range workloads.SavedBetween(p, r, s) {
			if f.Facts.Lack.Disturbed > 0 {
				continue
			}
			part := "Their rounding is part of that time; with"
			if f.Kind == workloads.KindNone { // no time is reported
				part = "With"
			}
			f.Facts.Reason = fmt.Sprintf("%s it the output’s SNR is %.1f dB instead of %.1f dB.", part,
				r.Number(workloads.OutputSNR), p.Number(workloads.OutputSNR))
			found = append(found, f)
		}
	}
	return found
}
