package image

import (
	"cmp"
	"math"

	"assay/shaders"
)

// Wide is the constant that selects the size of the filter.
const Wide = "wide"

// BlurParams is the parameter struct of blur: N images of H × W pixels of C channels.
type BlurParams struct{ N, H, W, C uint32 }

func blur() *shaders.Impl {
	params := func(c shaders.Call) BlurParams { return c.Params.(BlurParams) }
	all := func(c shaders.Call) int { p := params(c); return product(p.N, p.H, p.W, p.C) }
	op := &shaders.Op{
		Name: "blur", About: "out = images under a binomial filter, which is nearly Gaussian: 3 × 3 or 5 × 5; edges repeat", Params: BlurParams{},
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: all},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: all},
		},
		Constants: []shaders.Constant{{Name: Wide, Index: 0, Max: 1, About: "the filter is 5 × 5, not 3 × 3"}},
		Valid: func(c shaders.Call) error {
			p := params(c)
			return cmp.Or(sized("h", p.H, maxSide), sized("w", p.W, maxSide), sized("c", p.C, maxChannels), shaders.Indexable("elements", all(c)))
		},
		Cost: func(c shaders.Call) shaders.Cost { // a column of products and sums, then a row: what a separable filter needs
			return shaders.Cost{Ops: 4 * float64(len(filter(c))) * float64(all(c)), Bytes: 2 * float64(c.Type.Bytes(all(c)))}
		},
		Reference: func(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
			return blurred(params(c), filter(c), args[0], i)
		},
		Tolerance: func(c shaders.Call) shaders.Tolerance { return shaders.Rounding(c.Type) },
		Cases: []shaders.Case{
			{Params: BlurParams{0, 4, 4, 3}},
			{Params: BlurParams{1, 1, 1, 1}, Constants: shaders.Constants{Wide: 1}},
			{Params: BlurParams{2, 3, 2, 3}, Constants: shaders.Constants{Wide: 1}},
			{Params: BlurParams{2, 9, 33, 3}},
			{Params: BlurParams{1, 17, 35, 4}, Constants: shaders.Constants{Wide: 1}},
		},
	}
	return implementation(op, "blur.metal", func(c shaders.Call, _ shaders.Limits) shaders.Launch {
		p := params(c)
		const across, down = 64, 4
		return shaders.Launch{
			Groups:  [3]uint32{(p.W*p.C + across - 1) / across, (p.H + down*blurRows - 1) / (down * blurRows), p.N},
			Threads: [3]uint32{across, down, 1},
		}
	})
}

// blurRows is the number of rows of the result that a thread takes, like ROWS in the source.
const blurRows = 8

// filter returns a row of the filter.
func filter(c shaders.Call) []float64 {
	if c.Constants[Wide] != 0 {
		return []float64{1. / 16, 4. / 16, 6. / 16, 4. / 16, 1. / 16}
	}
	return []float64{1. / 4, 2. / 4, 1. / 4}
}

func blurred(p BlurParams, filter []float64, x shaders.View, i int) shaders.Value {
	w, h, c, r := int(p.W), int(p.H), int(p.C), len(filter)/2
	channel, col, row, image := i%c, i/c%w, i/(c*w)%h, i/(c*w*h)
	var v shaders.Value
	for dy, wy := range filter {
		for dx, wx := range filter {
			y, z := min(max(row+dy-r, 0), h-1), min(max(col+dx-r, 0), w-1)
			term := wy * wx * x.At(((image*h+y)*w+z)*c+channel)
			v.Want += term
			v.Scale += math.Abs(term)
		}
	}
	return v
}
