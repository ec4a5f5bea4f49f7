// Package stream is the family of kernels that only move memory, to measure its bandwidth and latency.
package stream

import (
	"embed"
	"math"
	"slices"

	"assay/shaders"
)

//go:embed *.metal
var files embed.FS

// Width is the tunable of copy, scale and triad: elements per thread.
const Width = "width"

// CopyParams is the parameter struct of copy: N elements of x from First on.
type CopyParams struct{ N, First uint32 }

// ScaleParams is the parameter struct of scale.
type ScaleParams struct {
	N uint32
	S float32
}

// TriadParams is the parameter struct of triad.
type TriadParams struct {
	N uint32
	S float32
}

// Family lists the implementations.
func Family() []*shaders.Impl {
	source := shaders.Embedded(files, "stream.metal")
	return slices.Concat([]*shaders.Impl{copies(source), scale(source), triad(source)}, walks(), []*shaders.Impl{gather()}, latencies())
}

func copies(source shaders.Source) *shaders.Impl {
	n := func(c shaders.Call) int { return int(c.Params.(CopyParams).N) }
	read := func(c shaders.Call) int { return n(c) + int(c.Params.(CopyParams).First) }
	op := &shaders.Op{
		Name: "copy", About: "out = x, to see copy bandwidth", Params: CopyParams{},
		Valid: func(c shaders.Call) error { return shaders.Indexable("elements", read(c)) },
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: read},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: n},
		},
		Cost: func(c shaders.Call) shaders.Cost { return shaders.Cost{Bytes: 4 * float64(read(c)+n(c))} },
		Reference: func(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
			return exactly(args[0].At(i + int(c.Params.(CopyParams).First)))
		},
		Tolerance: exact,
		Cases: []shaders.Case{
			{Params: CopyParams{}},
			{Params: CopyParams{N: 1}},
			{Params: CopyParams{N: 1023}},
			{Params: CopyParams{N: 65537}},
			{Params: CopyParams{N: 1003, First: 1}},
		},
	}
	return linear(op, source, n, CopyParams{N: 1003}, CopyParams{N: 1003, First: 3})
}

// exactly is the reference for what is moved and not computed.
func exactly(x float64) shaders.Value { return shaders.Value{Want: x, Scale: math.Abs(x)} }

func exact(shaders.Call) shaders.Tolerance { return shaders.Tolerance{Why: "a copy is exact"} }

func scale(source shaders.Source) *shaders.Impl {
	n := func(c shaders.Call) int { return int(c.Params.(ScaleParams).N) }
	op := &shaders.Op{
		Name: "scale", About: "out = s · x, to see sustained bandwidth", Params: ScaleParams{},
		Valid: func(c shaders.Call) error { return shaders.Indexable("elements", n(c)) },
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: n},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: n},
		},
		Cost: func(c shaders.Call) shaders.Cost {
			return shaders.Cost{Ops: float64(n(c)), Bytes: 8 * float64(n(c))}
		},
		Reference: func(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
			return exactly(float64(c.Params.(ScaleParams).S) * args[0].At(i))
		},
		Tolerance: func(c shaders.Call) shaders.Tolerance { return shaders.Rounding(c.Type) },
		Cases: []shaders.Case{
			{Params: ScaleParams{0, 3}}, {Params: ScaleParams{1, 3}}, {Params: ScaleParams{1023, -0.5}}, {Params: ScaleParams{65537, 3}},
		},
	}
	return linear(op, source, n, ScaleParams{1003, 3})
}

func triad(source shaders.Source) *shaders.Impl {
	n := func(c shaders.Call) int { return int(c.Params.(TriadParams).N) }
	op := &shaders.Op{
		Name: "triad", About: "out = a + s · b, to see sustained bandwidth", Params: TriadParams{},
		Valid: func(c shaders.Call) error { return shaders.Indexable("elements", n(c)) },
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
	return linear(op, source, n, TriadParams{1003, 3})
}

// linear has threads of `width` elements; it is tried with other widths at `tuned`.
func linear(op *shaders.Op, source shaders.Source, n func(shaders.Call) int, tuned ...any) *shaders.Impl {
	const usual = 4
	widths := []int32{1, 2, usual, 8}
	m := &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: []shaders.Type{shaders.F32}, Source: source,
		Tunables: []shaders.Tunable{{
			Name: Width, Index: 0, Values: widths, Default: usual, About: "adjacent elements per thread, in vectors of two or four",
		}},
		Launch: func(c shaders.Call, _ shaders.Limits) shaders.Launch {
			return shaders.Linear(n(c), int(c.Constants[Width]))
		},
	}
	for _, p := range tuned {
		for _, w := range widths {
			if w != usual {
				m.Cases = append(m.Cases, shaders.Case{Params: p, Constants: shaders.Constants{Width: w}})
			}
		}
	}
	return m
}
