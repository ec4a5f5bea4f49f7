// Vectors of 16 floats in AVX-512 F, BW, DQ and VL.
#include <immintrin.h>
#include <string.h>

#define VL 16
#define STREAMS 1
#define OWN_SUM
#include "vec_common.h"

// The sum of a vector: adds one half to the other, repeatedly.
INLINE float sum_of(vf x) {
    const __m256 half = _mm256_add_ps(_mm512_castps512_ps256((__m512)x), _mm256_castpd_ps(_mm512_extractf64x4_pd((__m512d)x, 1)));
    const __m128 quarter = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1)), two = _mm_add_ps(quarter, _mm_movehl_ps(quarter, quarter));
    return two[0] + two[1];
}

// A blend uses a different unit than shuffles.
#undef KEPT
#define KEPT(a, b, d) (vf)_mm512_mask_blend_ps((__mmask16)((d) == 8 ? 0xff00 : (d) == 4 ? 0xf0f0 : (d) == 2 ? 0xcccc : 0xaaaa), (__m512)(a), (__m512)(b))
INLINE __mmask16 v_first(size_t n) { return (__mmask16)((1u << n) - 1); }
INLINE vf v_load_n(const float *p, size_t n) { return (vf)_mm512_maskz_loadu_ps(v_first(n), p); }
INLINE void v_store_n(float *p, vf x, size_t n) { _mm512_mask_storeu_ps(p, v_first(n), (__m512)x); }

INLINE vf v_fma(vf a, vf b, vf c) { return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }
// Computes c += a·b in place. If GCC may choose which operand to overwrite, it moves and spills sums.
#define FMA_TO 1
INLINE void v_fma_to(vf a, vf b, vf *c) { __asm__("vfmadd231ps %2, %1, %0" : "+v"(*c) : "v"(b), "v"(a)); }
INLINE vf v_min(vf a, vf b) { return (vf)_mm512_min_ps((__m512)a, (__m512)b); } // b where either is NaN
INLINE vf v_max(vf a, vf b) { return (vf)_mm512_max_ps((__m512)a, (__m512)b); }
INLINE vf v_rint(vf x) { return (vf)_mm512_roundscale_ps((__m512)x, 8); } // nearest even, no exceptions
INLINE vf v_scale(vf p, vf n) { return (vf)_mm512_scalef_ps((__m512)p, (__m512)n); }

// 1/x to 1.5 units in the last place, for x ≥ 1: a 14-bit estimate, whose bits a step of Newton's method doubles. 1/∞ is 0: there
// the error is NaN, which v_min replaces by 1.
INLINE vf v_reciprocal(vf x) {
    const vf r = (vf)_mm512_rcp14_ps((__m512)x);
    const vf error = (vf)_mm512_fnmadd_ps((__m512)x, (__m512)r, (__m512)v_set1(1));
    return v_fma(r, v_min(error, v_set1(1)), r);
}

// Half a vector of floats as doubles: the generic conversion compiles to two conversions of a quarter each.
#define OWN_WIDE 1
INLINE vd v_wide(const float *p) { return (vd)_mm512_cvtps_pd(_mm256_loadu_ps(p)); }

// 2^t, with an error of 6e-8 at most: the scaling instruction takes ⌊t⌋ itself, and a polynomial with an error of 5e-9
// approximates the power of t − ⌊t⌋, which is 0 for ∞. Below −126 the result is 0, since processors take a hundred times as long
// for subnormal numbers.
#define EXP2 1
INLINE vf v_exp2(vf t) {
    const __mmask16 normal = _mm512_cmp_ps_mask((__m512)t, _mm512_set1_ps(-126), _CMP_NLT_UQ);
    const vf r = (vf)_mm512_reduce_ps((__m512)t, 9);
    vf p = v_set1(0.00020817914628423750f);
    p = v_fma(p, r, v_set1(0.0012692166492342949f));
    p = v_fma(p, r, v_set1(0.009652195498347282f));
    p = v_fma(p, r, v_set1(0.05549602210521698f));
    p = v_fma(p, r, v_set1(0.24022720754146576f));
    p = v_fma(p, r, v_set1(0.6931471824645996f));
    p = v_fma(p, r, v_set1(1));
    return (vf)_mm512_maskz_scalef_ps(normal, (__m512)p, (__m512)t);
}

