#ifndef ASSAY_PARAMS_GEMM_H
#define ASSAY_PARAMS_GEMM_H
#include "params/types.h"

struct MatmulParams {
    uint m;
    uint n;
    uint k;
};

// Indices of matmul's constants.
#define MATMUL_TRANSPOSE_B 0
#define MATMUL_HAS_BIAS 1
#define MATMUL_ACTIVATION 2 // see activation.h

struct QuantMatmulParams {
    uint m;
    uint n;
    uint k;
    uint block; // 0: one scale for the whole tensor
};

#endif
