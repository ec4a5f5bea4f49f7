// Byte products with VNNI, in vectors of 512 bits.
#if !defined(__clang__)
#pragma GCC target("avx512vnni,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")
#endif
#include "isa.h"
#include <immintrin.h>
#include <string.h>
#if defined(__clang__) // its headers must come before the target is set
#pragma clang attribute push(__attribute__((target("avx512vnni,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"))), apply_to = function)
#endif
#define BYTE_PRODUCTS 1
#include "vec_avx512.h"

#include "loops_dots.h"
#include "loops_block_dots.h"
#include "loops_tiles.h"
#include "loops_words.h"
#include "loops_bytes.h"

extern const struct dot_loops vnni_dots;
const struct dot_loops vnni_dots = DOT_LOOPS;

extern const struct byte_loops vnni_bytes;
const struct byte_loops vnni_bytes = BYTE_LOOPS;

extern const struct tile_loops vnni_tiles;
const struct tile_loops vnni_tiles = TILE_LOOPS;

extern const struct code_loops vnni_codes;
const struct code_loops vnni_codes = WORD_LOOPS;
#if defined(__clang__)
#pragma clang attribute pop
#endif
