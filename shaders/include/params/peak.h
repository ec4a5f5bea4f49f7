#ifndef ASSAY_PARAMS_PEAK_H
#define ASSAY_PARAMS_PEAK_H
#include "params/types.h"

#define MULTIPLY_ADD_FACTOR 0.9921875f // of multiply_add: 1 − 2⁻⁷, which every type of floats has exactly

// Steps of multiplications and additions on each of n elements.
struct StepsParams {
    uint n;
    uint steps;
};

// Steps of products of tiles in each of some SIMD groups.
struct TileStepsParams {
    uint simds;
    uint steps;
};

#define STEP_TILES 4 // of each operand, whose products with each other a SIMD group keeps

#endif
