#ifndef ASSAY_PARAMS_ENTROPY_H
#define ASSAY_PARAMS_ENTROPY_H
#include "params/types.h"

#define ENTROPY_RUN 0 // index of the function constant

// Windows are centered at every stride-th of n bytes.
struct EntropyParams {
    uint n;
    uint stride;
};

#define ENTROPY_HALF 128 // bytes of a window on either side of its center; fewer at the ends of the array
#define ENTROPY_FIXED 65536.0f // what count·log2(count) is multiplied by in integer sums

// The number of windows of the array; the stride is not 0.
#define ENTROPY_WINDOWS(n, stride) ((n) / (stride) + ((n) % (stride) != 0))

#endif
