#ifndef ASSAY_PARAMS_ELEMENTWISE_H
#define ASSAY_PARAMS_ELEMENTWISE_H
#include "params/types.h"

struct ElementwiseParams {
    uint n;
};

// A [rows, cols] matrix.
struct BiasParams {
    uint rows;
    uint cols;
};

#endif
