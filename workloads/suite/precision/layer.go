package precision

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"assay/gpu"
	"assay/shaders"
	shgemm "assay/shaders/gemm"
	shquant "assay/shaders/quant"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/quant"
)

// layer is an f32 weight matrix on the engine, with the data its variants share.
type layer struct {
	*bench.Scope
	key               string // identifies the weights in the cache
	rows, cols, batch int
	operands          string            // where operands are read from
	constants         shaders.Constants // of the quantizers
	weights, x        gpu.Buffer
	scratch           gpu.Buffer // dequantized weights; nil until first used
	given             string     // identifies the activations
	exact             *exact     // the expected output
}

func newLayer(s *bench.Scope, src *weightSource, v workloads.Values) (*layer, error) {
	l := &layer{
		Scope: s, key: src.key, rows: src.rows, cols: src.cols, batch: v.Int("batch"), operands: v.String("operands"),
		constants: shaders.Constants{},
	}
	if v.String("scheme") == "symmetric" {
		l.constants[shquant.Symmetric] = 1
	}
	var err error
	l.weights, err = bench.Cached(s, "weights "+l.key, func(s *bench.Scope) (gpu.Buffer, error) {
		w, err := s.Buffer(shaders.F32, l.rows*l.cols, "weights f32")
		if err != nil {
			return nil, err
		}
		return w, s.FillFloats(w, shaders.F32, l.rows*l.cols, src.next())
	})
	if err != nil {
		return nil, err
	}
	if err := l.activate(v); err != nil {
		return nil, err
	}
	l.exact, err = exactOutputs(l)
	return l, err
}

// variants builds one variant per format, plus BitLinear if chosen; v may request for each with quantized weights a variant that
// dequantizes them first, and one that rounds the activations.
func (l *layer) variants(v workloads.Values) ([]bench.Variant, error) {
	var out []bench.Variant
	formats, _ := storable(chosenFormats(v), l.cols, v)
	unfused, rounded := v.Bool("dequantize_first"), roundedFormats(formats, v)
	for _, f := range formats {
		if err := f.Check(l.cols); err != nil {
			out = append(out, unstorable(f, err))
			continue
		}
		out = append(out, l.variant(f.String(), series(f), f, func(sets int) ([][]gpu.Launch, *quant.Errors, error) { return l.gemm(f, sets) }))
		if unfused && f.Kind.Quantized() {
			out = append(out, l.unfused(f.String(), series(f), f))
		}
		if slices.Contains(rounded, f) {
			out = append(out, l.rounded(f))
		}
		if l.Context().Err() != nil {
			return nil, l.Context().Err()
		}
	}
	if choosesBitLinear(v) {
		f := quant.Format{Kind: quant.Ternary}
		out = append(out, l.variant(bitLinear, bitLinear, f, l.bitGEMM))
		if unfused {
			out = append(out, l.unfused(bitLinear, bitLinear, f))
		}
	}
	return out, l.Context().Err()
}

// unstorable is the variant of a format whose blocks do not divide the rows of weights.
func unstorable(f quant.Format, why error) bench.Variant {
	return bench.Variant{
		Name: f.String(), Settings: []workloads.Setting{{Name: "format", Value: series(f)}},
		Err: gpu.Errorf(gpu.ErrUnsupported, "quantize", f.String(), "%w", why),
	}
}

// series is the name in charts for formats that differ only in the group that shares a scale.
func series(f quant.Format) string {
	if f.Half {
		return f.Kind.String() + quant.HalfScales
	}
	return f.Kind.String()
}

