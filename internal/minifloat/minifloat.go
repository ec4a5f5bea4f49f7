// Package minifloat converts numbers to and from 8-bit floats: a sign, an exponent and a mantissa.
package minifloat

import "math"

// Format is an 8-bit float format. Its last codes may mean infinity or NaN.
type Format struct {
	Mantissa int     // bits
	Lowest   int     // exponent of the smallest normal value
	Top      float64 // largest finite value
	Infinite bool    // the code after Top's is infinity instead of NaN
}

// E4M3 has no infinities, as in OCP's OFP8: its last code is NaN.
func E4M3() Format { return Format{Mantissa: 3, Lowest: -6, Top: 448} }

// E5M2 is the upper half of binary16.
func E5M2() Format { return Format{Mantissa: 2, Lowest: -14, Top: 57344, Infinite: true} }

// Encode rounds to the nearest value, ties to even, and saturates at the largest; clamped is 1 if x exceeds that by more than half a
// step. NaN becomes the largest value as well.
// half a step. NaN becomes the largest value as well.
func (f *Format) Encode(x float64) (code byte, clamped int) {
	bits := math.Float64bits(x)
	sign, a := byte(bits>>56&0x80), math.Abs(x)
	if !(a <= f.Top) {
		half := f.Magnitude(f.code(f.Top)) - f.Magnitude(f.code(f.Top)-1)
		if a > f.Top+half/2 || a != a {
			clamped = 1
		}
		return sign | f.code(f.Top), clamped
	}
	return sign | f.code(a), 0
}

// NaN returns a code for NaN.
func (f *Format) NaN() byte { return 0x7f }

// code returns the code of a, from 0 to Top. Codes count steps: a mantissa overflow carries into the exponent.
func (f *Format) code(a float64) byte {
	const magic = 0x1p52 // adding it to a number gives a whole number, ties to even
	e := max(int(math.Float64bits(a)>>52)-1023, f.Lowest)
	perStep := math.Float64frombits(uint64(1023-e+f.Mantissa) << 52)
	return byte((e-f.Lowest)<<f.Mantissa + int(float64(a*perStep)+magic-magic))
}

// Magnitude returns the value of a code without its sign; for codes beyond Top, what their bits would mean.
func (f *Format) Magnitude(code byte) float64 {
	e, rest := int(code)>>f.Mantissa, float64(int(code)&(1<<f.Mantissa-1))
	if e == 0 {
		return math.Ldexp(rest, f.Lowest-f.Mantissa)
	}
	return math.Ldexp(rest+float64(int(1)<<f.Mantissa), f.Lowest-f.Mantissa+e-1)
}

// Values returns the values of all codes.
func (f *Format) Values() *[256]float64 {
	var all [256]float64
	for i := range 128 {
		v := f.Magnitude(byte(i))
		if v > f.Top {
			v = math.NaN()
			if f.Infinite && byte(i) == f.code(f.Top)+1 {
				v = math.Inf(1)
			}
		}
		all[i], all[i+128] = v, -v
	}
	return &all
}
