// A few rows of activations times rows of codes, with instructions for byte products.
#ifndef ASSAY_DOTS_H
#define ASSAY_DOTS_H

#include "quant.h"

#define DIGITS 3      // of an activation, at most
#define DOT_BLOCK 32  // minimum elements of a block
#define DOT_ROWS 2   // of activations at once: more would not stay in L1
#define DOT_APART 4 // rows of codes read at once, far apart: parallel streams for the prefetcher
#define DOT_SHORTEST 128 // minimum length: in shorter sums the rounding of activations would show

// Rows of activations in fixed point, in groups as long as vl ints of codes, and the sums of their blocks. A group takes
// dot_group_bytes.
struct quant_rows {
    const char *x; // NULL: nothing is prepared
    int digits;    // of an activation: 1 if it was int8, else 2 or 3; in blocks 0 means as many as their type uses
    const float *sums;
    size_t x_row, sums_row; // distances between rows: in bytes, and in floats
    float unit[GEMV_ROWS];  // powers of two and sums are multiples of it
};

// Rows of codes: the distance between rows in bytes, and between their scales and zero points, if any.
struct dot_weights {
    const char *q;
    size_t apart, block, scales_apart;
    const float *scale, *zero;
};

struct dot_loops {
    // Prepares n activations of one row, with sums of each block; returns 0 if that is impossible: one is not finite, all are
    // tiny or huge, or rounding to two digits would show.
    int (*prepare[CPU_TYPES])(const float *a, int digits, size_t block, size_t n, char *x, float *sums, float *unit);
    // acc[i] += a[i]·w over the n weights w = (q − zero[b])·scale[b], for i < m ≤ DOT_ROWS. Returns 0 and adds nothing if a sum
    // is not finite.
    int (*dot[CPU_TYPES])(const void *q, size_t block, const float *zero, const float *scale, const struct quant_rows *x, int m,
                          size_t n, float *acc);
    // acc[i] = one row of activations times row i of DOT_APART rows of n codes, which share loads of the activations. Returns 0
    // if a result is not finite.
    int (*beside[CPU_TYPES])(const struct dot_weights *w, const struct quant_rows *x, size_t n, float *acc);
    // The same as dot with a row of blocks. Prepared activations take span_bytes for each 256, and are refused if the rounding
    // would show.
    size_t span_bytes[CPU_TYPES];
    int (*prepare_blocks[CPU_TYPES])(const float *a, size_t n, char *x);
    // The same for n int8 activations with a scale for each block of weights; they need one digit and are exact. NULL: not
    // available.
    size_t rounded_bytes[CPU_TYPES];
    void (*prepare_rounded[CPU_TYPES])(const int8_t *a, const float *scale, size_t n, char *x);
    int (*dot_blocks[CPU_TYPES])(const uint8_t *row, const struct quant_rows *x, int m, size_t n, float *acc);
    // The same as `beside` with rows of blocks, `apart` bytes from each other, and n a multiple of a span. NULL: not available.
    int (*blocks_beside[CPU_TYPES])(const uint8_t *row, size_t apart, const struct quant_rows *x, size_t n, float *acc);
    // For ternary codes. prepare_bits arranges n activations of one row in planes of whole groups and returns their sum. dot_bits
    // sets sum[i] to each row i < m ≤ GEMV_ROWS of them, x_row bytes apart, times n codes plus 1.
    int32_t (*prepare_bits)(const int8_t *a, size_t n, char *x);
    void (*dot_bits)(const char *q, const char *x, size_t x_row, int m, size_t n, int32_t *sum);
    // prepare and dot for int8 activations with a scale in each block, which become code_digits digits, or two if there is one
    // row. The unit of their rows is 1. acc receives the sums of m = 2 rows of activations, or of `rows` = DOT_APART rows of
    // codes.
    int code_digits[CPU_TYPES];
    void (*prepare_codes[CPU_TYPES])(const int8_t *a, int digits, const float *scale, size_t block, size_t n, char *x, float *sums);
    int (*dot_codes[CPU_TYPES])(const struct dot_weights *w, const struct quant_rows *x, int m, int rows, size_t n, float *acc);
    // y += the unsigned bytes of y times four bytes of x, in each of n sums that begin as x; only for measuring their peak.
    void (*dot_add)(const int8_t *x, uint32_t *out, size_t n, uint32_t steps);
};

// The same from row r on.
static inline struct quant_rows rows_from(const struct quant_rows *x, size_t r) {
    struct quant_rows from = *x;
    if (x->x) from.x += r * x->x_row, from.sums += r * x->sums_row;
    for (size_t i = 0; i + r < GEMV_ROWS; i++) from.unit[i] = x->unit[i + r];
    return from;
}

// Rounds the rows of codes of a task down so that its streams begin an odd number of rows apart: rows often have a power of two
// as their length, and streams a power of two apart compete for the same cache sets and parts of memory.
static inline size_t rows_in_streams(size_t rows) {
    const size_t apart = rows / DOT_APART;
    return apart == 0 ? rows : (apart - (apart % 2 == 0)) * DOT_APART;
}

static inline size_t dot_group_bytes(int bits, int digits, size_t vl) { return 4 * vl * (size_t)(digits * (8 / bits) + 2); }

#endif
