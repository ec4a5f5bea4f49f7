// out[r,c] = exp(x[r,c]) / the sum of exp(x[r,·]). This file is compiled by itself for the kernel, and as a part of each
// instruction set for the loop over a row.
#include <float.h>
#include <math.h>

#include "rows.h"

#define SOFTMAX_TYPES(X) X(F32) X(F16) X(BF16)

struct softmax_loops {
    struct row_loops row;
};

#if defined(ISA_TABLE)

#define SOFTMAX_BLOCKS 64   // maximum number in a row that is read once
#define SOFTMAX_BLOCK 1024  // minimum elements of a block: they are still in L1 when they are read again
#define SOFTMAX_KEPT 8192   // elements of a row whose powers are kept when the output is stored non-temporally

// The maximum of n > 0 elements; a NaN among them may be missed.
INLINE float softmax_largest(enum cpu_type type, const char *x, size_t n) {
    const vf none = v_set1(-INFINITY);
    vf top[4] = {none, none, none, none};
    size_t i = 0;
    for (; i + 4 * VL <= n; i += 4 * VL) {
        UNROLL
        for (size_t v = 0; v < 4; v++) top[v] = v_max(get(x, i + v * VL, type), top[v]);
    }
    for (; i + VL <= n; i += VL) top[0] = v_max(get(x, i, type), top[0]);
    float lanes[2 * VL], largest = -INFINITY;
    v_store(lanes, v_max(v_max(top[0], top[1]), v_max(top[2], top[3])));
    v_store(lanes + VL, get_n(x, i, n - i, type));
    for (size_t l = 0; l < VL + n - i; l++) largest = lanes[l] > largest ? lanes[l] : largest;
    return largest;
}

INLINE vf softmax_exp(vf distance) { return v_exp2_below(distance, LOG2_E); } // distance: from the maximum

INLINE vf softmax_keep(enum cpu_type type, const char *x, char *kept, size_t i, vf top) {
    const vf power = softmax_exp(get(x, i, type) - top);
    if (type == CPU_F32) put(kept, i, power, type);
    return power;
}

// The sum of the powers of n elements relative to `largest`. In f32 the powers are kept, possibly in the output; in a narrower
// type they would lose too much. Meanwhile data `ahead` bytes further is prefetched: the next row, from memory.
INLINE float softmax_powers(enum cpu_type type, const char *x, char *kept, size_t n, float largest, size_t ahead) {
    const vf top = v_set1(largest);
    vf sums[4] = {{0}, {0}, {0}, {0}};
    size_t i = 0;
    for (; i + 4 * VL <= n; i += 4 * VL) {
        UNROLL
        for (size_t at = 0; at < 4 * VL * width_of(type); at += 64)
            if (ahead > 0) __builtin_prefetch(x + ahead + i * width_of(type) + at);
        UNROLL
        for (int v = 0; v < 4; v++) sums[v] += softmax_keep(type, x, kept, i + (size_t)v * VL, top);
    }
    for (; i + VL <= n; i += VL) sums[0] += softmax_keep(type, x, kept, i, top);
    float sum = sum_of((sums[0] + sums[1]) + (sums[2] + sums[3])), rest[VL];
    if (i == n) return sum;
    const vf power = softmax_exp(get_n(x, i, n - i, type) - top);
    if (type == CPU_F32) put_n(kept, i, power, n - i, type);
    v_store(rest, power);
    for (size_t l = 0; l < n - i; l++) sum += rest[l];
    return sum;
}

INLINE float softmax_power(float x) {
    float lanes[VL];
    v_store(lanes, softmax_exp(v_set1(x)));
    return lanes[0];
}

INLINE void softmax_put(enum cpu_type type, const char *x, const char *kept, char *out, size_t i, vf top, vf scale, int stream) {
    put_past(out, i, (type == CPU_F32 ? get(kept, i, type) : softmax_exp(get(x, i, type) - top)) * scale, type, stream);
}

// Writes n elements: kept powers times a factor, or new ones relative to `largest`.
INLINE void softmax_write(enum cpu_type type, const char *x, const char *kept, char *out, size_t n, float largest, float factor,
                          int stream) {
    const vf top = v_set1(largest), scale = v_set1(factor);
    size_t i = 0;
    for (; i + 4 * VL <= n; i += 4 * VL) {
        UNROLL
        for (size_t v = 0; v < 4; v++) softmax_put(type, x, kept, out, i + v * VL, top, scale, stream);
    }
    for (; i + VL <= n; i += VL) softmax_put(type, x, kept, out, i, top, scale, stream);
    if (i == n) return;
    const vf rest = type == CPU_F32 ? get_n(kept, i, n - i, type) : softmax_exp(get_n(x, i, n - i, type) - top);
    put_n(out, i, rest * scale, n - i, type);
}

