#ifndef ASSAY_PARAMS_BLOCKS_H
#define ASSAY_PARAMS_BLOCKS_H
#include "params/types.h"

// A [rows, cols] matrix, each row whole blocks.
struct BlockParams {
    uint rows;
    uint cols;
};

// out[m][n] from a[m][k] and w[n][k], each row of w whole blocks.
struct BlockMatmulParams {
    uint m;
    uint n;
    uint k;
};

#define BLOCKS_OUTPUTS 0 // index of the tunable: rows of w that a SIMD group takes

#endif
