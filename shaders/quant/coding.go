package quant

import (
	"math"
	"slices"

	"assay/internal/minifloat"
	"assay/shaders"
)

// coding is how the numbers of a block become codes of a type: x/scale + zero, rounded and within the range of codes.
type coding struct {
	kind   shaders.Type
	lo, hi float64 // smallest and largest code
	zeros  bool    // blocks may have zero points
	mean   bool    // the scale is the mean magnitude; otherwise the largest magnitude becomes the largest code
}

// codings lists the types of codes. It is never written to. Sources describe each by a struct, and C by a line.
var codings = []coding{
	integers(shaders.I8),
	integers(shaders.I4),
	{kind: shaders.E4M3, lo: -minifloat.E4M3().Top, hi: minifloat.E4M3().Top},
	{kind: shaders.E5M2, lo: -minifloat.E5M2().Top, hi: minifloat.E5M2().Top},
	{kind: shaders.Ternary, lo: -1, hi: 1, mean: true},
}

func integers(t shaders.Type) coding {
	lo, hi := t.Range()
	return coding{kind: t, lo: lo, hi: hi, zeros: true}
}

func codingOf(t shaders.Type) coding {
	return codings[slices.IndexFunc(codings, func(c coding) bool { return c.kind == t })]
}

// Types lists the types of codes.
func Types() []shaders.Type {
	var all []shaders.Type
	for _, c := range codings {
		all = append(all, c.kind)
	}
	return all
}

// Zeros returns the number of zero points of a matrix of codes: 0 for types whose zero is always the code 0.
func Zeros(q QuantParams, t shaders.Type) int {
	if !codingOf(t).zeros {
		return 0
	}
	return q.Blocks()
}

// code returns the code of x, and the distance between its possible codes if a kernel's rounding errors decide between them;
// otherwise 0.
func (c coding) code(x, zero float64) (code, apart float64) {
	round := func(x float64) float64 { return c.kind.Round(min(max(x, c.lo), c.hi)) }
	slack := 1e-3 + 4e-7*math.Abs(zero)
	if c.kind.Float() {
		slack = 1e-5 * math.Abs(x)
	}
	return round(x), round(x+slack) - round(x-slack)
}
