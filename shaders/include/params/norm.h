#ifndef ASSAY_PARAMS_NORM_H
#define ASSAY_PARAMS_NORM_H
#include "params/types.h"

#define NORM_WIDTH 0 // indices of the function constants
#define NORM_KEPT 0  // for implementations without a width
#define NORM_WHOLE 1

// A [rows, cols] matrix.
struct RMSNormParams {
    uint rows;
    uint cols;
    float eps;
};

// A [rows, cols] matrix.
struct LayerNormParams {
    uint rows;
    uint cols;
    float eps;
};

// A [rows, cols] matrix.
struct SoftmaxParams {
    uint rows;
    uint cols;
};

#endif
