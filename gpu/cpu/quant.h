// The family of integer codes with scales.
#ifndef ASSAY_QUANT_H
#define ASSAY_QUANT_H

#include "isa.h"

#define GEMV_ROWS 4 // up to this many rows of a, b is streamed once instead of packed

// The element types of codes, and those of them that are integers, for instructions for products of integers.
#define QUANT_TYPES(X) X(I8) X(I4) X(E4M3) X(E5M2) X(TERNARY)
#define DOT_TYPES(X) X(I8) X(I4) X(TERNARY)

// How the values of a block become codes: x/scale + zero, within bottom and top.
struct scale {
    float scale, zero, bottom, top;
};

struct quant_loops {
    // out[i] = (q[first + i] − zero[b])·scale[b]; b counts the blocks of q. zero is NULL where there are no zero points.
    void (*dequant[CPU_TYPES])(const void *q, size_t block, const float *zero, const float *scale, size_t first, size_t n,
                       float *out);
    // acc[i] += a[i·lda + ·]·w over the n weights w = (q − zero[b])·scale[b], for i < m ≤ 4.
    void (*dot[CPU_TYPES])(const void *q, size_t block, const float *zero, const float *scale, const float *a, size_t lda, int m,
                   size_t n, float *acc);
    // The codes of x[i], i < n, in q; blocks begin in a new byte, and have a scale each.
    void (*quantize[CPU_TYPES])(const float *x, const struct scale *s, size_t block, size_t n, void *q);
    void (*ranges)(const float *x, size_t n, size_t block, float *lo, float *hi); // of each block
    float (*magnitudes)(const float *x, size_t n); // their sum
};

// A quantized [rows, cols] matrix. dot_quantized adds the products of its row `row` and each row of a[m][cols], m ≤ GEMV_ROWS, or
// m ≤ DOT_ROWS if prepare_rows has prepared them in `memory`, of prepared_bytes. load_quantized gives n floats of the row from column
// `first` on.
struct quantized {
    const void *codes;
    const float *scale, *zero; // zero is NULL where there are no zero points
    int type;
    size_t cols, block;
};
struct quant_rows;
const float *zeros_of(int type, const void *zero); // NULL for types without zero points
void dot_quantized(const struct isa *isa, const struct quantized *q, size_t row, const float *a, const struct quant_rows *x, int m,
                   float *acc);
size_t quantized_block(const struct quantized *q, size_t row, size_t col); // the index of an element's scale
size_t prepared_bytes(const struct isa *isa, const struct quantized *q, int m);
struct quant_rows prepare_rows(const struct isa *isa, const struct quantized *q, const float *a, int m, char *memory);
void load_quantized(const struct isa *isa, const struct quantized *q, size_t row, size_t first, size_t n, float *out);

#endif
