// Shared by the files that multiply with AMX: its instructions, and the shape of its tiles, 16 rows of 64 bytes in dedicated
// registers. A file that includes this ends with AMX_END.
#include "isa.h"
#include <string.h>
#if !defined(__clang__)
#pragma GCC target("amx-tile,amx-bf16,amx-int8,avx512bf16,avx512vnni,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")
#endif
#include <immintrin.h>
#if defined(__clang__) // its headers must come before the target is set
#pragma clang attribute push(__attribute__((target("amx-tile,amx-bf16,amx-int8,avx512bf16,avx512vnni,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"))), apply_to = function)
#define AMX_END _Pragma("clang attribute pop")
#else
#define AMX_END
#endif
#include "vec_avx512.h"

#define AMX_ROWS 16

struct amx_shape {
    uint8_t palette, start, none[14];
    uint16_t bytes[16]; // in a row of each tile
    uint8_t rows[16];
};

// Constant, since compilers do not see that the instruction reads all of it.
static const struct amx_shape amx_shape = {
    1, 0, {0}, {64, 64, 64, 64, 64, 64, 64, 64},
    {AMX_ROWS, AMX_ROWS, AMX_ROWS, AMX_ROWS, AMX_ROWS, AMX_ROWS, AMX_ROWS, AMX_ROWS},
};

INLINE void amx_begin(void) { _tile_loadconfig(&amx_shape); }

static void amx_end(void) { _tile_release(); }
