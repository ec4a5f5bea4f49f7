// Shared by kernels over the rows of a matrix. size.x threads, in whole SIMD groups, share a row; a threadgroup has size.y rows.
#include "params/norm.h"

constant int width [[function_constant(NORM_WIDTH)]]; // neighboring elements that a thread takes at once: 1, 4 or 8

// Four neighboring elements. Their index and the length of the row are multiples of four.
template <typename T>
static inline float4 four(device const T *at, uint i) {
    return float4(*(device const vec<T, 4> *)(at + i));
}

template <typename T>
static inline void put4(device T *at, uint i, float4 v) {
    *(device vec<T, 4> *)(at + i) = vec<T, 4>(v);
}

// Calls take(i) or take4(i) for each element, or every four, of one thread's part of n elements that `threads` threads share.
template <typename F>
static inline void each(thread F &f, uint n, uint local, uint threads) {
    if (width == 1 || n % 4 != 0) {
        for (uint i = local; i < n; i += threads) f.take(i);
        return;
    }
    for (uint first = local * uint(width); first < n; first += threads * uint(width)) {
        const uint last = min(first + uint(width), n);
        for (uint i = first; i < last; i += 4) f.take4(i);
    }
}

// Sums the parts of a row's threads through threadgroup memory, one float2 per SIMD group. All threads of the threadgroup must
// call it.
static inline float2 row_sum(float2 part, threadgroup float2 *partial, uint2 local, uint2 size, uint lane) {
    const uint simds = size.x / SIMD;
    threadgroup float2 *mine = partial + local.y * simds;
    part = float2(simd_sum(part.x), simd_sum(part.y));
    if (lane == 0) mine[local.x / SIMD] = part;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float2 sum = 0.0f;
    for (uint i = 0; i < simds; i++) sum += mine[i];
    return sum;
}
