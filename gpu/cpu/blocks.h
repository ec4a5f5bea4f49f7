// The family of weights in ggml's blocks, which have their scales within; internal/ggml describes them.
#ifndef ASSAY_BLOCKS_H
#define ASSAY_BLOCKS_H

#include "isa.h"

// The types of blocks: X(type, bits, weights, bytes). Those that are made here have scales that follow from the extremes of 32 weights.
#define BLOCK_TYPES(X) CPU_BLOCK_LIST(X)
#define MADE_BLOCK_TYPES(X) X(Q8_0, 8, 32, 34) X(Q4_1, 4, 32, 20) X(Q4_0, 4, 32, 18)
#define BLOCKS_GROUP 32 // weights that divide a block of any type
#define BLOCKS_LEAST 16 // weights that have a scale of their own, at least
#define BLOCKS_SPAN 256 // weights that are multiplied at a time

// Whether groups of weights have an offset beside their scale.
static inline int has_offsets(int type) { return type == CPU_Q4_1 || type == CPU_Q4_K; }

struct blocks_loops {
    // out[i] = weight first + i, i < n, of a row of blocks.
    void (*decode[CPU_TYPES])(const uint8_t *row, size_t first, size_t n, float *out);
    // The scales and offsets of n weights of a row from `first` on, both whole blocks, one for each `group` weights.
    size_t group[CPU_TYPES];
    void (*scales[CPU_TYPES])(const uint8_t *row, size_t first, size_t n, float *scale, float *offset);
    // Makes n blocks of 32 from x.
    void (*encode[CPU_TYPES])(const float *x, size_t n, uint8_t *out);
};

#endif
