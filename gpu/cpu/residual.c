// sum = x + y and out = the layer normalization of the rows of sum. This file is compiled by itself for the kernel, and as a
// part of each instruction set for the loop over a row.
#include <math.h>

#include "rows.h"

#define RESIDUAL_TYPES(X) X(F32) X(F16)

struct residual_loops {
    struct row_loops row;
};

#if defined(ISA_TABLE)

// Like layernorm.c: the sums are in the cache when their moments are computed.
INLINE void residual_row(enum cpu_type type, void *const *arg, size_t row, size_t n, float eps, int stream) {
    const size_t at = row * n * width_of(type);
    const char *x = (const char *)arg[0] + at, *y = (const char *)arg[1] + at;
    char *sum = (char *)arg[4] + at;
    size_t i = 0;
    for (; i + VL <= n; i += VL) put(sum, i, get(x, i, type) + get(y, i, type), type);
    if (i < n) put_n(sum, i, get_n(x, i, n - i, type) + get_n(y, i, n - i, type), n - i, type);
    void *const rest[4] = {arg[4], arg[2], arg[3], arg[5]};
    layer_rows(type, 0, rest, row, 1, n, eps, stream);
}

#define RESIDUAL_LOOP(type) \
    WANT_FLOAT(type);       \
    static void residual_##type(void *const *arg, size_t row, size_t n, float eps, int stream) { residual_row(CPU_##type, arg, row, n, eps, stream); }
RESIDUAL_TYPES(RESIDUAL_LOOP)

#define RESIDUAL_ENTRY(type) [CPU_##type] = residual_##type,
static const struct residual_loops residual_loops = {{.once = {RESIDUAL_TYPES(RESIDUAL_ENTRY)}}};

#else

#include "params/norm.h"

static int run_residual(cpu_stream *s, const cpu_args *a) {
    const struct LayerNormParams *p = a->params;
    return run_rows(s, a, pool_isa(stream_pool(s))->residual->row.once, p->rows, p->cols, p->eps, 1);
}

const cpu_kernel residual_kernels[] = {
    {"add_layernorm", "plain", TYPE_BITS(RESIDUAL_TYPES(TYPE_BIT)), sizeof(struct LayerNormParams), 6, run_residual},
    {0},
};

#endif
