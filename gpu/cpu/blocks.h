// The family of weights in ggml's blocks, which contain their scales; internal/ggml describes them.
#ifndef ASSAY_BLOCKS_H
#define ASSAY_BLOCKS_H

#include "isa.h"

// The types of blocks: X(type, bits, weights, bytes). Those that can be encoded here derive their scales from the extremes of 32
// weights.
#define BLOCK_TYPES(X) CPU_BLOCK_LIST(X)
#define MADE_BLOCK_TYPES(X) X(Q8_0, 8, 32, 34) X(Q4_1, 4, 32, 20) X(Q4_0, 4, 32, 18)
#define BLOCKS_GROUP 32 // weights; blocks of all types are multiples of it
#define BLOCKS_LEAST 16 // minimum weights that share a scale
#define BLOCKS_SPAN 256 // weights multiplied at a time

// Reports whether groups of weights have an offset in addition to their scale.
static inline int has_offsets(int type) { return type == CPU_Q4_1 || type == CPU_Q4_K; }

struct blocks_loops {
    // out[i] = weight first + i of a row of blocks, for i < n.
    void (*decode[CPU_TYPES])(const uint8_t *row, size_t first, size_t n, float *out);
    // The scales and offsets of n weights of a row from `first` on, one for each `group` weights; both n and first are multiples
    // of a block.
    size_t group[CPU_TYPES];
    void (*scales[CPU_TYPES])(const uint8_t *row, size_t first, size_t n, float *scale, float *offset);
    // Encodes x in n blocks of 32.
    void (*encode[CPU_TYPES])(const float *x, size_t n, uint8_t *out);
};

#endif
