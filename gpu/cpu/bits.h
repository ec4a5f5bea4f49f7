// Ternary weights in products of integers.
#ifndef ASSAY_BITS_H
#define ASSAY_BITS_H

#include "isa.h"

struct bitlinear_loops {
    void (*unpack)(const uint8_t *q, size_t n, int8_t *out); // n codes of a row from a new byte on
};

#endif
