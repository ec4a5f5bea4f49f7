// Address spaces as types that the compiler tells apart: global, generic and shared memory of PTX. Constants are generic,
// since the parameter struct of a launch lies in parameter memory and is copied into registers.
#ifndef ASSAY_MSL_MACHINE_SPACES_H
#define ASSAY_MSL_MACHINE_SPACES_H

#include "../abi.h"
#include "../macros.h"

#define MSL_DEVICE __attribute__((opencl_global_device))
#define MSL_CONSTANT const __attribute__((opencl_private))
#define MSL_THREADGROUP __attribute__((opencl_local))
#define MSL_INLINE inline __attribute__((__always_inline__))

// Where a call is makes no difference here: the lanes that run it together are the hardware's.
#define MSL_SITE unsigned site = 0

typedef __fp16 half; // with -fnative-half-type, which keeps clang from computing in float

#endif
