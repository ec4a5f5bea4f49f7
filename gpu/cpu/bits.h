// Ternary weights in integer products.
#ifndef ASSAY_BITS_H
#define ASSAY_BITS_H

#include "isa.h"

struct bitlinear_loops {
    void (*unpack)(const uint8_t *q, size_t n, int8_t *out); // n codes of a row; the first begins a byte
};

#endif
