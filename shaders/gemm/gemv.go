package gemm

import (
	"fmt"

	"assay/shaders"
	"assay/shaders/quant"
)

// GEMVRows is the largest number of rows of a that GEMV takes.
const GEMVRows = 8

// wideRows is the maximum number of rows of a with which a thread takes 16 bytes of columns, as in the source.
const wideRows = 2

// fewEnough refuses more rows of a than GEMV takes.
func fewEnough(c shaders.Call) error {
	if rows, _, _ := dims(c); rows > GEMVRows {
		return fmt.Errorf("%d rows of a, gemv takes up to %d", rows, GEMVRows)
	}
	return nil
}

// gemvQuant reads quantized weights once for all rows of a, of which there are few.
func gemvQuant(op *shaders.Op) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: GEMV, Types: quant.Types(), Needs: shaders.Threadgroups,
		About:     fmt.Sprintf("product of up to %d rows of a with quantized weights, which are read once and straight from memory", GEMVRows),
		Source:    shaders.Embedded(files, "matmul_quant_gemv.metal"),
		Constants: op.Constants,
		Tunables: []shaders.Tunable{
			{Name: Lanes, Index: 0, Values: []int32{8, 16, 32}, Default: 32, About: "lanes of a SIMD group along a row of the weights"},
			{Name: Outputs, Index: 1, Values: []int32{2, 4}, Default: 2, About: "rows of the weights that a lane takes"},
			{Name: Groups, Index: shaders.LaunchOnly, Values: []int32{2, 4, 8}, Default: 8, About: "SIMD groups in a threadgroup"},
		},
		Valid: fewEnough, Launch: gemvQuantLaunch,
		Cases: alsoInHalf(3, []shaders.Case{
			{Params: QuantMatmulParams{8, 37, 544, 32}, Constants: shaders.Constants{Lanes: 8, Groups: 2}},
			{Params: QuantMatmulParams{1, 67, 1056, 96}},
			{Params: QuantMatmulParams{2, 33, 320, 0}, Constants: shaders.Constants{Lanes: 8, Groups: 2}},
			{Params: QuantMatmulParams{4, 35, 160, 40}}, // blocks that packs do not divide
			{Params: QuantMatmulParams{3, 19, 96, 32}, Constants: shaders.Constants{Outputs: 4}},
		}),
	}
}

// packOf returns how many codes a lane loads at once: 16 bytes, or less so that they are in one block of 32.
func packOf(t shaders.Type) int { return min(32, 128/t.Bits()) }

func gemvQuantLaunch(c shaders.Call, limits shaders.Limits) shaders.Launch {
	m, n, _ := dims(c)
	threads, lanes := limits.Fit(32*uint32(c.Constants[Groups])), int(c.Constants[Lanes])
	tile := int(threads) / lanes * int(c.Constants[Outputs]) // rows of the weights
	rows := min(m, 4)                                        // of a; the source has code for these numbers
	if rows == 3 {
		rows = 4
	}
	packs := packOf(c.Type) * (lanes + 1) // elements of a row of a in threadgroup memory
	return shaders.Launch{
		Groups:  [3]uint32{uint32((n + tile - 1) / tile), uint32(min(m, 1)), 1},
		Threads: [3]uint32{threads, 1, 1}, Shared: []int{shaders.FloatBytes(uint32(max(rows, 1) * packs))},
	}
}

// gemv reads b once for all rows of a, of which there are few.
func gemv(op *shaders.Op) *shaders.Impl {
	m := embedded(op, GEMV, "matmul_gemv.metal",
		fmt.Sprintf("matrix product of up to %d rows of a, b read once and straight from memory", GEMVRows), 0)
	m.Tunables = []shaders.Tunable{
		{Name: Outputs, Index: 4, Values: []int32{1, 2, 4}, Default: 1, About: "rows of a transposed b that a SIMD group takes"},
		{Name: Groups, Index: shaders.LaunchOnly, Values: []int32{2, 4, 8}, Default: 4, About: "SIMD groups in a threadgroup"},
		{Name: Ways, Index: shaders.LaunchOnly, Values: []int32{4, 8, 16}, Default: 16, About: "SIMD groups in a threadgroup where b is [k,n]"},
		{Name: Lanes, Index: shaders.LaunchOnly, Values: []int32{4, 8, 16, 32}, Default: 8, About: "neighboring threads along a row of b where it is [k,n]"},
	}
	m.Valid, m.Launch = fewEnough, gemvLaunch
	m.Cases = []shaders.Case{
		{Params: MatmulParams{8, 130, 133, 2}, Constants: shaders.Constants{TransposeB: 1}},
		{Params: MatmulParams{2, 35, 264, 1}, Constants: shaders.Constants{TransposeB: 1, Outputs: 4}},
		{Params: MatmulParams{1, 19, 1544, 1}, Constants: shaders.Constants{TransposeB: 1, Groups: 8}},
		{Params: MatmulParams{6, 11, 776, 1}, Constants: shaders.Constants{TransposeB: 1, Outputs: 2}},
		{Params: MatmulParams{7, 260, 45, 1}, Constants: shaders.Constants{Lanes: 32, Ways: 4}},
		{Params: MatmulParams{1, 136, 70, 2}},
		{Params: MatmulParams{3, 35, 64, 2}, Constants: shaders.Constants{TransposeA: 1, TransposeB: 1}},
	}
	return m
}

func gemvLaunch(c shaders.Call, limits shaders.Limits) shaders.Launch {
	m, n, _ := dims(c)
	l := shaders.Launch{Groups: [3]uint32{0, uint32(min(m, 1)), uint32(batch(c))}}
	cols := 0 // per threadgroup
	if c.Constants[TransposeB] != 0 {
		threads := limits.Fit(32 * uint32(c.Constants[Groups]))
		cols = int(threads/32) * int(c.Constants[Outputs])
		l.Threads, l.Shared = [3]uint32{threads, 1, 1}, []int{16}
	} else {
		across, threads := uint32(c.Constants[Lanes]), limits.Fit(32*uint32(c.Constants[Ways]))
		each := 16 / c.Type.Bytes(1) // columns per thread
		if m > wideRows {
			each = 4
		}
		cols = int(across) * each
		l.Threads, l.Shared = [3]uint32{across, threads / across, 1}, []int{4 * cols * int(threads/32)}
	}
	l.Groups[0] = uint32((n + cols - 1) / cols)
	return l
}
