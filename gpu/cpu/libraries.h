// Libraries of the platform that multiply matrices, opened when they are first asked for.
#ifndef ASSAY_LIBRARIES_H
#define ASSAY_LIBRARIES_H

#include "gemm.h"

// out = a · b by the library of that implementation, which must be there.
int run_library(cpu_stream *s, const struct gemm *g, const char *impl);

#endif
