package stream

import (
	"fmt"

	"assay/shaders"
)

// ChaseParams is the parameter struct of chase: Steps through a list of N places from First on, by each of several Threads.
type ChaseParams struct{ N, First, Steps, Threads uint32 }

// StampParams is the parameter struct of stamp: N numbers.
type StampParams struct{ N, Value uint32 }

// latencies lists the kernels that have almost nothing to compute.
func latencies() []*shaders.Impl {
	source := shaders.Embedded(files, "chase.metal")
	impl := func(op *shaders.Op) *shaders.Impl {
		out := op.Args[len(op.Args)-1]
		return &shaders.Impl{
			Op: op, Name: shaders.Plain, Types: []shaders.Type{shaders.U32}, Source: source,
			Launch: func(c shaders.Call, _ shaders.Limits) shaders.Launch {
				const threads = 32
				return shaders.Launch{Groups: [3]uint32{uint32(out.Len(c)+threads-1) / threads, 1, 1}, Threads: [3]uint32{threads, 1, 1}}
			},
		}
	}
	return []*shaders.Impl{impl(chase()), impl(stamp())}
}

func stamp() *shaders.Op {
	n := func(c shaders.Call) int { return int(c.Params.(StampParams).N) }
	return &shaders.Op{
		Name: "stamp", About: "out = value, next to nothing to do", Params: StampParams{},
		Valid: func(c shaders.Call) error { return shaders.Indexable("elements", n(c)) },
		Args:  []shaders.Arg{{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: n}},
		Cost:  func(c shaders.Call) shaders.Cost { return shaders.Cost{Bytes: 4 * float64(n(c))} },
		Reference: func(c shaders.Call, _ []shaders.View, _, _ int) shaders.Value {
			return exactly(float64(c.Params.(StampParams).Value))
		},
		Tolerance: exact,
		Cases:     []shaders.Case{{Params: StampParams{}}, {Params: StampParams{1, 7}}, {Params: StampParams{100, 0xFFFFFFFF}}},
	}
}

// chase follows a list; out is where it ends. The list must only contain places in it.
func chase() *shaders.Op {
	return &shaders.Op{
		Name: "chase", About: "out = next[next[…next[first]]], each load waits for the one before", Params: ChaseParams{},
		Valid: validChase,
		Args: []shaders.Arg{
			{Name: "next", Type: shaders.U32, Len: func(c shaders.Call) int { return int(c.Params.(ChaseParams).N) }},
			{
				Name: "out", Type: shaders.U32, Access: shaders.Out,
				Len: func(c shaders.Call) int { return int(c.Params.(ChaseParams).Threads) },
			},
		},
		Cost: func(c shaders.Call) shaders.Cost {
			p := c.Params.(ChaseParams)
			return shaders.Cost{Bytes: 4 * float64(p.Threads) * (1 + float64(p.Steps))}
		},
		Reference: func(c shaders.Call, args []shaders.View, _, _ int) shaders.Value {
			return exactly(c.PerRow(0, func() []float64 { return []float64{end(c.Params.(ChaseParams), args[0])} })[0])
		},
		Tolerance: exact,
		Cases: []shaders.Case{
			{Params: ChaseParams{N: 1, Steps: 1}, Edit: around},
			{Params: ChaseParams{N: 1, Steps: 3, Threads: 1}, Edit: around},
			{Params: ChaseParams{N: 1000, First: 3, Steps: 777, Threads: 2}, Edit: around},
		},
	}
}

// end returns where the list leads to.
func end(p ChaseParams, next shaders.View) float64 {
	at := int(p.First)
	for range p.Steps {
		at = int(next.At(at)) % int(p.N)
	}
	return float64(at)
}

// around links the places of a list into one ring, seven at a time.
func around(arg int, v shaders.View) {
	if arg != 0 {
		return
	}
	const step = 7
	for i := range v.Len() {
		v.Set(i, float64((i+step)%v.Len()))
	}
}

func validChase(c shaders.Call) error {
	p := c.Params.(ChaseParams)
	if p.First >= p.N {
		return fmt.Errorf("place %d of a list of %d places", p.First, p.N)
	}
	return shaders.Indexable("places", int(max(p.N, p.Threads)))
}
