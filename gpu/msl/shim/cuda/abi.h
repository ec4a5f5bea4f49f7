// What a compiled kernel and the CUDA engine know of each other. Plain C, so that both sides include it.
#ifndef ASSAY_MSL_CUDA_ABI_H
#define ASSAY_MSL_CUDA_ABI_H

#include <stdint.h>

#ifdef __cplusplus
#define MSL_ALIGNED alignas(16)
#else
#define MSL_ALIGNED _Alignas(16)
#endif

enum { MSL_SIMD = 32, MSL_QUAD = 4, MSL_BUFFERS = 31, MSL_INLINE_BYTES = 256 };

// The one parameter of every entry point, by value.
typedef struct msl_launch {
    uint64_t buffers[MSL_BUFFERS];      // device addresses; 0 where none is bound
    uint32_t threadgroups[MSL_BUFFERS]; // where each [[threadgroup(n)]] argument starts in dynamic shared memory, in bytes
    // The parameter struct of the launch, if it is that small: a kernel reads it from parameter memory. A larger one lies in
    // a buffer.
    MSL_ALIGNED unsigned char bytes[MSL_INLINE_BYTES];
} msl_launch;

#endif
