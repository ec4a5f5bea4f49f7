// Platform libraries with a GEMM, opened when they are first requested.
#ifndef ASSAY_LIBRARIES_H
#define ASSAY_LIBRARIES_H

#include "gemm.h"

// out = a · b by the library of that implementation, which must be open.
int run_library(cpu_stream *s, const struct gemm *g, const char *impl);

#endif
