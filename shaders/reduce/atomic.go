package reduce

import (
	"math"

	"assay/shaders"
)

// SumInto is the operation that adds to what its output holds.
const SumInto = "sum_into"

// atomicSum has the threadgroups add to one element by atomics, in whatever order they come: in one dispatch, but from one run
// to the next with another rounding.
func atomicSum() *shaders.Impl {
	op := operation(SumInto, "out[0] += the sum of x")
	op.Args[1].Access, op.Args[1].Len = shaders.InOut, func(c shaders.Call) int { return min(1, parts(c)) }
	cost := op.Cost
	op.Cost = func(c shaders.Call) shaders.Cost {
		own := cost(c)
		own.Ops += float64(parts(c))
		own.Bytes = float64(c.Type.Bytes(elements(c)) + 2*shaders.F32.Bytes(min(1, parts(c))))
		return own
	}
	op.Reference = func(c shaders.Call, args []shaders.View, _, _ int) (v shaders.Value) {
		const within = 4 // as in sumReference
		held := args[1].At(0)
		v.Want = held
		squares := held * held
		for i := range elements(c) {
			x := args[0].At(i)
			v.Want += x
			squares += x * x
		}
		v.Scale = math.Abs(v.Want) + within*math.Sqrt(squares)
		return v
	}
	op.Tolerance = func(c shaders.Call) shaders.Tolerance {
		t := shaders.SumTolerance(elements(c), shaders.F32)
		t.Why += ", in the order in which the threadgroups come"
		return t
	}
	op.Cases = []shaders.Case{{Params: ReduceParams{5, 0}}, {Params: ReduceParams{0, 1}}, {Params: ReduceParams{7, 2}}, {Params: ReduceParams{5003, 3}}}
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: []shaders.Type{shaders.F32, shaders.F16}, Needs: shaders.FloatAtomics,
		Source: shaders.Embedded(files, "atomic.metal"), Launch: launch(4, 32), Tunables: tunables(), MaxThreads: maxThreads,
	}
}
