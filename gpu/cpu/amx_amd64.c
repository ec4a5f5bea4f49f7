// GEMMs of bfloat16 and int8 with AMX.
#include "amx.h"
#include "tiles.h"

#include "loops_pairs.h"

INLINE void load_sums(const char *c, size_t row) {
    _tile_loadd(0, c, row);
    _tile_loadd(1, c + TILE_BYTES, row);
    _tile_loadd(2, c + TILE_HALF * row, row);
    _tile_loadd(3, c + TILE_HALF * row + TILE_BYTES, row);
}

INLINE void clear_sums(void) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
}

INLINE void store_sums(char *c, size_t row) {
    _tile_stored(0, c, row);
    _tile_stored(1, c + TILE_BYTES, row);
    _tile_stored(2, c + TILE_HALF * row, row);
    _tile_stored(3, c + TILE_HALF * row + TILE_BYTES, row);
}

// Prefetches the lines of `rows` rows of the output that sums will be stored to, and returns the row after them.
INLINE const char *fetch_rows(const char *out, const char *end, size_t row, size_t rows) {
    for (size_t r = 0; r < rows && out < end; r++, out += row) {
        __builtin_prefetch(out, 1);
        __builtin_prefetch(out + TILE_BYTES, 1);
    }
    return out;
}

// Four tiles of sums from two tiles of a and two of b; `product` is an instruction. New sums with scattered rows are stored to
// lines that are in no cache: they are prefetched meanwhile.
#define AMX_TILE(name, product)                                                                               \
    static void name(size_t steps, const struct tile_rows *a, const char *b, void *c, size_t ldc, enum tile_sums sums) { \
        const char *at = a->at, *out = c;                                                                     \
        const size_t row = a->row, step = a->step, each = ceil_div(TILE_SIDE, steps);                         \
        const char *const end = sums == SUMS_NEW && ldc > TILE_SIDE ? out + TILE_SIDE * 4 * ldc : out;        \
        if (sums == SUMS_ADD) load_sums(c, 4 * ldc);                                                          \
        else clear_sums();                                                                                    \
        for (size_t s = 0; s < steps; s++, at += step, b += TILE_STEP) {                                      \
            out = fetch_rows(out, end, 4 * ldc, each);                                                        \
            _tile_loadd(4, at, row);                                                                          \
            _tile_loadd(6, b, TILE_BYTES);                                                                    \
            product(0, 4, 6);                                                                                 \
            _tile_loadd(7, b + TILE_HALF_STEP, TILE_BYTES);                                                   \
            product(1, 4, 7);                                                                                 \
            _tile_loadd(5, at + TILE_HALF * row, row);                                                        \
            product(2, 5, 6);                                                                                 \
            product(3, 5, 7);                                                                                 \
        }                                                                                                     \
        store_sums(c, 4 * ldc);                                                                               \
    }
AMX_TILE(amx_tile_bf16, _tile_dpbf16ps)
AMX_TILE(amx_sums_int8, _tile_dpbssd)

static void amx_tile_int8(size_t steps, const struct tile_rows *a, const char *b, void *c, size_t ldc, enum tile_sums sums) {
    if (sums != SUMS_PAST) {
        amx_sums_int8(steps, a, b, c, ldc, sums);
        return;
    }
    int32_t own[TILE_SIDE * TILE_SIDE] __attribute__((aligned(64)));
    amx_sums_int8(steps, a, b, own, TILE_SIDE, SUMS_NEW);
    for (size_t i = 0; i < TILE_SIDE * TILE_SIDE; i += VL) v_stream((float *)c + i / TILE_SIDE * ldc + i % TILE_SIDE, v_load((const float *)own + i));
}

static void amx_done(void) {
    pairs_end();
    amx_end();
}

extern const struct tile_loops amx_tiles;
const struct tile_loops amx_tiles = {
    .codes = 1, .least = 8e6, .stage = 8, .near = 4, .begin = amx_begin, .end = amx_done, .tile = {[CPU_BF16] = amx_tile_bf16, [CPU_I8] = amx_tile_int8}, .store = pairs_store,
    .pack_rows = pairs_pack_rows, .pack_b_rows = pairs_pack_b_rows, .pack_cols = pairs_pack_cols, .pack_b_cols = pairs_pack_b_cols,
};

AMX_END
