// Vectors of 8 floats in AVX2, FMA and F16C.
#include <float.h>
#include <immintrin.h>
#include <string.h>

#define VL 8
#define STREAMS 1
#include "vec_common.h"

INLINE vf v_load_n(const float *p, size_t n) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return (vf)_mm256_maskload_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), lane));
}
INLINE void v_store_n(float *p, vf x, size_t n) { // in halves: a masked store is slow on some processors
    if (n == VL) {
        v_store(p, x);
        return;
    }
    __m128 part = _mm256_castps256_ps128((__m256)x);
    if (n & 4) {
        _mm_storeu_ps(p, part);
        part = _mm256_extractf128_ps((__m256)x, 1);
        p += 4;
    }
    if (n & 2) {
        _mm_storel_pi((__m64 *)(void *)p, part);
        part = _mm_movehl_ps(part, part);
        p += 2;
    }
    if (n & 1) _mm_store_ss(p, part);
}

INLINE vf v_fma(vf a, vf b, vf c) { return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c); }
// Computes c += a·b in place. If GCC may choose which operand to overwrite, it moves and spills sums.
#define FMA_TO 1
INLINE void v_fma_to(vf a, vf b, vf *c) { __asm__("vfmadd231ps %2, %1, %0" : "+x"(*c) : "x"(b), "x"(a)); }
INLINE vf v_min(vf a, vf b) { return (vf)_mm256_min_ps((__m256)a, (__m256)b); } // b where either is NaN
INLINE vf v_max(vf a, vf b) { return (vf)_mm256_max_ps((__m256)a, (__m256)b); }
INLINE vf v_rint(vf x) { return (vf)_mm256_round_ps((__m256)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }

// 1/x for x > 0, in fewer cycles than a division, with an error of at most 3 units in the last place (the estimate is off by
// 1.5·2^-12; measured on an EPYC: 1.9); 0 where the estimate is below the smallest normal float.
INLINE vf v_reciprocal(vf x) {
    x = v_min(v_set1(FLT_MAX), x); // whose estimate is 0; that of ∞ would become NaN
    const vf estimate = (vf)_mm256_rcp_ps((__m256)x);
    const vf error = (vf)_mm256_fnmadd_ps((__m256)estimate, (__m256)x, (__m256)v_set1(1));
    return v_fma(estimate, error, estimate);
}

// p·2^n for integral n in [-252, 252], in two steps so that 2^n need not be a float.
INLINE vf v_scale(vf p, vf n) {
    const __m256i whole = _mm256_cvtps_epi32((__m256)n), half = _mm256_srai_epi32(whole, 1), bias = _mm256_set1_epi32(127);
    const __m256i low = _mm256_slli_epi32(_mm256_add_epi32(half, bias), 23);
    const __m256i high = _mm256_slli_epi32(_mm256_add_epi32(_mm256_sub_epi32(whole, half), bias), 23);
    return p * (vf)low * (vf)high;
}

INLINE vf v_load_f16(const uint16_t *p) { return (vf)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)); }
INLINE __m128i v_to_f16(vf x) { return _mm256_cvtps_ph((__m256)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
INLINE void v_store_f16(uint16_t *p, vf x) { _mm_storeu_si128((__m128i *)p, v_to_f16(x)); }
INLINE void v_stream(float *p, vf x) { _mm256_stream_ps(p, (__m256)x); }
INLINE void v_stream_f16(uint16_t *p, vf x) { _mm_stream_si128((__m128i *)p, v_to_f16(x)); }
INLINE void v_stream_half(void *p, v_bytes_two x) { _mm_stream_si128((__m128i *)p, (__m128i)x); }
INLINE void v_fence(void) { _mm_sfence(); }

INLINE vf v_load_i8(const int8_t *p) {
    return (vf)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p)));
}
// The lowest signed bytes, one per lane.
INLINE vf v_of_bytes(uint64_t low, uint64_t high) {
    (void)high;
    return (vf)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_cvtsi64_si128((long long)low)));
}
// Four vectors, rounded and saturated to signed bytes; and bytes from low to high.
INLINE vi v_round_four(const vf x[4]) {
    const __m256i a = _mm256_cvtps_epi32((__m256)x[0]), b = _mm256_cvtps_epi32((__m256)x[1]);
    const __m256i c = _mm256_cvtps_epi32((__m256)x[2]), d = _mm256_cvtps_epi32((__m256)x[3]);
    const __m256i mixed = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
    return (vi)_mm256_permutevar8x32_epi32(mixed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}
INLINE vi v_clamp_bytes(vi x, int8_t low, int8_t high) { return (vi)_mm256_min_epi8(_mm256_max_epi8((__m256i)x, _mm256_set1_epi8(low)), _mm256_set1_epi8(high)); }
INLINE vu v_load_bytes(const uint8_t *p) { return (vu)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p)); }
#define WIDEN_TWO 1
INLINE v_shorts_two v_widen_two(const uint8_t *p) { return (v_shorts_two)_mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)p)); }
INLINE vf v_load_i4(const uint8_t *p) {
    int32_t four;
    memcpy(&four, p, 4);
    const __m128i pairs = _mm_cvtsi32_si128(four), mask = _mm_set1_epi8(15), eight = _mm_set1_epi8(8);
    const __m128i low = _mm_and_si128(pairs, mask), high = _mm_and_si128(_mm_srli_epi16(pairs, 4), mask);
    const __m128i code = _mm_sub_epi8(_mm_xor_si128(_mm_unpacklo_epi8(low, high), eight), eight);
    return (vf)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(code));
}

