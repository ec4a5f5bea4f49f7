package quant

import "assay/internal/minifloat"

// Kinds of eight-bit floats, which are multiplied by a scale. Codes are ordered by value: the byte itself for values from 0 up, and −1
// − the magnitude's byte if the sign bit is set.
const (
	E4M3 Kind = "e4m3"
	E5M2 Kind = "e5m2"
)

// e4m3s has no infinities, and a maximum of 448, as in OCP's OFP8.
func e4m3s() kind { return float8s(E4M3, minifloat.E4M3()) }

// e5m2s is the upper half of f16; values beyond its largest finite value saturate to it.
func e5m2s() kind { return float8s(E5M2, minifloat.E5M2()) }

func float8s(name Kind, m minifloat.Format) kind {
	values := m.Values()
	return kind{name: name, bits: 8, lo: -128, hi: 127, top: m.Top, scheme: []Scheme{Symmetric}, layout: scaled{
		perByte: 1,
		pack: func(dst []byte, w []float32, scale, _ float64) (clamped int) {
			inv := 1 / scale
			for i, v := range w {
				c, beyond := m.Encode(float64(v) * inv)
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
				if src[i] >= 128 {
					dst[i] = 127 - int16(src[i])
				}
			}
		},
	}}
}
