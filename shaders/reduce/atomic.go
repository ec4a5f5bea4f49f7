package reduce

import (
	"math"
	"slices"

	"assay/shaders"
)

// atomicSum has the threadgroups add to one element with atomics, in arbitrary order: one dispatch suffices, but the rounding
// differs from run to run. On the CPU, threads count with an atomic, and the last one adds their sums in order.
func atomicSum() *shaders.Impl {
	op := intoOne("sum_into", "out[0] += the sum of x")
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
	return atomic(op, shaders.FloatAtomics)
}

// atomicMax is exact in any order, and needs no atomic_float: the bits of floats can be compared as integers.
func atomicMax() *shaders.Impl {
	op := intoOne("max_into", "out[0] = the larger of itself and the largest element of x")
	op.Finite = true
	op.Reference = func(c shaders.Call, args []shaders.View, _, _ int) shaders.Value {
		largest := args[1].At(0)
		for i := range elements(c) {
			largest = math.Max(largest, args[0].At(i))
		}
		return shaders.Value{Want: largest}
	}
	op.Tolerance = exact
	op.Cases = append(op.Cases, shaders.Case{Params: ReduceParams{5003, 3}, Edit: negative})
	return atomic(op, 0)
}

// Find is the operation that argmax with atomics runs after max_into.
const Find = "find_into"

// atomicFind combines SIMD groups in the smallest index.
func atomicFind() *shaders.Impl {
	op := intoOne(Find, "out[0] = the smaller of itself and the first index at which x is top[0]")
	op.Args[1].Type = shaders.U32
	out := op.Args[1]
	op.Args = slices.Insert(op.Args, 1, shaders.Arg{Name: "top", Type: shaders.F32, Len: out.Len})
	cost := op.Cost
	op.Cost = func(c shaders.Call) shaders.Cost {
		own := cost(c)
		own.Bytes += float64(shaders.F32.Bytes(out.Len(c)))
		return own
	}
	op.Reference = func(c shaders.Call, args []shaders.View, _, _ int) shaders.Value {
		first := args[2].At(0)
		for i := range elements(c) {
			if args[0].At(i) == args[1].At(0) {
				first = math.Min(first, float64(i))
				break
			}
		}
		return shaders.Value{Want: first}
	}
	op.Tolerance = exact
	for _, p := range []ReduceParams{{1, 1}, {9, 2}, {5003, 3}, {70_001, 256}, {200_000, 1}} { // the last has several loads ahead
		op.Cases = append(op.Cases, shaders.Case{Params: p, Edit: someEqual(noIndex)}, shaders.Case{Params: p, Edit: someEqual(1)})
	}
	m := atomic(op, 0)
	m.Launch = func(c shaders.Call, l shaders.Limits) shaders.Launch {
		own := launch(0, 1)(c, l)
		own.Shared = nil // SIMD groups only combine in the output
		return own
	}
	return m
}

// someEqual gives find_into several equal elements to find, all in the second half of x, and an output with a previous index.
func someEqual(before float64) func(arg int, v shaders.View) {
	return func(arg int, v shaders.View) {
		for i := range v.Len() {
			switch {
			case arg == 1 || arg == 0 && i >= v.Len()/2 && i%7 < 3:
				v.Set(i, 0.5)
			case arg == 2:
				v.Set(i, before)
			}
		}
	}
}

// intoOne is an operation that combines x with the previous value of its one output; without slices there is none.
func intoOne(name, about string) *shaders.Op {
	op := operation(name, about)
	outputs := func(c shaders.Call) int { return min(1, parts(c)) }
	op.Args[1].Access, op.Args[1].Len = shaders.InOut, outputs
	cost := op.Cost
	op.Cost = func(c shaders.Call) shaders.Cost {
		own := cost(c)
		own.Ops += float64(parts(c))
		own.Bytes = float64(c.Type.Bytes(elements(c)) + 2*shaders.F32.Bytes(outputs(c)))
		return own
	}
	op.Cases = []shaders.Case{
		{Params: ReduceParams{5, 0}},
		{Params: ReduceParams{0, 1}},
		{Params: ReduceParams{7, 2}},
		{Params: ReduceParams{5003, 3}},
		{Params: ReduceParams{70_001, 256}},
	}
	return op
}

// atomic is the implementation of an operation in atomic.metal.
func atomic(op *shaders.Op, needs shaders.Feature) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: []shaders.Type{shaders.F32, shaders.F16}, Needs: needs,
		Source: shaders.Embedded(files, "atomic.metal"), Launch: launch(4, 32), Tunables: tunables(), MaxThreads: maxThreads,
	}
}
