// Template: the parts of attention that touch vectors. Powers are of 2: the factor of the scores includes log2(e).
#include <float.h>
#include <math.h>

#include "attention.h"

#if KERNEL_ROWS >= 12 // enough registers for this many sums
#define ATT_ROWS 8
#else
#define ATT_ROWS 4
#endif
#define ATT_COLS (2 * VL)
#define ATT_LOG2E 1.44269504f

// 2^x for x ≤ 0, with an error of 2e-7 at most. Results below 2^−125 are clamped there, since processors take a hundred times as
// long for subnormal results. Adding 1.5·2^23 rounds to an integer, which is then in the low bits.
INLINE vf att_power(vf x) {
    const vf magic = v_set1(12582912.0f);
    x = v_max(v_set1(-125), x);
    const vf whole = x + magic, f = x - (whole - magic);
    vf p = v_fma(v_set1(0.00133908633f), f, v_set1(0.00967603177f));
    p = v_fma(p, f, v_set1(0.0555035695f));
    p = v_fma(p, f, v_set1(0.240221068f));
    p = v_fma(p, f, v_set1(0.693147182f));
    p = v_fma(p, f, v_set1(1.00000012f));
    return (vf)((vi)p + ((vi)whole << 23));
}

INLINE float att_power1(float x) {
    float lanes[VL];
    v_store(lanes, att_power(v_set1(x)));
    return lanes[0];
}

static void att_product(size_t k, const float *a, const float *b, float *c, size_t ldc, int add) {
    vf sum[ATT_ROWS][2];
    UNROLL
    for (int r = 0; r < ATT_ROWS; r++) {
        sum[r][0] = add ? v_load(c + r * ldc) : (vf){0};
        sum[r][1] = add ? v_load(c + r * ldc + VL) : (vf){0};
    }
    for (size_t d = 0; d < k; d++, a += ATT_ROWS, b += ATT_COLS) {
        const vf low = v_load(b), high = v_load(b + VL);
        UNROLL
        for (int r = 0; r < ATT_ROWS; r++) {
            const vf x = v_set1(a[r]);
            sum[r][0] = v_fma(x, low, sum[r][0]);
            sum[r][1] = v_fma(x, high, sum[r][1]);
        }
    }
    UNROLL
    for (int r = 0; r < ATT_ROWS; r++) {
        v_store(c + r * ldc, sum[r][0]);
        v_store(c + r * ldc + VL, sum[r][1]);
    }
}

INLINE vf att_get(enum cpu_type type, const void *src, size_t i, size_t n) {
    return n >= VL ? get(src, i, type) : get_n(src, i, n, type);
}

INLINE void att_pack_rows(enum cpu_type type, const void *src, size_t first, size_t ld, size_t rows, size_t k, float factor, float *dst,
                          size_t stride) {
    const vf scale = v_set1(factor);
    for (size_t r = 0; r < stride; r += VL) {
        const size_t lanes = min_size(VL, stride - r);
        for (size_t d = 0; d < k; d += VL) {
            vf t[VL];
            const size_t part = min_size(VL, k - d);
            for (size_t i = 0; i < VL; i++)
                t[i] = r + i < rows ? scale * att_get(type, src, first + (r + i) * ld + d, part) : (vf){0};
            v_transpose(t);
            for (size_t i = 0; i < part; i++) {
                float *to = dst + (d + i) * stride + r;
                if (lanes == VL) v_store(to, t[i]);
                else v_store_n(to, t[i], lanes);
            }
        }
    }
}

INLINE void att_pack_columns(enum cpu_type type, const void *src, size_t first, size_t rows, size_t cols, float *dst, size_t wide,
                             size_t depth) {
    float row[ATT_DIM + ATT_COLS] = {0};
    for (size_t r = 0; r < rows; r++, first += cols, dst += wide) {
        for (size_t c = 0; c < cols; c += VL) v_store(row + c, att_get(type, src, first + c, cols - c));
        for (size_t c = 0; c < cols; c += wide) memcpy(dst + c / wide * depth, row + c, wide * sizeof *dst);
    }
}

// Adds the mask of n keys from `key` on to scores[n][ATT_COLS], with a query in each column.
INLINE void att_mask(enum cpu_type type, const struct attention_block *b, size_t key, size_t n, float *scores) {
    for (size_t q = 0; q < b->count; q += VL) {
        for (size_t j = 0; j < n; j += VL) {
            vf t[VL];
            const size_t part = min_size(VL, n - j);
            for (size_t i = 0; i < VL; i++)
                t[i] = q + i < b->count ? att_get(type, b->mask, (q + i) * b->keys + key + j, part) : (vf){0};
            v_transpose(t);
            for (size_t i = 0; i < part; i++) {
                float *at = scores + (j + i) * ATT_COLS + q;
                v_store(at, v_fma(t[i], v_set1(ATT_LOG2E), v_load(at)));
            }
        }
    }
}

