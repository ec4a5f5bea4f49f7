// The sum, or the largest, of each of `parts` slices of x; computed in float. One threadgroup per slice; its threads take four
// elements at a time. The plain form combines threads with SIMD functions, then the SIMD groups; the tree form combines them in
// threadgroup memory and halves the number of active threads in every step.

#include "common.h"
#include "slices.h"

template <typename T, typename Op, bool TREE>
kernel void reduce(device const T *x [[buffer(0)]],
                   device float *out [[buffer(1)]],
                   constant ReduceParams &p [[buffer(2)]],
                   threadgroup float *partial [[threadgroup(0)]],
                   uint index [[threadgroup_position_in_grid]],
                   uint local [[thread_position_in_threadgroup]],
                   uint threads [[threads_per_threadgroup]],
                   uint lane [[thread_index_in_simdgroup]]) {
    float v = of_thread<T, Op>(x, slice_of(index, p.n, p.parts), local, threads);
    if (TREE) {
        partial[local] = v;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint half_way = threads / 2; half_way > 0; half_way /= 2) {
            if (local < half_way) partial[local] = Op::join(partial[local], partial[local + half_way]);
            threadgroup_barrier(mem_flags::mem_threadgroup);
        }
        v = partial[0];
    } else {
        v = of_group<Op>(v, partial, local, lane, threads);
    }
    if (local == 0) out[index] = v;
}

#define INSTANTIATE(name, type, op, tree)                                                                       \
    template [[host_name(name)]] kernel void reduce<type, op, tree>(                                            \
        device const type *, device float *, constant ReduceParams &, threadgroup float *, uint, uint, uint, uint);

INSTANTIATE("sum_f32", float, Sum, false)
INSTANTIATE("sum_f16", half, Sum, false)
INSTANTIATE("sum_tree_f32", float, Sum, true)
INSTANTIATE("sum_tree_f16", half, Sum, true)
INSTANTIATE("max_f32", float, Largest, false)
INSTANTIATE("max_f16", half, Largest, false)
INSTANTIATE("max_tree_f32", float, Largest, true)
INSTANTIATE("max_tree_f16", half, Largest, true)
