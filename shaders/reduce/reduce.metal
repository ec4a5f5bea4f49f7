// The sum, or the largest, of each of `parts` slices of x; computed in float. A threadgroup takes a slice, whose threads take
// four elements at a time. The plain form joins the threads by SIMD functions, then the SIMD groups; the tree halves the
// threads that still add, by way of threadgroup memory.

#include "common.h"
#include "slices.h"

struct Sum {
    static constexpr constant float NONE = 0.0f;
    static float join(float a, float b) { return a + b; }
    static float4 join(float4 a, float4 b) { return a + b; }
    static float simd(float v) { return simd_sum(v); }
};

struct Largest {
    static constexpr constant float NONE = -INFINITY;
    static float join(float a, float b) { return max(a, b); }
    static float4 join(float4 a, float4 b) { return max(a, b); }
    static float simd(float v) { return simd_max(v); }
};

// What one thread finds of a slice.
template <typename T, typename Op>
static inline float of_thread(device const T *x, Slice s, uint local, uint threads) {
    const size_t whole = s.first + (s.last - s.first) / 4 * 4;
    float4 four = Op::NONE;
    for (size_t i = s.first + 4 * size_t(local); i < whole; i += 4 * size_t(threads))
        four = Op::join(four, float4(*(device const vec<T, 4> *)(x + i)));
    float v = Op::join(Op::join(four.x, four.y), Op::join(four.z, four.w));
    for (size_t i = whole + local; i < s.last; i += threads) v = Op::join(v, float(x[i]));
    return v;
}

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
        v = Op::simd(v);
        if (lane == 0) partial[local / SIMD] = v;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        v = Op::simd(lane < threads / SIMD ? partial[lane] : Op::NONE);
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
