#ifndef ASSAY_PARAMS_PEAK_H
#define ASSAY_PARAMS_PEAK_H
#include "params/types.h"

#define MULTIPLY_ADD_FACTOR 0.9921875f // for multiply_add: 1 − 2⁻⁷, which is exact in every float type

// Multiply-add steps on each of n elements.
struct StepsParams {
    uint n;
    uint steps;
};

// Steps of tile products in each of `simds` SIMD groups.
struct TileStepsParams {
    uint simds;
    uint steps;
};

#define STEP_TILES 4 // of each operand per SIMD group, which multiplies all pairs

#endif
