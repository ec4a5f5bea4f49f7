package elementwise

import (
	"fmt"

	"assay/shaders"
)

// Multi is the number of pairs of arrays that add_multi takes.
const Multi = 4

// addMulti adds several pairs of arrays in one dispatch, as an optimizer does with the tensors of a network.
func addMulti(source shaders.Source) *shaders.Impl {
	var args []shaders.Arg
	for i := range Multi {
		args = append(args,
			shaders.Arg{Name: fmt.Sprintf("a%d", i), Type: shaders.Var, Len: count},
			shaders.Arg{Name: fmt.Sprintf("b%d", i), Type: shaders.Var, Len: count},
			shaders.Arg{Name: fmt.Sprintf("out%d", i), Type: shaders.Var, Access: shaders.Out, Len: count},
		)
	}
	op := &shaders.Op{
		Name: "add_multi", About: "out = a + b for four pairs of arrays of n elements", Params: ElementwiseParams{}, Args: args,
		Valid: valid,
		Cost: func(c shaders.Call) shaders.Cost {
			return shaders.Cost{Ops: Multi * float64(count(c)), Bytes: float64(3 * Multi * c.Type.Bytes(count(c)))}
		},
		Reference: func(_ shaders.Call, args []shaders.View, arg, i int) shaders.Value {
			return add([3]float64{args[arg-2].At(i), args[arg-1].At(i)})
		},
		Tolerance: func(c shaders.Call) shaders.Tolerance { return shaders.Rounding(c.Type) },
		Cases:     []shaders.Case{{Params: ElementwiseParams{0}}, {Params: ElementwiseParams{7}}, {Params: ElementwiseParams{1003}}},
	}
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: floats(), Source: source, Tunables: tunables(), MaxThreads: maxThreads,
		Launch: func(c shaders.Call, l shaders.Limits) shaders.Launch {
			one := launch(c, l)
			one.Groups[1] = Multi
			return one
		},
	}
}
