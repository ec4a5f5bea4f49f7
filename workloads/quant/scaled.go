package quant

import (
	"encoding/binary"
	"math"

	"assay/internal/half"
)

// scaled is the layout of kinds with scales stored beside the codes: planes of codes, scales and, if the scheme uses them, zero
// points. Weight (r, c) is (code − zero) · scale of its block; the blocks of a row follow one another.
type scaled struct {
	perByte int // codes in a byte, the first in the lowest bits
	// pack writes the codes of weights, starting at a new byte, and counts those beyond the last code.
	pack func(dst []byte, w []float32, scale, zero float64) (clamped int)
	// unpack reads weights until dst is full.
	unpack func(dst []float32, src []byte, scale, zero float64)
	// list reads codes.
	list func(dst []int16, src []byte)
}

func (scaled) check(int) error { return nil }

func (s scaled) planes(f Format, rows, cols int) []Plane {
	size := int64(4)
	if f.Half {
		size = 2
	}
	scales := size * int64(f.Scales(rows, cols))
	all := []Plane{{"codes", int64(rows) * int64(ceil(cols, s.perByte))}, {"scales", scales}}
	if schemes[f.scheme(f.Kind.describe())].zero {
		all = append(all, Plane{"zero points", scales})
	}
	return all
}

func (s scaled) encode(p *Packed, w []float32, whole *Span) (t Tally) {
	if p.Format.Block == 0 {
		if whole == nil {
			whole = &Span{}
			whole.Add(w)
		}
		scale, zero := p.Format.fit(whole, p.kind)
		p.setScale(0, scale, zero)
	}
	s.each(p, func(block, first, last int, codes []byte) {
		if p.Format.Block != 0 {
			var span Span
			span.Add(w[first:last])
			scale, zero := p.Format.fit(&span, p.kind)
			p.setScale(block, scale, zero)
		}
		scale, zero := p.Scale(block)
		t.Clamped += s.pack(codes, w[first:last], scale, zero)
	})
	return t
}

func (s scaled) decode(dst []float32, p *Packed) {
	s.each(p, func(block, first, last int, codes []byte) {
		scale, zero := p.Scale(block)
		s.unpack(dst[first:last], codes, scale, zero)
	})
}

func (s scaled) codes(dst []int16, p *Packed) {
	s.each(p, func(_, first, last int, codes []byte) { s.list(dst[first:last], codes) })
}

// each calls do for each part of a row that shares a scale: weights first to last of the matrix, with codes from the start of the
// slice. Blocks are whole bytes, so the codes of each start at a new byte.
func (s scaled) each(p *Packed, do func(block, first, last int, codes []byte)) {
	size := p.Format.Block
	if size <= 0 {
		size = max(p.Cols, 1)
	}
	stride, block := ceil(p.Cols, s.perByte), 0
	for r := range p.Rows {
		for c := 0; c < p.Cols; c += size {
			at := block
			if p.Format.Block == 0 {
				at = 0
			}
			do(at, r*p.Cols+c, r*p.Cols+min(c+size, p.Cols), p.Planes[0][r*stride+c/s.perByte:])
			block++
		}
	}
}

// Scale returns the scale and the zero point of block i; for kinds without scales beside the codes, 1 and 0.
func (p *Packed) Scale(i int) (scale, zero float64) {
	if len(p.Planes) < 2 {
		return 1, 0
	}
	if len(p.Planes) > 2 {
		zero = p.scaleAt(p.Planes[2], i)
	}
	return p.scaleAt(p.Planes[1], i), zero
}

func (p *Packed) scaleAt(plane []byte, i int) float64 {
	if p.Format.Half {
		return float64(half.To(binary.LittleEndian.Uint16(plane[2*i:])))
	}
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(plane[4*i:])))
}

func (p *Packed) setScale(i int, scale, zero float64) {
	p.putScale(p.Planes[1], i, scale)
	if len(p.Planes) > 2 {
		p.putScale(p.Planes[2], i, zero)
	}
}

func (p *Packed) putScale(plane []byte, i int, v float64) {
	if p.Format.Half {
		binary.LittleEndian.PutUint16(plane[2*i:], half.From(float32(v)))
		return
	}
	binary.LittleEndian.PutUint32(plane[4*i:], math.Float32bits(float32(v)))
}

// A rounder rounds weights to integer codes.
type rounder struct{ lo, hi, inv, zero float64 }

func newRounder(lo, hi int, scale, zero float64) rounder {
	return rounder{float64(lo), float64(hi), 1 / scale, zero}
}

// code returns the code of a weight, and 1 if the weight lies beyond the range.
func (r *rounder) code(w float32) (code, clamped int) {
	x := float64(float64(w)*r.inv) + r.zero
	if x >= r.lo-0.5 && x <= r.hi+0.5 {
		// Adding 1.5 · 2⁵² leaves the nearest integer in the low bits, ties to even.
		c := int(int32(math.Float64bits(x + 0x1.8p52)))
		return min(max(c, int(r.lo)), int(r.hi)), 0 // a tie just beyond the end
	}
	if x < r.lo {
		return int(r.lo), 1
	}
	return int(r.hi), 1
}

func (scaled) unit() (weights, bytes int) { return 0, 0 }
