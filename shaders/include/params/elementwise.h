#ifndef ASSAY_PARAMS_ELEMENTWISE_H
#define ASSAY_PARAMS_ELEMENTWISE_H
#include "params/types.h"

#define ELEMENTWISE_WIDTH 0 // index of the function constant

struct ElementwiseParams {
    uint n;
};

// A [rows, cols] matrix.
struct BiasParams {
    uint rows;
    uint cols;
};

#endif
