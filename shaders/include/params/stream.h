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

// A [rows, cols] matrix, row by row in memory.
struct MatrixParams {
    uint rows;
    uint cols;
};

// n elements in chunks of 2^shift.
struct GatherParams {
    uint n;
    uint shift;
};

// Steps through a list of n places from the first one on, by each of some threads.
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
