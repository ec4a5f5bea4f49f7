// Shared by the convolutions: indices of elements in either layout, and the epilogue.
#include "conv_layout.h"

constant bool has_bias [[function_constant(CONV_HAS_BIAS)]];
constant int activation [[function_constant(CONV_ACTIVATION)]];

#include "epilogue.h"

static inline size_t filter_at(constant ConvParams &p, uint o, uint c, uint ky, uint kx) {
    return by_pixel ? ((size_t(o) * p.side + ky) * p.side + kx) * p.c + c : ((size_t(o) * p.c + c) * p.side + ky) * p.side + kx;
}

static inline size_t output_at(constant ConvParams &p, uint n, uint o, uint y, uint x) {
    const size_t rows = CONV_OUT(p.h, p), cols = CONV_OUT(p.w, p);
    return by_pixel ? ((n * rows + y) * cols + x) * p.o + o : ((size_t(n) * p.o + o) * rows + y) * cols + x;
}
