// Package blocks is the family of weights in ggml's blocks, which contain their scales: matmuls, and conversion from and to floats.
package blocks

import (
	"cmp"
	"embed"
	"fmt"
	"slices"

	"assay/internal/ggml"
	"assay/shaders"
)

//go:embed *.metal
var files embed.FS

// BlockParams is the parameter struct of quantize_blocks and dequantize_blocks: a [Rows, Cols] matrix, each row whole blocks.
type BlockParams struct{ Rows, Cols uint32 }

// Family lists the implementations.
func Family() []*shaders.Impl {
	matmul := matmulOp()
	int8 := int8Op(matmul)
	return []*shaders.Impl{tiled(matmul), gemv(matmul), vector(matmul), tiledInt8(int8), gemvInt8(int8), quantize(), dequantize()}
}

// Types lists the formats of blocks.
func Types() []shaders.Type {
	return slices.DeleteFunc(shaders.Types(), func(t shaders.Type) bool { return t.Block() == nil })
}

// whole refuses rows that do not consist of whole blocks.
func whole(b *ggml.Block, cols int) error {
	if cols%b.Weights != 0 {
		return fmt.Errorf("rows of %d weights: %s has blocks of %d", cols, b.Name, b.Weights)
	}
	return nil
}

func params(c shaders.Call) (rows, cols int) {
	p := c.Params.(BlockParams)
	return int(p.Rows), int(p.Cols)
}

func elements(c shaders.Call) int {
	rows, cols := params(c)
	return shaders.Product(rows, cols)
}

func valid(c shaders.Call) error {
	_, cols := params(c)
	return cmp.Or(whole(c.Type.Block(), cols), shaders.Indexable("blocks", elements(c)/c.Type.Block().Weights))
}

// bytes counts floats and blocks once each.
func bytes(c shaders.Call) float64 {
	return float64(4*elements(c)) + float64(c.Type.Bytes(elements(c)))
}

// fours has a thread for every four weights.
func fours(c shaders.Call, l shaders.Limits) shaders.Launch {
	threads, all := l.Fit(256), uint64(elements(c)/4)
	return shaders.Launch{Groups: [3]uint32{uint32((all + uint64(threads) - 1) / uint64(threads)), 1, 1}, Threads: [3]uint32{threads, 1, 1}}
}

// weight is element i of w, with the magnitude that scales its rounding errors.
func weight(w shaders.View, i int) shaders.Value {
	b := w.Type.Block()
	code, scale, offset := b.Terms(w.Data[i/b.Weights*b.Bytes:], i%b.Weights)
	return shaders.Value{Want: code*scale + offset, Scale: max(code*scale, -code*scale) + max(offset, -offset)}
}

func dequantize() *shaders.Impl {
	op := &shaders.Op{
		Name: "dequantize_blocks", About: "blocks of weights back to floats", Params: BlockParams{},
		Args: []shaders.Arg{
			{Name: "blocks", Type: shaders.Var, Len: elements},
			{Name: "out", Access: shaders.Out, Len: elements},
		},
		Valid:     valid,
		Cost:      func(c shaders.Call) shaders.Cost { return shaders.Cost{Ops: 2 * float64(elements(c)), Bytes: bytes(c)} },
		Reference: func(_ shaders.Call, args []shaders.View, _, i int) shaders.Value { return weight(args[0], i) },
		Tolerance: func(shaders.Call) shaders.Tolerance { return shaders.Rounding(shaders.F32) },
		Cases:     cases(),
	}
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: Types(), Source: shaders.Embedded(files, "dequantize_blocks.metal"), Launch: fours,
	}
}

// cases are matrices of blocks of 32 and of 256; those that the type's blocks do not divide are left out.
func cases() []shaders.Case {
	var all []shaders.Case
	for _, p := range []BlockParams{{0, 256}, {3, 0}, {1, 32}, {5, 96}, {1, 256}, {3, 512}, {7, 768}} {
		all = append(all, shaders.Case{Params: p})
	}
	return all
}
