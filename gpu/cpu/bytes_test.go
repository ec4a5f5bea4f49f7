package cpu_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/gpu"
	"assay/shaders/blocks"
	"assay/shaders/gemm"
)

// int8Codes are the kernels of int8 activations times each type of codes.
var int8Codes = []string{"matmul_quant_int8_tiled_int8", "matmul_quant_int8_tiled_int4"}

// extreme is a product of activations and codes at the ends of their range, where saturating instructions would be wrong, or of
// random values.
func (b *bench) extreme(name string, p gemm.QuantInt8MatmulParams) gpu.Launch {
	d := b.dispatch(name, p, nil)
	rng := rand.New(rand.NewPCG(uint64(p.K), uint64(p.Block)))
	for _, arg := range []int{0, 2} {
		mem, ends := d.Bindings[arg].Buffer.Bytes(), rng.IntN(4)
		for i := range mem {
			switch ends {
			case 0:
				mem[i] = byte(rng.Uint32())
			case 1:
				mem[i] = []byte{0x80, 0x7f, 0x88, 0x77}[rng.IntN(4)]
			case 2:
				mem[i] = []byte{0x80, 0x88}[arg/2*rng.IntN(2)]
			case 3: // sums of the largest magnitude
				mem[i] = []byte{0x80, 0x77}[arg/2]
			}
		}
	}
	return d
}

// TestInt8CodesOfAllShapes covers blocks that do and do not fill lanes, vectors and panels, few rows and many, and several
// panels.
func TestInt8CodesOfAllShapes(t *testing.T) {
	skipArithmetic(t)
	onAll(t, func(t *testing.T, r *bench) {
		for _, name := range int8Codes {
			for _, block := range []uint32{0, 2, 4, 6, 30, 32, 34, 48, 64, 128, 256, 500, 512, 700, 1024, 5000} {
				for _, s := range [][3]uint32{{1, 7, 131}, {2, 5, 513}, {3, 9, 640}, {4, 6, 1500}, {7, 37, 640}, {13, 50, 1501}, {6, 64, 100}, {9, 3, 2}} {
					p := gemm.QuantInt8MatmulParams{M: s[0], N: s[1], K: s[2], Block: block}
					r.guarded(name, p, nil)
					r.verify(r.extreme(name, p))
				}
			}
			r.guarded(name, gemm.QuantInt8MatmulParams{M: 1300, N: 33, K: 290, Block: 32}, nil)
			r.guarded(name, gemm.QuantInt8MatmulParams{M: 5, N: 2070, K: 290, Block: 64}, nil)
		}
	})
}

// TestInt8BlocksOfAllShapes covers few rows and many, several panels along k, and activations at the ends of their range.
func TestInt8BlocksOfAllShapes(t *testing.T) {
	skipArithmetic(t)
	onAll(t, func(t *testing.T, r *bench) {
		for _, name := range blockTypes() {
			unit := uint32(32)
			if strings.HasSuffix(name, "K") {
				unit = 256
			}
			for _, p := range [][3]uint32{{1, 7, 1}, {2, 5, 19}, {4, 3, 33}, {5, 40, 1}, {11, 17, 2}, {12, 16, 3}, {19, 35, 18}, {33, 70, 21}, {700, 9, 3}} {
				p := blocks.BlockMatmulParams{M: p[0], N: p[1], K: p[2] * unit}
				r.guarded("matmul_blocks_int8_tiled_"+name, p, nil)
				d := r.dispatch("matmul_blocks_int8_tiled_"+name, p, nil)
				r.must(d.Bindings[0].Buffer.Fill(0x80))
				r.verify(d)
			}
		}
	})
}

// TestInt8SuperblocksAtTheirEnds has the largest products of codes, scales and activations, whose digits and sums must not
// overflow.
func TestInt8SuperblocksAtTheirEnds(t *testing.T) {
	skipArithmetic(t)
	const one = 0x3c                                                                                 // the upper byte of 1 in f16
	largest := map[string][]byte{"q4_K": bytes.Repeat([]byte{0xff}, 144), "q6_K": make([]byte, 210)} // codes of 15 and −32
	copy(largest["q4_K"], []byte{0, one, 0, one})
	copy(largest["q6_K"][192:], append(bytes.Repeat([]byte{0x80}, 16), 0, one))
	onAll(t, func(t *testing.T, r *bench) {
		for name, block := range largest {
			for _, m := range []uint32{1, 11, 33} {
				d := r.dispatch("matmul_blocks_int8_tiled_"+name, blocks.BlockMatmulParams{M: m, N: 17, K: 3 * 256}, nil)
				r.must(d.Bindings[0].Buffer.Fill(0x80))
				copy(d.Bindings[2].Buffer.Bytes(), bytes.Repeat(block, 17*3))
				r.verify(d)
			}
		}
	})
}
