// Template: tiles of floats and integer codes, with instructions that add two int16 products to each int32 of a vector.
//
// The activations of a group become int16, multiples of a 32767th of the largest magnitude in it. Packing a row shows whether all
// its roundings together are as small as those of a float sum; if not, the row is left to float arithmetic.
#include "blocks.h"
#include "codes.h"
#include "loops_block_pairs.h"

#define WORD_COLS (2 * VL)
#define WORD_ROWS (VL == 16 ? 8 : 4) // whose sums are in registers at a time
#define WORD_PAIRS (CODE_STEP / 2)
#define WORD_MOST 32767
#define WORD_FAR 0x1p60f // larger values, or values smaller than its reciprocal, are left to floats: their squares would not be floats

typedef int16_t words __attribute__((vector_size(2 * VL)));

INLINE void words_group(size_t first, size_t pairs, const uint16_t *a, const uint16_t *w, vi sum[WORD_ROWS][2]) {
    for (size_t p = first; p < first + pairs; p++, w += 2 * WORD_COLS) {
        const vi low = v_get((const char *)w), high = v_get((const char *)(w + 2 * VL));
        const uint16_t *at = a + p / WORD_PAIRS * CODE_TILE * CODE_STEP + p % WORD_PAIRS * 2;
        UNROLL
        for (int r = 0; r < WORD_ROWS; r++) {
            int32_t two;
            memcpy(&two, at + r * CODE_STEP, 4);
            const vi x = two - (vi){0};
            sum[r][0] = v_dot_words(sum[r][0], low, x);
            sum[r][1] = v_dot_words(sum[r][1], high, x);
        }
    }
}

// Adds the scaled sums of a group, and the contribution of its zero points.
INLINE void add_words(const struct code_tile *t, size_t row, size_t group, vi sum[WORD_ROWS][2], float *total) {
    const float *unit = t->units + group * CODE_TILE + row, *all = t->sums + group * CODE_TILE + row;
    UNROLL
    for (int v = 0; v < 2; v++) {
        const size_t col = group * WORD_COLS + (size_t)v * VL;
        const vf scale = v_load(t->scale + col), offset = v_load(t->offset + col);
        UNROLL
        for (int r = 0; r < WORD_ROWS; r++) {
            float *to = total + r * WORD_COLS + v * VL;
            const vf part = __builtin_convertvector(sum[r][v], vf) * v_set1(unit[r]);
            v_store(to, v_fma(v_set1(all[r]), offset, v_fma(part, scale, v_load(to))));
        }
    }
}

// The sums of WORD_ROWS rows from `row` on.
static void words_rows(const struct code_tile *t, size_t row, float *total) {
    const uint16_t *a = t->a + row * CODE_STEP, *w = t->w;
    for (size_t g = 0; g < t->groups; g++) {
        vi sum[WORD_ROWS][2] = {{{0}}};
        words_group(g * t->pairs, t->pairs, a, w, sum);
        add_words(t, row, g, sum, total);
        w += 2 * t->pairs * WORD_COLS;
    }
}

static void words_tile(const struct code_tile *t) {
    float total[WORD_ROWS * WORD_COLS] __attribute__((aligned(64)));
    for (size_t row = 0; row < t->rows; row += WORD_ROWS) {
        const size_t rows = min_size(WORD_ROWS, t->rows - row), bytes = t->cols * sizeof(float);
        float *out = t->out + row * t->ld;
        memset(total, 0, sizeof total);
        for (size_t r = 0; t->add && r < rows; r++) memcpy(total + r * WORD_COLS, out + r * t->ld, bytes);
        words_rows(t, row, total);
        for (size_t r = 0; r < rows; r++) memcpy(out + r * t->ld, total + r * WORD_COLS, bytes);
    }
}

INLINE vf v_size(vf x) { return (vf)((vi)x & 0x7fffffff); }

