package stream

import (
	"fmt"

	"assay/shaders"
)

// GatherParams is the parameter struct of gather: N elements in chunks of 2^Shift.
type GatherParams struct{ N, Shift uint32 }

// gather moves chunks in the order of an index.
func gather() *shaders.Impl {
	n := func(c shaders.Call) int { return int(c.Params.(GatherParams).N) }
	chunks := func(c shaders.Call) int { return n(c) >> c.Params.(GatherParams).Shift }
	op := &shaders.Op{
		Name: "gather", About: "out = x[index], element by element or in chunks", Params: GatherParams{},
		Valid: validGather,
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: n},
			{Name: "index", Type: shaders.U32, Len: chunks},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: n},
		},
		Cost: func(c shaders.Call) shaders.Cost {
			return shaders.Cost{Bytes: 8*float64(n(c)) + 4*float64(chunks(c))}
		},
		Reference: func(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
			shift := c.Params.(GatherParams).Shift
			chunk := min(int(args[1].At(i>>shift)), chunks(c)-1)
			return exactly(args[0].At(chunk<<shift + i&(1<<shift-1)))
		},
		Tolerance: exact,
		Cases: []shaders.Case{
			{Params: GatherParams{}},
			{Params: GatherParams{N: 1}, Edit: backward},
			{Params: GatherParams{N: 70001}, Edit: backward},
			{Params: GatherParams{N: 3 << 10, Shift: 10}, Edit: backward},
			{Params: GatherParams{N: 24, Shift: 2}}, // with indices beyond the end
		},
	}
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: []shaders.Type{shaders.F32}, Source: shaders.Embedded(files, "gather.metal"),
		Launch: func(c shaders.Call, _ shaders.Limits) shaders.Launch { return shaders.Linear(n(c), 1) },
	}
}

// backward lists the chunks from the last to the first.
func backward(arg int, v shaders.View) {
	if arg != 1 {
		return
	}
	for i := range v.Len() {
		v.Set(i, float64(v.Len()-1-i))
	}
}

func validGather(c shaders.Call) error {
	const largest = 20
	p := c.Params.(GatherParams)
	if p.Shift > largest {
		return fmt.Errorf("chunks of 2^%d elements, want at most 2^%d", p.Shift, largest)
	}
	if p.N&(1<<p.Shift-1) != 0 {
		return fmt.Errorf("%d elements in chunks of %d, want whole chunks", p.N, 1<<p.Shift)
	}
	return shaders.Indexable("elements", int(p.N))
}
