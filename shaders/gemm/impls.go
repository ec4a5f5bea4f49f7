package gemm

import (
	"slices"

	"assay/shaders"
	"assay/shaders/quant"
)

// Names of the implementations of matmul that have a source.
const (
	Tiled      = "tiled"
	Naive      = "naive"
	Blocked    = "blocked"
	SIMD       = "simd"
	GEMV       = "gemv"
	Vector     = "vector"      // GEMV for one row
	VectorKept = "vector_kept" // which is kept in registers
)

// Tunables of the implementations.
const (
	Tile     = "tile"
	Staging  = "staging"
	Outputs  = "outputs"
	Groups   = "groups"
	Lanes    = "lanes"
	Ways     = "ways"
	TileRows = "tile_rows"
	TileCols = "tile_cols"
	Depth    = "tile_depth"
	Buffered = "buffered"
	Ahead    = "ahead"
	Spread   = "spread"
)

// embedded is an implementation of matmul in one of the family's files.
func embedded(op *shaders.Op, name, file, about string, needs shaders.Feature) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: name, About: about, Types: []shaders.Type{shaders.F32, shaders.F16, shaders.BF16},
		Source: shaders.Embedded(files, file), Constants: op.Constants, Needs: needs,
	}
}

// naive needs nothing and reuses nothing: the baseline.
func naive(op *shaders.Op) *shaders.Impl {
	m := embedded(op, Naive, "matmul_naive.metal", "matrix product with one thread per element of the output", 0)
	m.Launch = func(c shaders.Call, _ shaders.Limits) shaders.Launch {
		rows, cols, _ := dims(c)
		l := shaders.Grid(uint32(rows), uint32(cols))
		l.Groups[2] = uint32(batch(c))
		return l
	}
	return m
}

// tiledMatmul computes square tiles of the output from operands in threadgroup memory, with 16×16 threads.
func tiledMatmul(op *shaders.Op) *shaders.Impl {
	m := embedded(op, Tiled, "matmul.metal", "matrix product by square tiles from operands in threadgroup memory", 0)
	m.Tunables = []shaders.Tunable{{
		Name: Tile, Index: 4, Values: []int32{16, 32, 64}, Default: 64, About: "rows and columns of a threadgroup’s tile",
	}}
	m.Launch = func(c shaders.Call, _ shaders.Limits) shaders.Launch {
		return tiles(c, int(c.Constants[Tile]), [3]uint32{16, 16, 1})
	}
	m.Cases = []shaders.Case{
		{Params: MatmulParams{130, 70, 520, 1}},
		{Params: MatmulParams{33, 49, 37, 2}, Constants: shaders.Constants{Tile: 16, TransposeA: 1}},
		{Params: MatmulParams{33, 49, 37, 2}, Constants: shaders.Constants{Tile: 32, TransposeB: 1}},
	}
	return m
}

// tiledQuant is the GEMM with quantized weights in 64×64 tiles.
func tiledQuant(op *shaders.Op) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: Tiled, Types: quant.Types(), Source: shaders.Embedded(files, "matmul_quant.metal"),
		Constants: op.Constants,
		Launch: func(c shaders.Call, _ shaders.Limits) shaders.Launch {
			return tiles(c, 64, [3]uint32{16, 16, 1})
		},
	}
}

