#if !defined(__clang__)
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")
#endif
#include "isa.h"
#include <immintrin.h>
#include <string.h>
#if defined(__clang__) // its headers must come before the target is set
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"))), apply_to = function)
#endif
#include "vec_avx512.h"

#include "loops_table.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
