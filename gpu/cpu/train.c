// What training adds to the forward pass: gradients and weight updates. This file is compiled by itself for the kernels, and as a
// part of each instruction set for the loops.
#include <math.h>

#include "rows.h"

#define TRAIN_TYPES(X) X(F32) X(F16)

struct train_loops {
    void (*relu_grad[CPU_TYPES])(const void *y, const void *dy, size_t first, size_t last, void *dx);
    void (*sgd[CPU_TYPES])(void *w, const void *dw, float rate, size_t first, size_t last);
    // Sums columns from first to last of a matrix, at most COLUMN_BLOCK.
    void (*column_sum[CPU_TYPES])(const void *x, size_t rows, size_t cols, size_t first, size_t last, void *out);
    row_loop *xent[CPU_TYPES];
};

#define COLUMN_BLOCK 64 // columns per task: whole vectors of all instruction sets

#if defined(ISA_TABLE)

INLINE vf train_passed(vf y, vf dy) { return (vf)((vi)dy & (vi)(y > v_set1(0))); }

INLINE void train_relu_grad(enum cpu_type type, const void *y, const void *dy, size_t i, size_t last, void *dx) {
    for (; i + VL <= last; i += VL) put(dx, i, train_passed(get(y, i, type), get(dy, i, type)), type);
    if (i < last) put_n(dx, i, train_passed(get_n(y, i, last - i, type), get_n(dy, i, last - i, type)), last - i, type);
}

INLINE void train_sgd(enum cpu_type type, void *w, const void *dw, float rate, size_t i, size_t last) {
    const vf back = v_set1(-rate);
    for (; i + VL <= last; i += VL) put(w, i, v_fma(get(dw, i, type), back, get(w, i, type)), type);
    if (i < last) put_n(w, i, v_fma(get_n(dw, i, last - i, type), back, get_n(w, i, last - i, type)), last - i, type);
}

INLINE void train_column_sum(enum cpu_type type, const char *x, size_t rows, size_t cols, size_t first, size_t last, void *out) {
    vf sums[COLUMN_BLOCK / VL] = {{0}};
    const size_t n = last - first, whole = n / VL, rest = n % VL, width = width_of(type);
    for (size_t r = 0; r < rows; r++) {
        const char *row = x + (r * cols + first) * width;
        if (n == COLUMN_BLOCK) { // sums stay in registers
            UNROLL
            for (size_t v = 0; v < COLUMN_BLOCK / VL; v++) sums[v] += get(row, v * VL, type);
            continue;
        }
        for (size_t v = 0; v < whole; v++) sums[v] += get(row, v * VL, type);
        if (rest > 0) sums[whole] += get_n(row, whole * VL, rest, type);
    }
    for (size_t v = 0; v < whole; v++) put(out, first + v * VL, sums[v], type);
    if (rest > 0) put_n(out, first + whole * VL, sums[whole], rest, type);
}

// Elements from i on of a row of n, with `none` beyond its end.
INLINE vf train_some(enum cpu_type type, const void *x, size_t i, size_t n, float none) {
    if (i + VL <= n) return get(x, i, type);
    float lanes[VL];
    v_store(lanes, get_n(x, i, n - i, type));
    for (size_t l = n - i; l < VL; l++) lanes[l] = none;
    return v_load(lanes);
}

// shaders/train describes arg[0] to arg[3]; part is 1 / rows.
INLINE void train_xent(enum cpu_type type, void *const *arg, size_t row, size_t n, float part) {
    const char *x = (const char *)arg[0] + row * n * width_of(type);
    char *dx = (char *)arg[3] + row * n * width_of(type);
    const size_t label = ((const uint32_t *)arg[1])[row] % n;
    float lanes[VL], top = -INFINITY;
    vf tops = v_set1(-INFINITY), sums = {0};
    for (size_t i = 0; i < n; i += VL) tops = v_max(train_some(type, x, i, n, -INFINITY), tops);
    v_store(lanes, tops);
    for (size_t l = 0; l < VL; l++) top = lanes[l] > top ? lanes[l] : top;
    for (size_t i = 0; i < n; i += VL) {
        vf power = v_exp(train_some(type, x, i, n, -INFINITY) - v_set1(top));
        if (i + VL > n) { // lanes beyond the end add nothing
            v_store(lanes, power);
            for (size_t l = n - i; l < VL; l++) lanes[l] = 0;
            power = v_load(lanes);
        }
        sums += power;
    }
    const float sum = top > -INFINITY ? sum_of(sums) : NAN;
    const vf scale = v_set1(part / sum);
    for (size_t i = 0; i < n; i += VL) {
        vf share = v_exp(train_some(type, x, i, n, 0) - v_set1(top)) * scale;
        if (label - i < VL) {
            v_store(lanes, share);
            lanes[label - i] -= part;
            share = v_load(lanes);
        }
        if (i + VL <= n) put(dx, i, share, type);
        else put_n(dx, i, share, n - i, type);
    }
    v_store(lanes, get_n(x, label, 1, type));
    ((float *)arg[2])[row] = logf(sum) - (lanes[0] - top);
}

