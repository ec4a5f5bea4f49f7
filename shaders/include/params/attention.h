#ifndef ASSAY_PARAMS_ATTENTION_H
#define ASSAY_PARAMS_ATTENTION_H
#include "params/types.h"

// q[heads][queries][dim]; k and v[kvheads][keys][dim].
struct AttentionParams {
    uint heads;
    uint kvheads;
    uint queries;
    uint keys;
    uint dim;
};

#define ATTENTION_MAX_DIM 128

// Indices of the function constants.
#define ATTENTION_HAS_MASK 0
#define ATTENTION_CAUSAL 1
#define ATTENTION_HEAD_DIM 2

#endif