// Sums of four products of unsigned and signed bytes. Without an instruction for it, sums of two must fit into 16 bits.
#define DOT_BIAS 128
#if defined(BYTE_PRODUCTS)
#define DIGIT_BITS 8
INLINE vi v_dot(vi sum, vi x, vi y) { return (vi)_mm256_dpbusd_avx_epi32((__m256i)sum, (__m256i)x, (__m256i)y); }
INLINE vi v_dot_words(vi sum, vi x, vi y) { return (vi)_mm256_dpwssd_avx_epi32((__m256i)sum, (__m256i)x, (__m256i)y); } // of two int16
#else
#define DIGIT_BITS 7
#define FAST_DOTS 1
#define PAIR_PRODUCTS 1
#define SHORT_SUMS 1
// Adds up integers in order: compilers that reorder additions run out of registers.
#define IN_ORDER(sum) __asm__("" : "+x"(sum))
INLINE vi v_dot_pairs(vi sum, vi x, vi y) {
    sum += (vi)_mm256_madd_epi16((__m256i)x, (__m256i)y);
    IN_ORDER(sum);
    return sum;
}
typedef int16_t v_shorts __attribute__((vector_size(32)));
// The sums of two products of unsigned and signed bytes.
INLINE v_shorts v_two_bytes(vi x, vi y) { return (v_shorts)_mm256_maddubs_epi16((__m256i)x, (__m256i)y); }
INLINE v_shorts v_dot_bytes(v_shorts sum, vi x, vi y) {
    sum += v_two_bytes(x, y);
    IN_ORDER(sum);
    return sum;
}
// 256·high + low, from sums like these.
INLINE vi v_of_digits(v_shorts high, v_shorts low) {
    return (vi)_mm256_madd_epi16((__m256i)high, _mm256_set1_epi16(256)) + (vi)_mm256_madd_epi16((__m256i)low, _mm256_set1_epi16(1));
}
INLINE vi v_add_shorts(vi sum, v_shorts x) { return sum + (vi)_mm256_madd_epi16((__m256i)x, _mm256_set1_epi16(1)); }
INLINE vi v_load_pairs(const void *p) { return (vi)_mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)p)); }
INLINE vi v_dot(vi sum, vi x, vi y) {
    sum += (vi)_mm256_madd_epi16(_mm256_maddubs_epi16((__m256i)x, (__m256i)y), _mm256_set1_epi16(1));
    IN_ORDER(sum);
    return sum;
}
#endif

// Eight f16 values as floats.
INLINE void v_put_halves(float *to, v_eight_halves h) { _mm256_storeu_ps(to, _mm256_cvtph_ps((__m128i)h)); }

// A vector of `count` pieces, 1 or 2, `apart` bytes apart.
INLINE vi v_pieces(const int count, const uint8_t *p, size_t apart) {
    if (count == 1) return v_get((const char *)p);
    return (vi)_mm256_loadu2_m128i((const __m128i *)(const void *)(p + apart), (const __m128i *)(const void *)p);
}

// `per` floats, 1, 2 or 4, each repeated in an equal share of the lanes.
INLINE vf v_spread(const int per, const float *p) {
    if (per == 1) return v_set1(*p);
    if (per == 4) return (vf)_mm256_permutevar8x32_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3));
    return (vf)_mm256_setr_ps(p[0], p[0], p[0], p[0], p[1], p[1], p[1], p[1]);
}

#define KERNEL_ROWS 6
#define KERNEL_VECTORS 2
#define KERNEL_DEPTH 320
#define ISA_NAME "avx2"
#define ISA_TABLE isa_avx2
#define ISA_NARROW_BYTES avx2_narrow_bytes
#define ISA_DOTS avxvnni_dots
#define ISA_DOTS_BYTES avxvnni_bytes
#define ISA_DOTS_TILES avxvnni_tiles
#define ISA_DOTS_CODES avxvnni_codes
#define ISA_DOTS_NAME "avxvnni"
#define ISA_DOTS_TABLE isa_avxvnni
