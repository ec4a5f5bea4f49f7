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

#include "loops_table.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
