#ifndef ASSAY_PARAMS_CHAIN_H
#define ASSAY_PARAMS_CHAIN_H
#include "params/types.h"

#define CHAIN_INPUTS 8
#define CHAIN_CONSTANTS 8
#define CHAIN_REGISTERS 24
#define CHAIN_STEPS 32

// The operations of a chain, on x and, if they have two operands, y: number and name.
#define CHAIN_OPS(X)                                                                                       \
    X(0, add) X(1, sub) X(2, mul) X(3, div) X(4, max) X(5, min) X(6, relu) X(7, gelu) X(8, gelu_erf)       \
    X(9, silu) X(10, sigmoid) X(11, tanh) X(12, exp) X(13, log) X(14, sqrt) X(15, rsqrt) X(16, neg)        \
    X(17, abs) X(18, square)

// How results are reduced along the last dimension.
#define CHAIN_EACH 0
#define CHAIN_SUM 1
#define CHAIN_MEAN 2
#define CHAIN_LARGEST 3

// A four-dimensional result, or its rows reduced. The strides of input i begin at strides[4·i]; they are 0 along dimensions that
// it does not have. Registers hold the inputs first, then the constants. A step is op | to << 8 | x << 16 | y << 24, where to, x
// and y are registers.
struct ChainParams {
    uint d0;
    uint d1;
    uint d2;
    uint d3;
    uint inputs;
    uint constants;
    uint steps;
    uint result; // its register
    uint reduce;
    uint strides[4 * CHAIN_INPUTS];
    uint step[CHAIN_STEPS];
    float constant_values[CHAIN_CONSTANTS];
};

#endif