// blocked keeps 8×8 elements of the output in the registers of each thread.
func blocked(op *shaders.Op) *shaders.Impl {
	m := embedded(op, Blocked, "matmul_blocked.metal",
		"matrix product by tiles, 8×8 elements in the registers of a thread, loaded four elements at a time", shaders.Threadgroups)
	m.Tunables = []shaders.Tunable{
		{Name: TileRows, Index: 4, Values: []int32{64, 128, 256}, Default: 64, About: "rows of a threadgroup’s tile"},
		{Name: TileCols, Index: 5, Values: []int32{64, 128, 256}, Default: 64, About: "columns of a threadgroup’s tile"},
		{Name: Depth, Index: 6, Values: []int32{8, 16, 32}, Default: 16, About: "elements along k that are staged at a time"},
		{
			Name: Buffered, Index: 7, Values: []int32{0, 1}, Default: 0,
			About: "1: the next operands are loaded and staged in a second buffer while the others are multiplied",
		},
	}
	m.Launch = blockedLaunch
	m.Cases = slices.Concat(wholeTiles(nil), wholeTiles(shaders.Constants{Buffered: 1, Depth: 8}),
		wholeTiles(shaders.Constants{TileRows: 128, TileCols: 128, Depth: 8, Buffered: 1})[:1],
		wholeTiles(shaders.Constants{TileRows: 256})[:1], wholeTiles(shaders.Constants{TileCols: 256})[1:2], wholeTiles(shaders.Constants{Depth: 32})[1:2])
	return m
}

func blockedLaunch(c shaders.Call, _ shaders.Limits) shaders.Launch {
	m, n, _ := dims(c)
	rows, cols, depth := int(c.Constants[TileRows]), int(c.Constants[TileCols]), int(c.Constants[Depth])
	size := c.Type.Bytes(1)
	staged := depth * (rows + cols + 2*16/size) * size * (1 + int(c.Constants[Buffered]))
	return shaders.Launch{
		Groups:  [3]uint32{uint32((n + cols - 1) / cols), uint32((m + rows - 1) / rows), uint32(batch(c))},
		Threads: [3]uint32{uint32(rows * cols / 64), 1, 1}, Shared: []int{staged},
	}
}

// wholeTiles are cases with tiles inside the matrices, and loops along k that do and do not end in the middle of a vector.
func wholeTiles(c shaders.Constants) []shaders.Case {
	with := func(p MatmulParams, transposeA, transposeB int32) shaders.Case {
		all := shaders.Constants{TransposeA: transposeA, TransposeB: transposeB}
		for name, v := range c {
			all[name] = v
		}
		return shaders.Case{Params: p, Constants: all}
	}
	return []shaders.Case{
		with(MatmulParams{68, 132, 36, 1}, 0, 0),
		with(MatmulParams{68, 132, 36, 1}, 1, 1),
		with(MatmulParams{66, 65, 33, 2}, 0, 1),
	}
}

// simd multiplies with simdgroup_matrix.
func simd(op *shaders.Op) *shaders.Impl {
	m := embedded(op, SIMD, "matmul_simd.metal", "matrix product by simdgroup_matrix, four SIMD groups a tile",
		shaders.SIMDGroupMatrix|shaders.Threadgroups)
	m.Tunables = []shaders.Tunable{
		{Name: Tile, Index: 4, Values: []int32{32, 64}, Default: 64, About: "rows and columns of a threadgroup’s tile"},
		{
			Name: Staging, Index: 5, Values: []int32{0, 1}, Default: 1,
			About: "1: operands pass through threadgroup memory; 0: tiles inside the matrices come straight from device memory",
		},
	}
	m.Launch = func(c shaders.Call, _ shaders.Limits) shaders.Launch {
		tile := int(c.Constants[Tile])
		l := tiles(c, tile, [3]uint32{128, 1, 1})
		l.Shared = []int{4 * max(2*tile*(16+8), tile*(tile+4))} // two panels of 16 along k, padded; then the tile of sums
		return l
	}
	m.Cases = slices.Concat(wholeTiles(shaders.Constants{Tile: 32}), wholeTiles(shaders.Constants{Staging: 0}),
		wholeTiles(shaders.Constants{Tile: 32, Staging: 0})[:1]) // what is preferred from the M3 on
	return m
}

// tiles covers a batch of outputs with square tiles.
func tiles(c shaders.Call, tile int, threads [3]uint32) shaders.Launch {
	m, n, _ := dims(c)
	across := func(n int) uint32 { return uint32((n + tile - 1) / tile) }
	return shaders.Launch{Groups: [3]uint32{across(n), across(m), uint32(batch(c))}, Threads: threads}
}
