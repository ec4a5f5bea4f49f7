package gemm

import "assay/shaders"

// Families of Apple's GPUs.
const (
	familyM1 = 7
	familyM2 = 8
	familyM3 = 9 // and M4
	newest   = 99
)

// fewRows is the maximum number of rows of a for which the GEMM is bound by reading b.
const fewRows = 4

func isFew(c shaders.Call) bool { m, _, _ := dims(c); return m <= fewRows }

// preferences follow published findings: MLX and ggml use simdgroup_matrix everywhere, scalar multiplications are reported to be
// as fast in f32 on the M1 and M2, and fragments straight from device memory to be faster from the M3 on. The workload matmul
// measures them.
func preferences() []shaders.Preference {
	large := shaders.Constants{TileRows: 128, TileCols: 128, Depth: 8, Buffered: 1}
	medium := shaders.Constants{TileCols: 128, Buffered: 1}
	f32 := func(c shaders.Call) bool { return c.Type == shaders.F32 }
	return []shaders.Preference{
		{Impl: GEMV, For: isFew, Why: "few rows: bound by reading b"},
		{Impl: Blocked, Families: [2]int{familyM1, familyM2}, For: f32, Why: "f32 on an M1 or M2"},
		{Impl: Blocked, Tunables: large, NVIDIA: true, For: fillsGPU, Why: "large tiles that fill an NVIDIA GPU"},
		{Impl: Blocked, Tunables: medium, NVIDIA: true, Why: "an NVIDIA GPU has no simdgroup_matrix of its own for f32"},
		{
			Impl: SIMD, Tunables: shaders.Constants{Tile: 32, Staging: 0}, Families: [2]int{familyM3, newest},
			Why: "an M3 or later reads fragments straight from memory",
		},
		{Impl: SIMD, Why: "the device has simdgroup_matrix"},
		{Impl: Tiled, Why: "the default"},
	}
}

// fillsGPU reports whether tiles of 128×128 occupy all multiprocessors of a large NVIDIA GPU more than once.
func fillsGPU(c shaders.Call) bool {
	m, n, _ := dims(c)
	across := func(n int) int { return (n + 127) / 128 }
	return shaders.Product(across(m), across(n), batch(c)) >= 200
}

// quantPreferences are the preferences for GEMMs with quantized weights. Those of VectorKept and Vector, for one row, were
// measured on an H200.
func quantPreferences() []shaders.Preference {
	const why = "few rows: bound by reading the weights"
	int8 := func(c shaders.Call) bool { return c.Type == shaders.I8 }
	return []shaders.Preference{
		{Impl: VectorKept, Tunables: shaders.Constants{Ahead: 4, Spread: 2048, Groups: 16}, NVIDIA: true, For: both(int8, isShort), Why: why},
		{Impl: VectorKept, Tunables: shaders.Constants{Ahead: 4, Spread: 2048, Groups: 8}, NVIDIA: true, For: isShort, Why: why},
		{Impl: Vector, Tunables: shaders.Constants{Outputs: 8, Groups: 4}, NVIDIA: true, For: int8, Why: why},
		{Impl: VectorKept, Tunables: shaders.Constants{Ahead: 4, Spread: 4096, Groups: 8}, NVIDIA: true, For: isTall, Why: why},
		{Impl: Vector, Tunables: shaders.Constants{Outputs: 8, Groups: 2}, NVIDIA: true, Why: why},
		{Impl: GEMV, For: isFew, Why: why},
		{Impl: Tiled, Why: "the default"},
	}
}

// isShort reports whether k is short enough for each SIMD group of a threadgroup to have a slice of it.
func isShort(c shaders.Call) bool { _, _, k := dims(c); return k <= 8192 }

// isTall reports whether there are enough rows of weights for the iterations that longer k requires.
func isTall(c shaders.Call) bool { _, n, _ := dims(c); return n >= 8192 }

func both(a, b func(shaders.Call) bool) func(shaders.Call) bool {
	return func(c shaders.Call) bool { return a(c) && b(c) }
}
