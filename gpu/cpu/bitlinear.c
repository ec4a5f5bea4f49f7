// int8 activations times ternary weights, with integer sums, times a scale for each row of activations and one for the weights.
#include <string.h>

#include "bits.h"
#include "dots.h"
#include "gemm.h"

#include "params/gemm.h"

#define PIECE 131072 // weights a thread takes at a time
#define ALONE 262144 // with fewer weights, waking threads does not pay

struct bit_job {
    const struct isa *isa;
    struct BitLinearParams p;
    const char *codes, *planes; // planes: rows of a as arranged by prepare_bits
    size_t row, x_row;          // bytes of a row of codes, and of planes
    const float *a_scale, *scale;
    const int32_t *a_sum;
    float *out;
    size_t piece; // rows of weights per task
};

static void dot_rows(void *arg, int task) {
    const struct bit_job *j = arg;
    const size_t m = j->p.m, first = (size_t)task * j->piece, last = min_size(first + j->piece, j->p.n);
    for (size_t c = first; c < last; c++) {
        int32_t sum[GEMV_ROWS];
        j->isa->dots->dot_bits(j->codes + c * j->row, j->planes, j->x_row, (int)m, j->p.k, sum);
        for (size_t r = 0; r < m; r++) j->out[r * j->p.n + c] = (float)(sum[r] - j->a_sum[r]) * (j->a_scale[r] * *j->scale);
    }
}

// Few rows of a: the weights are read once.
static int run_few(cpu_stream *s, struct bit_job *j, const int8_t *a) {
    cpu_pool *pool = stream_pool(s);
    j->x_row = ceil_div(j->p.k, 16 * (size_t)j->isa->vl) * 16 * (size_t)j->isa->vl;
    char *planes = stream_scratch(s, j->p.m * j->x_row + 64);
    if (!planes) return 0;
    int32_t sums[GEMV_ROWS];
    for (size_t r = 0; r < j->p.m; r++) sums[r] = j->isa->dots->prepare_bits(a + r * j->p.k, j->p.k, planes + r * j->x_row);
    j->planes = planes, j->a_sum = sums;
    const int alone = (size_t)j->p.n * j->p.k <= ALONE;
    j->piece = max_size(1, PIECE / max_size(1, j->p.k));
    run_on(pool, alone ? 1 : (size_t)pool_threads(pool), ceil_div(j->p.n, j->piece), dot_rows, j);
    return 1;
}

// Turns integer sums into floats in place.
static void scale_row(void *arg, int row) {
    const struct bit_job *j = arg;
    float *out = j->out + (size_t)row * j->p.n;
    const float scale = j->a_scale[row] * *j->scale;
    for (size_t c = 0; c < j->p.n; c++) {
        int32_t sum;
        memcpy(&sum, out + c, sizeof sum);
        out[c] = (float)sum * scale;
    }
}

static int run_bitlinear(cpu_stream *s, const cpu_args *a) {
    static const float one = 1;
    const struct BitLinearParams *p = a->params;
    if (p->m == 0 || p->n == 0) return 1;
    struct bit_job j = {
        .isa = pool_isa(stream_pool(s)), .p = *p, .codes = a->arg[2], .row = bytes_of(CPU_TERNARY, p->k),
        .a_scale = a->arg[1], .scale = a->arg[3], .out = a->arg[4],
    };
    if (p->m <= GEMV_ROWS) return run_few(s, &j, a->arg[0]);
    const struct gemm g = {
        .m = p->m, .n = p->n, .k = p->k, .a = a->arg[0], .a_type = CPU_I8, .b_rows = 1, .out = a->arg[4],
        .w = {a->arg[2], &one, NULL, CPU_TERNARY, p->k, 0}, .end = {NULL, CPU_I32, ACT_NONE},
    };
    run_packed(s, &g);
    pool_run(stream_pool(s), (int)p->m, scale_row, &j);
    return 1;
}

const cpu_kernel bitlinear_kernels[] = {
    {"matmul_bitlinear", "tiled", 1u << CPU_TERNARY, sizeof(struct BitLinearParams), 5, run_bitlinear},
    {0},
};
