package ggml

// q8_0 has 32 weights in 34 bytes: a scale in f16, and a signed byte for each.
func q8_0() Block {
	return Block{
		Name: "q8_0", Weights: 32, Bytes: 34, Group: 32, Bits: 8, Lo: -128, Hi: 127, Encode: encode8, Decode: decode8, Codes: codes8,
		Terms:  func(b []byte, i int) (code, scale, offset float64) { return scaled(int(int8(b[2+i])), b) },
		Halves: []Half{{0, 128}},
	}
}

func encode8(dst []byte, x []float32) (clamped int) {
	_, top := extreme(x)
	d := top / 127
	inv := invert(d)
	putHalf(dst, d)
	for i, v := range x {
		dst[2+i] = byte(away(v * inv))
	}
	return 0
}

// away rounds half away from zero. The sum is exact in float64.
func away(f float32) int {
	if f < 0 {
		return whole(float64(f) - 0.5)
	}
	return whole(float64(f) + 0.5)
}

func decode8(dst []float32, src []byte) {
	d := getHalf(src)
	for i, b := range src[2:34] {
		dst[i] = float32(int8(b)) * d
	}
}

func codes8(dst []int16, src []byte) {
	for i, b := range src[2:34] {
		dst[i] = int16(int8(b))
	}
}
