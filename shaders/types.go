package shaders

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/x448/float16"

	"assay/internal/ggml"
	"assay/internal/minifloat"
)

// Type is the element type of a buffer: an index into the table of types.
type Type uint8

// Element types. I4 holds two's-complement nibbles, two to a byte, the even element in the low nibble; Ternary holds an element plus 1
// in two bits, four to a byte, the first in the lowest. E4M3 and E5M2 are OCP's 8-bit floats, with saturating stores. Q8_0 and
// the types after it are the blocks of internal/ggml, in its order. The C side of the CPU engine uses the same numbers.
const (
	F32 Type = iota
	F16
	I8
	I4
	BF16
	I32
	U32
	E4M3
	E5M2
	Ternary
	Q8_0
	Q6_K
	Q4_1
	Q4_K
	Q4_0
)

// typeInfo is everything known about an element type. load and store take the buffer and the index of the element;
// store rounds floats itself, and receives integers already rounded.
type typeInfo struct {
	name   string
	bits   int
	float  bool
	lo, hi float64 // range of an integer type
	ulp    float64 // of a float type narrower than f32: a unit in the last place, relative to the value
	tiny   float64 // of a float type: errors up to here are those of subnormals, which GPUs may flush to 0
	normal float64 // the smallest positive value of a float type that is not subnormal
	needs  Feature // required of a device that computes with it
	round  func(float64) float64
	load   func(data []byte, i int) float64
	store  func(data []byte, i int, x float64)
	block  *ggml.Block // whose weights are the elements; nil: elements are stored individually
}

// types is the table of element types. It is never written to.
var types = append([]typeInfo{
	F32: {name: "f32", bits: 32, float: true, tiny: 1e-37, normal: 0x1p-126, round: roundF32, load: loadF32, store: storeF32},
	F16: {name: "f16", bits: 16, float: true, ulp: 1.0 / 1024, tiny: 6e-8, normal: 0x1p-14, round: roundF16, load: loadF16, store: storeF16},
	I8:  integer("int8", 8, -128, 127, loadI8, storeI8),
	I4:  integer("int4", 4, -8, 7, loadI4, storeI4),
	BF16: {
		name: "bf16", bits: 16, float: true, ulp: 1.0 / 128, tiny: 1e-37, normal: 0x1p-126, needs: BFloat,
		round: roundBF16, load: loadBF16, store: storeBF16,
	},
	I32:     integer("i32", 32, math.MinInt32, math.MaxInt32, loadI32, storeI32),
	U32:     integer("u32", 32, 0, math.MaxUint32, loadU32, storeU32),
	E4M3:    minifloats("e4m3", minifloat.E4M3()),
	E5M2:    minifloats("e5m2", minifloat.E5M2()),
	Ternary: integer("ternary", 2, -1, 1, loadTernary, storeTernary),
}, blockTypes(ggml.Blocks())...)

// minifloats describes 8-bit floats, which are only stored: kernels compute in wider types.
func minifloats(name string, f minifloat.Format) typeInfo {
	values := f.Values()
	code := func(x float64) byte {
		if x != x {
			return f.NaN()
		}
		c, _ := f.Encode(x)
		return c
	}
	return typeInfo{
		name: name, bits: 8, float: true, ulp: math.Ldexp(1, -f.Mantissa), tiny: math.Ldexp(1, f.Lowest-f.Mantissa), normal: math.Ldexp(1, f.Lowest),
		round: func(x float64) float64 { return values[code(x)] },
		load:  func(data []byte, i int) float64 { return values[data[i]] },
		store: func(data []byte, i int, x float64) { data[i] = code(x) },
	}
}

// integer describes a type whose values round half to even and saturate.
func integer(name string, bits int, lo, hi float64, load func([]byte, int) float64, store func([]byte, int, float64)) typeInfo {
	round := func(x float64) float64 { return math.RoundToEven(min(max(x, lo), hi)) }
	return typeInfo{name: name, bits: bits, lo: lo, hi: hi, round: round, load: load, store: store}
}

// blockTypes describes block formats. A weight has no store of its own, because its scale depends on its neighbors.
func blockTypes(formats []ggml.Block) []typeInfo {
	var all []typeInfo
	for _, b := range formats {
		all = append(all, typeInfo{
			name: b.Name, bits: b.Bits, lo: float64(b.Lo), hi: float64(b.Hi), block: &b, round: roundF32,
			load: func(data []byte, i int) float64 { return b.At(data[i/b.Weights*b.Bytes:], i%b.Weights) },
		})
	}
	return all
}

