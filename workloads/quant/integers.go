package quant

// Kinds of integer codes.
const (
	Int8 Kind = "int8"
	Int4 Kind = "int4"
)

func int8s() kind {
	return kind{name: Int8, bits: 8, lo: -128, hi: 127, top: 127, scheme: []Scheme{Affine, Symmetric}, layout: scaled{
		perByte: 1,
		pack: func(dst []byte, w []float32, scale, zero float64) (clamped int) {
			r := newRounder(-128, 127, scale, zero)
			for i, v := range w {
				c, beyond := r.code(v)
				dst[i] = byte(c)
				clamped += beyond
			}
			return clamped
		},
		unpack: func(dst []float32, src []byte, scale, zero float64) {
			for i := range dst {
				dst[i] = float32((float64(int8(src[i])) - zero) * scale)
			}
		},
		list: func(dst []int16, src []byte) {
			for i := range dst {
				dst[i] = int16(int8(src[i]))
			}
		},
	}}
}

func int4s() kind {
	return kind{name: Int4, bits: 4, lo: -8, hi: 7, top: 7, scheme: []Scheme{Affine, Symmetric}, layout: scaled{
		perByte: 2,
		pack: func(dst []byte, w []float32, scale, zero float64) (clamped int) {
			r := newRounder(-8, 7, scale, zero)
			for i, v := range w {
				c, beyond := r.code(v)
				if i%2 == 0 {
					dst[i/2] = byte(c & 15)
				} else {
					dst[i/2] |= byte(c << 4)
				}
				clamped += beyond
			}
			return clamped
		},
		unpack: func(dst []float32, src []byte, scale, zero float64) {
			var values [16]float32
			for i := range values {
				values[i] = float32((float64(nibble(byte(i))) - zero) * scale)
			}
			for i := range dst {
				dst[i] = values[src[i/2]>>(i%2*4)&15]
			}
		},
		list: func(dst []int16, src []byte) {
			for i := range dst {
				dst[i] = nibble(src[i/2] >> (i % 2 * 4))
			}
		},
	}}
}

// nibble is the low four bits as a number from −8 to 7.
func nibble(b byte) int16 { return int16(int8(b<<4) >> 4) }
