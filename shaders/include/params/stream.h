#ifndef ASSAY_PARAMS_STREAM_H
#define ASSAY_PARAMS_STREAM_H
#include "params/types.h"

#define STREAM_WIDTH 0 // index of the function constant

// x is read from element `first` on.
struct CopyParams {
    uint n;
    uint first;
};

struct ScaleParams {
    uint n;
    float s;
};

struct TriadParams {
    uint n;
    float s;
};

// A row-major [rows, cols] matrix.
struct MatrixParams {
    uint rows;
    uint cols;
};

// n elements in chunks of 2^shift.
struct GatherParams {
    uint n;
    uint shift;
};

// Each of `threads` threads takes `steps` steps through a list of n indices, from `first` on.
struct ChaseParams {
    uint n;
    uint first;
    uint steps;
    uint threads;
};

struct StampParams {
    uint n;
    uint value;
};

#endif
