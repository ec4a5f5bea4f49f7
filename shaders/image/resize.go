package image

import (
	"cmp"
	"math"

	"assay/shaders"
)

// ResizeParams is the parameter struct of resize: N images of H × W pixels of C channels become OutH × OutW.
type ResizeParams struct{ N, H, W, C, OutH, OutW uint32 }

func resize() *shaders.Impl {
	params := func(c shaders.Call) ResizeParams { return c.Params.(ResizeParams) }
	out := func(c shaders.Call) int { p := params(c); return product(p.N, p.OutH, p.OutW, p.C) }
	in := func(c shaders.Call) int { p := params(c); return product(p.N, p.H, p.W, p.C) }
	op := &shaders.Op{
		Name: "resize", About: "out = images of another size, by bilinear interpolation between the centers of pixels", Params: ResizeParams{},
		Finite: true, // a neighbor with weight zero would still turn infinity into NaN
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: in},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: out},
		},
		Valid: func(c shaders.Call) error {
			p := params(c)
			return cmp.Or(sized("h", p.H, maxSide), sized("w", p.W, maxSide), sized("c", p.C, maxChannels),
				sized("out_h", p.OutH, maxSide), sized("out_w", p.OutW, maxSide), shaders.Indexable("elements", in(c)), shaders.Indexable("elements", out(c)))
		},
		Cost: func(c shaders.Call) shaders.Cost { // three interpolations of two products and a sum
			return shaders.Cost{Ops: 9 * float64(out(c)), Bytes: float64(c.Type.Bytes(in(c) + out(c)))}
		},
		Reference: func(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
			return resized(params(c), args[0], i)
		},
		Tolerance: func(c shaders.Call) shaders.Tolerance { return shaders.Rounding(c.Type) },
		Cases: []shaders.Case{
			{Params: ResizeParams{0, 4, 4, 3, 2, 2}},
			{Params: ResizeParams{1, 1, 1, 1, 1, 1}},
			{Params: ResizeParams{2, 7, 5, 3, 3, 2}},
			{Params: ResizeParams{1, 5, 7, 4, 11, 33}},
			{Params: ResizeParams{1, 2, 3, 1, 9, 40}},
			{Params: ResizeParams{2, 37, 41, 3, 20, 35}},
		},
	}
	return implementation(op, "resize.metal", func(c shaders.Call, _ shaders.Limits) shaders.Launch {
		p := params(c)
		return pixelGrid(p.N, p.OutH, p.OutW)
	})
}

// place returns where pixel i of `to` lies among `from` pixels: two neighbors, and the distance from the first.
func place(i, from, to int) (first, second int, f float64) {
	at := min(max((float64(i)+0.5)*float64(from)/float64(to)-0.5, 0), float64(from-1))
	first = int(at)
	return first, min(first+1, from-1), at - float64(first)
}

func resized(p ResizeParams, x shaders.View, i int) shaders.Value {
	w, h, c := int(p.OutW), int(p.OutH), int(p.C)
	channel, col, row, image := i%c, i/c%w, i/(c*w)%h, i/(c*w*h)
	y0, y1, fy := place(row, int(p.H), h)
	x0, x1, fx := place(col, int(p.W), w)
	at := func(row, col int) float64 { return x.At(((image*int(p.H)+row)*int(p.W)+col)*c + channel) }
	var v shaders.Value
	for _, t := range [4]struct{ weight, x float64 }{
		{(1 - fy) * (1 - fx), at(y0, x0)},
		{(1 - fy) * fx, at(y0, x1)},
		{fy * (1 - fx), at(y1, x0)},
		{fy * fx, at(y1, x1)},
	} {
		v.Want += t.weight * t.x
		v.Scale += math.Abs(t.x) // a place is a rounded quotient, so each weight may be off by as much as the largest
	}
	return v
}
