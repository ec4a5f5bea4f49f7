#ifndef ASSAY_PARAMS_BLOCKS_H
#define ASSAY_PARAMS_BLOCKS_H
#include "params/types.h"

// A [rows, cols] matrix whose rows are whole blocks.
struct BlockParams {
    uint rows;
    uint cols;
};

// out[m][n] = a[m][k] · w[n][k]ᵀ, where rows of w are whole blocks.
struct BlockMatmulParams {
    uint m;
    uint n;
    uint k;
};

#define BLOCKS_OUTPUTS 0 // index of the tunable: rows of w per SIMD group

#endif
