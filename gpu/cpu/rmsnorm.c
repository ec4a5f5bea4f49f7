// x[r,c] = x[r,c] / √(mean of x[r,·]² + eps) · weight[c], in place. This file is compiled by itself for the kernel, and
// as a part of each instruction set for the loop over rows.
#include <math.h>

#include "rows.h"

#define RMSNORM_TYPES(X) X(F32) X(F16) X(BF16)

struct rmsnorm_loops {
    rows_loop *rows[CPU_TYPES];
};

#if defined(ISA_TABLE)

// Adds the squares of elements [i, n) to four sums.
INLINE void rms_squares(enum cpu_type type, const void *x, size_t i, size_t n, vf sums[4]) {
    for (; i + VL <= n; i += VL) {
        const vf e = get(x, i, type);
        sums[0] = v_fma(e, e, sums[0]);
    }
    if (i == n) return;
    const vf e = get_n(x, i, n - i, type);
    sums[1] = v_fma(e, e, sums[1]);
}

INLINE float rms_scale(const vf sums[4], size_t n, float eps) {
    return 1 / sqrtf(sum_of((sums[0] + sums[1]) + (sums[2] + sums[3])) / (float)n + eps);
}

// Scales elements [i, n) of a row.
INLINE void rms_rest(enum cpu_type type, void *x, const void *weight, size_t i, size_t n, float by) {
    const vf scale = v_set1(by);
    for (; i + VL <= n; i += VL) put(x, i, get(x, i, type) * scale * get(weight, i, type), type);
    if (i < n) put_n(x, i, get_n(x, i, n - i, type) * scale * get_n(weight, i, n - i, type), n - i, type);
}

// Scales the row at x while adding the squares of the next one, so that caches read and write all the time; without `write` or
// `read` that half is left out. Returns the scale of the next row.
INLINE float rms_turn(enum cpu_type type, char *x, const void *weight, size_t n, float by, float eps, int write, int read) {
    const char *next = write ? x + n * width_of(type) : x;
    const vf scale = v_set1(by);
    vf sums[4] = {{0}, {0}, {0}, {0}};
    size_t i = 0;
    for (; i + 4 * VL <= n; i += 4 * VL) {
        vf e[4]; // stored after all loads, which would wait for a store to the same offset in another page
        UNROLL
        for (int v = 0; v < 4; v++) {
            const size_t at = i + (size_t)v * VL;
            const vf d = read ? get(next, at, type) : v_set1(0);
            sums[v] = v_fma(d, d, sums[v]);
            e[v] = write ? get(x, at, type) * scale * get(weight, at, type) : d;
        }
        if (!write) continue;
        UNROLL
        for (int v = 0; v < 4; v++) put(x, i + (size_t)v * VL, e[v], type);
    }
    if (write) rms_rest(type, x, weight, i, n, by);
    if (!read) return 0;
    rms_squares(type, next, i, n, sums);
    return rms_scale(sums, n, eps);
}

INLINE void rms_rows(enum cpu_type type, void *const *arg, size_t row, size_t count, size_t n, float eps) {
    const size_t bytes = n * width_of(type);
    char *x = (char *)arg[0] + row * bytes;
    float scale = rms_turn(type, x, arg[1], n, 0, eps, 0, 1);
    for (; count > 1; count--, x += bytes) scale = rms_turn(type, x, arg[1], n, scale, eps, 1, 1);
    rms_turn(type, x, arg[1], n, scale, eps, 1, 0);
}

#define RMS_LOOP(type)                                                                                      \
    WANT_FLOAT(type);                                                                                       \
    static void rms_##type(void *const *arg, size_t row, size_t count, size_t n, float eps, int stream) {   \
        (void)stream; /* it was just read */                                                                \
        rms_rows(CPU_##type, arg, row, count, n, eps);                                                      \
    }
RMSNORM_TYPES(RMS_LOOP)

#define RMS_ENTRY(type) [CPU_##type] = rms_##type,
static const struct rmsnorm_loops rmsnorm_loops = {{RMSNORM_TYPES(RMS_ENTRY)}};

#else

#include "params/norm.h"

static int run_rmsnorm(cpu_stream *s, const cpu_args *a) {
    const struct RMSNormParams *p = a->params;
    return run_all_rows(s, a, NULL, pool_isa(stream_pool(s))->rmsnorm->rows, p->rows, p->cols, p->eps, 1);
}

const cpu_kernel rmsnorm_kernels[] = {
    {"rmsnorm", "plain", TYPE_BITS(RMSNORM_TYPES(TYPE_BIT)), sizeof(struct RMSNormParams), 2, run_rmsnorm},
    {0},
};

#endif
