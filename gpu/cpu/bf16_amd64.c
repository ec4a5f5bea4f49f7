// bfloat16 GEMMs with an AVX-512 instruction.
#if !defined(__clang__)
#pragma GCC target("avx512bf16,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")
#endif
#include "isa.h"
#include <immintrin.h>
#include <string.h>
#if defined(__clang__) // its headers must come before the target is set
#pragma clang attribute push(__attribute__((target("avx512bf16,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"))), apply_to = function)
#endif
#include "vec_avx512.h"

#include "tiles.h"

#include "loops_pairs.h"

#define ROWS 11 // whose sums are in registers at a time
#define BASES 4 // rows of a are addressed with a few pointers and one distance, as in loops_gemm.h

struct pairs {
    const char *a, *b;
    size_t row, step, steps; // of a, in bytes; along k
    float *c;
    size_t ldc;
    int add;
};

// The instruction. Clang 16 crashes where it may merge a load with the argument of its own intrinsic.
INLINE __m512 dot_pairs(__m512 sum, __m512i x, __m512i y) {
#if defined(__clang__)
    __asm__("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
    return sum;
#else
    return _mm512_dpbf16_ps(sum, (__m512bh)x, (__m512bh)y);
#endif
}

// Adds the products of two elements along k to the sums of `rows` rows.
INLINE void add_pairs(const int rows, const char *const base[BASES], size_t row, const char *b, __m512 sum[ROWS][2]) {
    const __m512i x = _mm512_loadu_si512(b), y = _mm512_loadu_si512(b + TILE_HALF_STEP);
    UNROLL
    for (int r = 0; r < rows; r++) {
        int32_t pair;
        memcpy(&pair, base[r / 3] + (size_t)(r % 3) * row, 4);
        const __m512i a = _mm512_set1_epi32(pair);
        sum[r][0] = dot_pairs(sum[r][0], a, x);
        sum[r][1] = dot_pairs(sum[r][1], a, y);
    }
}

INLINE void pairs_step(const int rows, const char *a, size_t row, const char *b, __m512 sum[ROWS][2]) {
    const char *base[BASES];
    UNROLL
    for (int i = 0; i < BASES; i++) base[i] = a + (size_t)(3 * i) * row;
    for (int g = 0; g < TILE_BYTES; g += 16) {
        UNROLL
        for (int i = 0; i < 4; i++, b += TILE_BYTES) {
            add_pairs(rows, base, row, b, sum);
            UNROLL
            for (int j = 0; j < BASES; j++) base[j] += 4;
        }
    }
}

// Computes rows of a tile; `rows` is a constant wherever this is inlined.
INLINE void pairs_rows(const int rows, const struct pairs *d) {
    __m512 sum[ROWS][2];
    UNROLL
    for (int r = 0; r < rows; r++) {
        const float *c = d->c + (size_t)r * d->ldc;
        sum[r][0] = d->add ? _mm512_loadu_ps(c) : _mm512_setzero_ps();
        sum[r][1] = d->add ? _mm512_loadu_ps(c + TILE_HALF) : _mm512_setzero_ps();
    }
    const char *a = d->a, *b = d->b;
    for (size_t s = 0; s < d->steps; s++, a += d->step, b += TILE_STEP) pairs_step(rows, a, d->row, b, sum);
    UNROLL
    for (int r = 0; r < rows; r++) {
        float *c = d->c + (size_t)r * d->ldc;
        _mm512_storeu_ps(c, sum[r][0]);
        _mm512_storeu_ps(c + TILE_HALF, sum[r][1]);
    }
}

static void pairs_many(const struct pairs *d) { pairs_rows(ROWS, d); }
static void pairs_few(const struct pairs *d) { pairs_rows(TILE_SIDE - 2 * ROWS, d); }

static void pairs_tile(size_t steps, const struct tile_rows *a, const char *b, void *c, size_t ldc, enum tile_sums sums) {
    for (size_t r = 0; r < TILE_SIDE && r < a->rows; r += ROWS) {
        const struct pairs d = {
            .a = a->at + r * a->row, .b = b, .row = a->row, .step = a->step, .steps = steps, .c = (float *)c + r * ldc, .ldc = ldc, .add = sums == SUMS_ADD,
        };
        (r + ROWS <= TILE_SIDE ? pairs_many : pairs_few)(&d);
    }
}

static void pairs_begin(void) {}

extern const struct tile_loops bf16_tiles;
const struct tile_loops bf16_tiles = {
    .codes = 1, .least = 2e6, .begin = pairs_begin, .end = pairs_end, .tile = {[CPU_BF16] = pairs_tile}, .store = pairs_store,
    .pack_rows = pairs_pack_rows, .pack_b_rows = pairs_pack_b_rows, .pack_cols = pairs_pack_cols, .pack_b_cols = pairs_pack_b_cols,
};
#if defined(__clang__)
#pragma clang attribute pop
#endif
