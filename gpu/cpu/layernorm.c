// out[r,c] = (x[r,c] − mean of x[r,·]) / √(variance of x[r,·] + eps) · weight[c] + bias[c]. This file is compiled by itself
// for the kernel, and as a part of each instruction set for the loop over a row.
#include <math.h>

#include "rows.h"

#define LAYERNORM_TYPES(X) X(F32) X(F16) X(BF16)

struct layernorm_loops {
    struct row_loops row;
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

// One pass measures distances from the first element, two passes from the mean that the first of them found.
INLINE void layer_row(enum cpu_type type, int twice, void *const *arg, size_t row, size_t n, float eps, int stream) {
    const char *x = (const char *)arg[0] + row * n * width_of(type);
    const void *weight = arg[1], *bias = arg[2];
    char *out = (char *)arg[3] + row * n * width_of(type);
    float first[VL];
    v_store(first, get_n(x, 0, 1, type));
    const float shift = twice ? layer_moments(type, x, n, 0).distance : first[0];
    const struct moments m = layer_moments(type, x, n, shift);
    const float variance = m.square - m.distance * m.distance;
    const vf mean = v_set1(shift + m.distance), scale = v_set1(1 / sqrtf((variance < 0 ? 0 : variance) + eps));
    size_t i = 0;
    for (; i + VL <= n; i += VL) {
        if (stream) __builtin_prefetch(x + (n + i) * width_of(type)); // the next row, from memory
        put_past(out, i, v_fma((get(x, i, type) - mean) * scale, get(weight, i, type), get(bias, i, type)), type, stream);
    }
    if (stream) v_fence();
    if (i == n) return;
    const vf e = (get_n(x, i, n - i, type) - mean) * scale;
    put_n(out, i, v_fma(e, get_n(weight, i, n - i, type), get_n(bias, i, n - i, type)), n - i, type);
}

#define LAYER_LOOP(name, twice, type)                                                                   \
    static void layer_##name##_##type(void *const *arg, size_t row, size_t n, float eps, int stream) { \
        if (STREAMS && stream) layer_row(CPU_##type, twice, arg, row, n, eps, 1);                      \
        else layer_row(CPU_##type, twice, arg, row, n, eps, 0);                                        \
    }
#define LAYER_LOOPS(type)       \
    WANT_FLOAT(type);           \
    LAYER_LOOP(once, 0, type)   \
    LAYER_LOOP(twice, 1, type)
LAYERNORM_TYPES(LAYER_LOOPS)

#define LAYER_ONCE(type) [CPU_##type] = layer_once_##type,
#define LAYER_TWICE(type) [CPU_##type] = layer_twice_##type,
static const struct layernorm_loops layernorm_loops = {{{LAYERNORM_TYPES(LAYER_ONCE)}, {LAYERNORM_TYPES(LAYER_TWICE)}}};

#else

#include "params/norm.h"

static int run_layernorm(cpu_stream *s, const cpu_args *a) {
    const struct LayerNormParams *p = a->params;
    return run_rows(s, a, pool_isa(stream_pool(s))->layernorm->row.once, p->rows, p->cols, p->eps, 1);
}

static int run_layernorm_twice(cpu_stream *s, const cpu_args *a) {
    const struct LayerNormParams *p = a->params;
    return run_rows(s, a, pool_isa(stream_pool(s))->layernorm->row.twice, p->rows, p->cols, p->eps, 1);
}

const cpu_kernel layernorm_kernels[] = {
    {"layernorm", "plain", TYPE_BITS(LAYERNORM_TYPES(TYPE_BIT)), sizeof(struct LayerNormParams), 4, run_layernorm},
    {"layernorm", "twopass", TYPE_BITS(LAYERNORM_TYPES(TYPE_BIT)), sizeof(struct LayerNormParams), 4, run_layernorm_twice},
    {0},
};

#endif
