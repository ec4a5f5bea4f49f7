package workloads

import (
	"errors"
	"fmt"

	"assay/gpu"
	"assay/shaders"
	"assay/workloads/quant"
)

// layer is a weight matrix on the engine, in f32, with what its variants share.
type layer struct {
	*Scope
	key               string // tells the weights from all others
	rows, cols, batch int
	constants         shaders.Constants // of the quantisers
	weights, x        gpu.Buffer
	scratch           gpu.Buffer // dequantised weights; nil until the first need
}

func (s *Scope) layer(src *weightSource, v Values) (*layer, error) {
	l := &layer{Scope: s, key: src.key, rows: src.rows, cols: src.cols, batch: v.Int("batch"), constants: shaders.Constants{}}
	if v.String("scheme") == "symmetric" {
		l.constants[shaders.Symmetric] = 1
	}
	var err error
	l.weights, err = kept(s, "weights "+l.key, func(s *Scope) (gpu.Buffer, error) {
		w, err := s.Buffer(shaders.F32, l.rows*l.cols, "weights f32")
		if err != nil {
			return nil, err
		}
		return w, s.fillFloats(w, shaders.F32, l.rows*l.cols, src.next())
	})
	if err != nil {
		return nil, err
	}
	l.x, err = s.Random(shaders.F32, l.batch*l.cols, "activations")
	return l, err
}

// variants builds one variant per format. A format that cannot be built is a variant that says why.
func (l *layer) variants(formats []quant.Format) ([]Variant, error) {
	var out []Variant
	for _, f := range formats {
		d, lost, err := l.product(f)
		if l.ctx.Err() != nil {
			return nil, l.ctx.Err()
		}
		v := Variant{Name: f.String(), Settings: []Setting{{"format", f.Kind.String()}}, Items: float64(l.batch), Err: err}
		if err == nil {
			v.Dispatches = []gpu.Dispatch{d}
			v.Adjust = func(r *Result) { describeWeights(r, lost, f.Bytes(l.rows, l.cols)) }
		}
		if f.Kind.Quantised() {
			v.Settings = append(v.Settings, Setting{"block", f.Shared(l.rows, l.cols)})
		}
		if f.Kind != quant.F32 {
			v.Baseline = quant.F32.String()
		}
		out = append(out, v)
	}
	return out, nil
}

// describeWeights sets what the result says of the weights.
func describeWeights(r *Result, lost *quant.Errors, bytes int64) {
	r.Footprint = float64(bytes)
	r.ErrorMax, r.ErrorRel, r.SNR, r.Cosine = lost.MaxAbs, lost.Rel(), lost.SNR(), lost.Cosine()
	if lost.Overflows > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d of %d weights lie beyond ±65504 and are infinite in f16",
			lost.Overflows,
			lost.Count))
	}
}

// product is the layer with its weights in the format, and what the format loses of them.
func (l *layer) product(f quant.Format) (gpu.Dispatch, *quant.Errors, error) {
	switch f.Kind {
	case quant.F32:
		d, err := l.floatProduct(shaders.F32, l.x, l.weights)
		return d, &quant.Errors{Count: l.rows * l.cols}, err // the originals themselves
	case quant.F16:
		return l.halfProduct()
	case quant.Int8:
		return l.codeProduct(shaders.I8, "_i8", f.Block)
	}
	return l.codeProduct(shaders.I4, "_i4", f.Block)
}

func (l *layer) floatProduct(t shaders.Type, x, w gpu.Buffer) (gpu.Dispatch, error) {
	out, err := l.Buffer(t, l.batch*l.rows, "out "+t.String())
	if err != nil {
		return gpu.Dispatch{}, err
	}
	p := shaders.MatmulParams{M: uint32(l.batch), N: uint32(l.rows), K: uint32(l.cols)}
	return l.Dispatch("matmul_"+t.String(), shaders.Constants{shaders.TransposeB: 1}, p, x, w, nil, out)
}

// packed is the layer's weights in a format, and what it loses of them. scale and zero are nil where it has none.
type packed struct {
	codes, scale, zero gpu.Buffer
	lost               *quant.Errors
}

