package stream

import "assay/shaders"

// Implementations of copy_matrix and transpose beside the plain ones.
const (
	Columns = "columns"
	Tiled   = "tiled"
)

// MatrixParams is the parameter struct of copy_matrix and transpose: a [Rows, Cols] matrix, row by row in memory.
type MatrixParams struct{ Rows, Cols uint32 }

func sizes(c shaders.Call) (rows, cols int) {
	p := c.Params.(MatrixParams)
	return int(p.Rows), int(p.Cols)
}

// walks lists copies of a matrix by its rows and by its columns, and transpositions.
func walks() []*shaders.Impl {
	source := shaders.Embedded(files, "walk.metal")
	byRows := func(c shaders.Call, _ shaders.Limits) shaders.Launch {
		rows, cols := sizes(c)
		return shaders.Grid(uint32(rows), uint32(cols))
	}
	byColumns := func(c shaders.Call, _ shaders.Limits) shaders.Launch {
		rows, cols := sizes(c)
		return shaders.Grid(uint32(cols), uint32(rows))
	}
	matrix := matrixOp("copy_matrix", "out = x, a matrix", func(c shaders.Call, i int) int { return i })
	transpose := matrixOp("transpose", "out = xᵀ", func(c shaders.Call, i int) int {
		rows, cols := sizes(c)
		return i%rows*cols + i/rows
	})
	impl := func(op *shaders.Op, name, about string, launch func(shaders.Call, shaders.Limits) shaders.Launch) *shaders.Impl {
		return &shaders.Impl{
			Op: op, Name: name, About: about, Types: []shaders.Type{shaders.F32}, Source: source, Launch: launch,
		}
	}
	tiled := impl(transpose, Tiled, "out = xᵀ, through tiles of 32 × 32 in threadgroup memory", tiles)
	tiled.Source = shaders.Embedded(files, "transpose_tiled.metal")
	return []*shaders.Impl{
		impl(matrix, shaders.Plain, "out = x, a matrix row by row", byRows),
		impl(matrix, Columns, "out = x, a matrix column by column", byColumns),
		impl(transpose, shaders.Plain, "out = xᵀ, read by columns and written by rows", byColumns),
		tiled,
	}
}

// tiles has threadgroups of 32 × 8 threads, one for each tile.
func tiles(c shaders.Call, _ shaders.Limits) shaders.Launch {
	const tile, deep = 32, 8
	rows, cols := sizes(c)
	return shaders.Launch{
		Groups:  [3]uint32{uint32((cols + tile - 1) / tile), uint32((rows + tile - 1) / tile), 1},
		Threads: [3]uint32{tile, deep, 1},
	}
}

// matrixOp moves element from(i) of x to element i.
func matrixOp(name, about string, from func(c shaders.Call, i int) int) *shaders.Op {
	n := func(c shaders.Call) int {
		rows, cols := sizes(c)
		return shaders.Product(rows, cols)
	}
	return &shaders.Op{
		Name: name, About: about, Params: MatrixParams{},
		Valid: func(c shaders.Call) error { return shaders.Indexable("elements", n(c)) },
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: n},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: n},
		},
		Cost: func(c shaders.Call) shaders.Cost { return shaders.Cost{Bytes: 8 * float64(n(c))} },
		Reference: func(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
			return exactly(args[0].At(from(c, i)))
		},
		Tolerance: exact,
		Cases: []shaders.Case{
			{Params: MatrixParams{0, 3}},
			{Params: MatrixParams{1, 1}},
			{Params: MatrixParams{3, 70}},
			{Params: MatrixParams{33, 17}},
			{Params: MatrixParams{100, 4}},
			{Params: MatrixParams{256, 128}},
		},
	}
}
