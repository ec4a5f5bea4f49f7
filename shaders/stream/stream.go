// Package stream is the family of kernels that only move memory, to measure the available bandwidth.
package stream

import (
	"embed"
	"math"

	"assay/shaders"
)

//go:embed *.metal
var files embed.FS

// CopyParams is the parameter struct of copy.
type CopyParams struct{ N uint32 }

// TriadParams is the parameter struct of triad.
type TriadParams struct {
	N uint32
	S float32
}

// Family lists the implementations, in f32.
func Family() []*shaders.Impl {
	source := shaders.Embedded(files, "stream.metal")
	return []*shaders.Impl{copies(source), triad(source)}
}

func copies(source shaders.Source) *shaders.Impl {
	n := func(c shaders.Call) int { return int(c.Params.(CopyParams).N) }
	op := &shaders.Op{
		Name: "copy", About: "out = x, to see copy bandwidth", Params: CopyParams{},
		Valid: func(c shaders.Call) error { return shaders.Indexable("elements", int(c.Params.(CopyParams).N)) },
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: n},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: n},
		},
		Cost: func(c shaders.Call) shaders.Cost { return shaders.Cost{Bytes: 8 * float64(n(c))} },
		Reference: func(_ shaders.Call, args []shaders.View, _, i int) shaders.Value {
			x := args[0].At(i)
			return shaders.Value{Want: x, Scale: math.Abs(x)}
		},
		Tolerance: func(shaders.Call) shaders.Tolerance { return shaders.Tolerance{Why: "a copy is exact"} },
		Cases: []shaders.Case{
			{Params: CopyParams{0}}, {Params: CopyParams{1}}, {Params: CopyParams{1023}}, {Params: CopyParams{65537}},
		},
	}
	return linear(op, source, n)
}

func triad(source shaders.Source) *shaders.Impl {
	n := func(c shaders.Call) int { return int(c.Params.(TriadParams).N) }
	op := &shaders.Op{
		Name: "triad", About: "out = a + s · b, to see sustained bandwidth", Params: TriadParams{},
		Valid: func(c shaders.Call) error { return shaders.Indexable("elements", int(c.Params.(TriadParams).N)) },
		Args: []shaders.Arg{
			{Name: "a", Type: shaders.Var, Len: n},
			{Name: "b", Type: shaders.Var, Len: n},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: n},
		},
		Cost: func(c shaders.Call) shaders.Cost {
			return shaders.Cost{Ops: 2 * float64(n(c)), Bytes: 12 * float64(n(c))}
		},
		Reference: func(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
			sb := float64(c.Params.(TriadParams).S) * args[1].At(i)
			return shaders.Value{Want: args[0].At(i) + sb, Scale: math.Abs(args[0].At(i)) + math.Abs(sb)}
		},
		Tolerance: func(c shaders.Call) shaders.Tolerance { return shaders.Rounding(c.Type) },
		Cases: []shaders.Case{
			{Params: TriadParams{0, 3}},
			{Params: TriadParams{1, 3}},
			{Params: TriadParams{1023, -0.5}},
			{Params: TriadParams{65537, 3}},
		},
	}
	return linear(op, source, n)
}

func linear(op *shaders.Op, source shaders.Source, n func(shaders.Call) int) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: []shaders.Type{shaders.F32}, Source: source,
		Launch: func(c shaders.Call, _ shaders.Limits) shaders.Launch { return shaders.Linear(n(c), 4) },
	}
}
