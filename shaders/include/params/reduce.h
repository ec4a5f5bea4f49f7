#ifndef ASSAY_PARAMS_REDUCE_H
#define ASSAY_PARAMS_REDUCE_H
#include "params/types.h"

#define ARGMAX_INDEXED 0 // index of the function constant

// n elements in `parts` slices of equal length, except for the last ones.
struct ReduceParams {
    uint n;
    uint parts;
};

// The same for n candidates, which are elements of `source`.
struct ArgmaxParams {
    uint n;
    uint parts;
    uint source;
};

// Elements per slice: a multiple of four, so that each slice begins at a whole vector.
#define REDUCE_EACH(n, parts) (((n) / (parts) + ((n) % (parts) != 0) + 3) / 4 * 4)

#endif
