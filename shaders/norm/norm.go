// Package norm is the family of row normalizations.
package norm

import (
	"embed"

	"assay/shaders"
)

//go:embed *.metal
var files embed.FS

// Tunables of the family.
const (
	Threads = "threads"
	Rows    = "rows"
	Width   = "width"
)

// TwoPass names the implementations that read a row twice for its statistics; the plain ones read it once.
const TwoPass = "twopass"

// Family lists the implementations.
func Family() []*shaders.Impl {
	softmax, layerNorm, rms, sum := softmaxOp(), layerNormOp(), rmsNorm(), addLayerNorm()
	return []*shaders.Impl{
		rms,
		inRegisters(rms.Op, func(rows, cols uint32) any { return RMSNormParams{rows, cols, 1e-5} }),
		layerNormRows(layerNorm, shaders.Plain),
		layerNormRows(layerNorm, TwoPass),
		inRegisters(layerNorm, func(rows, cols uint32) any { return LayerNormParams{rows, cols, 1e-5} }),
		sum,
		addLayerNormRegisters(sum.Op),
		softmaxRows(softmax, shaders.Plain),
		softmaxRows(softmax, TwoPass),
		inRegisters(softmax, func(rows, cols uint32) any { return SoftmaxParams{rows, cols} }),
		softmaxMPS(softmax),
	}
}

// passes returns the title of an implementation and how it does `what`, depending on how it reads a row for its statistics.
func passes(name, what string) (title, about string) {
	if name == TwoPass {
		return "two passes", "two passes over each row for its statistics"
	}
	return "", what + ", with one pass over each row for its statistics"
}

// matrix is the parameters of an operation on the rows of a matrix with these dimensions.
type matrix interface{ Dims() (rows, cols uint32) }

var _, _, _ matrix = RMSNormParams{}, LayerNormParams{}, SoftmaxParams{}

func cols(c shaders.Call) int {
	_, n := c.Params.(matrix).Dims()
	return int(n)
}

func area(c shaders.Call) int {
	m, n := c.Params.(matrix).Dims()
	return shaders.Product(int(m), int(n))
}

// tunables are those of every implementation with its own source, which includes rows.h.
func tunables() []shaders.Tunable {
	return []shaders.Tunable{
		{
			Name: Threads, Index: shaders.LaunchOnly, Values: []int32{32, 64, 128, 256, 512, 1024}, Default: 256,
			About: "threads that share a row, as far as it has elements for them",
		},
		{
			Name: Rows, Index: shaders.LaunchOnly, Values: []int32{1, 2, 4, 8}, Default: 1,
			About: "rows per threadgroup, up to the limit on its threads",
		},
		{
			Name: Width, Index: 0, Values: []int32{1, 4, 8}, Default: 4,
			About: "neighboring elements that a thread takes at once, in vectors of four if the columns divide by four",
		},
	}
}

// groupBytes is the threadgroup memory of each SIMD group: a float2.
const groupBytes = 8

// launch has threadgroups of `threads` × `rows` threads.
func launch(c shaders.Call, l shaders.Limits) shaders.Launch {
	m, n := c.Params.(matrix).Dims()
	width, rows := uint32(c.Constants[Width]), uint32(c.Constants[Rows])
	busy := (min(n, 1<<16)/width + 31) / 32 * 32 // threads that have elements
	threads := max(32, min(l.Fit(uint32(c.Constants[Threads])), busy))
	most := uint32(1024)
	if l.Threads > 0 {
		most = min(most, uint32(l.Threads))
	}
	rows = max(1, min(rows, most/threads))
	return shaders.Launch{
		Groups:  [3]uint32{(m + rows - 1) / rows, 1, 1},
		Threads: [3]uint32{threads, rows, 1},
		Shared:  []int{int(threads/32*rows*groupBytes+15) / 16 * 16},
	}
}

// tuned are cases with threads that have no column, threadgroups that have no row, and rows that end within a vector. The
// implementations with two passes take rows like the plain ones.
func tuned(name string, params func(rows, cols uint32) any) []shaders.Case {
	cases := []shaders.Case{
		{Params: params(5, 257), Constants: shaders.Constants{Threads: 32, Rows: 8}},
		{Params: params(3, 516), Constants: shaders.Constants{Threads: 32, Rows: 4}},
	}
	if name == TwoPass {
		return cases
	}
	return append(cases,
		shaders.Case{Params: params(5, 1028), Constants: shaders.Constants{Threads: 1024, Rows: 4, Width: 1}},
		shaders.Case{Params: params(5, 260), Constants: shaders.Constants{Threads: 128, Rows: 2, Width: 8}},
	)
}
