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

// A four-dimensional result. Bit i of a and b: dimension i of that operand is 1.
struct BroadcastParams {
    uint d0;
    uint d1;
    uint d2;
    uint d3;
    uint a;
    uint b;
};

#endif