// The maxima of VL vectors, like sums_of.
INLINE vf maxima_of(vf t[VL]) {
    UNROLL
    for (int half = VL / 2; half > 0; half /= 2) {
        UNROLL
        for (int i = 0; i < half; i++) t[i] = v_max(ZIP_LOW(t[i], t[i + half]), ZIP_HIGH(t[i], t[i + half]));
    }
    return t[0];
}

// Accumulated while packing VL rows: the sums of squared roundings and of magnitudes.
struct word_errors {
    vf square[VL], size[VL];
};

INLINE vf load_word(const int whole, const float *from, size_t i, size_t left) {
    if (whole || i + VL <= left) return v_load(from + i);
    return v_load_n(from + i, i < left ? left - i : 0);
}

// The largest magnitude of each row of a group, of which `left` elements exist.
INLINE vf words_largest(const int whole, const float *from, size_t ld, size_t rows, size_t group, size_t left) {
    vf most[VL];
    for (size_t r = 0; r < VL; r++) {
        most[r] = (vf){0};
        if (!whole && r >= rows) continue;
        UNROLL
        for (size_t i = 0; i < group; i += VL) most[r] = v_max(v_size(load_word(whole, from + r * ld, i, left)), most[r]);
    }
    return maxima_of(most);
}

// Packs one group of VL rows; 0 if it is left to floats. With `whole`, a constant, all its elements exist.
INLINE int pack_group(const int whole, const float *from, size_t ld, size_t rows, size_t group, size_t left, uint16_t *dst, float *sum, float *unit,
                      struct word_errors *e) {
    const vf largest = words_largest(whole, from, ld, rows, group, left), none = {0};
    const vi fit = (largest < v_set1(WORD_FAR)) & ((largest > v_set1(1 / WORD_FAR)) | (largest == none));
    float each[VL];
    vf sums[VL];
    v_store(each, (vf)((vi)(v_set1(WORD_MOST) / largest) & (largest > none)));
    v_store(unit, largest * v_set1(1.0f / WORD_MOST));
    for (size_t r = 0; r < VL; r++) {
        const vf one = v_set1(unit[r]);
        sums[r] = none;
        UNROLL
        for (size_t i = 0; i < group; i += VL) {
            const vf x = whole || r < rows ? load_word(whole, from + r * ld, i, left) : none;
            const vf exact = x * v_set1(each[r]), code = v_rint(exact);
            const vf off = (exact - code) * one;
            const words word = __builtin_convertvector(__builtin_convertvector(code, vi), words);
            memcpy(dst + i / CODE_STEP * CODE_TILE * CODE_STEP + r * CODE_STEP + i % CODE_STEP, &word, sizeof word);
            sums[r] += code, e->square[r] = v_fma(off, off, e->square[r]), e->size[r] += v_size(x);
        }
    }
    v_store(sum, sums_of(sums) * v_load(unit));
    return sum_of((vf)(fit & (vi)v_set1(1))) == VL;
}

// The same with a constant group length.
INLINE int pack_words(const float *from, size_t ld, size_t rows, size_t group, size_t left, uint16_t *dst, float *sum, float *unit,
                      struct word_errors *e) {
    if (rows < VL || left < group) return pack_group(0, from, ld, rows, group, left, dst, sum, unit, e);
    if (group == CODE_STEP / 2) return pack_group(1, from, ld, rows, CODE_STEP / 2, left, dst, sum, unit, e);
    if (group == CODE_STEP) return pack_group(1, from, ld, rows, CODE_STEP, left, dst, sum, unit, e);
    return pack_group(1, from, ld, rows, 2 * CODE_STEP, left, dst, sum, unit, e);
}

// Reports whether the roundings of all rows are small; not if they are NaN.
static int words_fit(struct word_errors *e, double limit) {
    float square[VL], size[VL];
    int fit = 1;
    v_store(square, sums_of(e->square));
    v_store(size, sums_of(e->size));
    for (int r = 0; r < VL; r++) fit &= (double)square[r] <= limit * (double)size[r] * (double)size[r];
    return fit;
}

