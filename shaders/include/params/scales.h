#ifndef ASSAY_PARAMS_SCALES_H
#define ASSAY_PARAMS_SCALES_H

// Index of the function constant of all kernels with scales of blocks: these and zero points are in f16 instead of f32.
#define HALF_SCALES 3

#endif
