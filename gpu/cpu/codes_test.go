package cpu_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/gpu"
	"assay/shaders"
	"assay/shaders/blocks"
	"assay/shaders/gemm"
	"assay/shaders/quant"
)

// TestFewRowsByBlocks covers the ends of blocks where codes are multiplied in place: inside and outside whole vectors.
func TestFewRowsByBlocks(t *testing.T) {
	skipArithmetic(t)
	onAll(t, func(t *testing.T, r *bench) {
		for m := uint32(1); m <= 4; m++ {
			for _, block := range []uint32{0, 2, 4, 6, 32, 48, 64, 128, 256} {
				for _, k := range []uint32{1, 31, 100, 513, 640} {
					for _, kind := range quant.Types() {
						if p := (gemm.QuantMatmulParams{M: m, N: 5, K: k, Block: block}); p.Weights().Valid(kind) == nil {
							r.guarded(tiledCodes+kind.String(), p, nil)
							r.guarded(tiledCodes+kind.String(), p, inHalf())
						}
					}
				}
			}
		}
	})
}

// TestCodesByBlocks covers many rows times codes, in groups along k that are short, long and partial, and in several blocks.
func TestCodesByBlocks(t *testing.T) {
	skipArithmetic(t)
	onAll(t, func(t *testing.T, r *bench) {
		for _, p := range []gemm.QuantMatmulParams{
			{M: 5, N: 17, K: 128, Block: 32},
			{M: 33, N: 47, K: 291, Block: 32},
			{M: 16, N: 16, K: 256, Block: 64},
			{M: 31, N: 50, K: 801, Block: 0},
			{M: 20, N: 33, K: 450, Block: 96},
			{M: 2060, N: 9, K: 257, Block: 256},
			{M: 6, N: 2070, K: 130, Block: 64},
			{M: 37, N: 70, K: 803, Block: 32},
			{M: 19, N: 33, K: 1101, Block: 96},
			{M: 8, N: 40, K: 600, Block: 0},
		} {
			for _, kind := range quant.Types() {
				r.guarded(tiledCodes+kind.String(), p, nil)
				r.guarded(tiledCodes+kind.String(), p, inHalf())
			}
		}
	})
}

// TestCodesMeetNoOldBits multiplies rows that end in the middle of a group, where earlier products left NaN in the scratch memory.
func TestCodesMeetNoOldBits(t *testing.T) {
	skipArithmetic(t)
	onEach(t, func(t *testing.T, r *bench) {
		for _, name := range []string{"matmul_tiled_f32", "matmul_tiled_bf16"} {
			for _, k := range []uint32{130, 160, 350} {
				for _, kind := range quant.Types() {
					old := r.dispatch(name, gemm.MatmulParams{M: 96, N: 300, K: 640, Batch: 1}, nil)
					for _, b := range old.Bindings[:2] {
						r.must(b.Buffer.Fill(0xFF))
					}
					r.run(old)
					r.guarded(tiledCodes+kind.String(), gemm.QuantMatmulParams{M: 61, N: 90, K: k, Block: 64 * (k % 4 / 2)}, nil)
				}
			}
		}
	})
}

// inHalf converts scales and zero points to f16.
func inHalf() shaders.Constants { return shaders.Constants{quant.HalfScales: 1} }

// TestHalfScalesOfLongRows covers rows with more scales than are widened together, and f16 zero points that are not finite.
func TestHalfScalesOfLongRows(t *testing.T) {
	skipArithmetic(t)
	onAll(t, func(t *testing.T, r *bench) {
		for m := uint32(1); m <= 5; m += 2 {
			for _, cols := range []uint32{32 * 2048, 32 * 2049, 32*4096 + 1000} {
				r.guarded(tiledCodes+"int8", gemm.QuantMatmulParams{M: m, N: 3, K: cols, Block: 32}, inHalf())
				r.guarded("matmul_quant_int8_tiled_int4", gemm.QuantInt8MatmulParams{M: m, N: 3, K: cols, Block: 32}, inHalf())
			}
			r.guarded(tiledCodes+"int4", gemm.QuantMatmulParams{M: m, N: 3, K: 10_001, Block: 2}, inHalf())
		}
		r.guarded(tiledCodes+"int4", gemm.QuantMatmulParams{M: 1, N: 2, K: 1_049_001, Block: 2}, inHalf())
		for _, c := range []struct {
			arg int
			x   float64
		}{{2, math.Inf(1)}, {3, math.Inf(-1)}, {3, math.NaN()}} {
			for _, m := range []uint32{1, 18} {
				d := r.dispatch(tiledCodes+"int8", gemm.QuantMatmulParams{M: m, N: 20, K: 512, Block: 32}, inHalf())
				shaders.View{Type: shaders.F16, Data: d.Bindings[c.arg].Buffer.Bytes()}.Set(5, c.x)
				r.verify(d)
			}
		}
	})
}

// tiledCodes is the prefix of the kernels' names, followed by the type of codes.
const tiledCodes = "matmul_quant_tiled_"

