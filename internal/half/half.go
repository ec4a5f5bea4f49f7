// Package half converts between float32 and IEEE 754 binary16, bit by bit and without tables.
package half

import "math"

// Max is the largest finite value.
const Max = 65504

const (
	infinite  = 0x7c00
	quiet     = 0x7e00     // NaN
	firstInf  = 0x47800000 // bits of 65536; values between Max and it round through the carry
	firstFull = 0x38800000 // bits of 2⁻¹⁴, the smallest normal value
	rebias    = 112 << 23  // difference of the exponents' biases
)

// From rounds f to the nearest value, ties to even. Values beyond Max become infinite, NaN stays NaN.
func From(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	if b >= firstInf {
		if b > 0x7f800000 {
			return sign | quiet
		}
		return sign | infinite
	}
	if b < firstFull {
		// The sum has the subnormal's step as its last bit, so the addition rounds.
		return sign | uint16(math.Float32bits(math.Float32frombits(b)+0.5)-0x3f000000)
	}
	return sign | uint16((b-rebias+0xfff+b>>13&1)>>13)
}

// To returns the value of h, exactly.
func To(h uint16) float32 {
	sign, b := uint32(h&0x8000)<<16, uint32(h&0x7fff)<<13
	if h&infinite == infinite {
		return math.Float32frombits(sign | b | 0x7f800000)
	}
	return math.Float32frombits(sign | math.Float32bits(math.Float32frombits(b)*0x1p112))
}
