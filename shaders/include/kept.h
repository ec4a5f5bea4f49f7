// Rows of a matrix in registers, so that each is read once. size.x threads, in whole SIMD groups, take a row, 16 bytes at a time;
// a threadgroup has size.y.
#include "wide.h"

constant int kept [[function_constant(NORM_KEPT)]]; // how many times 16 bytes a thread keeps
constant int whole [[function_constant(NORM_WHOLE)]]; // 1: all rows are of a multiple of 16 bytes
constant constexpr uint MAX_KEPT = 8;
#ifndef AHEAD
#define AHEAD 2 // times 16 bytes of weights that are loaded before what they scale is stored
#endif

// Where `whole` says so, the compiler drops the code for other rows, for which it would set registers aside.
template <typename T>
static inline bool is_whole(uint n) { return whole != 0 || (n != 0 && n % Wide<T>::COUNT == 0); }

// The part of a row of n elements that one of `threads` threads keeps. WHOLE: n elements are a multiple of 16
// bytes, and so are all addresses. Loads then have no branches, and wait for memory together: those beyond the row repeat its last.
template <typename T, bool WHOLE>
struct Kept {
    static constant constexpr uint COUNT = Wide<T>::COUNT, FOURS = Wide<T>::FOURS;
    static constant constexpr bool ALL = WHOLE;
    uint n, local, threads;
    float4 v[MAX_KEPT * FOURS];

    // Where the thread's 16 bytes number i begin, in elements.
    uint index(uint i) const { return (local + i * threads) * COUNT; }

    // Has the compiler find the indices again after x is known, rather than keep them in registers. x is not negative, which the
    // compiler does not know.
    void indices_after(float x) { local |= x == -1.0f ? 1 : 0; }

    // Whether element e of the 16 bytes from one on is in the row.
    bool inside(uint at, uint e) const { return WHOLE ? at < n : at + e < n; }

    uint4 bits(device const T *row, uint i) const {
        return *(device const uint4 *)(row + min(index(i), n - COUNT));
    }

    // One element after the other; what lies beyond the row is `beyond`.
    void take_each(device const T *row, uint at, float beyond, thread float4 *to) const {
        for (uint e = 0; e < COUNT; e++) to[e / 4][e % 4] = at + e < n ? float(row[at + e]) : beyond;
    }

    void load(device const T *row, float beyond) {
        uint4 raw[MAX_KEPT];
        for (uint i = 0; i < MAX_KEPT; i++)
            if (WHOLE && i < uint(kept)) raw[i] = bits(row, i);
        for (uint i = 0; i < MAX_KEPT; i++) {
            if (i >= uint(kept)) continue;
            const uint here = index(i) < n ? ~0u : 0u; // a mask: clang would not load before a branch what only one side uses
            if (WHOLE) Wide<T>::widen((raw[i] & here) | (Wide<T>::filled(beyond) & ~here), v + i * FOURS);
            else take_each(row, index(i), beyond, v + i * FOURS);
        }
    }

    // Loads AHEAD times 16 bytes of a row of weights, from the thread's number i on.
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

    // Stores the row that f.finish(this, i, from where, to where) makes, AHEAD times 16 bytes at a time.
    template <typename F>
    void store(device T *row, thread const F &f) {
        for (uint i = 0; i < MAX_KEPT; i += AHEAD) {
            if (i >= uint(kept)) break;
            f.finish(*this, i);
            for (uint j = i; j < i + AHEAD; j++)
                if (j < uint(kept)) put(row, j);
        }
    }

    // Calls f.take(*this, four, index of the first of its 16 bytes, of its own first among these) for each four elements.
    template <typename F>
    void each(thread F &f) {
        for (uint i = 0; i < MAX_KEPT * FOURS; i++)
            if (i < uint(kept) * FOURS) f.take(*this, v[i], index(i / FOURS), i % FOURS * 4);
    }

    // How many elements a SIMD group keeps, of those that share the row.
    float count(uint simd) const {
        uint all = 0;
        for (uint i = 0; i < MAX_KEPT; i++) {
            const uint at = (simd * SIMD + i * threads) * COUNT;
            if (i < uint(kept)) all += min(max(at, n) - at, SIMD * COUNT);
        }
        return float(all);
    }
};

// What each SIMD group of a row has found, at the lane of its number; 0 at the others. By way of threadgroup memory, once in a
// kernel: all threads of the threadgroup must call it.
static inline float2 of_simds(float2 found, threadgroup float2 *partial, uint2 local, uint2 size, uint lane) {
    const uint simds = size.x / SIMD;
    threadgroup float2 *mine = partial + local.y * simds;
    if (lane == 0) mine[local.x / SIMD] = found;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return lane < simds ? mine[lane] : float2(0.0f);
}
