package gputest

import (
	"errors"

	"assay/gpu"
	"assay/shaders"
)

// partialGrid runs a user's source on a grid whose last threadgroup is partial, where the engine can: the kernel checks no bounds.
func partialGrid(r *rig) {
	const threads = 70
	source, err := shaders.UserSource("partial.metal", "#include <metal_stdlib>\nusing namespace metal;\n"+
		"kernel void partial(device float *out [[buffer(0)]], uint i [[thread_position_in_grid]], uint n [[threads_per_threadgroup]]) { out[i] = 100 * n + i; }\n")
	r.ok(err, "source")
	op := &shaders.Op{
		Name: "partial", Params: struct{ Unused uint32 }{},
		Args: []shaders.Arg{{Name: "out", Type: shaders.F32, Access: shaders.Out, Len: func(shaders.Call) int { return threads }}},
		Cost: func(shaders.Call) shaders.Cost { return shaders.Cost{} },
		Reference: func(_ shaders.Call, _ []shaders.View, _, i int) shaders.Value {
			inGroup := min(32, threads-i/32*32)
			return shaders.Value{Want: float64(100*inGroup + i)}
		},
		Tolerance: func(shaders.Call) shaders.Tolerance { return shaders.Tolerance{} },
	}
	m := &shaders.Impl{Op: op, Name: "partial", Types: []shaders.Type{shaders.F32}, Source: source, Entry: "partial"}
	m.Launch = func(shaders.Call, shaders.Limits) shaders.Launch {
		return shaders.Launch{Groups: [3]uint32{3, 1, 1}, Threads: [3]uint32{32, 1, 1}, Grid: [3]uint32{threads, 1, 1}}
	}
	k := m.Kernel(shaders.F32)
	if err := r.engine.Supports(k); err != nil {
		r.t.Skip(err)
	}
	j := r.newJob(k, shaders.Case{Params: op.Params}, setup{poison: 0xFF})
	defer r.release(j.buffers...)
	p, err := r.engine.Prepare(j.launch)
	if errors.Is(err, gpu.ErrUnsupported) {
		r.fails(err, "a partial threadgroup", kind(gpu.ErrUnsupported), "70")
		return
	}
	r.ok(err, "prepare")
	r.runs(p, 1)
	r.ok(p.Release(), "release")
	r.check(j)
}