// Hides the keys that a query does not see.
static void att_hide(const struct attention_block *b, size_t key, size_t n, float *scores) {
    for (size_t q = 0; q < b->count; q++)
        for (size_t j = b->seen[q] > key ? b->seen[q] - key : 0; j < n; j++) scores[j * ATT_COLS + q] = -INFINITY;
}

// Replaces a vector of scores by its powers.
INLINE vf att_take(float *score, vf largest) {
    const vf power = att_power(v_load(score) - largest);
    v_store(score, power);
    return power;
}

// Turns n scores of each query into powers, and rescales the sums so far.
static void att_weigh(size_t n, size_t dim, float *scores, float *top, float *sum, float *acc) {
    for (size_t q = 0; q < ATT_COLS; q += VL) {
        vf above[2] = {v_load(top + q), v_set1(-FLT_MAX)}, more[2] = {{0}, {0}};
        size_t j = 0;
        for (; j + 2 <= n; j += 2) {
            above[0] = v_max(v_load(scores + j * ATT_COLS + q), above[0]);
            above[1] = v_max(v_load(scores + (j + 1) * ATT_COLS + q), above[1]);
        }
        if (j < n) above[0] = v_max(v_load(scores + j * ATT_COLS + q), above[0]);
        const vf largest = v_max(above[0], above[1]), decay = att_power(v_load(top + q) - largest);
        for (j = 0; j + 2 <= n; j += 2) {
            more[0] += att_take(scores + j * ATT_COLS + q, largest);
            more[1] += att_take(scores + (j + 1) * ATT_COLS + q, largest);
        }
        if (j < n) more[0] += att_take(scores + j * ATT_COLS + q, largest);
        v_store(top + q, largest);
        v_store(sum + q, v_fma(v_load(sum + q), decay, more[0] + more[1]));
        if (!acc) continue;
        for (size_t d = 0; d < dim; d++) v_store(acc + d * ATT_COLS + q, v_load(acc + d * ATT_COLS + q) * decay);
    }
}

// Writes acc[dim][ATT_COLS], times a factor for each query, as rows of the output.
INLINE void att_write(enum cpu_type type, size_t count, size_t dim, const float *acc, const float *sum, void *out, size_t first) {
    for (size_t q = 0; q < count; q += VL) {
        const vf share = v_set1(1) / v_load(sum + q);
        for (size_t d = 0; d < dim; d += VL) {
            vf t[VL];
            for (size_t i = 0; i < VL; i++) t[i] = v_load(acc + (d + i) * ATT_COLS + q) * share;
            v_transpose(t);
            for (size_t i = 0; i < VL && q + i < count; i++) {
                const size_t at = first + (q + i) * dim + d;
                if (d + VL <= dim) put(out, at, t[i], type);
                else put_n(out, at, t[i], dim - d, type);
            }
        }
    }
}

INLINE void att_flash(enum cpu_type type, const struct attention_block *b, const float *queries, void *out, size_t first) {
    float scores[ATT_KEYS * ATT_COLS] __attribute__((aligned(64))), acc[(ATT_DIM + ATT_SLACK) * ATT_COLS] __attribute__((aligned(64)));
    float top[ATT_COLS], sum[ATT_COLS];
    for (size_t q = 0; q < ATT_COLS; q++) top[q] = -FLT_MAX, sum[q] = 0; // −∞ would make differences NaN
    const size_t end = b->seen[b->count - 1], least = b->seen[0];
    for (size_t key = 0; key < end; key += ATT_KEYS) {
        const size_t n = min_size(ATT_KEYS, end - key);
        for (size_t j = 0; j < n; j += ATT_ROWS)
            att_product(b->dim, b->rows + (key + j) * b->dim, queries, scores + j * ATT_COLS, ATT_COLS, 0);
        if (b->mask) att_mask(type, b, key, n, scores);
        if (key + n > least) att_hide(b, key, n, scores);
        att_weigh(n, b->dim, scores, top, sum, key > 0 ? acc : NULL);
        for (size_t d = 0; d < b->dim; d += ATT_ROWS)
            att_product(n, b->columns + d / ATT_ROWS * b->depth + key * ATT_ROWS, scores, acc + d * ATT_COLS, ATT_COLS, key > 0);
    }
    att_write(type, b->count, b->dim, acc, sum, out, first);
}

