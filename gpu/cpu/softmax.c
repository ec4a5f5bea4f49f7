// out[r,c] = exp(x[r,c]) / the sum of exp(x[r,·]). This file is compiled by itself for the kernel, and as a part of each
// instruction set for the loop over a row.
#include <math.h>

#include "isa.h"

#define SOFTMAX_TYPES(X) X(F32) X(F16)

struct softmax_loops {
    void (*row[CPU_TYPES])(const void *x, void *out, size_t n);
};

#if defined(ISA_TABLE)

// The greatest of n > 0 elements; NaN among them may stay unseen.
INLINE float softmax_largest(enum cpu_type type, const void *x, size_t n) {
    vf top = v_set1(-INFINITY);
    size_t i = 0;
    for (; i + VL <= n; i += VL) top = v_max(get(x, i, type), top);
    float lanes[2 * VL], largest = -INFINITY;
    v_store(lanes, top);
    v_store(lanes + VL, get_n(x, i, n - i, type));
    for (size_t l = 0; l < VL + n - i; l++) largest = lanes[l] > largest ? lanes[l] : largest;
    return largest;
}

INLINE void softmax_row(enum cpu_type type, const void *x, void *out, size_t n) {
    const vf largest = v_set1(softmax_largest(type, x, n));
    vf sums[2] = {{0}, {0}};
    size_t i = 0;
    for (int v = 0; i + VL <= n; i += VL, v ^= 1) sums[v] += v_exp(get(x, i, type) - largest);
    float sum = sum_of(sums[0] + sums[1]), rest[VL];
    v_store(rest, v_exp(get_n(x, i, n - i, type) - largest));
    for (size_t l = 0; l < n - i; l++) sum += rest[l];
    const vf scale = v_set1(1 / sum);
    for (i = 0; i + VL <= n; i += VL) put(out, i, v_exp(get(x, i, type) - largest) * scale, type);
    if (i < n) put_n(out, i, v_exp(get_n(x, i, n - i, type) - largest) * scale, n - i, type);
}

#define SOFTMAX_LOOP(type) \
    WANT_FLOAT(type);      \
    static void softmax_##type(const void *x, void *out, size_t n) { softmax_row(CPU_##type, x, out, n); }
SOFTMAX_TYPES(SOFTMAX_LOOP)

#define SOFTMAX_ENTRY(type) [CPU_##type] = softmax_##type,
static const struct softmax_loops softmax_loops = {{SOFTMAX_TYPES(SOFTMAX_ENTRY)}};

#else

#include "params/norm.h"

#define PIECE 4096 // elements a thread takes at a time

struct softmax_job {
    void (*row)(const void *x, void *out, size_t n);
    const cpu_args *args;
    size_t rows, cols, piece; // piece: rows a task takes
};

static void softmax_rows(void *arg, int task) {
    const struct softmax_job *j = arg;
    const size_t first = (size_t)task * j->piece, last = min_size(first + j->piece, j->rows);
    const size_t bytes = j->cols * width_of(j->args->type);
    for (size_t r = first; r < last; r++)
        j->row((const char *)j->args->arg[0] + r * bytes, (char *)j->args->arg[1] + r * bytes, j->cols);
}

static int run_softmax(cpu_stream *s, const cpu_args *a) {
    const struct SoftmaxParams *p = a->params;
    cpu_pool *pool = stream_pool(s);
    struct softmax_job j = {
        .row = pool_isa(pool)->softmax->row[a->type], .args = a,
        .rows = p->rows, .cols = p->cols, .piece = max_size(1, PIECE / max_size(1, p->cols)),
    };
    if (j.cols > 0) pool_run(pool, (int)ceil_div(j.rows, j.piece), softmax_rows, &j);
    return 1;
}

const cpu_kernel softmax_kernels[] = {
    {"softmax", "plain", TYPE_BITS(SOFTMAX_TYPES(TYPE_BIT)), sizeof(struct SoftmaxParams), 2, run_softmax},
    {0},
};

#endif
