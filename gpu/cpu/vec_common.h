// Shared by all vec_*.h: the vector types of VL floats and functions without specific instructions. Each vec_*.h adds v_load_n
// and v_store_n, which access only the first n floats (the others load as 0), arithmetic, and conversions.
#include <string.h>

typedef float vf __attribute__((vector_size(4 * VL)));
typedef int32_t vi __attribute__((vector_size(4 * VL)));
typedef int8_t codes __attribute__((vector_size(VL)));
typedef uint32_t vu __attribute__((vector_size(4 * VL)));
typedef uint16_t v_halves __attribute__((vector_size(2 * VL)));
typedef uint16_t v_eight_halves __attribute__((vector_size(16)));
typedef uint8_t v_bytes __attribute__((vector_size(VL)));
typedef uint8_t v_bytes_half __attribute__((vector_size(VL / 2)));
typedef uint64_t v_pairs __attribute__((vector_size(4 * VL))); // of lanes
typedef float vf_half __attribute__((vector_size(2 * VL)));
typedef int32_t vi_half __attribute__((vector_size(2 * VL)));
typedef double vd __attribute__((vector_size(4 * VL))); // half as many
typedef int64_t vl __attribute__((vector_size(4 * VL)));
typedef int8_t v_bytes_two __attribute__((vector_size(2 * VL)));
typedef uint16_t v_halves_two __attribute__((vector_size(4 * VL)));
typedef int16_t v_shorts_two __attribute__((vector_size(4 * VL)));
typedef float vf_any __attribute__((vector_size(4 * VL), aligned(4), may_alias)); // at any address

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#define INLINE static inline __attribute__((always_inline))

INLINE vf v_load(const float *p) { return *(const vf_any *)p; }
INLINE void v_store(float *p, vf x) { *(vf_any *)p = x; }
INLINE vf v_set1(float x) { return x - (vf){0}; }

// Interleaves the lower or upper halves of a and b, element by element.
#if VL == 4
#define LOW 0, 4, 1, 5
#define HIGH 2, 6, 3, 7
#elif VL == 8
#define LOW 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH 4, 12, 5, 13, 6, 14, 7, 15
#else
#define LOW 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#endif
#if defined(__clang__)
#define ZIP_LOW(a, b) __builtin_shufflevector(a, b, LOW)
#define ZIP_HIGH(a, b) __builtin_shufflevector(a, b, HIGH)
#else
#define ZIP_LOW(a, b) __builtin_shuffle(a, b, (vi){LOW})
#define ZIP_HIGH(a, b) __builtin_shuffle(a, b, (vi){HIGH})
#endif

// Lanes of a and b: those whose number has bit d set come from b. SWAPPED takes the lane at distance d.
#if VL == 4
#define LANES(F, d) F(0, d), F(1, d), F(2, d), F(3, d)
#elif VL == 8
#define LANES(F, d) F(0, d), F(1, d), F(2, d), F(3, d), F(4, d), F(5, d), F(6, d), F(7, d)
#else
#define LANES(F, d) F(0, d), F(1, d), F(2, d), F(3, d), F(4, d), F(5, d), F(6, d), F(7, d), F(8, d), F(9, d), F(10, d), F(11, d), \
                    F(12, d), F(13, d), F(14, d), F(15, d)
#endif
#define KEPT_LANE(i, d) ((i) & (d) ? (i) + VL : (i))
#define SWAPPED_LANE(i, d) (((i) ^ (d)) + ((i) & (d) ? VL : 0))
#if defined(__clang__)
#define KEPT(a, b, d) __builtin_shufflevector(a, b, LANES(KEPT_LANE, d))
#define SWAPPED(a, b, d) __builtin_shufflevector(a, b, LANES(SWAPPED_LANE, d))
#else
#define KEPT(a, b, d) __builtin_shuffle(a, b, (vi){LANES(KEPT_LANE, d)})
#define SWAPPED(a, b, d) __builtin_shuffle(a, b, (vi){LANES(SWAPPED_LANE, d)})
#endif

// Transposes VL vectors in place: zipping the halves log2(VL) times turns rows into columns.
INLINE void v_transpose(vf r[VL]) {
    UNROLL
    for (int step = 1; step < VL; step *= 2) {
        vf t[VL];
        UNROLL
        for (int i = 0; i < VL / 2; i++) {
            t[2 * i] = ZIP_LOW(r[i], r[i + VL / 2]);
            t[2 * i + 1] = ZIP_HIGH(r[i], r[i + VL / 2]);
        }
        UNROLL
        for (int i = 0; i < VL; i++) r[i] = t[i];
    }
}

// bfloat16 is the upper half of a float. Stores round to nearest even and keep NaN.
INLINE vf v_load_bf16(const uint16_t *p) {
    v_halves h;
    memcpy(&h, p, sizeof h);
    return (vf)(__builtin_convertvector(h, vu) << 16);
}
INLINE void v_store_bf16(uint16_t *p, vf x) {
    const vu bits = (vu)x, nan = (vu)(x != x);
    const vu rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16, kept = bits >> 16 | 0x40;
    const v_halves h = __builtin_convertvector((rounded & ~nan) | (kept & nan), v_halves);
    memcpy(p, &h, sizeof h);
}

#if !defined(OWN_SUM)
// The sum of a vector: each zip of the halves leaves half as many distinct lanes.
INLINE float sum_of(vf x) {
    UNROLL
    for (int left = VL; left > 1; left /= 2) x = ZIP_LOW(x, x) + ZIP_HIGH(x, x);
    return x[0];
}
#endif

// The sums of VL vectors: each step zips pairs of vectors half the array apart, which leaves half as many.
INLINE vf sums_of(vf t[VL]) {
    UNROLL
    for (int half = VL / 2; half > 0; half /= 2) {
        UNROLL
        for (int i = 0; i < half; i++) t[i] = ZIP_LOW(t[i], t[i + half]) + ZIP_HIGH(t[i], t[i + half]);
    }
    return t[0];
}

// Bytes, four to a lane, at any address.
typedef vi vi_any __attribute__((aligned(1), may_alias));
INLINE vi v_get(const char *p) { return *(const vi_any *)p; }
INLINE void v_put(char *p, vi x) { *(vi_any *)p = x; }
