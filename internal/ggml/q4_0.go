package ggml

// q4_0 has 32 weights in 18 bytes: a scale in f16, then nibbles; byte j has weight j in its low half and weight j + 16 in its high
// half. A nibble stands for (nibble − 8) · scale, and the sign of the scale puts the extreme at −8.
func q4_0() Block {
	return Block{
		Name: "q4_0", Weights: 32, Bytes: 18, Group: 32, Bits: 4, Lo: -8, Hi: 7, Encode: encode40, Decode: decode40, Codes: codes40,
		Terms:  func(b []byte, i int) (code, scale, offset float64) { return scaled(nibble(b[2:], i)-8, b) },
		Halves: []Half{{0, 8}},
	}
}

func encode40(dst []byte, x []float32) (clamped int) {
	top, _ := extreme(x)
	d := top / -8
	inv := invert(d)
	putHalf(dst, d)
	code := func(v float32) byte {
		return byte(min(clampTop(whole(float32(v*inv)+8.5), &clamped), 15))
	}
	for j := range 16 {
		dst[2+j] = code(x[j]) | code(x[j+16])<<4
	}
	return clamped
}

// clampTop counts nibbles beyond the largest.
func clampTop(code int, n *int) int {
	if code > 15 {
		*n++
	}
	return code
}

func decode40(dst []float32, src []byte) {
	d := getHalf(src)
	for j, b := range src[2:18] {
		dst[j] = float32(int(b&15)-8) * d
		dst[j+16] = float32(int(b>>4)-8) * d
	}
}

func codes40(dst []int16, src []byte) {
	for j, b := range src[2:18] {
		dst[j], dst[j+16] = int16(b&15)-8, int16(b>>4)-8
	}
}
