// Rows in registers as they are stored: floats of two-byte elements would take twice the registers, in which other rows can be
// loaded. Each pass over the elements makes floats of them again. To be included after kept.h.

// 0, though the compiler cannot know it before it has x: the only other case is one of all NaNs.
static inline uint none_after(float x) { return as_type<uint>(x) == 0x7fffffffu ? 1 : 0; }

// The part of a row of n elements that one of `threads` threads keeps. WHOLE: as for Kept.
template <typename T, bool WHOLE>
struct Stored {
    static constant constexpr uint COUNT = Wide<T>::COUNT, FOURS = Wide<T>::FOURS;
    uint n, local, threads;
    uint4 bits[MAX_KEPT];

    // Where the thread's 16 bytes number i begin, in elements.
    uint index(uint i) const { return (local + i * threads) * COUNT; }

    // The thread's 16 bytes number i of a row. What lies beyond the row is its last if WHOLE, and else `beyond`.
    uint4 fetch(device const T *row, uint i, float beyond) const {
        const uint at = index(i);
        if (WHOLE) return *(device const uint4 *)(row + min(at, n - COUNT));
        float4 v[FOURS];
        for (uint e = 0; e < COUNT; e++) v[e / 4][e % 4] = at + e < n ? float(row[at + e]) : beyond;
        return Wide<T>::narrow(v);
    }

    void load(device const T *row, float beyond) {
        for (uint i = 0; i < MAX_KEPT; i++)
            if (i < uint(kept)) bits[i] = fetch(row, i, beyond);
        for (uint i = 0; i < MAX_KEPT; i++) {
            const uint here = index(i) < n ? ~0u : 0u; // a mask: clang would not load before a branch what only one side uses
            if (WHOLE && i < uint(kept)) bits[i] = (bits[i] & here) | (Wide<T>::filled(beyond) & ~here);
        }
    }

    // Has the compiler make floats of the elements again after x is known, rather than keep them from the pass before.
    void again_after(float x) {
        for (uint i = 0; i < MAX_KEPT; i++)
            if (i < uint(kept)) bits[i] ^= none_after(x);
    }

    // Calls f.take(*this, four, index of the first of its 16 bytes, of its own first among these) for each four elements.
    template <typename F>
    void each(thread F &f) const {
        for (uint i = 0; i < MAX_KEPT * FOURS; i++) {
            if (i >= uint(kept) * FOURS) break;
            float4 v = Wide<T>::four(bits[i / FOURS], i % FOURS);
            f.take(*this, v, index(i / FOURS), i % FOURS * 4);
        }
    }

    // Stores f.of(four) for each four elements.
    template <typename F>
    void store(device T *row, thread const F &f) const {
        for (uint i = 0; i < MAX_KEPT; i++) {
            if (i >= uint(kept)) break;
            float4 v[FOURS];
            for (uint k = 0; k < FOURS; k++) v[k] = f.of(Wide<T>::four(bits[i], k));
            put(row, index(i), v);
        }
    }

    void put(device T *row, uint at, thread const float4 *v) const {
        if (WHOLE) {
            if (at < n) Wide<T>::store(row + at, v);
            return;
        }
        for (uint e = 0; e < COUNT; e++)
            if (at + e < n) row[at + e] = T(v[e / 4][e % 4]);
    }
};