#define TRAIN_LOOPS(type)                                                                                                      \
    WANT_FLOAT(type);                                                                                                          \
    static void relu_grad_##type(const void *y, const void *dy, size_t first, size_t last, void *dx) {                         \
        train_relu_grad(CPU_##type, y, dy, first, last, dx);                                                                   \
    }                                                                                                                          \
    static void sgd_##type(void *w, const void *dw, float rate, size_t first, size_t last) {                                   \
        train_sgd(CPU_##type, w, dw, rate, first, last);                                                                       \
    }                                                                                                                          \
    static void column_sum_##type(const void *x, size_t rows, size_t cols, size_t first, size_t last, void *out) {             \
        train_column_sum(CPU_##type, x, rows, cols, first, last, out);                                                         \
    }                                                                                                                          \
    static void xent_##type(void *const *arg, size_t row, size_t n, float part, int stream) {                                  \
        (void)stream;                                                                                                          \
        train_xent(CPU_##type, arg, row, n, part);                                                                             \
    }
TRAIN_TYPES(TRAIN_LOOPS)

#define TRAIN_RELU(type) [CPU_##type] = relu_grad_##type,
#define TRAIN_SGD(type) [CPU_##type] = sgd_##type,
#define TRAIN_COLUMNS(type) [CPU_##type] = column_sum_##type,
#define TRAIN_XENT(type) [CPU_##type] = xent_##type,
static const struct train_loops train_loops = {
    {TRAIN_TYPES(TRAIN_RELU)}, {TRAIN_TYPES(TRAIN_SGD)}, {TRAIN_TYPES(TRAIN_COLUMNS)}, {TRAIN_TYPES(TRAIN_XENT)},
};

#else

#include "params/train.h"

#define PIECE 32768 // elements per task: a multiple of all vectors

struct train_job {
    const struct train_loops *loops;
    const cpu_args *a;
};

static struct train_job train_of(cpu_stream *s, const cpu_args *a) { return (struct train_job){pool_isa(stream_pool(s))->train, a}; }

static void relu_grad_task(void *arg, int task) {
    const struct train_job *j = arg;
    const struct ReluGradParams *p = j->a->params;
    const size_t first = (size_t)task * PIECE;
    j->loops->relu_grad[j->a->type](j->a->arg[0], j->a->arg[1], first, min_size(first + PIECE, p->n), j->a->arg[2]);
}

static int run_relu_grad(cpu_stream *s, const cpu_args *a) {
    struct train_job j = train_of(s, a);
    pool_run(stream_pool(s), (int)ceil_div(((const struct ReluGradParams *)a->params)->n, PIECE), relu_grad_task, &j);
    return 1;
}

static void sgd_task(void *arg, int task) {
    const struct train_job *j = arg;
    const struct SGDParams *p = j->a->params;
    const size_t first = (size_t)task * PIECE;
    j->loops->sgd[j->a->type](j->a->arg[0], j->a->arg[1], p->rate, first, min_size(first + PIECE, p->n));
}

static int run_sgd(cpu_stream *s, const cpu_args *a) {
    struct train_job j = train_of(s, a);
    pool_run(stream_pool(s), (int)ceil_div(((const struct SGDParams *)a->params)->n, PIECE), sgd_task, &j);
    return 1;
}

static void column_sum_task(void *arg, int task) {
    const struct train_job *j = arg;
    const struct ColumnSumParams *p = j->a->params;
    const size_t first = (size_t)task * COLUMN_BLOCK;
    j->loops->column_sum[j->a->type](j->a->arg[0], p->rows, p->cols, first, min_size(first + COLUMN_BLOCK, p->cols), j->a->arg[1]);
}

static int run_column_sum(cpu_stream *s, const cpu_args *a) {
    struct train_job j = train_of(s, a);
    pool_run(stream_pool(s), (int)ceil_div(((const struct ColumnSumParams *)a->params)->cols, COLUMN_BLOCK), column_sum_task, &j);
    return 1;
}

static int run_xent(cpu_stream *s, const cpu_args *a) {
    const struct SoftmaxXentParams *p = a->params;
    return run_rows(s, a, pool_isa(stream_pool(s))->train->xent, p->rows, p->cols, 1 / (float)p->rows, 1);
}

const cpu_kernel train_kernels[] = {
    {"relu_grad", "plain", TYPE_BITS(TRAIN_TYPES(TYPE_BIT)), sizeof(struct ReluGradParams), 3, run_relu_grad},
    {"column_sum", "plain", TYPE_BITS(TRAIN_TYPES(TYPE_BIT)), sizeof(struct ColumnSumParams), 2, run_column_sum},
    {"softmax_xent", "plain", TYPE_BITS(TRAIN_TYPES(TYPE_BIT)), sizeof(struct SoftmaxXentParams), 4, run_xent},
    {"sgd", "plain", TYPE_BITS(TRAIN_TYPES(TYPE_BIT)), sizeof(struct SGDParams), 2, run_sgd},
    {0},
};

#endif
