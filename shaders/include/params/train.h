#ifndef ASSAY_PARAMS_TRAIN_H
#define ASSAY_PARAMS_TRAIN_H
#include "params/types.h"

struct ReluGradParams {
    uint n;
};

// A [rows, cols] matrix.
struct ColumnSumParams {
    uint rows;
    uint cols;
};

// Logits of `rows` examples and `cols` classes.
struct SoftmaxXentParams {
    uint rows;
    uint cols;
};

struct SGDParams {
    uint n;
    float rate;
};

#endif
