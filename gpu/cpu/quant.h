// The family of integer codes with scales.
#ifndef ASSAY_QUANT_H
#define ASSAY_QUANT_H

#include "isa.h"

#define GEMV_ROWS 4 // up to this many rows of a, b is streamed once instead of packed

// The element types of codes, and the integer types among them, for integer product instructions.
#define QUANT_TYPES(X) X(I8) X(I4) X(E4M3) X(E5M2) X(TERNARY)
#define DOT_TYPES(X) X(I8) X(I4) X(TERNARY)

// A type of codes: the smallest and the largest, whether blocks may have zero points, and whether the scale is the mean
// magnitude.
struct coding {
    float bottom, top;
    int zeros, mean;
};
static const struct coding codings[CPU_TYPES] = {
    [CPU_I8] = {-128, 127, 1, 0},   [CPU_I4] = {-8, 7, 1, 0},      [CPU_E4M3] = {-448, 448, 0, 0},
    [CPU_E5M2] = {-57344, 57344, 0, 0}, [CPU_TERNARY] = {-1, 1, 0, 1},
};

#define SMALLEST 1.17549435e-38 // smallest normal float
#define FAR 1e30f               // scales and inverses beyond it are not used for multiplication
#define QUANT_GROUP 16       // blocks whose scales are computed together
#define GROUP_ELEMENTS 2048u // about this many elements are read twice, the second time from L1

// What the scales of blocks are computed from. The mean is of magnitudes, and only set for types that need it.
struct spans {
    float lo[QUANT_GROUP], hi[QUANT_GROUP];
    double mean[QUANT_GROUP];
};

// How the values of blocks become codes: x/scale + zero, clamped to bottom and top.
struct scales {
    float scale[QUANT_GROUP], inverse[QUANT_GROUP], zero[QUANT_GROUP];
    int far; // the scale is too large or small for its inverse, or f16 clamps it, so that values far exceed the codes
};

static inline int is_near(float scale) { return fabsf(scale) < FAR && fabsf(scale) > 1 / FAR; }

struct quant_loops {
    // out[i] = (q[first + i] − zero[b])·scale[b]; b counts the blocks of q. zero is NULL if there are no zero points.
    void (*dequant[CPU_TYPES])(const void *q, size_t block, const float *zero, const float *scale, size_t first, size_t n,
                       float *out);
    // acc[i] += a[i·lda + ·]·w over the n weights w = (q − zero[b])·scale[b], for i < m ≤ 4.
    void (*dot[CPU_TYPES])(const void *q, size_t block, const float *zero, const float *scale, const float *a, size_t lda, int m,
                   size_t n, float *acc);
    // Writes the codes of x[i], i < n, to q; blocks begin a byte, and each has a scale. With `stream`, stores of codes may be
    // non-temporal: fence() follows the last of them.
    void (*quantize[CPU_TYPES])(const float *x, const struct scales *s, size_t block, size_t n, void *q, int stream);
    void (*stream_group)(const float *from, float *to); // stores QUANT_GROUP floats non-temporally, to an aligned line
    void (*fence)(void);
    void (*ranges)(const float *x, size_t n, size_t block, struct spans *to); // of up to QUANT_GROUP blocks
    // With `half` scales are f16 values, and so are zero points, which are computed from the rounded scales.
    void (*scales)(const struct coding *c, int centered, int half, const struct spans *x, size_t count, struct scales *to);
    void (*means)(const float *x, size_t n, size_t block, struct spans *to); // of magnitudes, for the same number of blocks
    float (*magnitudes)(const float *x, size_t n); // their sum
};

// A quantized [rows, cols] matrix. dot_quantized adds the products of its row `row` and each row of a[m][cols], m ≤ GEMV_ROWS, or
// m ≤ DOT_ROWS if prepare_rows has prepared them in `memory`, of prepared_bytes. load_quantized loads n floats of the row from
// column `first` on.
struct quantized {
    const void *codes, *scale, *zero; // zero is NULL if there are no zero points
    int type;
    size_t cols, block;
    int half; // scales and zero points are f16 instead of f32
};
struct quant_rows;
const void *zeros_of(int type, const void *zero); // NULL for types without zero points
// n scales or zero points from block b on as floats: in place, or widened to tmp; NULL if there are none.
const float *scales_at(const struct isa *isa, const struct quantized *q, const void *plane, size_t b, size_t n, float *tmp);
// Rows of codes in `turns` iterations: iteration t takes `rows` rows from row + t on that are `apart` rows from each other.
// weights_of returns their scales in f32: in place, or widened, for several iterations at once, in the thread's scratch memory,
// if they fit. Set `wide` to 0 when that memory has been overwritten.
struct dot_weights;
struct row_turns {
    const struct quantized *q;
    size_t row, apart, rows, turns;
    size_t first, wide; // iterations whose scales are widened
};
int wide_fits(const struct quantized *q, size_t rows);
struct dot_weights weights_of(const struct isa *isa, struct row_turns *r, size_t turn);
// Returns the matrix with its scale and zero point in `one` if it has a single f16 scale, otherwise as it is.
struct quantized with_one_scale(const struct isa *isa, const struct quantized *q, float one[2]);
void dot_quantized(const struct isa *isa, const struct quantized *q, size_t row, const float *a, const struct quant_rows *x, int m,
                   float *acc);
// Reports whether dot_beside_quantized has a loop for these weights and prepared activations.
int can_dot_beside(const struct isa *isa, const struct quantized *q, const struct quant_rows *x);
// acc[i] = a row of prepared activations times row i of the DOT_APART rows of an iteration. Returns 0 if a result is not finite.
int dot_beside_quantized(const struct isa *isa, struct row_turns *r, size_t turn, const struct quant_rows *x, float *acc);
size_t quantized_block(const struct quantized *q, size_t row, size_t col); // the index of an element's scale
int blocks_fit(const struct isa *isa, const struct quantized *q); // whether groups of codes consist of whole blocks, or blocks of whole groups
size_t prepared_bytes(const struct isa *isa, const struct quantized *q, int m);
// The same for int8 activations with a scale for each block of weights along a row, times ggml blocks; x is NULL if no loop
// supports it.
struct quant_rows prepare_rounded_rows(const struct isa *isa, const struct quantized *q, const int8_t *a, const float *scale, int m, char *memory);
struct quant_rows prepare_rows(const struct isa *isa, const struct quantized *q, const float *a, int m, char *memory);
void load_quantized(const struct isa *isa, const struct quantized *q, size_t row, size_t first, size_t n, float *out);

#endif
