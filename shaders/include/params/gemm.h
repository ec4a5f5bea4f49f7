#ifndef ASSAY_PARAMS_GEMM_H
#define ASSAY_PARAMS_GEMM_H
#include "params/types.h"

// The matrices of a batch are contiguous and share one bias.
struct MatmulParams {
    uint m;
    uint n;
    uint k;
    uint batch;
};

// Indices of matmul's function constants.
#define MATMUL_TRANSPOSE_B 0
#define MATMUL_HAS_BIAS 1
#define MATMUL_ACTIVATION 2 // see activation.h
#define MATMUL_TRANSPOSE_A 3

// Indices of the tunables of its implementations.
#define MATMUL_TILE 4
#define MATMUL_STAGING 5
#define MATMUL_OUTPUTS 4

#define GEMV_MAX_ROWS 8 // rows of a

struct QuantMatmulParams {
    uint m;
    uint n;
    uint k;
    uint block; // 0: one scale for the whole tensor
};

// Indices of the tunables of its implementations.
#define QUANT_LANES 0
#define QUANT_OUTPUTS 1
#define QUANT_AHEAD 2

// Maximum rows of weights, and maximum threads, of a threadgroup of matmul_quant_kept.metal.
#define QUANT_KEPT_ROWS 128
#define QUANT_KEPT_THREADS 512

struct QuantInt8MatmulParams {
    uint m;
    uint n;
    uint k;
    uint block; // 0: one scale per row of activations, and one for all weights
};

struct Int8MatmulParams {
    uint m;
    uint n;
    uint k;
};

struct BitLinearParams {
    uint m;
    uint n;
    uint k;
};

#endif
