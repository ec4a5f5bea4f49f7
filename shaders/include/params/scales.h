#ifndef ASSAY_PARAMS_SCALES_H
#define ASSAY_PARAMS_SCALES_H

// Index of the constant of all that has scales of blocks: they and zero points are in f16 instead of f32.
#define HALF_SCALES 3

#endif
