#ifndef ASSAY_PARAMS_NORM_H
#define ASSAY_PARAMS_NORM_H
#include "params/types.h"

// A [rows, cols] matrix.
struct RMSNormParams {
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
