package image

import (
	"fmt"
	"math"

	"assay/shaders"
)

// GrayParams is the parameter struct of gray: Pixels of three Channels, or of four, the last of which is ignored.
type GrayParams struct{ Pixels, Channels uint32 }

// rgb returns the weights of red, green and blue: GRAY_RED and so on in the parameter header.
func rgb() [3]float64 { return [3]float64{0.299, 0.587, 0.114} }

func gray() *shaders.Impl {
	params := func(c shaders.Call) GrayParams { return c.Params.(GrayParams) }
	pixels := func(c shaders.Call) int { return int(params(c).Pixels) }
	in := func(c shaders.Call) int { p := params(c); return product(p.Pixels, p.Channels) }
	op := &shaders.Op{
		Name: "gray", About: "out[p] = 0.299 · red + 0.587 · green + 0.114 · blue of each pixel", Params: GrayParams{},
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: in},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: pixels},
		},
		Valid: func(c shaders.Call) error {
			if n := params(c).Channels; n != 3 && n != 4 {
				return fmt.Errorf("channels is %d, want 3 or 4", n)
			}
			return shaders.Indexable("elements", in(c))
		},
		Cost: func(c shaders.Call) shaders.Cost {
			return shaders.Cost{Ops: 5 * float64(pixels(c)), Bytes: float64(c.Type.Bytes(in(c) + pixels(c)))}
		},
		Reference: func(c shaders.Call, args []shaders.View, _, i int) (v shaders.Value) {
			for channel, weight := range rgb() {
				term := weight * args[0].At(i*int(params(c).Channels)+channel)
				v.Want += term
				v.Scale += math.Abs(term)
			}
			return v
		},
		Tolerance: func(c shaders.Call) shaders.Tolerance { return shaders.Rounding(c.Type) },
		Cases: []shaders.Case{
			{Params: GrayParams{0, 3}},
			{Params: GrayParams{1, 3}},
			{Params: GrayParams{300, 3}},
			{Params: GrayParams{77, 4}},
		},
	}
	return implementation(op, "gray.metal", func(c shaders.Call, _ shaders.Limits) shaders.Launch {
		return shaders.Linear(pixels(c), 1)
	})
}
