// Package entropy is the family that computes the entropy of bytes in windows.
package entropy

import (
	"embed"
	"fmt"
	"math"

	"assay/shaders"
)

//go:embed *.metal
var files embed.FS

// Names of the implementations besides shaders.Plain, which counts the bytes of a window in one thread.
const (
	Shared  = "shared"  // a threadgroup counts one window in its memory
	Rolling = "rolling" // a thread takes a run of windows, and counts only what enters and leaves
)

// Tunables of the family.
const (
	Threads = "threads"
	Run     = "run"
)

// Half is the bytes of a window on either side of its center.
const Half = 128

// EntropyParams is the parameter struct: windows of 256 bytes around every Stride-th of N bytes.
type EntropyParams struct{ N, Stride uint32 }

// Windows returns the number of windows; none with a stride of 0, with which no kernel runs.
func (p EntropyParams) Windows() int {
	if p.Stride == 0 {
		return 0
	}
	return int((uint64(p.N) + uint64(p.Stride) - 1) / uint64(p.Stride))
}

// window returns the first byte of window i, and the one after its last.
func (p EntropyParams) window(i int) (first, last int) {
	center := i * int(p.Stride)
	return max(0, center-Half), min(int(p.N), center+Half)
}

// Family lists the implementations.
func Family() []*shaders.Impl {
	op := entropyOp()
	return []*shaders.Impl{
		own(op, shaders.Plain, "each thread counts its own window", []shaders.Tunable{threads(64)}, perThread),
		own(op, Shared, "a threadgroup counts one window in threadgroup memory", []shaders.Tunable{threads(256)}, perGroup),
		own(op, Rolling, "each thread takes a run of windows and counts what enters and leaves", []shaders.Tunable{threads(64), run()}, perThread),
	}
}

func params(c shaders.Call) EntropyParams { return c.Params.(EntropyParams) }

func entropyOp() *shaders.Op {
	return &shaders.Op{
		Name: "entropy", About: "out[i] = entropy of the 256 bytes around byte i · stride, from 0 to 1", Params: EntropyParams{},
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: func(c shaders.Call) int { return int(params(c).N) }},
			{Name: "out", Access: shaders.Out, Len: func(c shaders.Call) int { return params(c).Windows() }},
		},
		Valid: valid,
		Cost:  cost,
		Reference: func(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
			first, last := params(c).window(i)
			return shaders.Value{Want: reference(args[0], first, last) / 8}
		},
		Tolerance: func(shaders.Call) shaders.Tolerance {
			return shaders.Tolerance{Abs: 1e-5, Why: "a sum of up to 256 terms in f32, or of integers in steps of 1/65536"}
		},
		Cases: []shaders.Case{
			{Params: EntropyParams{0, 1}},
			{Params: EntropyParams{1, 1}},
			{Params: EntropyParams{5, 9}},
			{Params: EntropyParams{127, 1}},
			{Params: EntropyParams{300, 7}},
			{Params: EntropyParams{1025, 1}},
			{Params: EntropyParams{5000, 300}}, // some bytes are in no window
		},
	}
}

// valid refuses a stride of 0, and sizes beyond which an index in the shaders would overflow.
func valid(c shaders.Call) error {
	if stride := params(c).Stride; stride == 0 || stride > math.MaxInt32 {
		return fmt.Errorf("stride is %d, want 1…%d", stride, math.MaxInt32)
	}
	return shaders.Indexable("bytes", int(params(c).N))
}

// cost counts each window separately, regardless of how an implementation counts: an addition for each of its bytes, and a
// logarithm, a product and a sum for each of its codes, of which there are at most as many as bytes.
func cost(c shaders.Call) shaders.Cost {
	p := params(c)
	return shaders.Cost{Ops: 4 * float64(p.inWindows()), Bytes: float64(p.Read()) + 4*float64(p.Windows())}
}

// inWindows returns the sum of the lengths of all windows: those at the ends of the array are shorter.
func (p EntropyParams) inWindows() int {
	windows := p.Windows()
	bytes := windows * 2 * Half
	for i := 0; i < windows && i*int(p.Stride) < Half; i++ {
		bytes -= Half - i*int(p.Stride)
	}
	for i := windows - 1; i >= 0 && i*int(p.Stride)+Half > int(p.N); i-- {
		bytes -= i*int(p.Stride) + Half - int(p.N)
	}
	return bytes
}

// Read returns how many bytes are in any window: windows far apart skip bytes.
func (p EntropyParams) Read() int {
	if windows := p.Windows(); windows > 0 && p.Stride <= 2*Half {
		_, last := p.window(windows - 1)
		return last
	}
	return p.inWindows()
}

// reference returns the entropy of some bytes in bits.
func reference(x shaders.View, first, last int) float64 {
	var counts [256]int
	for i := first; i < last; i++ {
		counts[uint8(int8(x.At(i)))]++
	}
	var bits float64
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(last-first)
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

func own(op *shaders.Op, name, about string, tunables []shaders.Tunable, launch func(shaders.Call, shaders.Limits) shaders.Launch) *shaders.Impl {
	m := &shaders.Impl{
		Op: op, Name: name, About: "entropy of windows of bytes: " + about, Types: []shaders.Type{shaders.I8},
		Source: shaders.Embedded(files, "entropy.metal"), Launch: launch, Tunables: tunables,
	}
	switch name {
	case Shared:
		m.Needs = shaders.Threadgroups
	case Rolling:
		m.Source = shaders.Embedded(files, "rolling.metal")
		m.Cases = []shaders.Case{{Params: EntropyParams{1025, 3}, Constants: shaders.Constants{Run: 8}}}
	}
	return m
}

func threads(standard int32) shaders.Tunable {
	return shaders.Tunable{
		Name: Threads, Index: shaders.LaunchOnly, Values: []int32{32, 64, 128, 256}, Default: standard, About: "threads of a threadgroup",
	}
}

func run() shaders.Tunable {
	return shaders.Tunable{Name: Run, Index: 0, Values: []int32{8, 32, 128, 512}, Default: 128, About: "windows that a thread takes in a row"}
}

// perThread has a thread for each window, or for each run of windows.
func perThread(c shaders.Call, l shaders.Limits) shaders.Launch {
	each := max(1, int(c.Constants[Run]))
	threads := l.Fit(uint32(c.Constants[Threads]))
	return shaders.Launch{
		Groups:  [3]uint32{uint32((params(c).Windows() + each*int(threads) - 1) / (each * int(threads))), 1, 1},
		Threads: [3]uint32{threads, 1, 1},
	}
}

// perGroup has a threadgroup for each window, with its counts and the sums of its SIMD groups.
func perGroup(c shaders.Call, l shaders.Limits) shaders.Launch {
	return shaders.Launch{
		Groups:  [3]uint32{uint32(params(c).Windows()), 1, 1},
		Threads: [3]uint32{l.Fit(uint32(c.Constants[Threads])), 1, 1},
		Shared:  []int{4 * 256, 4 * 8},
	}
}
