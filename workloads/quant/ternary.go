package quant

// Ternary weights are −1, 0 or 1 times a scale, the mean magnitude, as in BitNet. Two bits hold the code plus 1.
const Ternary Kind = "ternary"

func ternaries() kind {
	return kind{name: Ternary, bits: 2, lo: -1, hi: 1, top: 1, scheme: []Scheme{Absmean}, layout: scaled{
		perByte: 4,
		pack: func(dst []byte, w []float32, scale, zero float64) (clamped int) {
			r := newRounder(-1, 1, scale, zero)
			clear(dst[:ceil(len(w), 4)])
			for i, v := range w {
				c, beyond := r.code(v)
				dst[i/4] |= byte((c + 1) << (i % 4 * 2))
				clamped += beyond
			}
			return clamped
		},
		unpack: func(dst []float32, src []byte, scale, _ float64) {
			values := [4]float32{float32(-scale), 0, float32(scale), float32(2 * scale)}
			for i := range dst {
				dst[i] = values[src[i/4]>>(i%4*2)&3]
			}
		},
		list: func(dst []int16, src []byte) {
			for i := range dst {
				dst[i] = int16(src[i/4]>>(i%4*2)&3) - 1
			}
		},
	}}
}
