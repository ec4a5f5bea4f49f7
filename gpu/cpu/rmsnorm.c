// x[r,c] = x[r,c] / √(mean of x[r,·]² + eps) · weight[c], in place. This file is compiled by itself for the kernel, and
// as a part of each instruction set for the loop over a row.
#include <math.h>

#include "rows.h"

#define RMSNORM_TYPES(X) X(F32) X(F16) X(BF16)

struct rmsnorm_loops {
    struct row_loops row;
};

#if defined(ISA_TABLE)

INLINE void rms_row(enum cpu_type type, void *const *arg, size_t row, size_t n, float eps) {
    char *x = (char *)arg[0] + row * n * width_of(type);
    const void *weight = arg[1];
    vf sums[4] = {{0}, {0}, {0}, {0}};
    size_t i = 0;
    for (int v = 0; i + VL <= n; i += VL, v = (v + 1) % 4) {
        const vf e = get(x, i, type);
        sums[v] = v_fma(e, e, sums[v]);
    }
    if (i < n) {
        const vf e = get_n(x, i, n - i, type);
        sums[0] = v_fma(e, e, sums[0]);
    }
    const float sum = sum_of((sums[0] + sums[1]) + (sums[2] + sums[3]));
    const vf scale = v_set1(1 / sqrtf(sum / (float)n + eps));
    for (i = 0; i + VL <= n; i += VL) put(x, i, get(x, i, type) * scale * get(weight, i, type), type);
    if (i < n) put_n(x, i, get_n(x, i, n - i, type) * scale * get_n(weight, i, n - i, type), n - i, type);
}

#define RMS_LOOP(type)                                                                      \
    WANT_FLOAT(type);                                                                       \
    static void rms_##type(void *const *arg, size_t row, size_t n, float eps, int stream) { \
        (void)stream; /* it was just read */                                                \
        rms_row(CPU_##type, arg, row, n, eps);                                              \
    }
RMSNORM_TYPES(RMS_LOOP)

#define RMS_ENTRY(type) [CPU_##type] = rms_##type,
static const struct rmsnorm_loops rmsnorm_loops = {{.once = {RMSNORM_TYPES(RMS_ENTRY)}}};

#else

#include "params/norm.h"

static int run_rmsnorm(cpu_stream *s, const cpu_args *a) {
    const struct RMSNormParams *p = a->params;
    return run_rows(s, a, pool_isa(stream_pool(s))->rmsnorm->row.once, p->rows, p->cols, p->eps, 1);
}

const cpu_kernel rmsnorm_kernels[] = {
    {"rmsnorm", "plain", TYPE_BITS(RMSNORM_TYPES(TYPE_BIT)), sizeof(struct RMSNormParams), 2, run_rmsnorm},
    {0},
};

#endif