INLINE void att_store(enum cpu_type type, const float *x, size_t n, size_t seen, const void *mask, size_t at, void *out, size_t first) {
    float row[ATT_COLS];
    for (size_t i = 0; i < ATT_COLS; i += VL) {
        const vf more = mask && i < n ? att_get(type, mask, at + i, n - i) : v_set1(-0.0f); // x + −0 is x for every x
        v_store(row + i, v_load(x + i) + more);
    }
    for (size_t i = seen; i < n; i++) row[i] = -INFINITY;
    for (size_t i = 0; i < n; i += VL) {
        if (i + VL <= n) put(out, first + i, v_load(row + i), type);
        else put_n(out, first + i, v_load(row + i), n - i, type);
    }
}

// Bytes of keys, and of values, by which they are prefetched: hardware prefetching stops at a page boundary. What lies beyond the
// last key belongs to the next block.
#define ATT_AHEAD 4096

INLINE void att_fetch(enum cpu_type type, const int vectors, const void *p, size_t i) {
    const char *at = (const char *)p + i * width_of(type) + ATT_AHEAD;
    UNROLL
    for (size_t b = 0; b < (size_t)vectors * VL * width_of(type); b += 64) __builtin_prefetch(at + b, 0, 2);
}

// Scores of n ≤ ATT_KEYS keys: transposing a square yields the sums of VL keys at a time.
INLINE void att_dots(enum cpu_type type, const float *query, size_t dim, const void *k, size_t first, size_t n, float *scores) {
    for (size_t j = 0; j < n; j += VL) {
        vf t[VL];
        const size_t part = min_size(VL, n - j);
        for (size_t i = 0; i < VL; i++) {
            t[i] = (vf){0};
            if (i >= part) continue;
            const size_t at = first + (j + i) * dim;
            size_t d = 0;
            for (; d + 2 * VL <= dim; d += 2 * VL) {
                att_fetch(type, 2, k, at + d);
                t[i] = v_fma(v_load(query + d), get(k, at + d, type), t[i]);
                t[i] = v_fma(v_load(query + d + VL), get(k, at + d + VL, type), t[i]);
            }
            for (; d < dim; d += VL) t[i] = v_fma(v_load(query + d), att_get(type, k, at + d, dim - d), t[i]);
        }
        v_transpose(t);
        for (size_t w = VL / 2; w > 0; w /= 2)
            for (size_t i = 0; i < w; i++) t[i] += t[i + w];
        v_store(scores + j, t[0]);
    }
}

// acc[d] = Σ powers[j]·v[j][d] for `count` vectors of columns.
INLINE void att_columns(const int count, enum cpu_type type, const float *powers, size_t dim, const void *v, size_t first, size_t n, float *acc) {
    vf s[8] = {{0}};
    for (size_t j = 0; j < n; j++, first += dim) {
        const vf x = v_set1(powers[j]);
        att_fetch(type, count, v, first);
        UNROLL
        for (int i = 0; i < count; i++) s[i] = v_fma(x, get(v, first + (size_t)i * VL, type), s[i]);
    }
    UNROLL
    for (int i = 0; i < count; i++) v_store(acc + i * VL, s[i]);
}

INLINE void att_decode(enum cpu_type type, const float *query, size_t dim, const void *k, const void *v, size_t first, size_t n,
                       const void *mask, size_t at, float *acc, float *top, float *sum) {
    float s[ATT_KEYS + VL];
    att_dots(type, query, dim, k, first, n, s);
    vf largest = v_set1(-FLT_MAX), all = {0};
    for (size_t j = 0; j < n; j += VL) {
        vf x = v_load(s + j);
        if (mask) x = v_fma(att_get(type, mask, at + j, n - j), v_set1(ATT_LOG2E), x);
        v_store(s + j, x);
        if (n - j < VL)
            for (size_t i = n; i < j + VL; i++) s[i] = -INFINITY;
        largest = v_max(v_load(s + j), largest);
    }
    float lanes[VL];
    v_store(lanes, largest);
    for (size_t i = 0; i < VL; i++) *top = i == 0 || lanes[i] > *top ? lanes[i] : *top;
    for (size_t j = 0; j < n; j += VL) {
        const vf power = att_power(v_load(s + j) - v_set1(*top));
        v_store(s + j, power);
        all += power;
    }
    *sum = sum_of(all);
    size_t d = 0;
    for (; d + 8 * VL <= dim; d += 8 * VL) att_columns(8, type, s, dim, v, first + d, n, acc + d);
    for (; d + 4 * VL <= dim; d += 4 * VL) att_columns(4, type, s, dim, v, first + d, n, acc + d);
    for (; d + VL <= dim; d += VL) att_columns(1, type, s, dim, v, first + d, n, acc + d);
    if (d == dim) return;
    vf rest = {0};
    for (size_t j = 0; j < n; j++) rest = v_fma(v_set1(s[j]), get_n(v, first + j * dim + d, dim - d, type), rest);
    v_store_n(acc + d, rest, dim - d);
}

