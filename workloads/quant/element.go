package quant

import (
	"encoding/binary"
	"fmt"
	"math"

	"assay/internal/half"
)

// Kinds that store each weight by itself.
const (
	F32  Kind = "f32"
	F16  Kind = "f16"
	BF16 Kind = "bf16"
)

func float32s() kind {
	return kind{name: F32, bits: 32, layout: elements{
		bytes: 4,
		put: func(dst []byte, w []float32) {
			for i, v := range w {
				binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(v))
			}
		},
		get: func(dst []float32, src []byte) {
			for ; len(dst) >= 2; dst, src = dst[2:], src[8:] {
				v := binary.LittleEndian.Uint64(src)
				dst[0], dst[1] = math.Float32frombits(uint32(v)), math.Float32frombits(uint32(v>>32))
			}
			if len(dst) > 0 {
				dst[0] = math.Float32frombits(binary.LittleEndian.Uint32(src))
			}
		},
	}}
}

func float16s() kind {
	return kind{name: F16, bits: 16, layout: elements{
		bytes: 2, infinite: 65520, // halfway between the largest value and the next step; rounds up
		put: func(dst []byte, w []float32) {
			for i, v := range w {
				binary.LittleEndian.PutUint16(dst[2*i:], half.From(v))
			}
		},
		get: func(dst []float32, src []byte) {
			for ; len(dst) >= 4; dst, src = dst[4:], src[8:] {
				v := binary.LittleEndian.Uint64(src)
				dst[0], dst[1], dst[2], dst[3] = half.To(uint16(v)), half.To(uint16(v>>16)), half.To(uint16(v>>32)), half.To(uint16(v>>48))
			}
			for i := range dst {
				dst[i] = half.To(binary.LittleEndian.Uint16(src[2*i:]))
			}
		},
	}}
}

func bfloat16s() kind {
	return kind{name: BF16, bits: 16, layout: elements{
		bytes: 2, infinite: 0x1.ffp127,
		put: func(dst []byte, w []float32) {
			for i, v := range w {
				binary.LittleEndian.PutUint16(dst[2*i:], bfloat16(v))
			}
		},
		get: func(dst []float32, src []byte) {
			for ; len(dst) >= 4; dst, src = dst[4:], src[8:] {
				v := binary.LittleEndian.Uint64(src)
				dst[0], dst[1] = math.Float32frombits(uint32(v<<16)), math.Float32frombits(uint32(v)&0xffff0000)
				dst[2], dst[3] = math.Float32frombits(uint32(v>>16)&0xffff0000), math.Float32frombits(uint32(v>>32)&0xffff0000)
			}
			for i := range dst {
				dst[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(src[2*i:])) << 16)
			}
		},
	}}
}

// bfloat16 rounds to the nearest value, ties to even; NaN stays NaN.
func bfloat16(f float32) uint16 {
	b := math.Float32bits(f)
	if f != f {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// elements is the layout of kinds that store each weight by itself.
type elements struct {
	bytes    int     // of one
	infinite float32 // magnitude at which finite weights become infinite; 0: none do
	put      func(dst []byte, w []float32)
	get      func(dst []float32, src []byte)
}

func (elements) check(int) error { return nil }

func (e elements) planes(_ Format, rows, cols int) []Plane {
	return []Plane{{"weights", int64(rows) * int64(cols) * int64(e.bytes)}}
}

func (e elements) encode(p *Packed, w []float32, _ *Span) (t Tally) {
	e.put(p.Planes[0], w)
	if e.infinite == 0 {
		return t
	}
	for _, v := range w {
		if v >= e.infinite || v <= -e.infinite {
			t.Infinite++
		}
	}
	return t
}

func (e elements) decode(dst []float32, p *Packed) { e.get(dst, p.Planes[0]) }

func (elements) codes(dst []int16, _ *Packed) { clear(dst) }

// unknown is the layout of a kind that does not exist.
type unknown struct{ name Kind }

func (u unknown) check(int) error {
	return fmt.Errorf("no kind %q; there are %s", string(u.name), kindNames())
}

func (unknown) planes(Format, int, int) []Plane            { return nil }
func (unknown) encode(*Packed, []float32, *Span) (t Tally) { return t }
func (unknown) decode(dst []float32, _ *Packed)            { clear(dst) }
func (unknown) codes(dst []int16, _ *Packed)               { clear(dst) }
func (unknown) unit() (weights, bytes int)                 { return 0, 0 }

func (e elements) unit() (weights, bytes int) { return 1, e.bytes }
