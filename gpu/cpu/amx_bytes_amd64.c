// Products of int8 activations and integer codes by AMX, in groups of 32 elements and more, whose sums are scaled one group after the other.
#define BYTE_PRODUCTS 1
#include "amx.h"
#define TILE_ROWS AMX_ROWS
#define BYTE_TILE .tile = amx_byte_tile, .begin = amx_begin_lanes, .end = amx_end, .least_rows = 12, .least_lanes = 8,

#include "loops_bytes.h"

enum { FULL_LANES = 16, AHEAD = 4 }; // lanes of a whole tile; groups whose products are under way together

typedef int32_t part_sums[AMX_ROWS * VL] __attribute__((aligned(64)));

// Registers 0 to 3 are sums, 4 and 6 tiles of activations and weights that are whole, 5 and 7 what is left of a group.
static void amx_begin_lanes(size_t lanes) {
    const uint8_t left = (uint8_t)(lanes % FULL_LANES);
    struct amx_shape shape = amx_shape;
    if (left) shape.bytes[5] = 4 * left, shape.rows[7] = left;
    __asm__ volatile("" : : "r"(&shape) : "memory"); // the compiler does not see that the instruction reads all of it
    _tile_loadconfig(&shape);
}

// The sums of a group by register c, to `part`.
#define GROUP_SUMS(c, part)                                                                         \
    do {                                                                                            \
        size_t l = FULL_LANES;                                                                      \
        _tile_zero(c);                                                                              \
        for (; l <= lanes; l += FULL_LANES, a += 4 * FULL_LANES, w += FULL_LANES * LANE_COLS * 4) { \
            _tile_loadd(4, a, LANE_ROW);                                                            \
            _tile_loadd(6, w, LANE_COLS * 4);                                                       \
            _tile_dpbssd(c, 4, 6);                                                                  \
        }                                                                                           \
        if (l > lanes && lanes % FULL_LANES) {                                                      \
            _tile_loadd(5, a, LANE_ROW);                                                            \
            _tile_loadd(7, w, LANE_COLS * 4);                                                       \
            _tile_dpbssd(c, 5, 7);                                                                  \
            a += 4 * (lanes % FULL_LANES), w += lanes % FULL_LANES * LANE_COLS * 4;                 \
        }                                                                                           \
        _tile_stored(c, part, sizeof(part_sums) / AMX_ROWS);                                        \
    } while (0)

INLINE void add_group(const enum byte_terms terms, const struct byte_tile *t, size_t group, size_t col, const int32_t *part, vf total[AMX_ROWS]) {
    const float *sums = t->sums + group * AMX_ROWS, *a_scale = t->a_scale + group * AMX_ROWS;
    const vf scale = v_load(t->scale + group * LANE_COLS + col), term = terms == BYTE_SCALES ? scale : v_load(t->term + group * LANE_COLS + col);
    UNROLL
    for (int r = 0; r < AMX_ROWS; r++)
        total[r] = add_scaled(terms, total[r], __builtin_convertvector(v_get((const char *)(part + r * VL)), vf), scale, term, sums[r], a_scale[r]);
}

// A vector of columns, of which `cols` exist.
INLINE void columns(const enum byte_terms terms, const size_t lanes, const struct byte_tile *t, size_t col, size_t cols) {
    const char *a = t->a, *w = t->w + 4 * col;
    part_sums part[AHEAD];
    vf total[AMX_ROWS];
    UNROLL
    for (size_t r = 0; r < AMX_ROWS; r++) total[r] = t->add && r < t->rows ? v_load_n(t->out + r * t->ld + col, cols) : (vf){0};
    size_t g = 0;
    for (; g + AHEAD <= t->groups; g += AHEAD) {
        GROUP_SUMS(0, part[0]);
        GROUP_SUMS(1, part[1]);
        GROUP_SUMS(2, part[2]);
        GROUP_SUMS(3, part[3]);
        for (size_t i = 0; i < AHEAD; i++) add_group(terms, t, g + i, col, part[i], total);
    }
    for (; g < t->groups; g++) {
        GROUP_SUMS(0, part[0]);
        add_group(terms, t, g, col, part[0], total);
    }
    UNROLL
    for (size_t r = 0; r < AMX_ROWS; r++)
        if (r < t->rows) v_store_n(t->out + r * t->ld + col, total[r], cols);
}

INLINE void tile_of(const enum byte_terms terms, const size_t lanes, const struct byte_tile *t) {
    columns(terms, lanes, t, 0, min_size(t->cols, VL));
    if (t->cols > VL) columns(terms, lanes, t, VL, t->cols - VL);
}

static void amx_byte_tile(const struct byte_tile *t) {
    if (t->terms == BYTE_OFFSETS) tile_of(BYTE_OFFSETS, 8, t); // which have no other groups
    else if (t->terms == BYTE_SCALES) tile_of(BYTE_SCALES, 8, t);
    else if (t->lanes == 8) tile_of(BYTE_ZEROS, 8, t);
    else tile_of(BYTE_ZEROS, t->lanes, t);
}

extern const struct byte_loops amx_bytes;
const struct byte_loops amx_bytes = BYTE_LOOPS;

AMX_END
