package reduce

import (
	"math"

	"assay/shaders"
)

func sumOp() *shaders.Op {
	op := operation("sum", "out[p] = the sum of slice p of x")
	op.Reference = sumReference
	op.Tolerance = func(c shaders.Call) shaders.Tolerance {
		t := shaders.SumTolerance(each(c), shaders.F32)
		t.Why += ", with what partial sums of terms without a pattern reach in place of the magnitudes"
		return t
	}
	return op
}

// sumReference has errors that grow with the rounded partial sums: with terms of random signs, in any order, they stay within a
// few times the root of the sum of squares, and end at the sum. The sum of magnitudes would hide a wrong result, since terms that
// cancel leave little of it.
func sumReference(c shaders.Call, args []shaders.View, _, i int) (v shaders.Value) {
	const within = 4
	var squares float64
	for at, last := slice(c, i); at < last; at++ {
		x := args[0].At(at)
		v.Want += x
		squares += x * x
	}
	v.Scale = math.Abs(v.Want) + within*math.Sqrt(squares)
	return v
}

func maxOp() *shaders.Op {
	op := operation("max", "out[p] = the largest element of slice p of x")
	op.Finite = true // the largest of a NaN and a number is either
	op.Reference = func(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
		largest := math.Inf(-1)
		for at, last := slice(c, i); at < last; at++ {
			largest = math.Max(largest, args[0].At(at))
		}
		return shaders.Value{Want: largest}
	}
	op.Tolerance = exact
	op.Cases = append(op.Cases, shaders.Case{Params: ReduceParams{5003, 3}, Edit: negative})
	return op
}

// negative makes all numbers negative: a maximum of 0 or above would not be one of them.
func negative(_ int, v shaders.View) {
	for i := range v.Len() {
		v.Set(i, -math.Abs(v.At(i)))
	}
}

// exact is the tolerance of operations that only compare.
func exact(shaders.Call) shaders.Tolerance { return shaders.Tolerance{Why: "a comparison is exact"} }

// operation is a reduction to a float per slice.
func operation(name, about string) *shaders.Op {
	return &shaders.Op{
		Name: name, About: about, Params: ReduceParams{},
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: elements},
			{Name: "out", Type: shaders.F32, Access: shaders.Out, Len: parts},
		},
		Valid: valid,
		Cost: func(c shaders.Call) shaders.Cost {
			return shaders.Cost{Ops: float64(elements(c)), Bytes: float64(c.Type.Bytes(elements(c)) + shaders.F32.Bytes(parts(c)))}
		},
		Cases: []shaders.Case{
			{Params: ReduceParams{5, 0}},
			{Params: ReduceParams{0, 1}},
			{Params: ReduceParams{1, 1}},
			{Params: ReduceParams{7, 2}},
			{Params: ReduceParams{255, 1}},
			{Params: ReduceParams{1024, 4}},
			{Params: ReduceParams{5003, 3}},
			{Params: ReduceParams{70_001, 256}},
			{Params: ReduceParams{200_000, 1}},
		},
	}
}

// plain joins with SIMD functions.
func plain(op *shaders.Op) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: []shaders.Type{shaders.F32, shaders.F16},
		Source: shaders.Embedded(files, "reduce.metal"), Launch: launch(4, 32), Tunables: tunables(), MaxThreads: maxThreads,
		Cases: []shaders.Case{
			{Params: ReduceParams{5003, 3}, Constants: shaders.Constants{Threads: 32}},
			{Params: ReduceParams{5003, 3}, Constants: shaders.Constants{Threads: 1024}},
		},
	}
}