// variant is the layer with weights stored as f, built with a number of sets of them. If it cannot be built, the variant carries the
// error.
func (l *layer) variant(name, format string, f quant.Format, build func(sets int) ([][]gpu.Launch, *quant.Errors, error)) bench.Variant {
	rotation := l.Rotation(l.operands, f.Bytes(l.rows, l.cols), maxSets)
	sets, lost, err := build(rotation.Sets)
	v := bench.Variant{
		Name: name, Settings: []workloads.Setting{{Name: "format", Value: format}}, Items: float64(l.batch),
		Notes: rotation.Notes(), Err: err,
	}
	var off, half *quant.Errors
	if err == nil {
		v.Work = l.Launches(sets...)
		off, v.Err = l.exact.errorsOf(l, sets[0])
	}
	if v.Err == nil && f.Kind == quant.F16 {
		half, v.Err = l.halfSums()
	}
	if v.Err == nil {
		v.Adjust = func(r *workloads.Result) {
			r.DescribeWeights(lost, f.Bytes(l.rows, l.cols))
			describeOutputs(r, off)
			if half != nil {
				describeHalfSums(r, half)
			}
			tell(r, f.Kind)
		}
	}
	if f.Kind.Quantized() {
		v.Settings = append(v.Settings, workloads.Setting{Name: "block", Value: f.Shared(l.rows, l.cols)})
	}
	if f.Half {
		v.Settings = append(v.Settings, workloads.Setting{Name: "scale_type", Value: shaders.F16.String()})
	}
	if f.Kind != quant.F32 {
		v.Baseline = quant.F32.String()
	}
	return v
}

// maxSets bounds the copies of a layer's weights: small layers would need too many to fill a cache.
const maxSets = 512

// gemm returns the layer with sets of weights in the format, and the format's errors.
func (l *layer) gemm(f quant.Format, sets int) ([][]gpu.Launch, *quant.Errors, error) {
	t, err := typeOf(f.Kind)
	switch {
	case err != nil:
		return nil, nil, err
	case t.Block() != nil:
		return l.blockGEMM(t, f, sets)
	case f.Kind.Quantized():
		return l.codeGEMM(t, f, sets)
	case t == shaders.F32:
		d, err := l.floatGEMM(t, l.x, l.weights, sets)
		return d, &quant.Errors{Count: l.rows * l.cols}, err // the originals themselves
	}
	return l.narrowGEMM(t, sets)
}

// typeOf returns the element type with the name of a kind.
func typeOf(k quant.Kind) (shaders.Type, error) {
	for _, t := range shaders.Types() {
		if t.String() == k.String() {
			return t, nil
		}
	}
	return 0, fmt.Errorf("no element type for weights in %v", k)
}

// blockOf returns how many weights share a scale, in the form that kernels expect: a row is one block if the block is at least as
// long. 0 is the whole tensor.
func (l *layer) blockOf(f quant.Format) int {
	if f.Block == quant.PerRow {
		return (l.cols + 7) / 8 * 8 // each block starts at a new byte
	}
	return f.Block
}

// scaleConstants returns the constants of kernels for weights stored as f: the type of scales.
func scaleConstants(f quant.Format) shaders.Constants {
	if f.Half {
		return shaders.Constants{shquant.HalfScales: 1}
	}
	return shaders.Constants{}
}

// copies is a ring of copies of weights; the key identifies them in the cache.
func (l *layer) copies(key string, b gpu.Buffer, bytes, sets int, label string) (bench.Ring, error) {
	return bench.Cached(l.Scope, fmt.Sprintf("%d × %s, %s", sets, label, key), func(s *bench.Scope) (bench.Ring, error) {
		return s.Copies(b, bytes, sets, label)
	})
}

func (l *layer) floatGEMM(t shaders.Type, x, w gpu.Buffer, sets int) ([][]gpu.Launch, error) {
	weights, err := l.copies(l.key, w, t.Bytes(l.rows*l.cols), sets, "weights "+t.String())
	if err != nil {
		return nil, err
	}
	out, err := l.Outputs(t.Bytes(l.batch*l.rows), sets, "out "+t.String())
	if err != nil {
		return nil, err
	}
	p := shgemm.MatmulParams{M: uint32(l.batch), N: uint32(l.rows), K: uint32(l.cols), Batch: 1}
	d, err := l.Dispatch(shaders.Pick{Op: "matmul", Type: t}, shaders.Constants{shgemm.TransposeB: 1}, p, x, weights.Buffer, nil, out.Buffer)
	if err != nil {
		return nil, err
	}
	return bench.Rotate(d, weights, out), nil
}

// packed holds the layer's weights in a format, and the format's errors. scale and zero are nil if it has none.
type packed struct {
	codes, scale, zero gpu.Buffer
	lost               *quant.Errors
}

