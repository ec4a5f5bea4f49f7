// Indices of an image's elements in either layout.
#include "params/conv.h"

constant bool by_pixel [[function_constant(CONV_BY_PIXEL)]];

static inline size_t input_at(constant ConvParams &p, uint n, uint c, uint y, uint x) {
    return by_pixel ? ((size_t(n) * p.h + y) * p.w + x) * p.c + c : ((size_t(n) * p.c + c) * p.h + y) * p.w + x;
}
