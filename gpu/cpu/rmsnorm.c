// x[r,c] = x[r,c] / √(mean of x[r,·]² + eps) · weight[c], in place. This file is compiled by itself for the kernel, and
// as a part of each instruction set for the loop over a row.
#include <math.h>

#include "isa.h"

struct rmsnorm_loops {
    void (*row[3])(void *x, const void *weight, size_t n, float eps); // in f32, f16 and bf16
};

#if defined(ISA_TABLE)

INLINE void rms_row(int type, void *x, const void *weight, size_t n, float eps) {
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

static void rms_f32(void *x, const void *weight, size_t n, float eps) { rms_row(CPU_F32, x, weight, n, eps); }
static void rms_f16(void *x, const void *weight, size_t n, float eps) { rms_row(CPU_F16, x, weight, n, eps); }
static void rms_bf16(void *x, const void *weight, size_t n, float eps) { rms_row(CPU_BF16, x, weight, n, eps); }

static const struct rmsnorm_loops rmsnorm_loops = {{rms_f32, rms_f16, rms_bf16}};

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
        .row = pool_isa(pool)->rmsnorm->row[a->type == CPU_F32 ? 0 : a->type == CPU_F16 ? 1 : 2], .args = a,
        .rows = p->rows, .cols = p->cols, .piece = max_size(1, PIECE / max_size(1, p->cols)), .eps = p->eps,
    };
    if (j.cols > 0) pool_run(pool, (int)ceil_div(j.rows, j.piece), rmsnorm_rows, &j);
    return 1;
}

const cpu_kernel rmsnorm_kernels[] = {
    {"rmsnorm", "plain", TYPE(F32) | TYPE(F16) | TYPE(BF16), sizeof(struct RMSNormParams), 2, run_rmsnorm},
    {0},
};

#endif
