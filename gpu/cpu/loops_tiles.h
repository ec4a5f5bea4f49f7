// Template: int8 tiles with instructions that add several products to each element of a vector of int32.
#include "gemm.h"
#include "tiles.h"

#if defined(PAIR_PRODUCTS) // int16 products, where sums of byte products would not be exact
#define BYTES_WIDTH 2      // bytes of an element in a panel
#define BYTES_OFFSET 0     // added to an element of b to make it unsigned
#define BYTES_LEAST 1e6    // see tiles.h
#define v_bytes(s, a, b) v_dot_pairs(s, a, b)
#define v_codes_a(p) v_load_pairs(p)
#define v_codes_b(p) v_load_pairs(p)
#else
#define BYTES_WIDTH 1
#define BYTES_OFFSET DOT_BIAS
#define BYTES_LEAST 3e6
#define v_bytes(s, a, b) v_dot(s, b, a)
#define v_codes_a(p) vi_load(p)
#define v_codes_b(p) (vi_load(p) ^ vi_set1(DOT_BIAS ? (int32_t)0x80808080 : 0))
#endif

// Rows whose sums are in registers at a time, and vectors of them side by side.
#if VL == 16
#define BYTES_ROWS 12
#define BYTES_VECTORS 2
#elif VL == 8
#define BYTES_ROWS (BYTES_WIDTH == 2 ? 4 : 6)
#define BYTES_VECTORS 2
#else
#define BYTES_ROWS 6
#define BYTES_VECTORS 4
#endif

#define BYTES_STEP (TILE_BYTES / BYTES_WIDTH) // elements of a step along k
#define BYTES_EACH (4 / BYTES_WIDTH)          // and of a group, which one instruction sums
#define BYTES_GROUPS (TILE_BYTES / 4)
#define BYTES_COLS (BYTES_VECTORS * VL)
#define BYTES_PARTS ((TILE_SIDE + BYTES_ROWS - 1) / BYTES_ROWS) // of the rows of a tile; some have one row more than others
#define BYTES_FEW (TILE_SIDE / BYTES_PARTS)
#define BYTES_MANY ((TILE_SIDE + BYTES_PARTS - 1) / BYTES_PARTS)
#define BYTES_BASES ((BYTES_MANY + 2) / 3)    // rows of a are addressed with a few pointers and one distance, as in loops_gemm.h

// Where a column lies in a panel of b.
#define BYTES_AT(col) ((col) / TILE_HALF * TILE_HALF_STEP + (col) % TILE_HALF * 4)

INLINE vi vi_load(const void *p) { return v_get(p); }
INLINE vi vi_set1(int32_t x) { return x - (vi){0}; }

struct bytes {
    const char *a, *b;
    size_t row, step, steps; // of a, in bytes; along k
    const int32_t *start;    // of each row
    int32_t *c;
    size_t ldc;
    enum tile_sums sums;
};

// Adds one group's products to the sums of `rows` rows.
INLINE void bytes_group(const int rows, const char *const base[BYTES_BASES], size_t row, const char *b, vi sum[BYTES_MANY][BYTES_VECTORS]) {
    vi x[BYTES_VECTORS];
    UNROLL
    for (int v = 0; v < BYTES_VECTORS; v++) x[v] = vi_load(b + BYTES_AT(v * VL));
    UNROLL
    for (int r = 0; r < rows; r++) {
        int32_t group;
        memcpy(&group, base[r / 3] + (size_t)(r % 3) * row, 4);
        const vi a = vi_set1(group);
        UNROLL
        for (int v = 0; v < BYTES_VECTORS; v++) sum[r][v] = v_bytes(sum[r][v], a, x[v]);
    }
}

INLINE void bytes_step(const int rows, const char *a, size_t row, const char *b, vi sum[BYTES_MANY][BYTES_VECTORS]) {
    const char *base[BYTES_BASES];
    UNROLL
    for (int i = 0; i < BYTES_BASES; i++) base[i] = a + (size_t)(3 * i) * row;
    for (int g = 0; g < BYTES_GROUPS; g += 4) {
        UNROLL
        for (int i = 0; i < 4; i++, b += 4 * TILE_HALF) {
            bytes_group(rows, base, row, b, sum);
            UNROLL
            for (int j = 0; j < BYTES_BASES; j++) base[j] += 4;
        }
    }
}

INLINE void bytes_put(const enum tile_sums sums, int32_t *to, vi sum) {
    if (sums == SUMS_PAST) v_stream((float *)(void *)to, (vf)sum);
    else *(vi_any *)to = sums == SUMS_ADD ? vi_load(to) + sum : sum;
}

INLINE void bytes_store(const int rows, const enum tile_sums sums, const struct bytes *d, vi sum[BYTES_MANY][BYTES_VECTORS]) {
    UNROLL
    for (int r = 0; r < rows; r++) {
        UNROLL
        for (int v = 0; v < BYTES_VECTORS; v++) bytes_put(sums, d->c + (size_t)r * d->ldc + v * VL, sum[r][v]);
    }
}

// Prefetches rows of the output, which are far apart, while their sums are computed.
INLINE void bytes_fetch(const int rows, const struct bytes *d) {
    UNROLL
    for (int r = 0; r < rows; r++) __builtin_prefetch(d->c + (size_t)r * d->ldc, 1), __builtin_prefetch(d->c + (size_t)r * d->ldc + 16, 1);
}

