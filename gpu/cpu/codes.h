// Products of floats and integer codes by instructions for products of bfloat16, which an instruction set may have.
#ifndef ASSAY_CODES_H
#define ASSAY_CODES_H

#include "isa.h"

#define CODE_TILE 16 // rows and columns of a tile of the output
#define CODE_STEP 32 // elements along k of one step
#define CODE_SPLIT 2 // terms of bfloat16 that a float is split into

// Panels are steps along k, one after the other: of activations CODE_SPLIT tiles of 16 rows, of weights one of 16 columns, pairs of
// elements along k side by side. What lies beyond the matrix is 0. Steps come in groups, each with its scale for a column.
struct code_tile {
    size_t groups, steps; // steps of a group
    const uint16_t *a, *w;
    const float *sums;           // [group][row], of activations
    const float *scale, *offset; // [group][column]; the offset is what zero points add for each sum
    float *out;
    size_t ld, rows, cols;
    int add; // out has sums of earlier products
};

struct code_loops {
    void (*begin)(void), (*end)(void); // before and after the tiles of a task, on its thread
    void (*tile)(const struct code_tile *t);
    // A panel from rows ≤ 16 of k floats, ld apart, and its sums in groups of `group` elements; 0 if an element is not finite or
    // too large for bfloat16.
    int (*pack_rows)(const float *src, size_t ld, size_t rows, size_t k, size_t group, uint16_t *dst, float *sums);
    // A panel from cols ≤ 16 rows of k codes, `bytes` apart.
    void (*pack_codes[CPU_TYPES])(const uint8_t *src, size_t bytes, size_t cols, size_t k, uint16_t *dst);
};

struct gemm;

// Whether run_codes does a product, and the product; 0 if an operand is not finite, so that sums would hide what becomes of it.
int codes_fit(const struct isa *isa, const struct gemm *g);
int run_codes(cpu_stream *s, const struct gemm *g);

#endif
