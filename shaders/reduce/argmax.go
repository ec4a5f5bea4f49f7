package reduce

import (
	"errors"
	"math"

	"assay/shaders"
)

func argmaxOp() *shaders.Op {
	return &shaders.Op{
		Name: "argmax", About: "out[p] = the index of the largest element of slice p of x, or of those that indices names",
		Params: ArgmaxParams{}, Finite: true, Valid: validArgmax,
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: source},
			{Name: "indices", Type: shaders.U32, If: Indexed, Len: elements},
			{Name: "out", Type: shaders.U32, Access: shaders.Out, Len: parts},
		},
		Constants: []shaders.Constant{{Name: Indexed, Index: 0, Max: 1, About: "the candidates are those that indices names"}},
		Cost: func(c shaders.Call) shaders.Cost {
			n, width := elements(c), c.Type.Bytes(1)
			if c.Constants[Indexed] != 0 {
				width += shaders.U32.Bytes(1)
			}
			return shaders.Cost{Ops: float64(n), Bytes: float64(n*width + shaders.U32.Bytes(parts(c)))}
		},
		Reference: argmaxReference,
		Tolerance: exact,
		Cases: []shaders.Case{
			{Params: ArgmaxParams{5, 0, 5}},
			{Params: ArgmaxParams{1, 1, 1}},
			{Params: ArgmaxParams{7, 2, 7}},
			{Params: ArgmaxParams{5003, 3, 5003}},
			{Params: ArgmaxParams{70_001, 256, 70_001}},
			{Params: ArgmaxParams{5003, 3, 5003}, Edit: negative},
			{Params: ArgmaxParams{200_000, 1, 200_000}}, // several loads ahead, and several stretches on the CPU
			{Params: ArgmaxParams{256, 1, 256}, Constants: shaders.Constants{Indexed: 1}},
		},
	}
}

func argmax(op *shaders.Op) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: []shaders.Type{shaders.F32, shaders.F16}, Constants: op.Constants,
		Source: shaders.Embedded(files, "argmax.metal"), Launch: launch(8, 32), Tunables: tunables(), MaxThreads: maxThreads,
		Cases: []shaders.Case{{Params: ArgmaxParams{5003, 3, 5003}, Constants: shaders.Constants{Threads: 1024}}},
	}
}

func validArgmax(c shaders.Call) error {
	if p := c.Params.(ArgmaxParams); p.N > 0 && p.Source == 0 {
		return errors.New("no elements to take candidates from: source is 0")
	}
	return valid(c)
}

// source returns the number of elements of x: the candidates themselves, unless indices names them.
func source(c shaders.Call) int {
	p := c.Params.(ArgmaxParams)
	if c.Constants[Indexed] == 0 {
		return int(p.N)
	}
	return int(p.Source)
}

// noIndex is the result of a slice without candidates.
const noIndex = math.MaxUint32

// argmaxReference takes indices modulo the elements of x, like the shader, so that none is out of range.
func argmaxReference(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
	best, found := math.Inf(-1), float64(noIndex)
	for at, last := slice(c, i); at < last; at++ {
		index := at
		if c.Constants[Indexed] != 0 {
			index = int(args[1].At(at)) % source(c)
		}
		if x := args[0].At(index); x > best || x == best && float64(index) < found {
			best, found = x, float64(index)
		}
	}
	return shaders.Value{Want: found}
}
