// Floats times integer codes, with the bfloat16 or int16 product instructions that an instruction set may have.
#ifndef ASSAY_CODES_H
#define ASSAY_CODES_H

#include "isa.h"

#define CODE_TILE 16 // rows of a tile of the output
#define CODE_STEP 32 // elements in one step along k

// Panels are consecutive steps along k: for activations, `split` tiles of 16 rows; for weights, one tile of `cols` columns or
// several of 16, with pairs of elements along k side by side. Padding beyond the matrix is 0. Steps form groups, each with a
// scale per column.
struct code_tile {
    size_t groups, steps, pairs; // steps of a group, and pairs of elements
    const uint16_t *a, *w;
    const float *sums, *units;   // [group][row], of activations: their sum, and their unit if they are integers
    const float *scale, *offset; // [group][column]; the offset is what zero points add per unit of the sum
    float *out;
    size_t ld, rows, cols;
    int add;     // out holds the sums of earlier products
    int offsets; // not all offsets are 0
};

// Where rows of activations are packed to.
struct code_rows {
    uint16_t *at;
    float *sums, *units;
    size_t group; // elements along k: half a step, one step or two
    double limit; // on the sum of squared roundings of a row, relative to the square of the sum of magnitudes
};

struct code_loops {
    size_t cols;     // of a tile of the output
    size_t split;    // terms of an activation
    size_t w_split;  // terms of a weight
    size_t least_rows; // minimum rows of activations: with fewer, other loops are faster
    size_t shortest; // minimum k: in shorter sums the rounding of activations would show
    size_t depth[2]; // of a block along k, with one thread and with several: a panel of activations and some of weights stay in L1 and L2
    double least;    // minimum multiplications of a part
    void (*begin)(void), (*end)(void); // before and after the tiles of a task, on its thread
    void (*tile)(const struct code_tile *t);
    // Packs a panel from rows ≤ 16 of k floats, ld apart, and the sums of its groups; 0 if an element is not finite or is too
    // large, or if the rounding would show.
    int (*pack_rows)(const float *src, size_t ld, size_t rows, size_t k, const struct code_rows *to);
    // Packs a panel of rows of k codes, `bytes` apart: one row per column of a tile, of which `cols` exist. Rows of blocks yield
    // codes less their bias.
    void (*pack_codes[CPU_TYPES])(const uint8_t *src, size_t bytes, size_t cols, size_t k, uint16_t *dst);
    // Scales and offsets of rows of blocks, in groups of a whole block, if the packed codes include the scales within a block;
    // NULL: use those of struct blocks_loops.
    void (*scales[CPU_TYPES])(const uint8_t *row, size_t first, size_t n, float *scale, float *offset);
};

struct gemm;

// Reports whether run_codes supports a product. run_codes computes it, or returns 0 if an operand is not finite, which sums would
// hide, or if packing finds the rounding too large.
int codes_fit(const struct isa *isa, const struct gemm *g);
int run_codes(cpu_stream *s, const struct gemm *g);

#endif