// Types lists all element types.
func Types() []Type {
	all := make([]Type, len(types))
	for i := range all {
		all[i] = Type(i)
	}
	return all
}

// String returns the type's usual short name.
func (t Type) String() string {
	if int(t) >= len(types) {
		return fmt.Sprintf("type %d", uint8(t))
	}
	return types[t].name
}

// Float reports whether the type is a floating-point type.
func (t Type) Float() bool { return types[t].float }

// Block describes the blocks that elements are stored in; nil: elements are stored individually.
func (t Type) Block() *ggml.Block { return types[t].block }

// Bits returns the size of an element; in a block, without its share of the scales.
func (t Type) Bits() int { return types[t].bits }

// SmallestNormal returns the smallest positive normal value of a floating-point type; 0 for integers.
func (t Type) SmallestNormal() float64 { return types[t].normal }

// Range returns the smallest and the largest value of an integer type; 0 and 0 for floats.
func (t Type) Range() (lo, hi float64) { return types[t].lo, types[t].hi }

// Bytes returns the size of n elements.
func (t Type) Bytes(n int) int {
	bits := types[t].bits
	if b := types[t].block; b != nil {
		return (n + b.Weights - 1) / b.Weights * b.Bytes
	}
	if bits%8 == 0 {
		return n * (bits / 8)
	}
	perByte := 8 / bits
	return (n + perByte - 1) / perByte
}

// Round returns v as the type would store it, back in float64. Integers round half to even and saturate.
func (t Type) Round(v float64) float64 { return types[t].round(v) }

func roundF32(x float64) float64 { return float64(float32(x)) }

func loadF32(data []byte, i int) float64 {
	return float64(math.Float32frombits(binary.NativeEndian.Uint32(data[4*i:])))
}

func storeF32(data []byte, i int, x float64) {
	binary.NativeEndian.PutUint32(data[4*i:], math.Float32bits(float32(x)))
}

func roundF16(x float64) float64 { return float64(float16.Fromfloat32(float32(x)).Float32()) }

func loadF16(data []byte, i int) float64 {
	return float64(float16.Frombits(binary.NativeEndian.Uint16(data[2*i:])).Float32())
}

func storeF16(data []byte, i int, x float64) {
	binary.NativeEndian.PutUint16(data[2*i:], float16.Fromfloat32(float32(x)).Bits())
}

// toBF16 rounds a float to the nearest of its upper halves, ties to even. A NaN stays a NaN.
func toBF16(x float32) uint16 {
	bits := math.Float32bits(x)
	if x != x {
		return uint16(bits>>16) | 0x40
	}
	return uint16((bits + 0x7FFF + bits>>16&1) >> 16)
}

func fromBF16(half uint16) float64 { return float64(math.Float32frombits(uint32(half) << 16)) }

func roundBF16(x float64) float64 { return fromBF16(toBF16(float32(x))) }

func loadBF16(data []byte, i int) float64 { return fromBF16(binary.NativeEndian.Uint16(data[2*i:])) }

func storeBF16(data []byte, i int, x float64) {
	binary.NativeEndian.PutUint16(data[2*i:], toBF16(float32(x)))
}

func loadI8(data []byte, i int) float64     { return float64(int8(data[i])) }
func storeI8(data []byte, i int, x float64) { data[i] = byte(int8(x)) }

func loadI4(data []byte, i int) float64 { return float64(int8(data[i/2]<<(4*(1-i%2))) >> 4) }

func storeI4(data []byte, i int, x float64) {
	shift := 4 * (i % 2)
	data[i/2] = data[i/2]&^(15<<shift) | byte(int8(x))&15<<shift
}

func loadTernary(data []byte, i int) float64 { return float64(data[i/4]>>(i%4*2)&3) - 1 }

func storeTernary(data []byte, i int, x float64) {
	shift := i % 4 * 2
	data[i/4] = data[i/4]&^(3<<shift) | byte(int8(x)+1)&3<<shift
}

func loadI32(data []byte, i int) float64 {
	return float64(int32(binary.NativeEndian.Uint32(data[4*i:])))
}

func storeI32(data []byte, i int, x float64) {
	binary.NativeEndian.PutUint32(data[4*i:], uint32(int32(x)))
}

func loadU32(data []byte, i int) float64 { return float64(binary.NativeEndian.Uint32(data[4*i:])) }

func storeU32(data []byte, i int, x float64) { binary.NativeEndian.PutUint32(data[4*i:], uint32(x)) }
