package shaders

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/x448/float16"
)

// Type is the element type of a buffer.
type Type uint8

// Element types. I4 holds two's-complement nibbles, two to a byte, the even element in the low nibble.
const (
	F32 Type = iota
	F16
	I8
	I4
)

// String is the type's usual short name.
func (t Type) String() string { return [...]string{"f32", "f16", "int8", "int4"}[t] }

// Bytes is the size of n elements.
func (t Type) Bytes(n int) int {
	switch t {
	case F32:
		return 4 * n
	case F16:
		return 2 * n
	case I4:
		return (n + 1) / 2
	default:
		return n
	}
}

// Round is v as the type would store it, back in float64. Integers round half to even and saturate.
func (t Type) Round(v float64) float64 {
	switch t {
	case F32:
		return float64(float32(v))
	case F16:
		return float64(float16.Fromfloat32(float32(v)).Float32())
	case I8:
		return math.RoundToEven(min(max(v, -128), 127))
	default:
		return math.RoundToEven(min(max(v, -8), 7))
	}
}

// View reads and writes the elements of a byte slice as float64, in the machine's byte order. Integer elements are
// exact.
type View struct {
	Type Type
	Data []byte
}

// Len is the number of whole elements.
func (v View) Len() int {
	if v.Type == I4 {
		return 2 * len(v.Data)
	}
	return len(v.Data) / v.Type.Bytes(1)
}

// At is element i.
func (v View) At(i int) float64 {
	switch v.Type {
	case F32:
		return float64(math.Float32frombits(binary.NativeEndian.Uint32(v.Data[4*i:])))
	case F16:
		return float64(float16.Frombits(binary.NativeEndian.Uint16(v.Data[2*i:])).Float32())
	case I8:
		return float64(int8(v.Data[i]))
	default:
		return float64(int8(v.Data[i/2]<<(4*(1-i%2))) >> 4)
	}
}

// bounds are the least and the greatest of elements from…to−1 of a view of F32 without NaN; ±∞ if there are none. At
// would take twice as long, which counts where a whole tensor is one block.
func (v View) bounds(from, to int) (least, greatest float64) {
	lo, hi := float32(math.Inf(1)), float32(math.Inf(-1))
	for data := v.Data[4*from : 4*to]; len(data) >= 4; data = data[4:] {
		x := math.Float32frombits(binary.NativeEndian.Uint32(data))
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
	}
	return float64(lo), float64(hi)
}

// Set stores x in element i, rounded as Type.Round does.
func (v View) Set(i int, x float64) {
	switch v.Type {
	case F32:
		binary.NativeEndian.PutUint32(v.Data[4*i:], math.Float32bits(float32(x)))
	case F16:
		binary.NativeEndian.PutUint16(v.Data[2*i:], float16.Fromfloat32(float32(x)).Bits())
	case I8:
		v.Data[i] = byte(int8(v.Type.Round(x)))
	default:
		q, shift := byte(int8(v.Type.Round(x)))&15, 4*(i%2)
		v.Data[i/2] = v.Data[i/2]&^(15<<shift) | q<<shift
	}
}

// FillUniform sets every element from r: floats uniform in [−1, 1), integers uniform over their range.
func (v View) FillUniform(r *rand.Rand) {
	for i := range v.Len() {
		switch v.Type {
		case I8:
			v.Set(i, float64(r.IntN(256)-128))
		case I4:
			v.Set(i, float64(r.IntN(16)-8))
		default:
			v.Set(i, 2*r.Float64()-1)
		}
	}
}

// EncodeParams lays out a parameter struct as the kernel reads it: its 4-byte fields one after another.
func EncodeParams(p any) []byte {
	b, err := binary.Append(nil, binary.NativeEndian, p)
	if err != nil { // only a struct with other than fixed-size fields, which a test of All rules out
		panic(err)
	}
	return b
}
