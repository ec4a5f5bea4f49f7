package quant

import "math"

// Kinds of eight-bit floats, which are multiplied with a scale. Codes are their bytes.
const (
	E4M3 Kind = "e4m3"
	E5M2 Kind = "e5m2"
)

// e4m3s has no infinities, and its largest value is 448, as in OCP's OFP8.
func e4m3s() kind { return float8s(E4M3, minifloat{mantissa: 3, lowest: -6, top: 448}) }

// e5m2s is the upper half of f16; what lies beyond its largest finite value becomes that.
func e5m2s() kind { return float8s(E5M2, minifloat{mantissa: 2, lowest: -14, top: 57344}) }

func float8s(name Kind, m minifloat) kind {
	values := m.values()
	return kind{name: name, bits: 8, lo: 0, hi: 255, top: m.top, scheme: []Scheme{Symmetric}, layout: scaled{
		perByte: 1,
		pack: func(dst []byte, w []float32, scale, _ float64) (clamped int) {
			inv := 1 / scale
			for i, v := range w {
				c, beyond := m.encode(float64(v) * inv)
				dst[i] = c
				clamped += beyond
			}
			return clamped
		},
		unpack: func(dst []float32, src []byte, scale, _ float64) {
			for i := range dst {
				dst[i] = float32(values[src[i]] * scale)
			}
		},
		list: func(dst []int16, src []byte) {
			for i := range dst {
				dst[i] = int16(src[i])
			}
		},
	}}
}

// minifloat is a float of eight bits: a sign, an exponent and a mantissa.
type minifloat struct {
	mantissa int // bits
	lowest   int // exponent of the smallest normal value
	top      float64
}

// encode rounds to the nearest value, ties to even, and to the largest one beyond it.
func (m *minifloat) encode(x float64) (code byte, clamped int) {
	bits := math.Float64bits(x)
	sign, a := byte(bits>>56&0x80), math.Abs(x)
	if !(a <= m.top) {
		half := m.value(m.code(m.top)) - m.value(m.code(m.top)-1)
		if a > m.top+half/2 || a != a {
			clamped = 1
		}
		return sign | m.code(m.top), clamped
	}
	return sign | m.code(a), 0
}

// code is the code of a from 0 to top. Codes count steps: the exponent's bits go on where the mantissa's overflow.
func (m *minifloat) code(a float64) byte {
	const magic = 0x1p52 // its sum with a number is a whole number, ties to even
	e := max(int(math.Float64bits(a)>>52)-1023, m.lowest)
	perStep := math.Float64frombits(uint64(1023-e+m.mantissa) << 52)
	return byte((e-m.lowest)<<m.mantissa + int(float64(a*perStep)+magic-magic))
}

// value is what a code without sign stands for; of codes beyond top, what their bits would mean.
func (m *minifloat) value(code byte) float64 {
	e, rest := int(code)>>m.mantissa, float64(int(code)&(1<<m.mantissa-1))
	if e == 0 {
		return math.Ldexp(rest, m.lowest-m.mantissa)
	}
	return math.Ldexp(rest+float64(int(1)<<m.mantissa), m.lowest-m.mantissa+e-1)
}

// values are those of all codes; NaN beyond top.
func (m *minifloat) values() *[256]float64 {
	var all [256]float64
	for i := range 128 {
		v := m.value(byte(i))
		if v > m.top {
			v = math.NaN()
		}
		all[i], all[i+128] = v, -v
	}
	return &all
}
