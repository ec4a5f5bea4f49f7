package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"assay/shaders"
	"assay/shaders/gemm"
)

// TestInt8Products multiplies codes at the ends of their range, where saturating instructions would be wrong, in shapes around
// tiles, steps and blocks, and compares every sum.
func TestInt8Products(t *testing.T) {
	skipArithmetic(t)
	onAll(t, func(t *testing.T, r *bench) {
		rng := rand.New(rand.NewPCG(5, 9))
		draws := map[string]func() int8{
			"-128":         func() int8 { return -128 },
			"both ends":    func() int8 { return []int8{-128, 127}[rng.IntN(2)] },
			"any code":     func() int8 { return int8(rng.Uint32()) },
			"few non-zero": func() int8 { return int8(rng.Uint32()) * int8(rng.IntN(9)/8) },
		}
		for _, p := range []gemm.Int8MatmulParams{
			{M: 1, N: 1, K: 1}, {M: 33, N: 31, K: 66}, {M: 64, N: 64, K: 128}, {M: 45, N: 70, K: 2113}, {M: 13, N: 97, K: 1024}, {M: 129, N: 40, K: 63},
		} {
			for name, draw := range draws {
				if err := checkInt8(r, p, draw); err != nil {
					t.Errorf("%+v of %s: %v", p, name, err)
				}
			}
		}
	})
}

// checkInt8 multiplies the values that draw returns and compares the whole output.
func checkInt8(r *bench, p gemm.Int8MatmulParams, draw func() int8) error {
	d := r.dispatch("matmul_int8_tiled_int8", p, nil)
	for _, b := range d.Bindings[:2] {
		mem := b.Buffer.Bytes()
		for i := range mem {
			mem[i] = byte(draw())
		}
	}
	r.must(d.Bindings[2].Buffer.Fill(0xA5))
	r.run(d)
	a, w, out := d.Bindings[0].Buffer.Bytes(), d.Bindings[1].Buffer.Bytes(), shaders.View{Type: shaders.I32, Data: d.Bindings[2].Buffer.Bytes()}
	k := int(p.K)
	for i := range int(p.M * p.N) {
		row, col := i/int(p.N), i%int(p.N)
		var want int32
		for x := range k {
			want += int32(int8(a[row*k+x])) * int32(int8(w[col*k+x]))
		}
		if got := out.At(i); got != float64(want) {
			return fmt.Errorf("row %d, column %d is %.0f, want %d", row, col, got, want)
		}
	}
	return nil
}
