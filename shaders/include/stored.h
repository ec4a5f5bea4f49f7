// Rows kept in registers in the format in which they are stored. As floats, two-byte elements would take twice the registers,
// which can hold other rows instead; each pass converts them again. Include after kept.h.

// 0 for every x but one NaN; the compiler cannot know the result before it has x.
static inline uint none_after(float x) { return as_type<uint>(x) == 0x7fffffffu ? 1 : 0; }

// One thread's part of a row of n elements, which `threads` threads share. WHOLE: as for Kept.
template <typename T, bool WHOLE>
struct Stored {
    static constant constexpr uint COUNT = Wide<T>::COUNT, FOURS = Wide<T>::FOURS;
    uint n, local, threads;
    uint4 bits[MAX_KEPT];

    // The index of the first element of the thread's vector i.
    uint index(uint i) const { return (local + i * threads) * COUNT; }

    // The thread's vector i of a row. Past the row, it repeats the last vector if WHOLE; otherwise elements are `beyond`.
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
            const uint here = index(i) < n ? ~0u : 0u; // a mask: given a branch, clang would delay the load into the side that uses it
            if (WHOLE && i < uint(kept)) bits[i] = (bits[i] & here) | (Wide<T>::filled(beyond) & ~here);
        }
    }

    // Makes the compiler convert the elements to floats again after x is known, rather than keep those of the pass before.
    void again_after(float x) {
        for (uint i = 0; i < MAX_KEPT; i++)
            if (i < uint(kept)) bits[i] ^= none_after(x);
    }

    // Calls f.take(*this, four, at, e) for every four elements; `at` is where their vector begins and e their offset in it.
    template <typename F>
    void each(thread F &f) const {
        for (uint i = 0; i < MAX_KEPT * FOURS; i++) {
            if (i >= uint(kept) * FOURS) break;
            float4 v = Wide<T>::four(bits[i / FOURS], i % FOURS);
            f.take(*this, v, index(i / FOURS), i % FOURS * 4);
        }
    }

    // Stores f.of(four) for every four elements.
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
