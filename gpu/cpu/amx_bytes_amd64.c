// Products of int8 activations and integer codes by AMX, in groups of 32 elements and more, whose sums are scaled one group after the other.
#define BYTE_PRODUCTS 1
#include "amx.h"
#define TILE_ROWS (2 * AMX_ROWS)
#define BYTE_TILE .tile = amx_byte_tile, .begin = amx_begin_lanes, .end = amx_end, .least_rows = 12, .least_lanes = 8, .whole_lanes = WHOLE_LANES,

#include "loops_bytes.h"

enum {
    WHOLE_LANES = 16, // of a register
    QUARTERS = 4,     // of a tile, as large as a register of sums: those of the upper rows, then those of the lower ones
    AHEAD = 2,        // groups whose products are under way together
};

typedef int32_t quarter_sums[AMX_ROWS * VL] __attribute__((aligned(64)));
typedef float quarter_totals[AMX_ROWS * VL] __attribute__((aligned(64)));

#define STEP_LANES(lanes) ((lanes) / ceil_div(lanes, WHOLE_LANES)) // of a product: groups are made of whole ones

// Registers 0 to 3 are sums, 4 and 5 activations, 6 and 7 weights.
static void amx_begin_lanes(size_t lanes) {
    const uint8_t step = (uint8_t)STEP_LANES(lanes);
    struct amx_shape shape = amx_shape;
    shape.bytes[4] = shape.bytes[5] = 4 * step, shape.rows[6] = shape.rows[7] = step;
    __asm__ volatile("" : : "r"(&shape) : "memory"); // the compiler does not see that the instruction reads all of it
    _tile_loadconfig(&shape);
}

// Steps of the groups of a tile.
struct steps {
    size_t lanes, step; // of a group, and of each of its steps
    int lower;          // there are lower rows
};

// Sums of the products of a group. Each register that is loaded is multiplied twice, if there are lower rows.
INLINE void multiply_group(const struct steps *s, const char *a, const char *w, quarter_sums to[QUARTERS]) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (size_t l = 0; l < s->lanes; l += s->step, a += 4 * s->step, w += s->step * LANE_COLS * 4) {
        _tile_loadd(4, a, LANE_ROW);
        _tile_loadd(6, w, LANE_COLS * 4);
        _tile_dpbssd(0, 4, 6);
        _tile_loadd(7, w + 4 * VL, LANE_COLS * 4);
        _tile_dpbssd(1, 4, 7);
        if (!s->lower) continue;
        _tile_loadd(5, a + AMX_ROWS * LANE_ROW, LANE_ROW);
        _tile_dpbssd(2, 5, 6);
        _tile_dpbssd(3, 5, 7);
    }
    _tile_stored(0, to[0], 4 * VL);
    _tile_stored(1, to[1], 4 * VL);
    if (!s->lower) return;
    _tile_stored(2, to[2], 4 * VL);
    _tile_stored(3, to[3], 4 * VL);
}

INLINE void add_group(const enum byte_terms terms, const struct byte_tile *t, size_t group, size_t row, size_t col, const int32_t *part, vf total[AMX_ROWS]) {
    const float *sums = t->sums + group * TILE_ROWS + row, *a_scale = t->a_scale + group * TILE_ROWS + row;
    __asm__("" : "+r"(sums), "+r"(a_scale)); // or GCC keeps an address for each element
    const vf scale = v_load(t->scale + group * LANE_COLS + col), term = terms == BYTE_SCALES ? scale : v_load(t->term + group * LANE_COLS + col);
    UNROLL
    for (int r = 0; r < AMX_ROWS; r++)
        total[r] = add_scaled(terms, total[r], __builtin_convertvector(v_get((const char *)(part + r * VL)), vf), scale, term, sums[r], a_scale[r]);
}

// A quarter of the output, or of sums that become it: rows of a vector.
struct quarter {
    float *at;
    size_t row;
};