// narrowGEMM has weights and activations in a float type other than f32.
func (l *layer) narrowGEMM(t shaders.Type, sets int) ([][]gpu.Launch, *quant.Errors, error) {
	w, err := bench.Cached(l.Scope, t.String()+" of "+l.key, func(s *bench.Scope) (*packed, error) { return l.narrowed(s, t) })
	if err != nil {
		return nil, nil, err
	}
	x, err := l.Buffer(t, l.batch*l.cols, "activations "+t.String())
	if err != nil {
		return nil, nil, err
	}
	if err := l.FillFloats(x, t, l.batch*l.cols, l.Floats(l.x, shaders.F32)); err != nil {
		return nil, nil, err
	}
	d, err := l.floatGEMM(t, x, w.codes, sets)
	return d, w.lost, err
}

// narrowed returns the weights in type t, in buffers of s.
func (l *layer) narrowed(s *bench.Scope, t shaders.Type) (*packed, error) {
	n := l.rows * l.cols
	w, err := s.Buffer(t, n, "weights "+t.String())
	if err != nil {
		return nil, err
	}
	if err := l.FillFloats(w, t, n, l.Floats(l.weights, shaders.F32)); err != nil {
		return nil, err
	}
	lost, err := l.losses(w, t)
	return &packed{codes: w, lost: lost}, err
}

// codeGEMM has weights as codes with scales, quantized by the engine, and activations in f32.
func (l *layer) codeGEMM(t shaders.Type, f quant.Format, sets int) ([][]gpu.Launch, *quant.Errors, error) {
	p, c := shquant.QuantParams{Rows: uint32(l.rows), Cols: uint32(l.cols), Block: uint32(l.blockOf(f))}, scaleConstants(f)
	rings, lost, err := l.codeRings(t, p, c, sets)
	if err != nil {
		return nil, nil, err
	}
	out, err := l.Outputs(shaders.F32.Bytes(l.batch*l.rows), sets, "out "+t.String())
	if err != nil {
		return nil, nil, err
	}
	rings = append(rings, out)
	size := shgemm.QuantMatmulParams{M: uint32(l.batch), N: p.Rows, K: p.Cols, Block: p.Block}
	d, err := l.Dispatch(shaders.Pick{Op: "matmul_quant", Type: t}, c, size, l.x, rings[0].Buffer, rings[1].Buffer, rings[2].Buffer, rings[3].Buffer)
	if err != nil {
		return nil, nil, err
	}
	return bench.Rotate(d, rings...), lost, nil
}

// codeRings returns sets of codes, scales and zero points, and the format's errors.
func (l *layer) codeRings(t shaders.Type, p shquant.QuantParams, c shaders.Constants, sets int) ([]bench.Ring, *quant.Errors, error) {
	w, key, err := l.coded(t, p, c)
	if err != nil {
		return nil, nil, err
	}
	var rings []bench.Ring
	for _, part := range []struct {
		buffer gpu.Buffer
		bytes  int
		label  string
	}{
		{w.codes, t.Bytes(p.Codes(t)), "weights " + t.String()},
		{w.scale, shquant.ScaleType(c).Bytes(p.Blocks()), "scales"},
		{w.zero, shquant.ScaleType(c).Bytes(shquant.Zeros(p, t)), "zero points"},
	} {
		ring := bench.Ring{Buffer: part.buffer} // nothing is read from an empty one
		if part.bytes > 0 {
			if ring, err = l.copies(key, part.buffer, part.bytes, sets, part.label); err != nil {
				return nil, nil, err
			}
		}
		rings = append(rings, ring)
	}
	return rings, w.lost, nil
}

// coded returns the weights as codes, from the cache if present, and their key in it.
func (l *layer) coded(t shaders.Type, p shquant.QuantParams, c shaders.Constants) (*packed, string, error) {
	key := fmt.Sprintf("%v block %d {%s}{%s} of %s", t, p.Block, l.constants.Key(), c.Key(), l.key)
	w, err := bench.Cached(l.Scope, key, func(s *bench.Scope) (*packed, error) { return l.quantized(s, t, p, c) })
	return w, key, err
}

