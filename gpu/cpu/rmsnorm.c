// x[r,c] = x[r,c] / √(mean of x[r,·]² + eps) · weight[c], in place. This file is compiled by itself for the kernel, and
// as a part of each instruction set for the loop over a row.
#include <math.h>

#include "isa.h"

#define RMSNORM_TYPES(X) X(F32) X(F16) X(BF16)

struct rmsnorm_loops {
    void (*row[CPU_TYPES])(void *x, const void *weight, size_t n, float eps);
};

#if defined(ISA_TABLE)

INLINE void rms_row(enum cpu_type type, void *x, const void *weight, size_t n, float eps) {
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

#define RMS_LOOP(type) \
    WANT_FLOAT(type);  \
    static void rms_##type(void *x, const void *weight, size_t n, float eps) { rms_row(CPU_##type, x, weight, n, eps); }
RMSNORM_TYPES(RMS_LOOP)

#define RMS_ENTRY(type) [CPU_##type] = rms_##type,
static const struct rmsnorm_loops rmsnorm_loops = {{RMSNORM_TYPES(RMS_ENTRY)}};

#else

#include "params/norm.h"

#define PIECE 16384 // elements a thread takes at a time

struct rmsnorm_job {
    void (*row)(void *x, const void *weight, size_t n, float eps);
    const cpu_args *args;
    size_t rows, cols, piece; // piece: rows a task takes
    float eps;
};

static void rmsnorm_rows(void *arg, int task) {
    const struct rmsnorm_job *j = arg;
    const size_t first = (size_t)task * j->piece, last = min_size(first + j->piece, j->rows);
    char *x = j->args->arg[0];
    for (size_t r = first; r < last; r++)
        j->row(x + r * j->cols * width_of(j->args->type), j->args->arg[1], j->cols, j->eps);
}

static int run_rmsnorm(cpu_stream *s, const cpu_args *a) {
    const struct RMSNormParams *p = a->params;
    cpu_pool *pool = stream_pool(s);
    struct rmsnorm_job j = {
        .row = pool_isa(pool)->rmsnorm->row[a->type], .args = a,
        .rows = p->rows, .cols = p->cols, .piece = max_size(1, PIECE / max_size(1, p->cols)), .eps = p->eps,
    };
    if (j.cols > 0) pool_run(pool, (int)ceil_div(j.rows, j.piece), rmsnorm_rows, &j);
    return 1;
}

const cpu_kernel rmsnorm_kernels[] = {
    {"rmsnorm", "plain", TYPE_BITS(RMSNORM_TYPES(TYPE_BIT)), sizeof(struct RMSNormParams), 2, run_rmsnorm},
    {0},
};

#endif
