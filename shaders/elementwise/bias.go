package elementwise

import "assay/shaders"

func cols(c shaders.Call) int { return int(c.Params.(BiasParams).Cols) }

func area(c shaders.Call) int {
	p := c.Params.(BiasParams)
	return shaders.Product(int(p.Rows), int(p.Cols))
}

func addBias() *shaders.Impl {
	op := &shaders.Op{
		Name: "add_bias", About: "out[r,c] = x[r,c] + bias[c]", Params: BiasParams{},
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: area},
			{Name: "bias", Type: shaders.Var, Len: cols},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: area},
		},
		Cost: func(c shaders.Call) shaders.Cost {
			return shaders.Cost{Ops: float64(area(c)), Bytes: float64(c.Type.Bytes(2*area(c) + cols(c)))}
		},
		Reference: func(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
			return add([3]float64{args[0].At(i), args[1].At(i % cols(c))})
		},
		Tolerance: func(c shaders.Call) shaders.Tolerance { return shaders.Rounding(c.Type) },
		Cases:     biasCases(),
	}
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: floats(), Source: shaders.Embedded(files, "bias.metal"),
		Launch: func(c shaders.Call, _ shaders.Limits) shaders.Launch {
			p := c.Params.(BiasParams)
			return shaders.Grid(p.Rows, (p.Cols+3)/4)
		},
	}
}

func biasCases() []shaders.Case {
	var cases []shaders.Case
	for _, p := range []BiasParams{{0, 5}, {1, 1}, {3, 17}, {65, 130}, {300, 501}} {
		cases = append(cases, shaders.Case{Params: p})
	}
	return cases
}