INLINE vf v_load_f16(const uint16_t *p) { return (vf)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p)); }
INLINE __m256i v_to_f16(vf x) { return _mm512_cvtps_ph((__m512)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
INLINE void v_store_f16(uint16_t *p, vf x) { _mm256_storeu_si256((__m256i *)p, v_to_f16(x)); }
INLINE void v_stream(float *p, vf x) { _mm512_stream_ps(p, (__m512)x); }
INLINE void v_stream_f16(uint16_t *p, vf x) { _mm256_stream_si256((__m256i *)p, v_to_f16(x)); }
INLINE void v_stream_half(void *p, v_bytes_two x) { _mm256_stream_si256((__m256i *)p, (__m256i)x); }
INLINE void v_fence(void) { _mm_sfence(); }

INLINE vf v_load_i8(const int8_t *p) {
    return (vf)_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(const void *)p)));
}
// Four vectors, rounded and saturated to signed bytes; and bytes from low to high.
INLINE vi v_round_four(const vf x[4]) {
    const __m512i a = _mm512_cvtps_epi32((__m512)x[0]), b = _mm512_cvtps_epi32((__m512)x[1]);
    const __m512i c = _mm512_cvtps_epi32((__m512)x[2]), d = _mm512_cvtps_epi32((__m512)x[3]);
    const __m512i mixed = _mm512_packs_epi16(_mm512_packs_epi32(a, b), _mm512_packs_epi32(c, d));
    return (vi)_mm512_permutexvar_epi32(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), mixed);
}
INLINE vi v_clamp_bytes(vi x, int8_t low, int8_t high) { return (vi)_mm512_min_epi8(_mm512_max_epi8((__m512i)x, _mm512_set1_epi8(low)), _mm512_set1_epi8(high)); }
INLINE vu v_load_bytes(const uint8_t *p) { return (vu)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)p)); }
#define WIDEN_TWO 1
INLINE v_shorts_two v_widen_two(const uint8_t *p) { return (v_shorts_two)_mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)p)); }
INLINE vf v_load_i4(const uint8_t *p) {
    const __m128i pairs = _mm_loadl_epi64((const __m128i *)(const void *)p);
    const __m128i mask = _mm_set1_epi8(15), eight = _mm_set1_epi8(8);
    const __m128i low = _mm_and_si128(pairs, mask), high = _mm_and_si128(_mm_srli_epi16(pairs, 4), mask);
    const __m128i code = _mm_sub_epi8(_mm_xor_si128(_mm_unpacklo_epi8(low, high), eight), eight);
    return (vf)_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(code));
}
// All 16 values of an int4 code in one vector, and a look-up of VL codes: the shuffle only reads the low 4 bits.
#define LOOKUP_I4 1
INLINE vf v_all_i4(void) { return (vf){0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1}; }
INLINE vf v_lookup_i4(const uint8_t *p, vf table) {
    const __m512i half = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    const __m512i shift = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28);
    const __m512i pairs = _mm512_castsi128_si512(_mm_loadl_epi64((const __m128i *)(const void *)p));
    const __m512i code = _mm512_srlv_epi32(_mm512_permutexvar_epi32(half, pairs), shift);
    return (vf)_mm512_permutexvar_ps(code, (__m512)table);
}

// Sums of four products of unsigned and signed bytes. Without an instruction for it, sums of two must fit into 16 bits.
#define DOT_BIAS 128
#if defined(BYTE_PRODUCTS)
#define DIGIT_BITS 8
INLINE vi v_dot(vi sum, vi x, vi y) { return (vi)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)x, (__m512i)y); }
INLINE vi v_dot_words(vi sum, vi x, vi y) { return (vi)_mm512_dpwssd_epi32((__m512i)sum, (__m512i)x, (__m512i)y); } // of two int16
#else
#define DIGIT_BITS 7
INLINE vi v_dot_pairs(vi sum, vi x, vi y) { return sum + (vi)_mm512_madd_epi16((__m512i)x, (__m512i)y); }
INLINE vi v_load_pairs(const void *p) { return (vi)_mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)p)); }
INLINE vi v_dot(vi sum, vi x, vi y) {
    return sum + (vi)_mm512_madd_epi16(_mm512_maddubs_epi16((__m512i)x, (__m512i)y), _mm512_set1_epi16(1));
}
#endif

// Eight f16 values as floats.
INLINE void v_put_halves(float *to, v_eight_halves h) { _mm256_storeu_ps(to, _mm256_cvtph_ps((__m128i)h)); }

// A vector of `count` pieces, 1, 2 or 4, `apart` bytes apart.
INLINE vi v_pieces(const int count, const uint8_t *p, size_t apart) {
    if (count == 1) return v_get((const char *)p);
    if (count == 2) {
        const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)p);
        return (vi)_mm512_inserti64x4(_mm512_castsi256_si512(low), _mm256_loadu_si256((const __m256i *)(const void *)(p + apart)), 1);
    }
    __m512i x = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(const void *)p));
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const __m128i *)(const void *)(p + apart)), 1);
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const __m128i *)(const void *)(p + 2 * apart)), 2);
    return (vi)_mm512_inserti32x4(x, _mm_loadu_si128((const __m128i *)(const void *)(p + 3 * apart)), 3);
}

