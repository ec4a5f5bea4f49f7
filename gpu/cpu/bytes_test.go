package cpu_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"assay/gpu"
	"assay/shaders"
	"assay/shaders/gemm"
)

// int8Codes are the kernels of int8 activations with each type of codes.
var int8Codes = []string{"matmul_quant_int8_tiled_int8", "matmul_quant_int8_tiled_int4"}

// extreme is a product of activations and codes at the ends of their range, where instructions that saturate would be wrong, and of all
// others.
func (b *bench) extreme(name string, p gemm.QuantInt8MatmulParams) gpu.Launch {
	d := b.dispatch(name, p, nil)
	rng := rand.New(rand.NewPCG(uint64(p.K), uint64(p.Block)))
	for _, arg := range []int{0, 2} {
		mem, ends := d.Bindings[arg].Buffer.Bytes(), rng.IntN(3)
		for i := range mem {
			switch ends {
			case 0:
				mem[i] = byte(rng.Uint32())
			case 1:
				mem[i] = []byte{0x80, 0x7f, 0x88, 0x77}[rng.IntN(4)]
			case 2:
				mem[i] = []byte{0x80, 0x88}[arg/2*rng.IntN(2)]
			}
		}
	}
	return d
}

// TestInt8CodesOfAllShapes covers blocks that fill lanes, vectors and panels and that do not, few rows and many, and several panels.
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

// TestInt8CodesNotFinite wants of a scale or a zero point that is not finite what the formula gives.
func TestInt8CodesNotFinite(t *testing.T) {
	skipArithmetic(t)
	onAll(t, func(t *testing.T, r *bench) {
		for _, m := range []uint32{1, 4, 18} {
			for _, arg := range []int{1, 3, 4} {
				for _, x := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
					d := r.dispatch(int8Codes[0], gemm.QuantInt8MatmulParams{M: m, N: 20, K: 512, Block: 32}, nil)
					shaders.View{Data: d.Bindings[arg].Buffer.Bytes()}.Set(5, x)
					r.verify(d)
				}
			}
		}
	})
}