// TestCodesNotFinite checks that one activation or scale that is not finite, or barely, gives the same as separate products.
func TestCodesNotFinite(t *testing.T) {
	skipArithmetic(t)
	onAll(t, func(t *testing.T, r *bench) {
		for m, largest := range map[uint32]float64{1: 0x1p100, 18: math.MaxFloat32} { // sums of a block are scaled when they are complete
			p := gemm.QuantMatmulParams{M: m, N: 20, K: 512, Block: 32}
			for _, c := range []struct {
				arg int
				x   float64
			}{{0, math.Inf(1)}, {0, math.NaN()}, {0, largest}, {2, math.Inf(1)}, {3, math.Inf(-1)}, {3, math.NaN()}} {
				d := r.dispatch("matmul_quant_tiled_int8", p, nil)
				shaders.View{Data: d.Bindings[c.arg].Buffer.Bytes()}.Set(5, c.x)
				r.verify(d)
			}
		}
	})
}

// TestActivationsOfAllSizes multiplies activations of very different magnitudes, which become integers with a power of two for
// every few of them. Activations that are all tiny or huge do not, nor do many rows whose rounding would show. Errors are
// measured relative to the sum of the terms' magnitudes.
func TestActivationsOfAllSizes(t *testing.T) {
	skipArithmetic(t)
	onAll(t, func(t *testing.T, r *bench) {
		for _, c := range []struct{ least, most float64 }{{-3, 3}, {-50, 50}, {-120, -90}, {70, 80}, {-149, -140}} {
			for _, kind := range quant.Types() {
				for _, m := range []uint32{3, 20} {
					r.verify(r.spread(tiledCodes+kind.String(), m, c.least, c.most))
				}
			}
		}
	})
}

// spread is a product of m rows of activations whose powers of two are between two limits.
func (b *bench) spread(name string, m uint32, least, most float64) gpu.Launch {
	d := b.dispatch(name, gemm.QuantMatmulParams{M: m, N: 40, K: 700, Block: 32}, nil)
	a := shaders.View{Data: d.Bindings[0].Buffer.Bytes()}
	rng := rand.New(rand.NewPCG(5, 3))
	for i := range a.Len() {
		a.Set(i, math.Copysign(math.Exp2(least+(most-least)*rng.Float64()), rng.Float64()-0.5))
	}
	return d
}

// TestIntegerTiles covers the ends of tiles, of steps and of blocks along k; integer products are exact.
func TestIntegerTiles(t *testing.T) {
	skipArithmetic(t)
	onAll(t, func(t *testing.T, r *bench) {
		for _, p := range []gemm.Int8MatmulParams{{M: 1, N: 1, K: 1}, {M: 31, N: 33, K: 65}, {M: 64, N: 32, K: 128}, {M: 70, N: 100, K: 1100}, {M: 5, N: 300, K: 1024}} {
			r.guarded("matmul_int8_tiled_int8", p, nil)
		}
	})
}

// blockTypes lists the formats of ggml's blocks.
func blockTypes() []string { return []string{"q8_0", "q6_K", "q4_1", "q4_K", "q4_0"} }

// TestBlocksOfAllShapes covers rows of blocks that end within a span of 256, and products that do and do not use integers.
func TestBlocksOfAllShapes(t *testing.T) {
	skipArithmetic(t)
	onAll(t, func(t *testing.T, r *bench) {
		for _, name := range blockTypes() {
			unit := uint32(32)
			if strings.HasSuffix(name, "K") {
				unit = 256
			}
			for _, p := range [][3]uint32{{1, 7, 1}, {1, 9, 6}, {2, 5, 19}, {3, 4, 24}, {4, 3, 33}, {19, 35, 18}, {33, 70, 21}} {
				p := blocks.BlockMatmulParams{M: p[0], N: p[1], K: p[2] * unit}
				r.guarded("matmul_blocks_tiled_"+name, p, nil)
			}
			r.guarded("dequantize_blocks_"+name, blocks.BlockParams{Rows: 70, Cols: 3 * unit}, nil)
			if unit == 32 {
				for rows := uint32(1); rows < 40; rows += 3 {
					r.guarded("quantize_blocks_"+name, blocks.BlockParams{Rows: rows, Cols: 7 * unit}, nil)
				}
			}
		}
	})
}

// TestBlocksNotFinite checks that activations that are not finite, or barely, give the same as separate products.
func TestBlocksNotFinite(t *testing.T) {
	skipArithmetic(t)
	onAll(t, func(t *testing.T, r *bench) {
		for _, name := range blockTypes() {
			for _, m := range []uint32{1, 34} {
				for _, x := range []float64{math.Inf(1), math.NaN(), 0x1p100, 0x1p120, math.MaxFloat32} {
					d := r.dispatch("matmul_blocks_tiled_"+name, blocks.BlockMatmulParams{M: m, N: 20, K: 1024}, nil)
					shaders.View{Type: shaders.F32, Data: d.Bindings[0].Buffer.Bytes()}.Set(5, x)
					r.verify(d)
				}
			}
		}
	})
}
