package gputest

import "assay/shaders"

// partialSource writes a thread's view of the grid, and the number of lanes of its SIMD group; it checks no bounds.
const partialSource = `#include <metal_stdlib>
using namespace metal;
kernel void partial(device float *told [[buffer(0)]], device float *lanes [[buffer(1)]], uint3 i [[thread_position_in_grid]],
                    uint3 here [[threads_per_threadgroup]], uint3 whole [[dispatch_threads_per_threadgroup]],
                    uint3 group [[threadgroup_position_in_grid]], uint3 all [[threads_per_grid]]) {
    uint at = i.x + all.x * (i.y + all.y * i.z);
    told[at] = here.x + 64 * (here.y + 4 * (here.z + 4 * (whole.x + 64 * (group.x + 8 * (group.y + 8 * group.z)))));
    lanes[at] = simd_sum(1.0f);
}
`

// Along each axis there are whole threadgroups and a partial one.
var partialGridThreads, partialGroupThreads = [3]uint32{70, 5, 3}, [3]uint32{32, 2, 2}

// partialGrid runs a user's source on a grid whose last threadgroups are partial, if the engine accepts users' sources.
func partialGrid(r *rig) {
	source, err := shaders.UserSource("partial.metal", partialSource)
	r.ok(err, "source")
	k := partialKernel(source)
	if err := r.engine.Supports(k); err != nil {
		r.t.Skip(err)
	}
	j := r.newJob(k, shaders.Case{Params: k.Impl.Op.Params}, setup{poison: 0xFF})
	defer r.release(j.buffers...)
	p, err := r.engine.Prepare(j.launch)
	r.ok(err, "prepare")
	r.runs(p, 2) // repeated in the same submission
	r.ok(p.Release(), "release")
	r.check(j)
}

func partialKernel(source shaders.Source) shaders.Kernel {
	grid, threads := partialGridThreads, partialGroupThreads
	all := func(shaders.Call) int { return int(grid[0] * grid[1] * grid[2]) }
	op := &shaders.Op{
		Name: "partial", Params: struct{ Unused uint32 }{},
		Args: []shaders.Arg{
			{Name: "told", Type: shaders.F32, Access: shaders.Out, Len: all},
			{Name: "lanes", Type: shaders.F32, Access: shaders.Out, Len: all},
		},
		Cost:      func(shaders.Call) shaders.Cost { return shaders.Cost{} },
		Reference: func(_ shaders.Call, _ []shaders.View, arg, i int) shaders.Value { return partialWanted(arg, uint32(i)) },
		Tolerance: func(shaders.Call) shaders.Tolerance { return shaders.Tolerance{} },
	}
	m := &shaders.Impl{Op: op, Name: "partial", Types: []shaders.Type{shaders.F32}, Source: source, Entry: "partial"}
	l := shaders.Launch{Threads: threads, Grid: grid}
	for i := range 3 {
		l.Groups[i] = (grid[i] + threads[i] - 1) / threads[i]
	}
	m.Launch = func(shaders.Call, shaders.Limits) shaders.Launch { return l }
	return m.Kernel(shaders.F32)
}

// partialWanted returns the value that the thread with that index writes to an argument.
func partialWanted(arg int, index uint32) shaders.Value {
	grid, whole := partialGridThreads, partialGroupThreads
	position := [3]uint32{index % grid[0], index / grid[0] % grid[1], index / grid[0] / grid[1]}
	var group, here, within [3]uint32
	for i := range 3 {
		group[i], within[i] = position[i]/whole[i], position[i]%whole[i]
		here[i] = min(whole[i], grid[i]-group[i]*whole[i])
	}
	if arg == 0 {
		return shaders.Value{Want: float64(here[0] + 64*(here[1]+4*(here[2]+4*(whole[0]+64*(group[0]+8*(group[1]+8*group[2]))))))}
	}
	inGroup := within[0] + here[0]*(within[1]+here[1]*within[2])
	return shaders.Value{Want: float64(min(32, here[0]*here[1]*here[2]-inGroup/32*32))}
}
