// The family of integer codes with scales.
#ifndef ASSAY_QUANT_H
#define ASSAY_QUANT_H

#include "isa.h"

#define GEMV_ROWS 4 // up to this many rows of a, b is streamed once instead of packed

// The element types of codes, and those of them that are integers, for instructions for products of integers.
#define QUANT_TYPES(X) X(I8) X(I4) X(E4M3) X(E5M2) X(TERNARY)
#define DOT_TYPES(X) X(I8) X(I4) X(TERNARY)

// The types of codes: the smallest and the largest, whether blocks may have zero points, and whether the scale is the mean magnitude.
struct coding {
    float bottom, top;
    int zeros, mean;
};
static const struct coding codings[CPU_TYPES] = {
    [CPU_I8] = {-128, 127, 1, 0},   [CPU_I4] = {-8, 7, 1, 0},      [CPU_E4M3] = {-448, 448, 0, 0},
    [CPU_E5M2] = {-57344, 57344, 0, 0}, [CPU_TERNARY] = {-1, 1, 0, 1},
};

#define SMALLEST 1.17549435e-38 // least normal float
#define FAR 1e30f               // scales beyond it and their inverses are not inverted
#define QUANT_GROUP 16       // blocks whose scales are made together
#define GROUP_ELEMENTS 2048u // about as many elements are read twice, the second time from the nearest cache

// What the scales of blocks follow from. The mean is that of magnitudes, and known only to types that need it.
struct spans {
    float lo[QUANT_GROUP], hi[QUANT_GROUP];
    double mean[QUANT_GROUP];
};

// How the values of blocks become codes: x/scale + zero, within bottom and top.
struct scales {
    float scale[QUANT_GROUP], inverse[QUANT_GROUP], zero[QUANT_GROUP];
    int far; // of a scale that is so large or small that its inverse will not do, or that f16 keeps from values far beyond the codes
};

static inline int is_near(float scale) { return fabsf(scale) < FAR && fabsf(scale) > 1 / FAR; }

struct quant_loops {
    // out[i] = (q[first + i] − zero[b])·scale[b]; b counts the blocks of q. zero is NULL where there are no zero points.
    void (*dequant[CPU_TYPES])(const void *q, size_t block, const float *zero, const float *scale, size_t first, size_t n,
                       float *out);
    // acc[i] += a[i·lda + ·]·w over the n weights w = (q − zero[b])·scale[b], for i < m ≤ 4.
    void (*dot[CPU_TYPES])(const void *q, size_t block, const float *zero, const float *scale, const float *a, size_t lda, int m,
                   size_t n, float *acc);
    // The codes of x[i], i < n, in q; blocks begin in a new byte, and have a scale each. With `stream` codes may be stored past the
    // caches: fence() comes after the last of them.
    void (*quantize[CPU_TYPES])(const float *x, const struct scales *s, size_t block, size_t n, void *q, int stream);
    void (*stream_group)(const float *from, float *to); // QUANT_GROUP floats past the caches, to a line of them
    void (*fence)(void);
    void (*ranges)(const float *x, size_t n, size_t block, struct spans *to); // of QUANT_GROUP blocks at most
    // With `half` they are numbers of f16, and so are the zero points, which follow from them as they are kept.
    void (*scales)(const struct coding *c, int centered, int half, const struct spans *x, size_t count, struct scales *to);
    void (*means)(const float *x, size_t n, size_t block, struct spans *to); // of magnitudes, of as many blocks
    float (*magnitudes)(const float *x, size_t n); // their sum
};

// A quantized [rows, cols] matrix. dot_quantized adds the products of its row `row` and each row of a[m][cols], m ≤ GEMV_ROWS, or
// m ≤ DOT_ROWS if prepare_rows has prepared them in `memory`, of prepared_bytes. load_quantized gives n floats of the row from column
// `first` on.
struct quantized {
    const void *codes, *scale, *zero; // zero is NULL where there are no zero points
    int type;
    size_t cols, block;
    int half; // scales and zero points are in f16 instead of f32
};
struct quant_rows;
const void *zeros_of(int type, const void *zero); // NULL for types without zero points
// n scales or zero points from block b on as floats: in place, or widened to tmp; NULL if there are none.
const float *scales_at(const struct isa *isa, const struct quantized *q, const void *plane, size_t b, size_t n, float *tmp);
// Rows of codes in `turns` turns: turn t takes `rows` rows from row + t on that lie `apart` rows from each other. weights_of has their scales in f32:
// in place, or widened, for several turns at once, into the thread's own scratch memory, if that has room for them. What else is put there
// meanwhile ends that: then `wide` becomes 0.
struct dot_weights;
struct row_turns {
    const struct quantized *q;
    size_t row, apart, rows, turns;
    size_t first, wide; // turns whose scales are widened
};
int wide_fits(const struct quantized *q, size_t rows);
struct dot_weights weights_of(const struct isa *isa, struct row_turns *r, size_t turn);
// A matrix with its scale and zero point in `one` if it has one scale in f16, else as it is.
struct quantized with_one_scale(const struct isa *isa, const struct quantized *q, float one[2]);
void dot_quantized(const struct isa *isa, const struct quantized *q, size_t row, const float *a, const struct quant_rows *x, int m,
                   float *acc);
// Whether dot_beside_quantized has a loop for these weights and prepared activations.
int can_dot_beside(const struct isa *isa, const struct quantized *q, const struct quant_rows *x);
// acc[i] = the products of a row of prepared activations with row i of a turn of DOT_APART. Returns 0 if one is not finite.
int dot_beside_quantized(const struct isa *isa, struct row_turns *r, size_t turn, const struct quant_rows *x, float *acc);
size_t quantized_block(const struct quantized *q, size_t row, size_t col); // the index of an element's scale
int blocks_fit(const struct isa *isa, const struct quantized *q); // whether groups of codes consist of whole blocks, or blocks of whole groups
size_t prepared_bytes(const struct isa *isa, const struct quantized *q, int m);
// The same of activations in int8, with a scale for each block of weights along a row, times blocks of ggml; x is NULL where there is no such loop.
struct quant_rows prepare_rounded_rows(const struct isa *isa, const struct quantized *q, const int8_t *a, const float *scale, int m, char *memory);
struct quant_rows prepare_rows(const struct isa *isa, const struct quantized *q, const float *a, int m, char *memory);
void load_quantized(const struct isa *isa, const struct quantized *q, size_t row, size_t first, size_t n, float *out);

#endif
