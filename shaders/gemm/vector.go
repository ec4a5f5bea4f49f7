package gemm

import (
	"fmt"

	"assay/shaders"
	"assay/shaders/quant"
)

// oneRow refuses more than one row of a.
func oneRow(c shaders.Call) error {
	if rows, _, _ := dims(c); rows > 1 {
		return fmt.Errorf("%d rows of a, kernels of one take no more", rows)
	}
	return nil
}

// vectorQuant is for one row of a, with quantized weights.
func vectorQuant(op *shaders.Op) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: Vector, Types: quant.Types(), Needs: shaders.Threadgroups,
		About:     "product of one row of a with quantized weights, which are read once and straight from memory",
		Source:    shaders.Embedded(files, "matmul_quant_vector.metal"),
		Constants: op.Constants,
		Tunables: []shaders.Tunable{
			{Name: Outputs, Index: 1, Values: []int32{4, 8, 16}, Default: 8, About: "rows of the weights that a SIMD group takes"},
			{Name: Groups, Index: shaders.LaunchOnly, Values: []int32{1, 2, 4}, Default: 4, About: "SIMD groups in a threadgroup, along a row"},
		},
		Valid: oneRow, Launch: vectorQuantLaunch,
		Cases: alsoInHalf(2, []shaders.Case{
			{Params: QuantMatmulParams{1, 67, 1056, 96}},
			{Params: QuantMatmulParams{1, 33, 2560, 0}, Constants: shaders.Constants{Outputs: 4, Groups: 2}},
			{Params: QuantMatmulParams{1, 35, 160, 40}}, // blocks that 16 bytes do not divide
			{Params: QuantMatmulParams{1, 19, 1088, 32}, Constants: shaders.Constants{Outputs: 16, Groups: 2}},
		}),
	}
}

func vectorQuantLaunch(c shaders.Call, limits shaders.Limits) shaders.Launch {
	m, n, _ := dims(c)
	threads, outputs := limits.Fit(32*uint32(c.Constants[Groups])), int(c.Constants[Outputs])
	return shaders.Launch{
		Groups:  [3]uint32{uint32((n + outputs - 1) / outputs), uint32(min(m, 1)), 1},
		Threads: [3]uint32{threads, 1, 1}, Shared: []int{
			shaders.FloatBytes(threads / 32 * uint32(outputs)),
			shaders.FloatBytes(threads * uint32(packOf(c.Type)+4)), // elements of a
		},
	}
}

// Limits of a threadgroup of VectorKept, as in the source.
const (
	keptRows    = 128 // of the weights
	keptThreads = 512
)

// keptQuant is for one row of a, with quantized weights, like vectorQuant, but keeps a in registers, not sums.
func keptQuant(op *shaders.Op) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: VectorKept, Types: []shaders.Type{shaders.I8, shaders.I4}, Needs: shaders.Threadgroups,
		About:     "product of one row of a, which registers keep, with quantized weights, which are read once and straight from memory",
		Source:    shaders.Embedded(files, "matmul_quant_kept.metal"),
		Constants: op.Constants,
		Tunables: []shaders.Tunable{
			{Name: Ahead, Index: 2, Values: []int32{4, 8}, Default: 4, About: "rows of the weights that a SIMD group loads before it needs them"},
			{
				Name: Spread, Index: shaders.LaunchOnly, Values: []int32{32, 1024, 2048, 4096}, Default: 1024,
				About: "SIMD groups, about, that all weights are for",
			},
			{Name: Groups, Index: shaders.LaunchOnly, Values: []int32{4, 8, 16}, Default: 8, About: "SIMD groups in a threadgroup, along a row, at most"},
			shaders.AttributeTunable(1), // allows a thread 128 registers on NVIDIA's multiprocessors
		},
		MaxThreads: func(shaders.Constants) int { return keptThreads },
		Valid:      oneRow, Launch: keptLaunch,
		Cases: alsoInHalf(3, []shaders.Case{
			{Params: QuantMatmulParams{1, 67, 1056, 96}},
			{Params: QuantMatmulParams{1, 35, 160, 40}}, // blocks that 16 bytes do not divide
			{Params: QuantMatmulParams{1, 530, 1280, 0}, Constants: shaders.Constants{Spread: 32, Groups: 16, shaders.BoundThreads: 0}},
			{Params: QuantMatmulParams{1, 263, 4608, 128}, Constants: shaders.Constants{Ahead: 8, Spread: 32, Groups: 4}}, // k in several iterations
		}),
	}
}

// keptLaunch has a SIMD group for each slice of k that lanes keep, up to a threadgroup's limit, and processes all slices in as
// many iterations as necessary.
func keptLaunch(c shaders.Call, limits shaders.Limits) shaders.Launch {
	const perSIMD = 4 * (keptRows + 32*20) // bytes of threadgroup memory
	m, n, k := dims(c)
	most := min(int(limits.Fit(min(keptThreads, 32*uint32(c.Constants[Groups]))))/32, keptThreads/32)
	if limits.Shared > 0 {
		most = max(1, min(most, limits.Shared/perSIMD))
	}
	up := func(a, b int) int { return (a + b - 1) / b }
	slices := max(1, up(k*c.Type.Bits(), 32*128))
	simds := up(slices, up(slices, most))
	rows := max(1, up(n*simds, int(c.Constants[Spread])))
	rows = up(up(rows, up(rows, keptRows)), 4) * 4 // balanced
	return shaders.Launch{
		Groups:  [3]uint32{uint32(up(n, rows)), uint32(min(m, 1)), 1},
		Threads: [3]uint32{uint32(32 * simds), 1, 1},
		Shared:  []int{4 * keptRows * simds, 4 * 32 * 20 * simds},
	}
}