// `per` floats, 1, 2, 4 or 8, each repeated in an equal share of the lanes.
INLINE vf v_spread(const int per, const float *p) {
    const __m512i halves = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    const __m512i quarters = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    if (per == 1) return v_set1(*p);
    if (per == 8) {
        const __m512i eighths = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
        return (vf)_mm512_permutexvar_ps(eighths, _mm512_castps256_ps512(_mm256_loadu_ps(p)));
    }
    if (per == 4) return (vf)_mm512_permutexvar_ps(quarters, _mm512_castps128_ps512(_mm_loadu_ps(p)));
    const __m128 two = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)p)); // may alias floats, unlike a double
    return (vf)_mm512_permutexvar_ps(halves, _mm512_castps128_ps512(two));
}

// Four lanes of x, constants wherever this is inlined, each repeated in a quarter of the lanes.
INLINE vf v_spread_four(vf x, int a, int b, int c, int d) {
    return (vf)_mm512_permutexvar_ps(_mm512_setr_epi32(a, a, a, a, b, b, b, b, c, c, c, c, d, d, d, d), (__m512)x);
}
INLINE vf v_add_low(vf x, vf y) { return (vf)_mm512_mask_add_ps((__m512)x, 0x00ff, (__m512)x, (__m512)y); } // in the lower half of the lanes
// 16 of 64 f16 values, of which half begin at p and half at q.
INLINE v_halves v_pick(const uint8_t *p, const uint8_t *q, v_halves at) {
    const __m512i low = _mm512_loadu_si512(p), high = _mm512_loadu_si512(q);
    return (v_halves)_mm512_castsi512_si256(_mm512_permutex2var_epi16(low, _mm512_castsi256_si512((__m256i)at), high));
}
INLINE vf v_upper_halves(uint64_t low, uint64_t high) { // in the upper half of the lanes
    return (vf)_mm512_cvtph_ps(_mm256_set_epi64x((long long)high, (long long)low, 0, 0));
}
INLINE vf v_of_halves(v_halves h) { return (vf)_mm512_cvtph_ps((__m256i)h); }
// Four runs of 16 bytes, `apart` bytes from each other. The first three come from one vector by a permutation of words.
#define v_four_runs(p, apart)                                                                                                           \
    (vi)_mm512_mask_broadcast_i32x4(                                                                                                    \
        _mm512_permutexvar_epi16((__m512i)(v_halves_two){EIGHT_FROM(0), EIGHT_FROM((apart) / 2), EIGHT_FROM(apart), EIGHT_FROM(0)}, _mm512_loadu_si512(p)), \
        0xf000, _mm_loadu_si128((const __m128i *)(const void *)((p) + 3 * (apart))))
// Sixteen six-bit numbers. Eight are in the lower bits of bytes 4 to 11. The lower four bits of the other eight are the nibbles
// of bytes 12 to 15, and their upper two bits are the upper bits of bytes 4 to 11. The second half of those bytes comes first in
// each case.
INLINE vf v_of_sixes(const uint8_t *p) {
    const __m128i all = _mm_loadu_si128((const __m128i *)(const void *)p), six = _mm_set1_epi8(0x3f), high = _mm_set1_epi8(0x30), low = _mm_set1_epi8(0x0f);
    const __m128i pairs = _mm_srlv_epi32(_mm_shuffle_epi32(all, 0x5a), _mm_setr_epi32(0, 2, 0, 2));
    const __m128i nibbles = _mm_srlv_epi32(_mm_shuffle_epi32(all, 0xff), _mm_setr_epi32(32, 4, 32, 0));
    const __m128i x = _mm_or_si128(_mm_and_si128(pairs, _mm_unpacklo_epi32(six, high)), _mm_and_si128(nibbles, low));
    return (vf)_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(x));
}
// Two f16 values side by side, the second in the lower half of the lanes.
INLINE vf v_spread_halves(const uint8_t *p) {
    const __m512 two = _mm512_castps128_ps512(_mm_cvtph_ps(_mm_loadu_si32(p)));
    return (vf)_mm512_permutexvar_ps(_mm512_setr_epi32(1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0), two);
}

#define KERNEL_ROWS 12
#define KERNEL_VECTORS 2
#define WIDE_ROWS 9
#define WIDE_VECTORS 3
#define BROAD_ROWS 6
#define BROAD_VECTORS 4
#define KERNEL_DEPTH 384
#define ISA_NAME "avx512"
#define ISA_TABLE isa_avx512
#define ISA_DOTS vnni_dots
#define ISA_DOTS_BYTES vnni_bytes
#define ISA_DOTS_TILES vnni_tiles
#define ISA_DOTS_CODES vnni_codes
#define ISA_DOTS_NAME "avx512vnni"
#define ISA_DOTS_TABLE isa_vnni
#define ISA_BF16 bf16_tiles
#define ISA_BF16_NAME "avx512bf16"
#define ISA_BF16_TABLE isa_bf16
#define ISA_TILES amx_tiles
#define ISA_CODES amx_codes
#define ISA_BLOCK_CODES amx_block_codes
#define ISA_BYTES amx_bytes
#define ISA_BLOCK_BYTES amx_block_bytes
#define ISA_AMX_NAME "amx"
#define ISA_AMX_TABLE isa_amx
