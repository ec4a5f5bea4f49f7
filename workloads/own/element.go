package own

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"assay/internal/half"
	"assay/internal/meant"
)

// scalar is one of the language's number types.
type scalar struct {
	name  string
	bytes int
	float bool
	// rel and abs are the default tolerances, if the description gives none.
	rel, abs float64
	load     func(b []byte) float64
	store    func(b []byte, v float64)
}

// scalars are the number types, in the machine's byte order, which is little-endian wherever Assay runs.
func scalars() []scalar {
	e := binary.LittleEndian
	return []scalar{
		{
			"float", 4, true, 1e-5, 1e-6, func(b []byte) float64 { return float64(math.Float32frombits(e.Uint32(b))) },
			func(b []byte, v float64) { e.PutUint32(b, math.Float32bits(float32(v))) },
		},
		{
			"half", 2, true, 2e-3, 1e-3, func(b []byte) float64 { return float64(half.To(e.Uint16(b))) },
			func(b []byte, v float64) { e.PutUint16(b, half.From(float32(v))) },
		},
		{
			"bfloat", 2, true, 1e-2, 1e-2, func(b []byte) float64 { return float64(math.Float32frombits(uint32(e.Uint16(b)) << 16)) },
			func(b []byte, v float64) { e.PutUint16(b, bfloat(v)) },
		},
		{"char", 1, false, 0, 0, func(b []byte) float64 { return float64(int8(b[0])) }, func(b []byte, v float64) { b[0] = byte(int64(v)) }},
		{"uchar", 1, false, 0, 0, func(b []byte) float64 { return float64(b[0]) }, func(b []byte, v float64) { b[0] = byte(int64(v)) }},
		{"bool", 1, false, 0, 0, func(b []byte) float64 { return float64(b[0]) }, func(b []byte, v float64) { b[0] = one(v != 0) }},
		{
			"short", 2, false, 0, 0, func(b []byte) float64 { return float64(int16(e.Uint16(b))) },
			func(b []byte, v float64) { e.PutUint16(b, uint16(int64(v))) },
		},
		{
			"ushort", 2, false, 0, 0, func(b []byte) float64 { return float64(e.Uint16(b)) },
			func(b []byte, v float64) { e.PutUint16(b, uint16(int64(v))) },
		},
		{
			"int", 4, false, 0, 0, func(b []byte) float64 { return float64(int32(e.Uint32(b))) },
			func(b []byte, v float64) { e.PutUint32(b, uint32(int64(v))) },
		},
		{
			"uint", 4, false, 0, 0, func(b []byte) float64 { return float64(e.Uint32(b)) },
			func(b []byte, v float64) { e.PutUint32(b, uint32(int64(v))) },
		},
		{
			"long", 8, false, 0, 0, func(b []byte) float64 { return float64(int64(e.Uint64(b))) },
			func(b []byte, v float64) { e.PutUint64(b, uint64(int64(v))) },
		},
		{
			"ulong", 8, false, 0, 0, func(b []byte) float64 { return float64(e.Uint64(b)) },
			func(b []byte, v float64) { e.PutUint64(b, uint64(v)) },
		},
	}
}

func one(v bool) byte {
	if v {
		return 1
	}
	return 0
}

