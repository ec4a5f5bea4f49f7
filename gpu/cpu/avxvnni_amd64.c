// Byte products with VNNI, in vectors of 256 bits.
#if !defined(__clang__)
#pragma GCC target("avxvnni,avx2,fma,f16c")
#endif
#include "isa.h"
#include <immintrin.h>
#include <string.h>
#if defined(__clang__) // its headers must come before the target is set
#pragma clang attribute push(__attribute__((target("avxvnni,avx2,fma,f16c"))), apply_to = function)
#endif
#define BYTE_PRODUCTS 1
#include "vec_avx2.h"

#include "loops_dots.h"
#include "loops_block_dots.h"
#include "loops_tiles.h"
#include "loops_words.h"
#include "loops_bytes.h"

extern const struct dot_loops avxvnni_dots;
const struct dot_loops avxvnni_dots = DOT_LOOPS;

extern const struct byte_loops avxvnni_bytes;
const struct byte_loops avxvnni_bytes = BYTE_LOOPS;

extern const struct tile_loops avxvnni_tiles;
const struct tile_loops avxvnni_tiles = TILE_LOOPS;

extern const struct code_loops avxvnni_codes;
const struct code_loops avxvnni_codes = WORD_LOOPS;
#if defined(__clang__)
#pragma clang attribute pop
#endif