INLINE void att_merge(enum cpu_type type, float *parts, size_t n, size_t dim, void *out, size_t first) {
    const size_t size = dim + 2;
    float top = -FLT_MAX, sum = 0, acc[ATT_DIM + VL] = {0};
    for (size_t i = 0; i < n; i++) top = parts[i * size + dim] > top ? parts[i * size + dim] : top;
    for (size_t i = 0; i < n; i++) {
        const float *part = parts + i * size, factor = att_power1(part[dim] - top);
        sum += part[dim + 1] * factor;
        for (size_t d = 0; d < dim; d++) acc[d] += part[d] * factor;
    }
    const vf share = v_set1(1 / sum);
    for (size_t d = 0; d < dim; d += VL) put_n(out, first + d, v_load(acc + d) * share, min_size(VL, dim - d), type);
}

#define ATTENTION_LOOPS(type)                                                                                                      \
    WANT_FLOAT(type);                                                                                                              \
    static void att_pack_rows_##type(const void *src, size_t first, size_t ld, size_t rows, size_t k, float factor, float *dst,    \
                                     size_t stride) {                                                                              \
        att_pack_rows(CPU_##type, src, first, ld, rows, k, factor, dst, stride);                                                   \
    }                                                                                                                              \
    static void att_pack_columns_##type(const void *src, size_t first, size_t rows, size_t cols, float *dst, size_t wide,          \
                                        size_t depth) {                                                                            \
        att_pack_columns(CPU_##type, src, first, rows, cols, dst, wide, depth);                                                    \
    }                                                                                                                              \
    static void att_flash_##type(const struct attention_block *b, const float *queries, void *out, size_t first) {                 \
        att_flash(CPU_##type, b, queries, out, first);                                                                             \
    }                                                                                                                              \
    static void att_store_##type(const float *x, size_t n, size_t seen, const void *mask, size_t at, void *out, size_t first) {    \
        att_store(CPU_##type, x, n, seen, mask, at, out, first);                                                                   \
    }                                                                                                                              \
    static void att_decode_##type(const float *query, size_t dim, const void *k, const void *v, size_t first, size_t n,            \
                                  const void *mask, size_t at, float *acc, float *top, float *sum) {                               \
        att_decode(CPU_##type, query, dim, k, v, first, n, mask, at, acc, top, sum);                                               \
    }                                                                                                                              \
    static void att_merge_##type(float *parts, size_t n, size_t dim, void *out, size_t first) {                                    \
        att_merge(CPU_##type, parts, n, dim, out, first);                                                                          \
    }
ATTENTION_TYPES(ATTENTION_LOOPS)

#define ATT_PACK_ROWS(type) [CPU_##type] = att_pack_rows_##type,
#define ATT_PACK_COLUMNS(type) [CPU_##type] = att_pack_columns_##type,
#define ATT_FLASH(type) [CPU_##type] = att_flash_##type,
#define ATT_STORE(type) [CPU_##type] = att_store_##type,
#define ATT_DECODE(type) [CPU_##type] = att_decode_##type,
#define ATT_MERGE(type) [CPU_##type] = att_merge_##type,
static const struct attention_loops attention_loops = {
    .rows = ATT_ROWS,
    .wide = ATT_COLS,
    .pack_rows = {ATTENTION_TYPES(ATT_PACK_ROWS)},
    .pack_columns = {ATTENTION_TYPES(ATT_PACK_COLUMNS)},
    .flash = {ATTENTION_TYPES(ATT_FLASH)},
    .product = att_product,
    .store = {ATTENTION_TYPES(ATT_STORE)},
    .decode = {ATTENTION_TYPES(ATT_DECODE)},
    .merge = {ATTENTION_TYPES(ATT_MERGE)},
};
