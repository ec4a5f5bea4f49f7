// Products of few rows of activations with rows of codes, by instructions for products of bytes.
#ifndef ASSAY_DOTS_H
#define ASSAY_DOTS_H

#include "quant.h"

#define DIGITS 3      // of an activation, at most
#define DOT_BLOCK 32  // least elements of a block
#define DOT_ROWS 2   // of activations at once: more would not stay in the nearest cache
#define DOT_APART 4 // rows of codes at once, far apart: streams that a processor fetches side by side
#define DOT_SHORTEST 128 // with fewer products a sum would show that activations are rounded

// Rows of activations in fixed point, in groups as long as vl ints of codes are, and the sums of their blocks. A group takes
// dot_group_bytes.
struct quant_rows {
    const char *x; // NULL: nothing is prepared
    int digits;    // of an activation: 1 if it was in int8, 2 or 3; in blocks 0 is as many as their type has
    const float *sums;
    size_t x_row, sums_row; // distances of the rows: bytes, and floats
    float unit[GEMV_ROWS];  // of which the powers of two and the sums are multiples
};

// Rows of codes: how many bytes after those of the row before a row's begin, and how many scales and zero points after, if it has any.
struct dot_weights {
    const char *q;
    size_t apart, block, scales_apart;
    const float *scale, *zero;
};

struct dot_loops {
    // Prepares n activations of one row, with sums of each block; 0 if they cannot be: one is not finite, all are tiny or huge, or
    // roundings to two digits would show.
    int (*prepare[CPU_TYPES])(const float *a, int digits, size_t block, size_t n, char *x, float *sums, float *unit);
    // acc[i] += a[i]·w over the n weights w = (q − zero[b])·scale[b], for i < m ≤ DOT_ROWS; 0, and nothing is added, if a sum is not
    // finite.
    int (*dot[CPU_TYPES])(const void *q, size_t block, const float *zero, const float *scale, const struct quant_rows *x, int m,
                          size_t n, float *acc);
    // acc[i] = the products of one row of activations with row i of DOT_APART rows of n codes, which share what is read of it; 0 if one is
    // not finite.
    int (*beside[CPU_TYPES])(const struct dot_weights *w, const struct quant_rows *x, size_t n, float *acc);
    // The same as dot with a row of blocks. Prepared activations take span_bytes for each 256, and are refused if roundings would show.
    size_t span_bytes[CPU_TYPES];
    int (*prepare_blocks[CPU_TYPES])(const float *a, size_t n, char *x);
    // The same for n activations in int8 with a scale for each block of weights, which are of one digit and exact. NULL: there is none.
    size_t rounded_bytes[CPU_TYPES];
    void (*prepare_rounded[CPU_TYPES])(const int8_t *a, const float *scale, size_t n, char *x);
    int (*dot_blocks[CPU_TYPES])(const uint8_t *row, const struct quant_rows *x, int m, size_t n, float *acc);
    // The same as `beside` with rows of blocks, `apart` bytes from each other, and n whole spans. NULL: there is none.
    int (*blocks_beside[CPU_TYPES])(const uint8_t *row, size_t apart, const struct quant_rows *x, size_t n, float *acc);
    // For ternary codes: arranges n activations of one row in planes, of whole groups, and returns their sum; and sets sum[i] to the
    // products of each row i < m ≤ GEMV_ROWS of them, x_row bytes apart, with n codes plus 1.
    int32_t (*prepare_bits)(const int8_t *a, size_t n, char *x);
    void (*dot_bits)(const char *q, const char *x, size_t x_row, int m, size_t n, int32_t *sum);
    // prepare and dot for activations in int8 with a scale in each block, which become code_digits digits, or two if there is one row.
    // The unit of their rows is 1. acc gets the sums of m = 2 rows of activations, or of `rows` = DOT_APART rows of codes.
    int code_digits[CPU_TYPES];
    void (*prepare_codes[CPU_TYPES])(const int8_t *a, int digits, const float *scale, size_t block, size_t n, char *x, float *sums);
    int (*dot_codes[CPU_TYPES])(const struct dot_weights *w, const struct quant_rows *x, int m, int rows, size_t n, float *acc);
    // y += the bytes of y, without a sign, · four bytes of x, in each of n sums that begin as x; for their peak alone.
    void (*dot_add)(const int8_t *x, uint32_t *out, size_t n, uint32_t steps);
};

// The same from row r on.
static inline struct quant_rows rows_from(const struct quant_rows *x, size_t r) {
    struct quant_rows from = *x;
    if (x->x) from.x += r * x->x_row, from.sums += r * x->sums_row;
    for (size_t i = 0; i + r < GEMV_ROWS; i++) from.unit[i] = x->unit[i + r];
    return from;
}

// Rounds the rows of codes of a task down, so that its streams begin an odd number of rows apart: rows are often as long as a power of two,
// and streams that lie a power of two apart compete for the same places of caches and memory.
static inline size_t rows_in_streams(size_t rows) {
    const size_t apart = rows / DOT_APART;
    return apart == 0 ? rows : (apart - (apart % 2 == 0)) * DOT_APART;
}

static inline size_t dot_group_bytes(int bits, int digits, size_t vl) { return 4 * vl * (size_t)(digits * (8 / bits) + 2); }

#endif