// A block of rows by BYTES_COLS columns; rows is a constant wherever this is inlined.
INLINE void bytes(const int rows, const struct bytes *d) {
    vi sum[BYTES_MANY][BYTES_VECTORS];
    UNROLL
    for (int r = 0; r < rows; r++) {
        UNROLL
        for (int v = 0; v < BYTES_VECTORS; v++) sum[r][v] = vi_set1(BYTES_OFFSET ? d->start[r] : 0);
    }
    const int past = STREAMS && d->sums == SUMS_PAST;
    if (!past) bytes_fetch(rows, d);
    const char *a = d->a, *b = d->b;
    for (size_t s = 0; s < d->steps; s++, a += d->step, b += TILE_STEP) bytes_step(rows, a, d->row, b, sum);
    if (past) bytes_store(rows, SUMS_PAST, d, sum);
    else if (d->sums == SUMS_ADD) bytes_store(rows, SUMS_ADD, d, sum);
    else bytes_store(rows, SUMS_NEW, d, sum);
}

static void bytes_many(const struct bytes *d) { bytes(BYTES_MANY, d); }
static void bytes_few(const struct bytes *d) { bytes(BYTES_FEW, d); }

static void tile_bytes(size_t steps, const struct tile_rows *a, const char *b, void *c, size_t ldc, enum tile_sums sums) {
    for (size_t col = 0; col < TILE_SIDE; col += BYTES_COLS) {
        size_t r = 0;
        for (int part = 0; part < BYTES_PARTS && r < a->rows; part++) {
            const int many = part < TILE_SIDE - BYTES_FEW * BYTES_PARTS;
            const struct bytes d = {
                .a = a->at + r * a->row, .row = a->row, .step = a->step, .steps = steps, .start = a->start ? a->start + r : NULL,
                .b = b + BYTES_AT(col), .c = (int32_t *)c + r * ldc + col, .ldc = ldc, .sums = sums,
            };
            (many ? bytes_many : bytes_few)(&d);
            r += many ? BYTES_MANY : BYTES_FEW;
        }
    }
}

// Up to 32 rows from d on, of which `left` bytes exist: in place, or copied to tmp and padded with zeros.
INLINE const char *bytes_rows(const char *src, size_t *ld, size_t count, size_t left, char tmp[TILE_SIDE][BYTES_STEP]) {
    if (count == TILE_SIDE && left >= BYTES_STEP) return src;
    memset(tmp, 0, TILE_SIDE * BYTES_STEP);
    for (size_t r = 0; r < count; r++) memcpy(tmp[r], src + r * *ld, min_size(left, BYTES_STEP));
    *ld = BYTES_STEP;
    return tmp[0];
}

static void bytes_pack_rows(const char *src, size_t ld, size_t count, size_t bytes, char *dst) {
    char tmp[TILE_SIDE][BYTES_STEP];
    for (size_t d = 0; d < bytes; d += BYTES_STEP) {
        size_t row = ld;
        const char *from = bytes_rows(src + d, &row, count, bytes - d, tmp);
        for (size_t r = 0; r < TILE_SIDE; r++, dst += TILE_BYTES)
            for (size_t g = 0; g < BYTES_GROUPS; g += VL) *(vi_any *)(dst + 4 * g) = v_codes_a(from + r * row + BYTES_EACH * g);
    }
}

// A transpose of 4 bytes at a time.
static void bytes_pack_b_rows(const char *src, size_t ld, size_t count, size_t bytes, char *dst) {
    char tmp[TILE_SIDE][BYTES_STEP];
    for (size_t d = 0; d < bytes; d += BYTES_STEP, dst += TILE_STEP) {
        size_t row = ld;
        const char *from = bytes_rows(src + d, &row, count, bytes - d, tmp);
        for (size_t c = 0; c < TILE_SIDE; c += VL) {
            for (size_t g = 0; g < BYTES_GROUPS; g += VL) {
                vf t[VL];
                UNROLL
                for (size_t i = 0; i < VL; i++) t[i] = (vf)v_codes_b(from + (c + i) * row + BYTES_EACH * g);
                v_transpose(t);
                UNROLL
                for (size_t i = 0; i < VL; i++) v_store((float *)(void *)(dst + BYTES_AT(c) + (g + i) * 4 * TILE_HALF), t[i]);
            }
        }
    }
}

// Cancels the offset of b in the sums: −BYTES_OFFSET times the sum of each row of a.
static void bytes_start(size_t steps, const struct tile_rows *a, int32_t *start) {
    const vi ones = vi_set1(0x01010101);
    for (size_t r = 0; r < a->rows; r++) {
        vi sum = {0};
        for (size_t s = 0; s < steps; s++)
            for (size_t g = 0; g < BYTES_GROUPS; g += VL) sum = v_bytes(sum, vi_load(a->at + r * a->row + s * a->step + 4 * g), ones);
        start[r] = 0;
        for (int i = 0; i < VL; i++) start[r] -= BYTES_OFFSET * sum[i];
    }
}

static void bytes_begin(void) {}
static void bytes_end(void) { v_fence(); }

#define TILE_LOOPS                                                                                                              \
    {                                                                                                                           \
        .codes = BYTES_WIDTH, .least = BYTES_LEAST, .begin = bytes_begin, .end = bytes_end, .tile = {[CPU_I8] = tile_bytes}, \
        .pack_rows = bytes_pack_rows, .pack_b_rows = bytes_pack_b_rows, .start = BYTES_OFFSET ? bytes_start : NULL,             \
    }
