// Address spaces as types that the compiler tells apart. On a CPU all are plain memory.
#ifndef ASSAY_MSL_MACHINE_SPACES_H
#define ASSAY_MSL_MACHINE_SPACES_H

#include "../abi.h"
#include "../macros.h"

#define MSL_DEVICE __attribute__((opencl_global_device))
#define MSL_CONSTANT const __attribute__((opencl_global_host))
#define MSL_THREADGROUP __attribute__((opencl_local))
#define MSL_INLINE inline __attribute__((__always_inline__))

// A call site of the translated text: the default argument is evaluated where the call is.
#define MSL_SITE unsigned site = (unsigned)__builtin_LINE() << 12 | ((unsigned)__builtin_COLUMN() & 4095u)

typedef _Float16 half;

extern "C" __attribute__((visibility("default"))) const msl_host *msl_host_table;

#endif
