// Shared by the reductions: the slice of a threadgroup, and how its threads combine their results.
#include "params/reduce.h"

constant constexpr uint NO_INDEX = 0xffffffffu; // no element

// Vectors of four elements that a thread loads before it uses them: 64 bytes.
template <typename T>
struct Ahead {
    static constexpr constant uint VECTORS = 16 / sizeof(T);
};

// The elements of one slice.
struct Slice {
    size_t first, last;
};

static inline Slice slice_of(uint index, uint n, uint parts) {
    const size_t each = REDUCE_EACH(size_t(n), parts), first = min(size_t(index) * each, size_t(n));
    return {first, min(first + each, size_t(n))};
}

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

// Reduces one thread's part of a slice.
template <typename T, typename Op>
static inline float of_thread(device const T *x, Slice s, uint local, uint threads) {
    const size_t whole = s.first + (s.last - s.first) / 4 * 4, step = 4 * size_t(threads);
    size_t i = s.first + 4 * size_t(local);
    float4 four = Op::NONE;
    for (; i + (Ahead<T>::VECTORS - 1) * step < whole; i += Ahead<T>::VECTORS * step) {
        float4 v[Ahead<T>::VECTORS];
        for (uint a = 0; a < Ahead<T>::VECTORS; a++) v[a] = float4(*(device const vec<T, 4> *)(x + i + a * step));
        for (uint a = 0; a < Ahead<T>::VECTORS; a++) four = Op::join(four, v[a]);
    }
    for (; i < whole; i += step) four = Op::join(four, float4(*(device const vec<T, 4> *)(x + i)));
    float v = Op::join(Op::join(four.x, four.y), Op::join(four.z, four.w));
    for (i = whole + local; i < s.last; i += threads) v = Op::join(v, float(x[i]));
    return v;
}

// The threadgroup's result, in its first SIMD group: SIMD functions reduce each SIMD group, then one float of each from
// threadgroup memory.
template <typename Op>
static inline float of_group(float v, threadgroup float *partial, uint local, uint lane, uint threads) {
    v = Op::simd(v);
    if (lane == 0) partial[local / SIMD] = v;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return Op::simd(lane < threads / SIMD ? partial[lane] : Op::NONE);
}
