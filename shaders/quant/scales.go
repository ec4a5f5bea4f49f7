package quant

import (
	"math"

	"assay/internal/half"
	"assay/shaders"
)

// HalfScales is the constant that stores the scales and zero points of blocks in f16 instead of f32.
const HalfScales = "half_scales"

// HalfScalesConstant describes HalfScales.
func HalfScalesConstant() shaders.Constant {
	return shaders.Constant{Name: HalfScales, Index: 3, Max: 1, About: "scales and zero points are in f16"}
}

// ScaleType returns the element type of scales and zero points under constants c.
func ScaleType(c shaders.Constants) shaders.Type {
	if c[HalfScales] != 0 {
		return shaders.F16
	}
	return shaders.F32
}

// InHalf returns the cases with f16 scales.
func InHalf(cases ...shaders.Case) []shaders.Case {
	all := make([]shaders.Case, len(cases))
	for i, c := range cases {
		with := shaders.Constants{HalfScales: 1}
		for name, v := range c.Constants {
			with[name] = v
		}
		c.Constants = with
		all[i] = c
	}
	return all
}

// scaleArg returns an argument of scales or zero points.
func scaleArg(name string, access shaders.Access, length func(shaders.Call) int) shaders.Arg {
	return shaders.Arg{Name: name, Access: access, Half: HalfScales, Len: length}
}

// span is what the scale of a block is computed from.
type span struct {
	lo, hi, mean float64 // mean: of magnitudes
}

// stored returns a scale or zero point as it is stored: in f16 the nearest finite value.
func stored(c shaders.Call, v float64) float64 {
	if c.Constants[HalfScales] == 0 {
		return v
	}
	return shaders.F16.Round(min(max(v, -half.Max), half.Max))
}

// exactScale returns the scale of a block before rounding, and whether the block has a zero point.
func exactScale(c shaders.Call, s span) (scale float64, zero bool) {
	coding := codingOf(c.Type)
	switch {
	case coding.mean:
		return s.mean, false
	case s.lo == s.hi:
		return s.lo, false
	case c.Constants[Symmetric] != 0 || !coding.zeros:
		return max(math.Abs(s.lo), math.Abs(s.hi)) / coding.hi, false
	}
	return (s.hi - s.lo) / (coding.hi - coding.lo), true
}

// scaleReference is the scale of a block: 1 if it would not be a normal number of f32, or would be 0 in f16.
func scaleReference(c shaders.Call, s span) shaders.Value {
	exact, _ := exactScale(c, s)
	return near(c, exact, math.Abs(exact), func(x float64) float64 {
		x = stored(c, x)
		if x < smallestNormal && (s.lo != s.hi || codingOf(c.Type).mean || -x < smallestNormal) {
			return 1
		}
		return x
	})
}

// zeroReference is the zero point of a block, which in f16 is computed from the stored scale.
func zeroReference(c shaders.Call, s span) shaders.Value {
	exact, has := exactScale(c, s)
	if !has || stored(c, exact) < smallestNormal {
		return shaders.Value{Scale: 255}
	}
	zero := func(scale float64) float64 { return codingOf(c.Type).lo - s.lo/stored(c, scale) }
	v := near(c, zero(exact), math.Abs(zero(exact))+255, func(x float64) float64 { return stored(c, x) })
	if slack := quantRel(c) * exact; c.Constants[HalfScales] != 0 {
		v.Scale += math.Abs(zero(exact+slack)-zero(exact-slack)) / quantRel(c)
	}
	return v
}

// near returns x as stored, if a kernel computes it within the relative tolerance of a magnitude. In f16 that decides between
// neighbors, if at all.
func near(c shaders.Call, x, magnitude float64, keep func(float64) float64) shaders.Value {
	v := shaders.Value{Want: keep(x), Scale: magnitude}
	if c.Constants[HalfScales] != 0 {
		slack := quantRel(c) * magnitude
		v.Scale = math.Abs(keep(x+slack)-keep(x-slack)) / quantRel(c)
	}
	return v
}
