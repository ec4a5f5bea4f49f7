// The attention family: what its loops, which are compiled for each instruction set, and its tasks share.
#ifndef ASSAY_ATTENTION_H
#define ASSAY_ATTENTION_H

#include "isa.h"

#include "params/attention.h"

#define ATTENTION_TYPES(X) X(F32) X(F16) X(BF16)
#define ATT_DIM ATTENTION_MAX_DIM
#define ATT_KEYS 128           // keys of a block
#define ATT_WIDE (2 * MAX_VL)  // maximum queries of a block
#define ATT_SLACK MAX_VL       // floats past the end of a row of values that may be written

// The queries of one head that are computed together, one in each lane of two vectors; unused lanes hold zeros.
struct attention_block {
    size_t dim, keys, count;         // count: queries
    size_t seen[ATT_WIDE];           // keys that each query sees
    const float *rows, *columns;     // packed keys and values of the head; see attention_loops
    size_t depth;                    // floats between panels of values
    const void *mask;                // of the first query; NULL: none
    float scale;                     // of scores, in base 2
};

// In a panel of R rows [k], each k has R floats; those of missing rows are 0.
struct attention_loops {
    size_t rows, wide; // R for left operands; two vectors for right ones
    // dst[d·stride + r] = factor·src[first + r·ld + d] for r < rows ≤ stride and d < k, and 0 for other r < stride.
    void (*pack_rows[CPU_TYPES])(const void *src, size_t first, size_t ld, size_t rows, size_t k, float factor, float *dst, size_t stride);
    // Panels of `wide` columns, `depth` floats apart: dst[c / wide·depth + r·wide + c % wide] = src[first + r·cols + c]; missing
    // columns are 0.
    void (*pack_columns[CPU_TYPES])(const void *src, size_t first, size_t rows, size_t cols, float *dst, size_t wide, size_t depth);
    // Computes one block from the packed queries.
    void (*flash[CPU_TYPES])(const struct attention_block *b, const float *queries, void *out, size_t first);
    // c[rows][ldc] (+)= a·b for panels a[k][rows] and b[k][wide].
    void (*product)(size_t k, const float *a, const float *b, float *c, size_t ldc, int add);
    // out[first + i] = x[i] (+ mask[at + i]) for i < n, −∞ from `seen` on.
    void (*store[CPU_TYPES])(const float *x, size_t n, size_t seen, const void *mask, size_t at, void *out, size_t first);
    // What n keys from `key` on contribute to a query of `dim` floats: acc[dim], the largest score, and the sum of the powers of
    // 2 relative to it.
    void (*decode[CPU_TYPES])(const float *query, size_t dim, const void *k, const void *v, size_t first, size_t n, const void *mask,
                              size_t at, float *acc, float *top, float *sum);
    // out[first + d] = the sums of n parts, dim + 2 floats each: acc, top and sum.
    void (*merge[CPU_TYPES])(float *parts, size_t n, size_t dim, void *out, size_t first);
};

#endif