static int words_pack_rows(const float *src, size_t ld, size_t rows, size_t k, const struct code_rows *to) {
    for (size_t r = 0; r < CODE_TILE; r += VL) {
        struct word_errors e = {{{0}}, {{0}}};
        const size_t count = rows > r ? rows - r : 0;
        for (size_t d = 0, at = r; d < k; d += to->group, at += CODE_TILE) {
            uint16_t *dst = to->at + d / CODE_STEP * CODE_STEP * CODE_TILE + r * CODE_STEP + d % CODE_STEP;
            if (!pack_words(src + r * ld + d, ld, count, to->group, k - d, dst, to->sums + at, to->units + at, &e)) return 0;
        }
        if (!words_fit(&e, to->limit)) return 0;
    }
    return 1;
}

// VL pairs of codes, of which `left` codes exist.
INLINE vf word_pairs_I8(const uint8_t *p, size_t left) {
    byte_pairs codes = {0};
    if (left >= 2 * VL) memcpy(&codes, p, 2 * VL);
    else memcpy(&codes, p, left);
    return (vf)__builtin_convertvector(codes, pairs);
}

INLINE vf word_pairs_I4(const uint8_t *p, size_t left) {
    uint8_t some[VL] = {0};
    if (left < 2 * VL) p = memcpy(some, p, (left + 1) / 2);
    const vu u = v_load_bytes(p);
    const pairs eight = (pairs){0} + 8;
    return (vf)(((pairs)((u & 15) | (u & 240) << 12) ^ eight) - eight);
}

#define PACK_WORDS(type)                                                                                                        \
    static void words_pack_##type(const uint8_t *src, size_t bytes, size_t cols, size_t k, uint16_t *dst) {                     \
        for (size_t d = 0; d < k; d += 2 * VL, dst += 2 * VL * WORD_COLS) {                                                     \
            for (size_t c = 0; c < WORD_COLS; c += VL) {                                                                        \
                vf t[VL];                                                                                                       \
                for (size_t i = 0; i < VL; i++)                                                                                 \
                    t[i] = c + i < cols ? word_pairs_##type(src + (c + i) * bytes + bytes_of(CPU_##type, d), k - d) : (vf){0}; \
                v_transpose(t);                                                                                                 \
                for (size_t i = 0; i < VL; i++) v_store((float *)(void *)(dst + 2 * (c + i * WORD_COLS)), t[i]);                \
            }                                                                                                                   \
        }                                                                                                                       \
    }
PACK_WORDS(I8)
PACK_WORDS(I4)

#define PACK_BLOCK_WORDS(type, ...)                                                                                             \
    static void words_pack_##type(const uint8_t *src, size_t bytes, size_t cols, size_t k, uint16_t *dst) {                     \
        for (size_t d = 0; d < k; d += 2 * VL, dst += 2 * VL * WORD_COLS) {                                                     \
            for (size_t c = 0; c < WORD_COLS; c += VL) {                                                                        \
                vf t[VL];                                                                                                       \
                for (size_t i = 0; i < VL; i++) t[i] = c + i < cols ? pairs_of_##type(src + (c + i) * bytes, d) : (vf){0};      \
                v_transpose(t);                                                                                                 \
                for (size_t i = 0; i < VL; i++) v_store((float *)(void *)(dst + 2 * (c + i * WORD_COLS)), t[i]);                \
            }                                                                                                                   \
        }                                                                                                                       \
    }
BLOCK_TYPES(PACK_BLOCK_WORDS)

#define PACK_BLOCK_WORDS_ENTRY(type, ...) [CPU_##type] = words_pack_##type,

static void words_nothing(void) {}

#define WORD_LOOPS                                                                                                              \
    {                                                                                                                           \
        .cols = WORD_COLS, .split = 1, .w_split = 1, .shortest = 512, .depth = {512, 512}, .least = 6e7, .begin = words_nothing,                 \
        .end = words_nothing, .tile = words_tile, .pack_rows = words_pack_rows,                                                 \
        .pack_codes = {[CPU_I8] = words_pack_I8, [CPU_I4] = words_pack_I4, BLOCK_TYPES(PACK_BLOCK_WORDS_ENTRY)},                                                     \
    }
