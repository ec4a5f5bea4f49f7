// Products of floats and integer codes by instructions for products of bfloat16 or int16, which an instruction set may have.
#ifndef ASSAY_CODES_H
#define ASSAY_CODES_H

#include "isa.h"

#define CODE_TILE 16 // rows of a tile of the output
#define CODE_STEP 32 // elements along k of one step

// Panels are steps along k, one after the other: of activations `split` tiles of 16 rows, of weights one of `cols` columns or
// tiles of 16 of them, pairs of elements along k side by side. What lies beyond the matrix is 0. Steps come in groups, each with its scale for a column.
struct code_tile {
    size_t groups, steps, pairs; // steps of a group, and pairs of elements
    const uint16_t *a, *w;
    const float *sums, *units;   // [group][row], of activations: their sum, and what they are multiples of if they are integers
    const float *scale, *offset; // [group][column]; the offset is what zero points add for each sum
    float *out;
    size_t ld, rows, cols;
    int add;     // out has sums of earlier products
    int offsets; // not all of them are 0
};

// Where rows of activations are packed to.
struct code_rows {
    uint16_t *at;
    float *sums, *units;
    size_t group; // elements along k: half a step, one or two
    double limit; // of the sum of squared roundings of a row, relative to the square of the sum of magnitudes
};

struct code_loops {
    size_t cols;     // of a tile of the output
    size_t split;    // terms of an activation
    size_t w_split;  // terms of a weight
    size_t least_rows; // of activations: with fewer, other loops are faster
    size_t shortest; // with fewer products a sum would show that activations are rounded
    size_t depth[2]; // along k, of a block, with one thread and with several: a panel of activations and some of weights stay in the nearest caches
    double least;    // multiplications of a part
    void (*begin)(void), (*end)(void); // before and after the tiles of a task, on its thread
    void (*tile)(const struct code_tile *t);
    // A panel from rows ≤ 16 of k floats, ld apart, and the sums of its groups; 0 if an element is not finite or too large, or
    // roundings would show.
    int (*pack_rows)(const float *src, size_t ld, size_t rows, size_t k, const struct code_rows *to);
    // A panel of as many rows of k codes, `bytes` apart, as a tile has columns, of which `cols` exist. Rows of blocks lead to codes less
    // their bias.
    void (*pack_codes[CPU_TYPES])(const uint8_t *src, size_t bytes, size_t cols, size_t k, uint16_t *dst);
    // Scales and offsets of rows of blocks, in groups of a whole block, if codes are packed with the scales within one; NULL: those of struct blocks_loops.
    void (*scales[CPU_TYPES])(const uint8_t *row, size_t first, size_t n, float *scale, float *offset);
};

struct gemm;

// Whether run_codes does a product, and the product; 0 if an operand is not finite, so that sums would hide what becomes of it, or
// if packing finds roundings too large.
int codes_fit(const struct isa *isa, const struct gemm *g);
int run_codes(cpu_stream *s, const struct gemm *g);

#endif