// What n groups, whose sums are at hand, add to quarter q of `from`, which may be nothing.
INLINE void add_groups(const enum byte_terms terms, const size_t n, const struct byte_tile *t, size_t group, size_t q, quarter_sums part[][QUARTERS],
                       struct quarter from, struct quarter to) {
    vf total[AMX_ROWS];
    UNROLL
    for (size_t r = 0; r < AMX_ROWS; r++) total[r] = from.at ? v_load(from.at + r * from.row) : (vf){0};
    UNROLL
    for (size_t i = 0; i < n; i++) add_group(terms, t, group + i, q / 2 * AMX_ROWS, q % 2 * VL, part[i][q], total);
    UNROLL
    for (size_t r = 0; r < AMX_ROWS; r++) v_store(to.at + r * to.row, total[r]);
}

INLINE void take_groups(const enum byte_terms terms, const size_t n, const struct steps *s, const struct byte_tile *t, size_t group,
                        const struct quarter from[QUARTERS], const struct quarter to[QUARTERS]) {
    const size_t a_group = s->lanes * 4, w_group = s->lanes * LANE_COLS * 4;
    quarter_sums part[AHEAD][QUARTERS];
    UNROLL
    for (size_t i = 0; i < n; i++) multiply_group(s, t->a + (group + i) * a_group, t->w + (group + i) * w_group, part[i]);
    for (size_t q = 0; q < (s->lower ? QUARTERS : QUARTERS / 2); q++) add_groups(terms, n, t, group, q, part, from[q], to[q]);
}

// Sums stay in memory of their own, which is near, until the last groups are added.
INLINE void all_groups(const enum byte_terms terms, const struct steps *s, const struct byte_tile *t, const struct quarter first[QUARTERS],
                       const struct quarter own[QUARTERS], const struct quarter last[QUARTERS]) {
    const struct quarter *from = first;
    size_t g = 0;
    for (; g + AHEAD < t->groups; g += AHEAD, from = own) take_groups(terms, AHEAD, s, t, g, from, own);
    if (g + AHEAD == t->groups) take_groups(terms, AHEAD, s, t, g, from, last);
    else if (g < t->groups) take_groups(terms, 1, s, t, g, from, last);
    else take_groups(terms, 0, s, t, g, from, last);
}

// Rows of a quarter that exist, from or to the output.
INLINE void copy_quarter(const struct byte_tile *t, size_t q, struct quarter own, int store) {
    const size_t row = q / 2 * AMX_ROWS, col = q % 2 * VL, cols = t->cols > col ? min_size(t->cols - col, VL) : 0;
    for (size_t r = row; r < min_size(t->rows, row + AMX_ROWS); r++) {
        float *const out = t->out + r * t->ld + col, *const at = own.at + (r - row) * own.row;
        if (store) v_store_n(out, v_load(at), cols);
        else v_store(at, v_load_n(out, cols));
    }
}

static void amx_byte_tile(const struct byte_tile *t) {
    const struct steps s = {t->lanes, STEP_LANES(t->lanes), t->rows > AMX_ROWS};
    const int whole = t->rows % TILE_ROWS == 0 && t->cols == LANE_COLS;
    quarter_totals total[QUARTERS];
    struct quarter own[QUARTERS], out[QUARTERS], none[QUARTERS] = {{0}};
    for (size_t q = 0; q < QUARTERS; q++) {
        own[q] = (struct quarter){total[q], VL};
        out[q] = (struct quarter){t->out + q / 2 * AMX_ROWS * t->ld + q % 2 * VL, t->ld};
        if (t->add && !whole) copy_quarter(t, q, own[q], 0);
        for (size_t r = 0; r < AMX_ROWS && whole; r++) __builtin_prefetch(out[q].at + r * t->ld, 1);
    }
    const struct quarter *const last = whole ? out : own, *const first = t->add ? last : none;
    if (t->terms == BYTE_OFFSETS) all_groups(BYTE_OFFSETS, &s, t, first, own, last);
    else if (t->terms == BYTE_SCALES) all_groups(BYTE_SCALES, &s, t, first, own, last);
    else all_groups(BYTE_ZEROS, &s, t, first, own, last);
    for (size_t q = 0; q < QUARTERS && !whole; q++) copy_quarter(t, q, own[q], 1);
}

extern const struct byte_loops amx_bytes;
const struct byte_loops amx_bytes = BYTE_LOOPS;

AMX_END
