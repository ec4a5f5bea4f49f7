// Template: a vector tile of int8 activations times integer codes. The sums of a group stay in registers until they are scaled.
INLINE void scale_group(const int rows, const enum byte_terms terms, const struct byte_tile *t, size_t group, vi sum[LANE_ROWS][2], vf total[LANE_ROWS][2]) {
    const float *all = t->sums + group * LANE_ROWS, *a_scale = t->a_scale + group * LANE_ROWS;
    UNROLL
    for (int v = 0; v < 2; v++) {
        const size_t col = group * LANE_COLS + (size_t)v * VL;
        const vf scale = v_load(t->scale + col), term = terms == BYTE_SCALES ? scale : v_load(t->term + col);
        UNROLL
        for (int r = 0; r < rows; r++)
            total[r][v] = add_scaled(terms, total[r][v], __builtin_convertvector(sum[r][v], vf), scale, term, all[r], a_scale[r]);
    }
}

INLINE void sum_lanes(const int rows, size_t lanes, const char *a, const char *w, vi sum[LANE_ROWS][2]) {
    for (size_t l = 0; l < lanes; l++, a += 4, w += 4 * LANE_COLS) {
        const vi low = v_get(w), high = v_get(w + 4 * VL);
        UNROLL
        for (int r = 0; r < rows; r++) {
            int32_t lane;
            memcpy(&lane, a + r * LANE_ROW, 4);
            const vi x = lane - (vi){0};
            sum[r][0] = lane_add(sum[r][0], low, x);
            sum[r][1] = lane_add(sum[r][1], high, x);
        }
    }
}

#if defined(NARROW_CODES)
// Lanes whose products can be summed in int16: codes are at most 15, but up to 63 in groups of half a block.
#define SHORT_LANES(terms, lanes) ((terms) == BYTE_SCALES && (lanes) < 8 ? 2 : 8)
_Static_assert(8 * 2 * 15 * 128 <= INT16_MAX && 2 * 2 * 63 * 128 <= INT16_MAX, "sums of lanes");

INLINE void sum_group(const int rows, const size_t run, size_t lanes, const char *a, const char *w, vi sum[LANE_ROWS][2]) {
    for (size_t l = 0; l < lanes; l += run, a += 4 * run, w += 4 * run * LANE_COLS) {
        vi part[LANE_ROWS][2] = {{{0}}};
        sum_lanes(rows, min_size(run, lanes - l), a, w, part);
        UNROLL
        for (int r = 0; r < rows; r++) sum[r][0] = v_add_shorts(sum[r][0], (v_shorts)part[r][0]), sum[r][1] = v_add_shorts(sum[r][1], (v_shorts)part[r][1]);
    }
}
#else
#define SHORT_LANES(terms, lanes) 0
#define sum_group(rows, run, lanes, a, w, sum) sum_lanes(rows, lanes, a, w, sum)
#endif

// `rows`, `terms` and, unless 0, `lanes` are constants wherever this is inlined.
INLINE void tile_of(const int rows, const enum byte_terms terms, const size_t lanes, const struct byte_tile *t, float *out, size_t ld) {
    const size_t each = lanes ? lanes : t->lanes;
    const char *a = t->a, *w = t->w;
    vf total[LANE_ROWS][2];
    UNROLL
    for (int r = 0; r < rows; r++) {
        UNROLL
        for (int v = 0; v < 2; v++) {
            total[r][v] = t->add ? v_load(out + (size_t)r * ld + v * VL) : (vf){0};
            __builtin_prefetch(out + (size_t)r * ld + v * VL, 1);
        }
    }
    for (size_t g = 0; g < t->groups; g++, a += 4 * each, w += 4 * each * LANE_COLS) {
        vi sum[LANE_ROWS][2];
        UNROLL
        for (int r = 0; r < rows; r++) sum[r][0] = sum[r][1] = terms == BYTE_OFFSETS ? (vi){0} : t->start[g * LANE_ROWS + (size_t)r] - (vi){0};
        sum_group(rows, SHORT_LANES(terms, lanes), each, a, w, sum);
        scale_group(rows, terms, t, g, sum, total);
    }
    UNROLL
    for (int r = 0; r < rows; r++) {
        UNROLL
        for (int v = 0; v < 2; v++) v_store(out + (size_t)r * ld + v * VL, total[r][v]);
    }
}

#define BLOCK_LANES (32 / LANE_EACH) // of the common block size
#define ROWS_TILE(rows)                                                                                                      \
    static void bytes_##rows(const struct byte_tile *t, float *out, size_t ld) {                                             \
        const int usual = t->lanes == BLOCK_LANES;                                                                           \
        if (t->terms == BYTE_OFFSETS) tile_of(rows, BYTE_OFFSETS, BLOCK_LANES, t, out, ld); /* which have no other groups */ \
        else if (t->terms == BYTE_SCALES && usual) tile_of(rows, BYTE_SCALES, BLOCK_LANES, t, out, ld);                      \
        else if (t->terms == BYTE_SCALES) tile_of(rows, BYTE_SCALES, BLOCK_LANES / 2, t, out, ld);                           \
        else if (usual) tile_of(rows, BYTE_ZEROS, BLOCK_LANES, t, out, ld);                                                  \
        else tile_of(rows, BYTE_ZEROS, 0, t, out, ld);                                                                       \
    }
ROWS_TILE(1)
ROWS_TILE(2)
#if LANE_ROWS > 2
ROWS_TILE(3)
#endif
#if LANE_ROWS > 3
ROWS_TILE(4)
ROWS_TILE(5)
ROWS_TILE(6)
#endif

static void rows_tile(const struct byte_tile *t, float *out, size_t ld) {
    switch (t->rows) {
    case 1: bytes_1(t, out, ld); break;
    case 2: bytes_2(t, out, ld); break;
#if LANE_ROWS > 2
    case 3: bytes_3(t, out, ld); break;
#endif
#if LANE_ROWS > 3
    case 4: bytes_4(t, out, ld); break;
    case 5: bytes_5(t, out, ld); break;
    case 6: bytes_6(t, out, ld); break;
#endif
    }
}

static void byte_tile(const struct byte_tile *t) {
    if (t->cols == LANE_COLS) {
        rows_tile(t, t->out, t->ld);
        return;
    }
    float out[LANE_ROWS * LANE_COLS] = {0};
    for (size_t r = 0; t->add && r < t->rows; r++) memcpy(out + r * LANE_COLS, t->out + r * t->ld, t->cols * sizeof *out);
    rows_tile(t, out, LANE_COLS);
    for (size_t r = 0; r < t->rows; r++) memcpy(t->out + r * t->ld, out + r * LANE_COLS, t->cols * sizeof *out);
}
