// Rows of a matrix in registers, so that each is read once. size.x threads, in whole SIMD groups, take a row, 16 bytes at a time;
// a threadgroup has size.y.
#include "wide.h"

constant int kept [[function_constant(NORM_KEPT)]]; // how many times 16 bytes a thread keeps
constant constexpr uint MAX_KEPT = 8;

// The part of a row of n elements that one of `threads` threads keeps. Elements that do not make up 16 bytes are taken one by one.
template <typename T>
struct Kept {
    static constant constexpr uint COUNT = Wide<T>::COUNT, FOURS = Wide<T>::FOURS, MAX = MAX_KEPT * FOURS;
    float4 v[MAX];

    static uint fours() { return uint(kept) * FOURS; }

    static uint index(uint i, uint local, uint threads) { return (local + i * threads) * COUNT; }

    // Sixteen bytes of a row of n elements; what lies beyond the row is `beyond`.
    static void load16(device const T *row, uint n, uint at, thread float4 *v, float beyond) {
        if (n % COUNT == 0 && at < n) {
            Wide<T>::load(row + at, v);
            return;
        }
        for (uint e = 0; e < COUNT; e++) v[e / 4][e % 4] = at + e < n ? float(row[at + e]) : beyond;
    }

    static void store16(device T *row, uint n, uint at, thread const float4 *v) {
        if (n % COUNT == 0 && at < n) {
            Wide<T>::store(row + at, v);
            return;
        }
        for (uint e = 0; e < COUNT; e++)
            if (at + e < n) row[at + e] = T(v[e / 4][e % 4]);
    }

    void load(device const T *row, uint n, uint local, uint threads, float beyond) {
        for (uint i = 0; i < MAX_KEPT; i++)
            if (i < uint(kept)) load16(row, n, index(i, local, threads), v + i * FOURS, beyond);
    }

    // Stores what f.finish(sixteen bytes, index of their first element) makes of each.
    template <typename F>
    void store(device T *row, uint n, uint local, uint threads, thread const F &f) {
        for (uint i = 0; i < MAX_KEPT; i++) {
            if (i >= uint(kept)) continue;
            const uint at = index(i, local, threads);
            f.finish(v + i * FOURS, at);
            store16(row, n, at, v + i * FOURS);
        }
    }

    // Calls f(four, index of its first element) for each four elements.
    template <typename F>
    void each(uint local, uint threads, thread F &f) {
        for (uint i = 0; i < MAX; i++)
            if (i < fours()) f.take(v[i], index(i / FOURS, local, threads) + i % FOURS * 4);
    }
};

// The sum of a row's threads, by way of threadgroup memory of a float a SIMD group. All threads of the threadgroup must call it.
static inline float row_sum(float part, threadgroup float *partial, uint2 local, uint2 size, uint lane) {
    const uint simds = size.x / SIMD;
    part = simd_sum(part);
    if (simds == 1) return part;
    threadgroup float *mine = partial + local.y * simds;
    threadgroup_barrier(mem_flags::mem_threadgroup); // all have read what was there before
    if (lane == 0) mine[local.x / SIMD] = part;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return simd_sum(lane < simds ? mine[lane] : 0.0f);
}
