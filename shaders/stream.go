package shaders

import "math"

// CopyParams is the parameter struct of copy.
type CopyParams struct{ N uint32 }

// TriadParams is the parameter struct of triad.
type TriadParams struct {
	N uint32
	S float32
}

// Stream lists the kernels that only move memory: copy and triad, in f32.
func Stream() []Kernel { return []Kernel{copyKernel(), triadKernel()} }

func copyKernel() Kernel {
	n := func(p any) int { return int(p.(CopyParams).N) }
	return Kernel{
		Name: "copy_f32", File: "stream.metal", About: "out = x, to see copy bandwidth",
		Params: CopyParams{},
		Args:   []Arg{{Name: "x", Len: n}, {Name: "out", Access: Out, Len: n}},
		Launch: func(p any) Launch { return linear(n(p), 4) },
		Cost:   func(p any, _ Constants) Cost { return Cost{0, 8 * float64(n(p))} },
		Reference: func(_ any, _ Constants, args []View, _, i int) Value {
			x := args[0].At(i)
			return Value{x, math.Abs(x)}
		},
		Tolerance: func(any, Constants) Tolerance { return Tolerance{Why: "a copy is exact"} },
		Cases: []Case{
			{Params: CopyParams{0}}, {Params: CopyParams{1}}, {Params: CopyParams{1023}}, {Params: CopyParams{65537}},
		},
	}
}

func triadKernel() Kernel {
	n := func(p any) int { return int(p.(TriadParams).N) }
	return Kernel{
		Name: "triad_f32", File: "stream.metal", About: "out = a + s · b, to see sustained bandwidth",
		Params: TriadParams{},
		Args:   []Arg{{Name: "a", Len: n}, {Name: "b", Len: n}, {Name: "out", Access: Out, Len: n}},
		Launch: func(p any) Launch { return linear(n(p), 4) },
		Cost:   func(p any, _ Constants) Cost { return Cost{2 * float64(n(p)), 12 * float64(n(p))} },
		Reference: func(p any, _ Constants, args []View, _, i int) Value {
			sb := float64(p.(TriadParams).S) * args[1].At(i)
			return Value{args[0].At(i) + sb, math.Abs(args[0].At(i)) + math.Abs(sb)}
		},
		Tolerance: func(any, Constants) Tolerance { return rounding(F32) },
		Cases: []Case{
			{Params: TriadParams{0, 3}},
			{Params: TriadParams{1, 3}},
			{Params: TriadParams{1023, -0.5}},
			{Params: TriadParams{65537, 3}},
		},
	}
}