// Processes a row in blocks, each with its own maximum, so that it is read from memory once; with a single block of n elements it
// is read twice.
INLINE void softmax_row(enum cpu_type type, const char *x, char *out, size_t n, size_t block, int stream) {
    const size_t bytes = width_of(type);
    float tops[SOFTMAX_BLOCKS], largest = -FLT_MAX, sum = 0;
    int finite = 0, b = 0;
    float room[SOFTMAX_KEPT];
    stream = stream && n <= SOFTMAX_KEPT;
    char *powers = stream ? (char *)room : out;
    for (size_t at = 0; at < n; at += block, b++) {
        const size_t m = min_size(block, n - at);
        const float top = softmax_largest(type, x + at * bytes, m);
        finite |= top > -INFINITY;
        tops[b] = top > -FLT_MAX ? top : -FLT_MAX; // −∞ would make differences NaN
        const float part = softmax_powers(type, x + at * bytes, powers + at * bytes, m, tops[b], stream ? n * bytes : 0);
        if (tops[b] > largest) {
            sum = sum * softmax_power(largest - tops[b]) + part;
            largest = tops[b];
        } else {
            sum += part * softmax_power(tops[b] - largest);
        }
    }
    const float scale = finite ? 1 / sum : NAN;
    for (size_t at = 0, i = 0; at < n; at += block, i++) {
        // values below the smallest float stay 0: processors take a hundred times as long for subnormal factors
        const float kept = tops[i] - largest > -87 ? scale * softmax_power(tops[i] - largest) : 0 * scale;
        const float factor = type == CPU_F32 ? kept : scale;
        softmax_write(type, x + at * bytes, powers + at * bytes, out + at * bytes, min_size(block, n - at), largest, factor, stream);
    }
    if (stream) v_fence();
}

INLINE size_t softmax_block(size_t n) {
    return max_size(SOFTMAX_BLOCK, (ceil_div(n, SOFTMAX_BLOCKS) + VL - 1) / VL * VL);
}

#define SOFTMAX_ROW(type) (const char *)arg[0] + row * n * width_of(CPU_##type), (char *)arg[1] + row * n * width_of(CPU_##type)
#define SOFTMAX_LOOP(name, block, type)                                                                      \
    static void softmax_##name##_##type(void *const *arg, size_t row, size_t n, float unused, int stream) { \
        (void)unused;                                                                                       \
        if (STREAMS && stream) softmax_row(CPU_##type, SOFTMAX_ROW(type), n, block, 1);                     \
        else softmax_row(CPU_##type, SOFTMAX_ROW(type), n, block, 0);                                       \
    }
#define SOFTMAX_LOOPS(type)                    \
    WANT_FLOAT(type);                          \
    SOFTMAX_LOOP(once, softmax_block(n), type) \
    SOFTMAX_LOOP(twice, n, type)
SOFTMAX_TYPES(SOFTMAX_LOOPS)

#define SOFTMAX_ONCE(type) [CPU_##type] = softmax_once_##type,
#define SOFTMAX_TWICE(type) [CPU_##type] = softmax_twice_##type,
static const struct softmax_loops softmax_loops = {{{SOFTMAX_TYPES(SOFTMAX_ONCE)}, {SOFTMAX_TYPES(SOFTMAX_TWICE)}}};

#else

#include "params/norm.h"

static int run_softmax(cpu_stream *s, const cpu_args *a) {
    const struct SoftmaxParams *p = a->params;
    return run_rows(s, a, pool_isa(stream_pool(s))->softmax->row.once, p->rows, p->cols, 0, 2);
}

static int run_softmax_twice(cpu_stream *s, const cpu_args *a) {
    const struct SoftmaxParams *p = a->params;
    return run_rows(s, a, pool_isa(stream_pool(s))->softmax->row.twice, p->rows, p->cols, 0, 2);
}

const cpu_kernel softmax_kernels[] = {
    {"softmax", "plain", TYPE_BITS(SOFTMAX_TYPES(TYPE_BIT)), sizeof(struct SoftmaxParams), 2, run_softmax},
    {"softmax", "twopass", TYPE_BITS(SOFTMAX_TYPES(TYPE_BIT)), sizeof(struct SoftmaxParams), 2, run_softmax_twice},
    {0},
};

#endif