// quantized returns the weights as codes, in buffers of s. The quantizer and its inverse are verified.
func (l *layer) quantized(s *bench.Scope, t shaders.Type, p shquant.QuantParams, c shaders.Constants) (*packed, error) {
	w, err := l.codeBuffers(s, t, p, shquant.ScaleType(c))
	if err != nil {
		return nil, err
	}
	quantize, err := l.quantizing(t, p, c, w)
	if err != nil {
		return nil, err
	}
	dequantize, err := l.Dispatch(shaders.Pick{Op: "dequantize", Type: t}, c, p, w.codes, w.scale, w.zero, l.scratch)
	if err != nil {
		return nil, err
	}
	if err := l.Verify(append(quantize, dequantize)...); err != nil {
		return nil, err
	}
	w.lost, err = l.losses(l.scratch, shaders.F32)
	return w, err
}

// quantizing returns the dispatches that quantize the weights: one for blocks, two for the whole tensor.
func (l *layer) quantizing(t shaders.Type, p shquant.QuantParams, c shaders.Constants, w *packed) ([]gpu.Launch, error) {
	both := maps.Clone(l.constants)
	maps.Copy(both, c)
	if p.Block > 0 {
		d, err := l.Dispatch(shaders.Pick{Op: "quantize", Type: t}, both, p, l.weights, w.codes, w.scale, w.zero)
		return []gpu.Launch{d}, err
	}
	tensor := shquant.Tensor(l.rows, l.cols)
	var parts [3]gpu.Buffer
	for i, label := range []string{"minima", "maxima", "sums"} {
		b, err := l.Buffer(shaders.F32, int(tensor.Parts), label)
		if err != nil {
			return nil, err
		}
		parts[i] = b
	}
	first, err := l.Dispatch(shaders.Pick{Op: "extremes", Type: shaders.F32}, nil, tensor.Extremes(), l.weights, parts[0], parts[1], parts[2])
	if err != nil {
		return nil, err
	}
	second, err := l.Dispatch(shaders.Pick{Op: "quantize_tensor", Type: t}, both, tensor,
		l.weights, parts[0], parts[1], parts[2], w.codes, w.scale, w.zero)
	return []gpu.Launch{first, second}, err
}

// needScratch allocates the buffer for dequantized weights, if it is not yet there.
func (l *layer) needScratch() (err error) {
	if l.scratch == nil {
		l.scratch, err = l.Buffer(shaders.F32, l.rows*l.cols, "dequantized weights")
	}
	return err
}

// codeBuffers allocates buffers in s for codes, scales and zero points, and in l for the dequantized weights.
func (l *layer) codeBuffers(s *bench.Scope, t shaders.Type, p shquant.QuantParams, scales shaders.Type) (*packed, error) {
	if err := l.needScratch(); err != nil {
		return nil, err
	}
	var w packed
	for _, b := range []struct {
		to    *gpu.Buffer
		t     shaders.Type
		n     int
		label string
	}{
		{&w.codes, t, p.Codes(t), "weights " + t.String()},
		{&w.scale, scales, p.Blocks(), "scales"},
		{&w.zero, scales, shquant.Zeros(p, t), "zero points"},
	} {
		room, err := s.Buffer(b.t, b.n, b.label)
		if err != nil {
			return nil, err
		}
		*b.to = room
	}
	return &w, nil
}

// losses compares weights of type t on the engine with the originals.
func (l *layer) losses(got gpu.Buffer, t shaders.Type) (*quant.Errors, error) {
	var e quant.Errors
	original, approximate := l.Floats(l.weights, shaders.F32), l.Floats(got, t)
	a, b := make([]float32, bench.Chunk), make([]float32, bench.Chunk)
	for at, n := 0, l.rows*l.cols; at < n; at += bench.Chunk {
		l.Progress(at, n)
		size := min(bench.Chunk, n-at)
		if err := errors.Join(original(a[:size], at), approximate(b[:size], at), l.Context().Err()); err != nil {
			return nil, err
		}
		if err := e.Add(a[:size], b[:size]); err != nil {
			return nil, err
		}
	}
	return &e, nil
}
