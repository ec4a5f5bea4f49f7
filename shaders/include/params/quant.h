#ifndef ASSAY_PARAMS_QUANT_H
#define ASSAY_PARAMS_QUANT_H
#include "params/types.h"

// A [rows, cols] matrix in blocks of `block` neighboring elements of a row; 0: one block for the whole tensor.
struct QuantParams {
    uint rows;
    uint cols;
    uint block;
};

// n floats in equal parts; the last ones may be shorter, or empty.
struct ExtremesParams {
    uint n;
    uint parts;
};

// A [rows, cols] matrix as one block, whose extremes are known for each of `parts` parts.
struct TensorParams {
    uint rows;
    uint cols;
    uint parts;
};

// A [rows, cols] matrix with one scale per row.
struct RowsParams {
    uint rows;
    uint cols;
};

// Vectors of four elements of a block that a lane keeps, and log₂ of the lanes that share a block of that many elements.
#define QUANTIZE_KEPT 4
#define QUANTIZE_DOUBLED(block) ((block) > 128 ? (block) > 256 ? 5u : 4u : (block) > 64 ? 3u : (block) > 32 ? 2u : (block) > 16 ? 1u : 0u)

#define QUANTIZE_CHUNK 16384 // bytes of a tensor's codes that a threadgroup writes

// Index of the quantizers' function constant.
#define QUANTIZE_SYMMETRIC 0

#endif
