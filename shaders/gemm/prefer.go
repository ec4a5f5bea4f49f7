package gemm

import "assay/shaders"

// Families of Apple's GPUs.
const (
	familyM1 = 7
	familyM2 = 8
	familyM3 = 9 // and M4
	newest   = 99
)

// fewRows is up to how many rows of a the product is bound by reading b.
const fewRows = 4

// preferences are by what others have found: MLX and ggml take simdgroup_matrix everywhere, scalar multiplications are
// reported to be as fast in f32 on the M1 and M2, and fragments straight from device memory to be faster from the M3 on.
// The workload matmul measures them.
func preferences() []shaders.Preference {
	few := func(c shaders.Call) bool { m, _, _ := dims(c); return m <= fewRows }
	f32 := func(c shaders.Call) bool { return c.Type == shaders.F32 }
	return []shaders.Preference{
		{Impl: GEMV, For: few, Why: "few rows: reading b is what takes time"},
		{Impl: Blocked, Families: [2]int{familyM1, familyM2}, For: f32, Why: "f32 on an M1 or M2"},
		{
			Impl: SIMD, Tunables: shaders.Constants{Tile: 32, Staging: 0}, Families: [2]int{familyM3, newest},
			Why: "an M3 or later reads fragments straight from memory",
		},
		{Impl: SIMD, Why: "the device has simdgroup_matrix"},
		{Impl: Tiled, Why: "the default"},
	}
}
