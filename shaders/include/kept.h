// Rows of a matrix kept in registers, so that each is read from device memory once. size.x threads, in whole SIMD groups, share a
// row in vectors of 16 bytes; a threadgroup has size.y rows.
#include "wide.h"

constant int kept [[function_constant(NORM_KEPT)]]; // vectors that a thread keeps
constant int whole [[function_constant(NORM_WHOLE)]]; // 1: every row is a multiple of 16 bytes
constant constexpr uint MAX_KEPT = 8;
#ifndef AHEAD
#define AHEAD 2 // vectors of weights loaded before the elements that they scale are stored
#endif

// With `whole`, the compiler drops the code for other rows and the registers that it would need.
template <typename T>
static inline bool is_whole(uint n) { return whole != 0 || (n != 0 && n % Wide<T>::COUNT == 0); }

// One thread's part of a row of n elements, which `threads` threads share. WHOLE: n elements are a multiple of 16 bytes, and so
// are all addresses. Loads then have no branches and are all in flight together; those past the row repeat its last vector.
template <typename T, bool WHOLE>
struct Kept {
    static constant constexpr uint COUNT = Wide<T>::COUNT, FOURS = Wide<T>::FOURS;
    static constant constexpr bool ALL = WHOLE;
    uint n, local, threads;
    float4 v[MAX_KEPT * FOURS];

    // The index of the first element of the thread's vector i.
    uint index(uint i) const { return (local + i * threads) * COUNT; }

    // Makes the compiler compute the indices again after x is known, rather than keep them in registers. x is never negative, but
    // the compiler does not know that.
    void indices_after(float x) { local |= x == -1.0f ? 1 : 0; }

    // Whether element e of the vector that begins at `at` lies in the row.
    bool inside(uint at, uint e) const { return WHOLE ? at < n : at + e < n; }

    uint4 bits(device const T *row, uint i) const {
        return *(device const uint4 *)(row + min(index(i), n - COUNT));
    }

    // Loads a vector element by element; elements past the row become `beyond`.
    void take_each(device const T *row, uint at, float beyond, thread float4 *to) const {
        for (uint e = 0; e < COUNT; e++) to[e / 4][e % 4] = at + e < n ? float(row[at + e]) : beyond;
    }

    void load(device const T *row, float beyond) {
        uint4 raw[MAX_KEPT];
        for (uint i = 0; i < MAX_KEPT; i++)
            if (WHOLE && i < uint(kept)) raw[i] = bits(row, i);
        for (uint i = 0; i < MAX_KEPT; i++) {
            if (i >= uint(kept)) continue;
            const uint here = index(i) < n ? ~0u : 0u; // a mask: given a branch, clang would delay the load into the side that uses it
            if (WHOLE) Wide<T>::widen((raw[i] & here) | (Wide<T>::filled(beyond) & ~here), v + i * FOURS);
            else take_each(row, index(i), beyond, v + i * FOURS);
        }
    }

    // Loads AHEAD vectors of a row of weights, from the thread's vector i on.
    void weights(device const T *row, uint i, thread float4 *to) const {
        uint4 raw[AHEAD];
        for (uint j = 0; j < AHEAD; j++)
            if (WHOLE && i + j < uint(kept)) raw[j] = bits(row, i + j);
        for (uint j = 0; j < AHEAD; j++) {
            if (i + j >= uint(kept)) continue;
            if (WHOLE) Wide<T>::widen(raw[j], to + j * FOURS);
            else take_each(row, index(i + j), 0.0f, to + j * FOURS);
        }
    }

    void put(device T *row, uint i) const {
        const uint at = index(i);
        if (WHOLE) {
            if (at < n) Wide<T>::store(row + at, v + i * FOURS);
            return;
        }
        for (uint e = 0; e < COUNT; e++)
            if (at + e < n) row[at + e] = T(v[i * FOURS + e / 4][e % 4]);
    }

    // Stores the row AHEAD vectors at a time, after f.finish(*this, i) has computed those from vector i on in place.
    template <typename F>
    void store(device T *row, thread const F &f) {
        for (uint i = 0; i < MAX_KEPT; i += AHEAD) {
            if (i >= uint(kept)) break;
            f.finish(*this, i);
            for (uint j = i; j < i + AHEAD; j++)
                if (j < uint(kept)) put(row, j);
        }
    }

    // Calls f.take(*this, four, at, e) for every four elements; `at` is where their vector begins and e their offset in it.
    template <typename F>
    void each(thread F &f) {
        for (uint i = 0; i < MAX_KEPT * FOURS; i++)
            if (i < uint(kept) * FOURS) f.take(*this, v[i], index(i / FOURS), i % FOURS * 4);
    }

    // The number of the row's elements that one of its SIMD groups keeps.
    float count(uint simd) const {
        uint all = 0;
        for (uint i = 0; i < MAX_KEPT; i++) {
            const uint at = (simd * SIMD + i * threads) * COUNT;
            if (i < uint(kept)) all += min(max(at, n) - at, SIMD * COUNT);
        }
        return float(all);
    }
};

// Shares the values that the SIMD groups of a row found through threadgroup memory: lane i gets that of SIMD group i, the other
// lanes 0. All threads of the threadgroup must call it, and only once per kernel.
static inline float2 of_simds(float2 found, threadgroup float2 *partial, uint2 local, uint2 size, uint lane) {
    const uint simds = size.x / SIMD;
    threadgroup float2 *mine = partial + local.y * simds;
    if (lane == 0) mine[local.x / SIMD] = found;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return lane < simds ? mine[lane] : float2(0.0f);
}
