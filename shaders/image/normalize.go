package image

import (
	"cmp"
	"math"

	"assay/shaders"
)

// NormalizeParams is the parameter struct of normalize: Pixels of Channels.
type NormalizeParams struct{ Pixels, Channels uint32 }

func normalize() *shaders.Impl {
	params := func(c shaders.Call) NormalizeParams { return c.Params.(NormalizeParams) }
	all := func(c shaders.Call) int { p := params(c); return product(p.Pixels, p.Channels) }
	channels := func(c shaders.Call) int { return int(params(c).Channels) }
	op := &shaders.Op{
		Name: "normalize", About: "out[p,c] = x[p,c] · scale[c] + shift[c], for the channels of each pixel", Params: NormalizeParams{},
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: all},
			{Name: "scale", Type: shaders.Var, Len: channels},
			{Name: "shift", Type: shaders.Var, Len: channels},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: all},
		},
		Valid: func(c shaders.Call) error {
			return cmp.Or(sized("channels", params(c).Channels, maxChannels), shaders.Indexable("elements", all(c)))
		},
		Cost: func(c shaders.Call) shaders.Cost {
			return shaders.Cost{Ops: 2 * float64(all(c)), Bytes: float64(c.Type.Bytes(2*all(c) + 2*channels(c)))}
		},
		Reference: func(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
			channel := i % channels(c)
			v, shift := args[0].At(i)*args[1].At(channel), args[2].At(channel)
			return shaders.Value{Want: v + shift, Scale: math.Abs(v) + math.Abs(shift)}
		},
		Tolerance: func(c shaders.Call) shaders.Tolerance { return shaders.Rounding(c.Type) },
		Cases: []shaders.Case{
			{Params: NormalizeParams{0, 3}},
			{Params: NormalizeParams{1, 1}},
			{Params: NormalizeParams{257, 3}},
			{Params: NormalizeParams{33, 4}},
			{Params: NormalizeParams{2, 131}},
		},
	}
	return implementation(op, "normalize.metal", func(c shaders.Call, _ shaders.Limits) shaders.Launch {
		return shaders.Linear(all(c), shaders.Sixteen(c.Type))
	})
}
