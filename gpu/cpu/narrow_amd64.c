// Bytes times codes of up to six bits where no instruction adds four products to a sum, in vectors of 256 bits: sums of a few are
// int16.
#if !defined(__clang__)
#pragma GCC target("avx2,fma,f16c")
#endif
#include "isa.h"
#include <immintrin.h>
#include <string.h>
#if defined(__clang__) // its headers must come before the target is set
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#endif
#include "vec_avx2.h"
#define NARROW_CODES 1

#include "loops_bytes.h"

extern const struct byte_loops avx2_narrow_bytes;
const struct byte_loops avx2_narrow_bytes = BYTE_LOOPS;
#if defined(__clang__)
#pragma clang attribute pop
#endif
