#ifndef ASSAY_PARAMS_STREAM_H
#define ASSAY_PARAMS_STREAM_H
#include "params/types.h"

struct CopyParams {
    uint n;
};

struct TriadParams {
    uint n;
    float s;
};

#endif
