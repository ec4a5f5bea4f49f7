// The convolution family: what its loops, which are compiled for each instruction set, and its tasks share.
#ifndef ASSAY_CONV_H
#define ASSAY_CONV_H

#include "isa.h"

#include "params/conv.h"

#define CONV_TYPES(X) X(F32) X(F16)
#define CONV_ROWS 8 // rows of the largest micro-kernel

// A convolution by channel multiplies a panel of filters by vectors of neighboring pixels; one by pixel multiplies pixels by
// vectors of filters. The sums of a micro-kernel are [rows][two vectors].
struct conv_loops {
    size_t rows, vl;
    // Copies n elements as floats, every `step`-th of them.
    void (*widen[CPU_TYPES])(const void *in, size_t first, size_t n, size_t step, float *out);
    // Sums of filters a[channels][square][rows] and pixels: of channel c, tap (i, j), from x + c·plane + i·line + at[j] on; `wide`
    // is 1 or 2 vectors.
    void (*channels[2])(const float *a, const float *x, size_t count, size_t side, size_t plane, size_t line, const size_t *at, float *sums);
    // Sums of pixels and filters b[side][side][channels][two vectors]: of output r, tap (i, j), from x + r·step + i·line + j·count on.
    void (*pixels)(const float *b, const float *x, size_t count, size_t side, size_t line, size_t step, float *sums);
    // out[first + i] = act(sum[i] + bias) for i < n; bias: `common` for all, else of element at + i; NULL: none.
    void (*store[CPU_TYPES])(const float *sum, size_t n, const void *bias, int common, size_t at, int activation, void *out, size_t first);
};

#endif
