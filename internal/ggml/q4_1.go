package ggml

// q4_1 has 32 weights in 20 bytes: a scale and the minimum in f16, then nibbles in the order of q4_0. A nibble stands for nibble ·
// scale + minimum.
func q4_1() Block {
	return Block{
		Name: "q4_1", Weights: 32, Bytes: 20, Group: 32, Bits: 4, Lo: 0, Hi: 15, Encode: encode41, Decode: decode41, Codes: codes41,
		Terms: func(b []byte, i int) (code, scale, offset float64) {
			code, scale, _ = scaled(nibble(b[4:], i), b)
			return code, scale, float64(getHalf(b[2:]))
		},
		Halves: []Half{{0, 15}, {2, 1}},
	}
}

func encode41(dst []byte, x []float32) (clamped int) {
	lo, hi := limits(x)
	d := (hi - lo) / 15
	inv := invert(d)
	putHalf(dst, d)
	putHalf(dst[2:], lo)
	code := func(v float32) byte {
		return byte(min(clampTop(whole(float32((v-lo)*inv)+0.5), &clamped), 15))
	}
	for j := range 16 {
		dst[4+j] = code(x[j]) | code(x[j+16])<<4
	}
	return clamped
}

func decode41(dst []float32, src []byte) {
	d, m := getHalf(src), getHalf(src[2:])
	for j, b := range src[4:20] {
		dst[j] = float32(float32(b&15)*d) + m
		dst[j+16] = float32(float32(b>>4)*d) + m
	}
}

func codes41(dst []int16, src []byte) {
	for j, b := range src[4:20] {
		dst[j], dst[j+16] = int16(b&15), int16(b>>4)
	}
}
