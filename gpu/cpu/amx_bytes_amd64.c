// int8 activations times integer codes with AMX, in groups of 32 elements and more.
#define BYTE_PRODUCTS 1
#include "amx.h"
#include "amx_quarters.h"
#define TILE_ROWS (2 * QUARTER_SIDE)
#define WHOLE_LANES 16 // of a register
#define ROW_GROUPS 16  // of 32 elements
#define BYTE_TILE                                                                                                                    \
    .tile = amx_byte_tile, .begin = amx_begin_lanes, .end = amx_end, .least = 3e7, .least_rows = 12, .least_lanes = 8,               \
    .whole_lanes = WHOLE_LANES, .row_groups = ROW_GROUPS,

#include "loops_bytes.h"

_Static_assert(BYTE_DEPTH <= ROW_GROUPS * 32, "groups of a row");

#define STEP_LANES(lanes) ((lanes) / ceil_div(lanes, WHOLE_LANES)) // per product: groups are split evenly

// Registers 0 to 3 are sums, 4 and 5 activations, 6 and 7 weights.
static void amx_begin_lanes(size_t lanes) {
    const uint8_t step = (uint8_t)STEP_LANES(lanes);
    struct amx_shape shape = amx_shape;
    shape.bytes[4] = shape.bytes[5] = 4 * step, shape.rows[6] = shape.rows[7] = step;
    __asm__ volatile("" : : "r"(&shape) : "memory"); // the compiler does not see that the instruction reads all of it
    _tile_loadconfig(&shape);
}

struct byte_tile_job {
    const struct byte_tile *t;
    size_t step; // lanes per product
};

INLINE void multiply_bytes(const void *job, size_t group, size_t turn, quarter_rows to[QUARTERS]) {
    const struct byte_tile_job *j = job;
    const size_t lanes = j->t->lanes, step = j->step;
    const char *a = j->t->a + group * lanes * 4, *w = j->t->w + group * lanes * LANE_COLS * 4;
    const int lower = j->t->rows > QUARTER_SIDE;
    (void)turn;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (size_t l = 0; l < lanes; l += step, a += 4 * step, w += step * LANE_COLS * 4) {
        _tile_loadd(4, a, LANE_ROW);
        _tile_loadd(6, w, LANE_COLS * 4);
        _tile_dpbssd(0, 4, 6);
        _tile_loadd(7, w + 4 * VL, LANE_COLS * 4);
        _tile_dpbssd(1, 4, 7);
        if (!lower) continue;
        _tile_loadd(5, a + QUARTER_SIDE * LANE_ROW, LANE_ROW);
        _tile_dpbssd(2, 5, 6);
        _tile_dpbssd(3, 5, 7);
    }
    _tile_stored(0, to[0], 4 * VL);
    _tile_stored(1, to[1], 4 * VL);
    if (!lower) return;
    _tile_stored(2, to[2], 4 * VL);
    _tile_stored(3, to[3], 4 * VL);
}

INLINE void add_bytes(const enum byte_terms terms, const struct byte_tile *t, size_t group, size_t row, size_t col, const quarter_rows part, quarter_rows total) {
    const float *sums = t->sums + row * ROW_GROUPS + group, *a_scale = t->a_scale + row * ROW_GROUPS + group;
    __asm__("" : "+r"(sums), "+r"(a_scale)); // otherwise GCC keeps an address for each element
    const vf scale = v_load(t->scale + group * LANE_COLS + col), term = terms == BYTE_SCALES ? scale : v_load(t->term + group * LANE_COLS + col);
    UNROLL
    for (int r = 0; r < QUARTER_SIDE; r++)
        total[r] = add_scaled(terms, total[r], __builtin_convertvector((vi)part[r], vf), scale, term, sums[r * ROW_GROUPS], a_scale[r * ROW_GROUPS]);
}

#define TERMS_OF(terms)                                                                                                                \
    INLINE void add_##terms(const void *job, size_t group, size_t row, size_t col, const quarter_rows part, quarter_rows total) {      \
        add_bytes(terms, ((const struct byte_tile_job *)job)->t, group, row, col, part, total);                                        \
    }                                                                                                                                  \
    static const struct quarter_loops loops_##terms = {TILE_ROWS, multiply_bytes, add_##terms};
TERMS_OF(BYTE_ZEROS)
TERMS_OF(BYTE_OFFSETS)
TERMS_OF(BYTE_SCALES)

static void amx_byte_tile(const struct byte_tile *t) {
    const struct byte_tile_job job = {t, STEP_LANES(t->lanes)};
    const struct quartered q = {t->groups, t->out, t->ld, t->rows, t->cols, t->add};
    if (t->terms == BYTE_OFFSETS) in_quarters(&loops_BYTE_OFFSETS, &job, &q);
    else if (t->terms == BYTE_SCALES) in_quarters(&loops_BYTE_SCALES, &job, &q);
    else in_quarters(&loops_BYTE_ZEROS, &job, &q);
}

extern const struct byte_loops amx_bytes;
const struct byte_loops amx_bytes = BYTE_LOOPS;

#include "amx_superblocks.h"

AMX_END
