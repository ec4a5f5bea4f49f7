package norm

import (
	"fmt"
	"slices"

	"assay/shaders"
)

// Registers names the implementations whose threads keep a row in registers and read it once.
const Registers = "registers"

// Tunables of Registers: how much of a row a thread keeps, and whether the code is for rows of whole vectors only.
const (
	Kept  = "kept"
	Whole = "whole"
)

const (
	keptBytes  = 16   // each, of the row's elements
	maxThreads = 1024 // threads of a threadgroup, at most
)

// inRegisters is the implementation of an operation whose threads keep rows, in its own source.
func inRegisters(op *shaders.Op, params func(rows, cols uint32) any) *shaders.Impl {
	return InRegisters(op, shaders.Embedded(files, op.Name+"_registers.metal"), params)
}

// InRegisters is the implementation of an operation on the rows of a matrix whose threads keep them, for a source that includes
// kept.h. Its parameters have Dims, like those of this package.
func InRegisters(op *shaders.Op, source shaders.Source, params func(rows, cols uint32) any) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: Registers, Title: "rows in registers", Types: []shaders.Type{shaders.F32, shaders.F16, shaders.BF16}, Needs: shaders.Threadgroups,
		About:  "rows kept in registers, each read once and written once",
		Source: source, Launch: launchRegisters,
		Tunables: []shaders.Tunable{
			{Name: Kept, Index: 0, Values: []int32{1, 2, 4, 8}, Default: 4, About: "times 16 bytes of a row that a thread keeps"},
			{
				Name: Rows, Index: shaders.LaunchOnly, Values: []int32{1, 2, 4, 8}, Default: 1,
				About: "rows per threadgroup, up to the limit on its threads",
			},
			{Name: Whole, Index: 1, Values: []int32{0, 1}, About: "1: code for rows of a multiple of 16 bytes only, with fewer registers"},
		},
		Valid: func(c shaders.Call) error {
			if n, most := cols(c), maxThreads*keptElements(c); n > most {
				return fmt.Errorf("rows of %d elements; %d threads that keep %d each hold %d", n, maxThreads, keptElements(c), most)
			}
			if n := c.Type.Bytes(cols(c)); c.Constants[Whole] != 0 && (n == 0 || n%keptBytes != 0) {
				return fmt.Errorf("rows of %d B; %s=1 is for multiples of %d B", n, Whole, keptBytes)
			}
			return nil
		},
		Cases: []shaders.Case{
			{Params: params(5, 257), Constants: shaders.Constants{Kept: 1, Rows: 8}},
			{Params: params(3, 1032), Constants: shaders.Constants{Kept: 1}},
			{Params: params(5, 264), Constants: shaders.Constants{Kept: 2, Rows: 2}},
			{Params: params(5, 1032), Constants: shaders.Constants{Kept: 8, Rows: 4}},
			{Params: params(3, 264), Constants: shaders.Constants{Kept: 1, Rows: 2, Whole: 1}},
			{Params: params(5, 1032), Constants: shaders.Constants{Whole: 1}},
		},
	}
}

// keptElements returns how many elements of a row a thread keeps.
func keptElements(c shaders.Call) int { return int(c.Constants[Kept]) * keptBytes / c.Type.Bytes(1) }

// launchRegisters has as many threads per row as are needed to keep it.
func launchRegisters(c shaders.Call, l shaders.Limits) shaders.Launch {
	m, n := c.Params.(matrix).Dims()
	each := uint32(keptElements(c))
	threads := max(32, ((min(n, maxThreads*each)+each-1)/each+31)/32*32)
	most := uint32(maxThreads)
	if l.Threads > 0 {
		most = min(most, uint32(l.Threads))
	}
	rows := max(1, min(uint32(c.Constants[Rows]), most/threads))
	return shaders.Launch{
		Groups:  [3]uint32{(m + rows - 1) / rows, 1, 1},
		Threads: [3]uint32{threads, rows, 1},
		Shared:  []int{int(threads/32*rows*groupBytes+15) / 16 * 16},
	}
}

// preferences keep rows in registers on NVIDIA GPUs, with the fastest settings on an H200: `two` for elements of two bytes in
// rows of a multiple of 16, `odd` for those in other rows, and for other elements by the bytes of a row alone.
func preferences(two, odd [][3]int32) []shaders.Preference {
	four := [][3]int32{{1, 4, 512}, {2, 4, 1024}, {2, 2, 2048}, {4, 1, 4096}, {8, 1, 8192}, {4, 1, 32768}, {8, 1, 65536}}
	return slices.Concat(ofTwoBytes(keep(two, 1)), ofTwoBytes(keep(odd, 0)), Keep(four, four))
}

// Keep returns preferences that keep rows in registers on NVIDIA GPUs: each entry has Kept, Rows, and the bytes of the longest
// row that it applies to, for rows of a multiple of 16 bytes and for others. Longer rows, and those for which a threadgroup lacks
// registers, use the plain implementation.
func Keep(whole, odd [][3]int32) []shaders.Preference {
	return append(slices.Concat(keep(whole, 1), keep(odd, 0)), shaders.Preference{Impl: shaders.Plain, Why: "the default"})
}

// keep returns Keep's preferences without the plain implementation. With whole = 1 they are for rows of a multiple of 16 bytes.
func keep(forms [][3]int32, whole int32) []shaders.Preference {
	const longest = 16384 // elements, at up to four of the 65536 registers each
	var list []shaders.Preference
	for _, f := range forms {
		list = append(list, shaders.Preference{
			Impl: Registers, Tunables: shaders.Constants{Kept: f[0], Rows: f[1], Whole: whole}, NVIDIA: true,
			Why: "rows kept in registers are read once",
			For: func(c shaders.Call) bool { return c.Type.Bytes(cols(c)) <= int(f[2]) && cols(c) <= longest },
		})
	}
	return list
}

// ofTwoBytes limits preferences to elements of two bytes, of which registers hold twice as many.
func ofTwoBytes(list []shaders.Preference) []shaders.Preference {
	for i, p := range list {
		list[i].For = func(c shaders.Call) bool { return c.Type.Bytes(1) == 2 && p.For(c) }
	}
	return list
}
