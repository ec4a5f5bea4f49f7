package ggml

// q6_K has 256 weights in 210 bytes: the low four bits of their codes, the high two, a signed byte for the scale of each group of 16,
// and the scale of scales in f16. A code stands for (code − 32) · scale.
func q6_K() Block {
	return Block{
		Name: "q6_K", Weights: 256, Bytes: 210, Group: 16, Bits: 6, Lo: -32, Hi: 31, Encode: encode6K, Decode: decode6K, Codes: codes6K,
		Terms: terms6K, Halves: []Half{{scale6K, 128 * 32}},
	}
}

const (
	group6K  = 16
	groups6K = 16
	high6K   = 128         // where the high bits begin
	scales6K = high6K + 64 // the scales
	scale6K  = scales6K + groups6K
	tiny     = 1e-15 // a maximum magnitude below it counts as 0
)

func encode6K(dst []byte, x []float32) (clamped int) {
	var codes [256]byte
	var scales [groups6K]float32
	for g := range groups6K {
		at := group6K * g
		scales[g] = searchScale((*[group6K]float32)(x[at:]), codes[at:at+group6K])
	}
	top, magnitude := extreme(scales[:])
	if magnitude < tiny {
		clear(dst)
		return 0
	}
	per := -128 / top
	putHalf(dst[scale6K:], 1/per)
	for g, s := range scales {
		dst[scales6K+g] = byte(min(nearest(per*s), 127))
		at := group6K * g
		clamped += recode6K(dst, g, x[at:at+group6K], codes[at:at+group6K])
	}
	for i := range 64 {
		at := i/32*128 + i%32
		put6K(dst, i, codes[at], codes[at+32], codes[at+64], codes[at+96])
	}
	return clamped
}

// recode6K chooses the codes that suit the group's scale as stored. If that is 0, the codes found by the search stay.
func recode6K(block []byte, g int, x []float32, codes []byte) (clamped int) {
	d := getHalf(block[scale6K:]) * float32(int8(block[scales6K+g]))
	if d == 0 {
		return 0
	}
	for i, v := range x {
		codes[i] = byte(clamp(nearest(v/d), -32, 31, &clamped) + 32)
	}
	return clamped
}

// put6K stores four codes that are 32 weights apart; i indexes such groups of four.
func put6K(block []byte, i int, a, b, c, d byte) {
	low := i/32*64 + i%32
	block[low], block[low+32] = a&15|c<<4, b&15|d<<4
	block[high6K+i] = a>>4 | b>>4<<2 | c>>4<<4 | d>>4<<6
}

// code6K returns four codes that are 32 weights apart.
func code6K(block []byte, i int) (a, b, c, d int) {
	low := i/32*64 + i%32
	l, r, h := block[low], block[low+32], block[high6K+i]
	return int(l&15|h&3<<4) - 32, int(r&15|h>>2&3<<4) - 32, int(l>>4|h>>4&3<<4) - 32, int(r>>4|h>>6<<4) - 32
}

func terms6K(block []byte, i int) (code, scale, offset float64) {
	a, b, c, d := code6K(block, i/128*32+i%32)
	four := [4]int{a, b, c, d}
	return float64(four[i%128/32]), float64(getHalf(block[scale6K:])) * float64(int8(block[scales6K+i/group6K])), 0
}

func decode6K(dst []float32, src []byte) {
	d := getHalf(src[scale6K:])
	for i := range 64 {
		at := i/32*128 + i%32
		a, b, c, e := code6K(src, i)
		s := src[scales6K+at/group6K:]
		dst[at] = d * float32(int8(s[0])) * float32(a)
		dst[at+32] = d * float32(int8(s[2])) * float32(b)
		dst[at+64] = d * float32(int8(s[4])) * float32(c)
		dst[at+96] = d * float32(int8(s[6])) * float32(e)
	}
}

func codes6K(dst []int16, src []byte) {
	for i := range 64 {
		at := i/32*128 + i%32
		a, b, c, d := code6K(src, i)
		dst[at], dst[at+32], dst[at+64], dst[at+96] = int16(a), int16(b), int16(c), int16(d)
	}
}