// bfloat rounds to the upper half of a float32, half to even.
func bfloat(v float64) uint16 {
	f := float32(v)
	bits := math.Float32bits(f)
	if f != f {
		return uint16(bits>>16) | 0x40
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

// Element is the element type of a buffer: a number, or a vector of numbers.
type Element struct {
	Name          string
	scalar        scalar
	lanes, stride int // numbers in it, and numbers that fit into the space it takes
}

// Bytes is the size of one.
func (e Element) Bytes() int { return e.stride * e.scalar.bytes }

// otherNames are alternative names of number types.
func otherNames() map[string]string {
	return map[string]string{
		"int8_t": "char", "uint8_t": "uchar", "int16_t": "short", "uint16_t": "ushort", "int32_t": "int", "uint32_t": "uint",
		"int64_t": "long", "uint64_t": "ulong", "size_t": "ulong", "bfloat16_t": "bfloat", "atomic_int": "int", "atomic_uint": "uint",
		"atomic_float": "float", "atomic_ulong": "ulong", "atomic_bool": "bool", "unsigned": "uint", "float16_t": "half",
		"atomic<float>": "float", "atomic<int>": "int", "atomic<uint>": "uint",
	}
}

// elementOf returns the type with that name: "float", "half4", "packed_float3", "atomic_uint".
func elementOf(name string) (Element, error) {
	base := strings.TrimPrefix(name, "metal::")
	base, packed := strings.CutPrefix(base, "packed_")
	if other, ok := otherNames()[base]; ok {
		base = other
	}
	var names []string
	for _, s := range scalars() {
		if base == s.name {
			return Element{name, s, 1, 1}, nil
		}
		for lanes := 2; lanes <= 4; lanes++ {
			if base == fmt.Sprint(s.name, lanes) {
				stride := lanes
				if lanes == 3 && !packed {
					stride = 4
				}
				return Element{name, s, lanes, stride}, nil
			}
		}
		names = append(names, s.name)
	}
	return Element{}, fmt.Errorf("type %q is not known: want a number such as float or a vector such as half4%s", name, meant.Hint(name, names))
}

// plain returns the language's own name of the type, regardless of the source's name for it.
func (e Element) plain() string {
	if e.lanes == 1 {
		return e.scalar.name
	}
	return fmt.Sprint(e.scalar.name, e.lanes)
}

// View reads and writes the numbers in memory. Vector lanes count as separate numbers.
type View struct {
	Element
	Data []byte
}

// Len is how many numbers there are.
func (v View) Len() int { return len(v.Data) / v.Bytes() * v.lanes }

// At is number i.
func (v View) At(i int) float64 { return v.scalar.load(v.Data[v.offset(i):]) }

// Set stores number i, rounded to its type.
func (v View) Set(i int, x float64) { v.scalar.store(v.Data[v.offset(i):], x) }

func (v View) offset(i int) int { return (i/v.lanes*v.stride + i%v.lanes) * v.scalar.bytes }

// Number is the value of an element, with the exact bits of a 64-bit integer, since not all of those are float64s.
type Number struct {
	Value float64
	Whole uint64
	exact bool // Whole is known
}

// wide reports whether values are 64-bit integers, and whether they are signed.
func (e Element) wide() (is, signed bool) {
	return !e.scalar.float && e.scalar.bytes == 8, e.scalar.load(bytes.Repeat([]byte{0xFF}, 8)) < 0
}

// Number is number i.
func (v View) Number(i int) Number {
	n := Number{Value: v.At(i)}
	if n.exact, _ = v.wide(); n.exact {
		n.Whole = binary.LittleEndian.Uint64(v.Data[v.offset(i):])
	}
	return n
}

// stored returns a value as the type stores it.
func (e Element) stored(n Number) Number {
	if e.scalar.float {
		var b [8]byte
		e.scalar.store(b[:], n.Value)
		n.Value = e.scalar.load(b[:])
	}
	return n
}

// off returns the distance between two values: 0 if they are the same, infinite if it is not a number.
func (e Element) off(got, want Number) float64 {
	if got.exact && want.exact {
		a, b := got.Whole, want.Whole
		if _, signed := e.wide(); signed && int64(a) < int64(b) || !signed && a < b {
			a, b = b, a
		}
		return float64(a - b)
	}
	off := math.Abs(got.Value - want.Value)
	switch {
	case got.Value == want.Value, math.IsNaN(got.Value) && math.IsNaN(want.Value):
		return 0
	case math.IsNaN(off):
		return math.Inf(1)
	}
	return off
}

// words format a value for people: integers in full.
func (e Element) words(n Number, digits int) string {
	_, signed := e.wide()
	switch {
	case n.exact && signed:
		return strconv.FormatInt(int64(n.Whole), 10)
	case n.exact:
		return strconv.FormatUint(n.Whole, 10)
	case !e.scalar.float:
		return plainNumber(n.Value)
	}
	return strconv.FormatFloat(n.Value, 'g', digits, 64)
}

// starlark returns number i for a reference.
func (v View) starlark(i int) starlark.Value {
	n := v.Number(i)
	switch _, signed := v.wide(); {
	case v.scalar.float:
		return starlark.Float(n.Value)
	case n.exact && !signed:
		return starlark.MakeUint64(n.Whole)
	case n.exact:
		return starlark.MakeInt64(int64(n.Whole))
	}
	return starlark.MakeInt64(int64(n.Value))
}