// halfProduct has weights and activations in f16.
func (l *layer) halfProduct() (d gpu.Dispatch, lost *quant.Errors, err error) {
	w, err := kept(l.Scope, "f16 of "+l.key, l.halved)
	if err != nil {
		return d, nil, err
	}
	x, err := l.Buffer(shaders.F16, l.batch*l.cols, "activations f16")
	if err != nil {
		return d, nil, err
	}
	if err := l.fillFloats(x, shaders.F16, l.batch*l.cols, l.floats(l.x, shaders.F32)); err != nil {
		return d, nil, err
	}
	d, err = l.floatProduct(shaders.F16, x, w.codes)
	return d, w.lost, err
}

// halved is the weights in f16, in buffers of s.
func (l *layer) halved(s *Scope) (*packed, error) {
	n := l.rows * l.cols
	w, err := s.Buffer(shaders.F16, n, "weights f16")
	if err != nil {
		return nil, err
	}
	if err := l.fillFloats(w, shaders.F16, n, l.floats(l.weights, shaders.F32)); err != nil {
		return nil, err
	}
	lost, err := l.losses(w, shaders.F16)
	return &packed{codes: w, lost: lost}, err
}

// codeProduct has weights in int8 or int4, quantised by the engine, and activations in f32.
func (l *layer) codeProduct(t shaders.Type, suffix string, block int) (d gpu.Dispatch, lost *quant.Errors, err error) {
	p := shaders.QuantParams{Rows: uint32(l.rows), Cols: uint32(l.cols), Block: uint32(block)}
	key := fmt.Sprintf("%v block %d {%s} of %s", t, block, l.constants.Key(), l.key)
	w, err := kept(l.Scope, key, func(s *Scope) (*packed, error) { return l.quantised(s, t, suffix, p) })
	if err != nil {
		return d, nil, err
	}
	out, err := l.Buffer(shaders.F32, l.batch*l.rows, "out "+t.String())
	if err != nil {
		return d, nil, err
	}
	size := shaders.QuantMatmulParams{M: uint32(l.batch), N: p.Rows, K: p.Cols, Block: p.Block}
	d, err = l.Dispatch("matmul"+suffix, nil, size, l.x, w.codes, w.scale, w.zero, out)
	return d, w.lost, err
}

// quantised is the weights in int8 or int4, in buffers of s. The quantiser and its inverse are verified.
func (l *layer) quantised(s *Scope, t shaders.Type, suffix string, p shaders.QuantParams) (*packed, error) {
	w, err := l.codeBuffers(s, t, p)
	if err != nil {
		return nil, err
	}
	quantise, err := l.Dispatch("quantise"+suffix, l.constants, p, l.weights, w.codes, w.scale, w.zero)
	if err != nil {
		return nil, err
	}
	dequantise, err := l.Dispatch("dequantise"+suffix, nil, p, w.codes, w.scale, w.zero, l.scratch)
	if err != nil {
		return nil, err
	}
	if err := l.Verify(quantise, dequantise); err != nil {
		return nil, err
	}
	w.lost, err = l.losses(l.scratch, shaders.F32)
	return w, err
}

// codeBuffers makes room in s for codes, scales and zero points, and in l for the dequantised weights if there is none
// yet.
func (l *layer) codeBuffers(s *Scope, t shaders.Type, p shaders.QuantParams) (*packed, error) {
	if l.scratch == nil {
		scratch, err := l.Buffer(shaders.F32, l.rows*l.cols, "dequantised weights")
		if err != nil {
			return nil, err
		}
		l.scratch = scratch
	}
	var w packed
	for _, b := range []struct {
		to    *gpu.Buffer
		t     shaders.Type
		n     int
		label string
	}{
		{&w.codes, t, p.Codes(t), "weights " + t.String()},
		{&w.scale, shaders.F32, p.Blocks(), "scales"},
		{&w.zero, shaders.F32, p.Blocks(), "zero points"},
	} {
		room, err := s.Buffer(b.t, b.n, b.label)
		if err != nil {
			return nil, err
		}
		*b.to = room
	}
	return &w, nil
}

// losses compares weights on the engine, of type t, with the originals.
func (l *layer) losses(got gpu.Buffer, t shaders.Type) (*quant.Errors, error) {
	var e quant.Errors
	original, approximate := l.floats(l.weights, shaders.F32), l.floats(got, t)
	a, b := make([]float32, piece), make([]float32, piece)
	for at, n := 0, l.rows*l.cols; at < n; at += piece {
		size := min(piece, n-at)
		if err := errors.Join(original(a[:size], at), approximate(b[:size], at), l.ctx.Err()); err != nil {
			return nil, err
		}
		if err := e.Add(a[:size], b[:size]); err != nil {
			return nil, err
		}
	}
	return &e, nil
}
