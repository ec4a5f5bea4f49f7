// Template: tiles of products of int8 by products of bytes, which must be exact.
#include "tiles.h"

#define TILE_HALF (TILE_SIDE / 2)
#define HALF_STEP (TILE_STEP / 2)
#define GROUP_BYTES 4 // along k, of one product
#define STEP_GROUPS (TILE_BYTES / GROUP_BYTES)
// The part of a tile that is summed in registers: rows, and vectors of columns.
#if VL == 16
#define PART_ROWS 8
#define PART_VECTORS 2
#elif VL == 8
#define PART_ROWS 4
#define PART_VECTORS 2
#else
#define PART_ROWS 4
#define PART_VECTORS 4
#endif

INLINE vi all_bytes(uint32_t byte) { return (vi)((vu){0} + byte * 0x01010101u); }

// Vector v of the columns in group g of a step.
INLINE vi columns_at(const char *step, size_t v, size_t g) {
    const size_t col = v * VL;
    return v_get(step + col / TILE_HALF * HALF_STEP + g * TILE_BYTES + col % TILE_HALF * GROUP_BYTES);
}

// What the bias of rows of a adds to columns, subtracted.
INLINE void without_bias(size_t steps, const char *b, size_t v0, vi first[PART_VECTORS]) {
    UNROLL
    for (size_t v = 0; v < PART_VECTORS; v++) first[v] = (vi){0};
    if (DOT_BIAS == 0) return;
    for (size_t g = 0; g < steps * STEP_GROUPS; g++) {
        const char *step = b + g / STEP_GROUPS * TILE_STEP;
        UNROLL
        for (size_t v = 0; v < PART_VECTORS; v++)
            first[v] = v_dot(first[v], all_bytes(DOT_BIAS), columns_at(step, v0 + v, g % STEP_GROUPS));
    }
    UNROLL
    for (size_t v = 0; v < PART_VECTORS; v++) first[v] = -first[v];
}

// The part of a tile from vector v0 on, of rows from `at` on.
INLINE void tile_part(size_t steps, const char *at, const struct tile_rows *a, const char *b, size_t v0, const vi first[PART_VECTORS],
                      int32_t *c, size_t ldc, int add) {
    vi sum[PART_ROWS][PART_VECTORS];
    UNROLL
    for (size_t r = 0; r < PART_ROWS; r++) {
        UNROLL
        for (size_t v = 0; v < PART_VECTORS; v++) sum[r][v] = first[v];
    }
    for (size_t s = 0; s < steps; s++, at += a->step, b += TILE_STEP) {
        for (size_t g = 0; g < STEP_GROUPS; g++) {
            vi w[PART_VECTORS];
            UNROLL
            for (size_t v = 0; v < PART_VECTORS; v++) w[v] = columns_at(b, v0 + v, g);
            UNROLL
            for (size_t r = 0; r < PART_ROWS; r++) {
                int32_t group;
                memcpy(&group, at + r * a->row + g * GROUP_BYTES, sizeof group);
                const vi x = (vi){0} + group;
                UNROLL
                for (size_t v = 0; v < PART_VECTORS; v++) sum[r][v] = v_dot(sum[r][v], x, w[v]);
            }
        }
    }
    UNROLL
    for (size_t r = 0; r < PART_ROWS; r++) {
        UNROLL
        for (size_t v = 0; v < PART_VECTORS; v++) {
            char *to = (char *)(c + r * ldc + (v0 + v) * VL);
            v_put(to, add ? sum[r][v] + v_get(to) : sum[r][v]);
        }
    }
}

static void tile_int8(size_t steps, const struct tile_rows *a, const char *b, void *c, size_t ldc, int add) {
    for (size_t v = 0; v < TILE_SIDE / VL; v += PART_VECTORS) {
        vi first[PART_VECTORS];
        without_bias(steps, b, v, first);
        for (size_t r = 0; r < TILE_SIDE; r += PART_ROWS)
            tile_part(steps, a->at + r * a->row, a, b, v, first, (int32_t *)c + r * ldc, ldc, add);
    }
}

// A vector of bytes, of which `left` exist.
INLINE vi bytes_left(const char *p, size_t left) {
    char part[4 * VL] = {0};
    if (left >= sizeof part) return v_get(p);
    memcpy(part, p, left);
    return v_get(part);
}

static void tile_pack_rows(const char *src, size_t ld, size_t count, size_t bytes, char *dst) {
    for (size_t d = 0; d < bytes; d += TILE_BYTES, dst += TILE_STEP)
        for (size_t r = 0; r < count; r++)
            for (size_t i = 0; i < TILE_BYTES && d + i < bytes; i += 4 * VL)
                v_put(dst + r * TILE_BYTES + i, bytes_left(src + r * ld + d + i, bytes - d - i) ^ all_bytes(DOT_BIAS));
}

// VL columns from `col` on of one step, of which those before `count` exist: a transpose of groups.
INLINE void pack_columns(const char *src, size_t ld, size_t col, size_t count, size_t left, char *dst) {
    for (size_t i = 0; i < TILE_BYTES; i += 4 * VL) {
        vf t[VL];
        UNROLL
        for (size_t c = 0; c < VL; c++)
            t[c] = col + c < count && i < left ? (vf)bytes_left(src + (col + c) * ld + i, left - i) : (vf){0};
        v_transpose(t);
        UNROLL
        for (size_t g = 0; g < VL; g++) v_put(dst + (i / GROUP_BYTES + g) * TILE_BYTES, (vi)t[g]);
    }
}

static void tile_pack_b_rows(const char *src, size_t ld, size_t count, size_t bytes, char *dst) {
    for (size_t d = 0; d < bytes; d += TILE_BYTES, dst += TILE_STEP)
        for (size_t col = 0; col < TILE_SIDE; col += VL)
            pack_columns(src + d, ld, col, count, bytes - d, dst + col / TILE_HALF * HALF_STEP + col % TILE_HALF * GROUP_BYTES);
}

static void no_setup(void) {}

#define TILE_LOOPS                                                                                          \
    {                                                                                                       \
        .begin = no_setup, .end = no_setup, .tile = {[CPU_I8] = tile_int8}, .pack_rows = tile_pack_rows,   \
        .pack_b_rows = tile_pack_b_rows, .copies_a = DOT_BIAS != 0,                                        \
    }
