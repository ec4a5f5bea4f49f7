package ggml

import "math"

// q4_K has 256 weights in 144 bytes: a scale for scales and one for minima in f16, eight scales and eight minima of six bits in 12
// bytes, then nibbles. Byte 32·p + i of these has weight i of groups 2·p and 2·p + 1 of 32. A nibble stands for nibble · scale −
// minimum.
func q4_K() Block {
	return Block{
		Name: "q4_K", Weights: 256, Bytes: 144, Group: 32, Bits: 4, Lo: 0, Hi: 15, Encode: encode4K, Decode: decode4K, Codes: codes4K,
		Terms: terms4K, Halves: []Half{{0, 15 * 63}, {2, 63}},
	}
}

const (
	group4K  = 32
	groups4K = 8
	nibbles  = 4 + 12 // where they begin
)

func encode4K(dst []byte, x []float32) (clamped int) {
	var codes [256]byte
	var scales, minima [groups4K]float32
	var topScale, topMin float32
	for g := range groups4K {
		at := group4K * g
		scales[g], minima[g] = fitGroup((*[group4K]float32)(x[at:]), codes[at:at+group4K])
		topScale, topMin = larger(topScale, scales[g]), larger(topMin, minima[g])
	}
	putScales(dst[4:nibbles], &scales, &minima, topScale, topMin)
	putHalf(dst, topScale/63)
	putHalf(dst[2:], topMin/63)
	for g := range groups4K {
		at := group4K * g
		clamped += recode4K(dst, g, x[at:at+group4K], codes[at:at+group4K])
	}
	for i := range 128 {
		at := i/group4K*2*group4K + i%group4K
		dst[nibbles+i] = codes[at] | codes[at+group4K]<<4
	}
	return clamped
}

func larger(a, b float32) float32 {
	if b > a {
		return b
	}
	return a
}

// fitGroup weighs each weight by its magnitude and the group's root mean square, and searches scale and minimum.
func fitGroup(x *[group4K]float32, codes []byte) (scale, minimum float32) {
	var squares float32
	for _, v := range x {
		squares += float32(v * v)
	}
	rms := float32(math.Sqrt(float64(squares / group4K)))
	var importance [group4K]float32
	for i, v := range x {
		importance[i] = rms + abs(v)
	}
	return searchRange(x, &importance, codes)
}

// putScales packs the scales and minima of the groups, as fractions of the largest, into six bits each: the first four of each take
// one byte with two spare bits, which hold the high bits of the other four.
func putScales(dst []byte, scales, minima *[groups4K]float32, topScale, topMin float32) {
	perScale, perMin := share(topScale), share(topMin)
	for g := range groups4K {
		s := min(byte(nearest(perScale*scales[g])), 63)
		m := min(byte(nearest(perMin*minima[g])), 63)
		if g < 4 {
			dst[g], dst[g+4] = s, m
			continue
		}
		dst[g+4] = s&15 | m<<4
		dst[g-4] |= s >> 4 << 6
		dst[g] |= m >> 4 << 6
	}
}

// share returns how many 63rds of the top one unit is.
func share(top float32) float32 {
	if top > 0 {
		return 63 / top
	}
	return 0
}

// scale4K returns the scale and minimum of group g.
func scale4K(block []byte, g int) (scale, minimum float32) {
	p := block[4:nibbles]
	var s, m byte
	if g < 4 {
		s, m = p[g]&63, p[g+4]&63
	} else {
		s, m = p[g+4]&15|p[g-4]>>6<<4, p[g+4]>>4|p[g]>>6<<4
	}
	return getHalf(block) * float32(s), getHalf(block[2:]) * float32(m)
}

// recode4K chooses the codes that suit the group's scale as stored. If that is 0, the codes found by the search stay.
func recode4K(block []byte, g int, x []float32, codes []byte) (clamped int) {
	d, m := scale4K(block, g)
	if d == 0 {
		return 0
	}
	for i, v := range x {
		codes[i] = byte(clamp(nearest((v+m)/d), 0, 15, &clamped))
	}
	return clamped
}

// terms4K needs no more than float32 for scale and minimum, which are products of 11 bits and six.
func terms4K(block []byte, i int) (code, scale, offset float64) {
	g := i / group4K
	d, m := scale4K(block, g)
	nibble := block[nibbles+g/2*group4K+i%group4K] >> (g % 2 * 4) & 15
	return float64(nibble), float64(d), -float64(m)
}

func decode4K(dst []float32, src []byte) {
	for g := range groups4K {
		d, m := scale4K(src, g)
		at, shift := nibbles+g/2*group4K, g%2*4
		for i, b := range src[at : at+group4K] {
			dst[g*group4K+i] = float32(d*float32(b>>shift&15)) - m
		}
	}
}

func codes4K(dst []int16, src []byte) {
	for g := range groups4K {
		at, shift := nibbles+g/2*group4K, g%2*4
		for i, b := range src[at : at+group4K] {
			dst[g*group4K+i] = int16(b >> shift & 15)
		}
	}
}
