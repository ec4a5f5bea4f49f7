// out[r,c] = (x[r,c] − mean of x[r,·]) / √(variance of x[r,·] + eps) · weight[c] + bias[c]. This file is compiled by itself
// for the kernel, and as a part of each instruction set for the loop over a row.
#include <math.h>

#include "rows.h"

#define LAYERNORM_TYPES(X) X(F32) X(F16) X(BF16)

struct layernorm_loops {
    rows_loop *once[CPU_TYPES], *twice[CPU_TYPES];
};

#if defined(ISA_TABLE)

// The mean of the distances from shift, and of their squares.
struct moments {
    float distance, square;
};

INLINE struct moments layer_moments(enum cpu_type type, const void *x, size_t n, float from) {
    const vf shift = v_set1(from);
    vf sums[4] = {{0}, {0}, {0}, {0}}, squares[4] = {{0}, {0}, {0}, {0}};
    size_t i = 0;
    for (; i + 4 * VL <= n; i += 4 * VL) {
        UNROLL
        for (int v = 0; v < 4; v++) {
            const vf d = get(x, i + (size_t)v * VL, type) - shift;
            sums[v] += d;
            squares[v] = v_fma(d, d, squares[v]);
        }
    }
    for (; i + VL <= n; i += VL) {
        const vf d = get(x, i, type) - shift;
        sums[0] += d;
        squares[0] = v_fma(d, d, squares[0]);
    }
    float sum = sum_of((sums[0] + sums[1]) + (sums[2] + sums[3]));
    float square = sum_of((squares[0] + squares[1]) + (squares[2] + squares[3])), rest[VL];
    v_store(rest, get_n(x, i, n - i, type) - shift);
    for (size_t l = 0; l < n - i; l++) sum += rest[l], square += rest[l] * rest[l];
    return (struct moments){sum / (float)n, square / (float)n};
}

#define LAYER_TOGETHER 4     // rows that read the same weights and biases from the nearest cache,
#define LAYER_COLS 1024      // so many at a time
#define LAYER_BYTES (128 << 10) // of such rows, which stay in the second cache

struct layer {
    const char *x;
    char *out;
    float mean, scale;
};

// One pass measures distances from the first element, two passes from the mean that the first of them found.
INLINE struct layer layer_of(enum cpu_type type, int twice, void *const *arg, size_t row, size_t n, float eps) {
    const size_t at = row * n * width_of(type);
    const char *x = (const char *)arg[0] + at;
    float first[VL];
    v_store(first, get_n(x, 0, 1, type));
    const float shift = twice ? layer_moments(type, x, n, 0).distance : first[0];
    const struct moments m = layer_moments(type, x, n, shift);
    const float variance = m.square - m.distance * m.distance;
    return (struct layer){x, (char *)arg[3] + at, shift + m.distance, 1 / sqrtf((variance < 0 ? 0 : variance) + eps)};
}

// Elements [i, last) of a row; with `ahead` those so many elements further are fetched.
INLINE void layer_part(enum cpu_type type, const struct layer *l, const void *weight, const void *bias, size_t i, size_t last, size_t ahead,
                       int stream) {
    const vf mean = v_set1(l->mean), scale = v_set1(l->scale);
    for (; i + VL <= last; i += VL) {
        if (stream) __builtin_prefetch(l->x + (ahead + i) * width_of(type));
        put_past(l->out, i, v_fma((get(l->x, i, type) - mean) * scale, get(weight, i, type), get(bias, i, type)), type, stream);
    }
    if (i == last) return;
    const size_t rest = last - i;
    const vf e = (get_n(l->x, i, rest, type) - mean) * scale;
    put_n(l->out, i, v_fma(e, get_n(weight, i, rest, type), get_n(bias, i, rest, type)), rest, type);
}

INLINE void layer_rows(enum cpu_type type, int twice, void *const *arg, size_t row, size_t count, size_t n, float eps, int stream) {
    const size_t most = max_size(1, min_size(LAYER_TOGETHER, LAYER_BYTES / (n * width_of(type))));
    struct layer l[LAYER_TOGETHER];
    for (size_t done = 0, some; done < count; done += some) {
        some = min_size(most, count - done);
        for (size_t r = 0; r < some; r++) l[r] = layer_of(type, twice, arg, row + done + r, n, eps);
        for (size_t i = 0; i < n; i += LAYER_COLS)
            for (size_t r = 0; r < some; r++) layer_part(type, &l[r], arg[1], arg[2], i, min_size(i + LAYER_COLS, n), some * n, stream);
    }
    if (stream) v_fence();
}

#define LAYER_LOOP(name, twice, type)                                                                                  \
    static void layer_##name##_##type(void *const *arg, size_t row, size_t count, size_t n, float eps, int stream) { \
        if (STREAMS && stream) layer_rows(CPU_##type, twice, arg, row, count, n, eps, 1);                             \
        else layer_rows(CPU_##type, twice, arg, row, count, n, eps, 0);                                               \
    }
#define LAYER_LOOPS(type)       \
    WANT_FLOAT(type);           \
    LAYER_LOOP(once, 0, type)   \
    LAYER_LOOP(twice, 1, type)
LAYERNORM_TYPES(LAYER_LOOPS)

#define LAYER_ONCE(type) [CPU_##type] = layer_once_##type,
#define LAYER_TWICE(type) [CPU_##type] = layer_twice_##type,
static const struct layernorm_loops layernorm_loops = {{LAYERNORM_TYPES(LAYER_ONCE)}, {LAYERNORM_TYPES(LAYER_TWICE)}};

#else

#include "params/norm.h"

static int run_layernorm(cpu_stream *s, const cpu_args *a) {
    const struct LayerNormParams *p = a->params;
    return run_all_rows(s, a, NULL, pool_isa(stream_pool(s))->layernorm->once, p->rows, p->cols, p->eps, 1);
}

static int run_layernorm_twice(cpu_stream *s, const cpu_args *a) {
    const struct LayerNormParams *p = a->params;
    return run_all_rows(s, a, NULL, pool_isa(stream_pool(s))->layernorm->twice, p->rows, p->cols, p->eps, 1);
}

const cpu_kernel layernorm_kernels[] = {
    {"layernorm", "plain", TYPE_BITS(LAYERNORM_TYPES(TYPE_BIT)), sizeof(struct LayerNormParams), 4, run_layernorm},
    {"layernorm", "twopass", TYPE_BITS(LAYERNORM_TYPES(TYPE_BIT)), sizeof(struct LayerNormParams), 4, run_layernorm_twice},
    {0},
};

#endif
