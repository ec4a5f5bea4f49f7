// Sums and products in four dimensions, each of which may be 1 in an operand. This file is compiled by itself for the kernels,
// and as a part of each instruction set for the loops.
#include <string.h>

#include "isa.h"

#define BROADCAST_TYPES(X, ...) X(F32, __VA_ARGS__) X(F16, __VA_ARGS__)
#define BROADCAST_OPS(X) X(add, x + y) X(mul, x * y)

// An operand: the distance of its elements along each dimension of the result, 0 where it is broadcast.
struct broadcast_operand {
    const void *data;
    size_t stride[4];
};

// A result; neighboring dimensions that both operands traverse alike are joined.
struct broadcast_shape {
    size_t dim[4];
    struct broadcast_operand a, b;
    void *out;
};

// Computes elements from first to last of the result.
typedef void broadcast_fn(const struct broadcast_shape *s, size_t first, size_t last);

enum broadcast_op {
#define OP(name, result) BROADCAST_##name,
    BROADCAST_OPS(OP) BROADCASTS,
#undef OP
};

struct broadcast_loops {
    broadcast_fn *rows[BROADCASTS][CPU_TYPES], *indexed[BROADCASTS][CPU_TYPES];
};

#if defined(ISA_TABLE)

// Returns where element i of the result is in an operand.
static inline size_t broadcast_place(const struct broadcast_shape *s, const struct broadcast_operand *o, size_t i) {
    size_t at = 0;
    for (int d = 3; d >= 0; d--) {
        at += i % s->dim[d] * o->stride[d];
        i /= s->dim[d];
    }
    return at;
}

INLINE vf broadcast_apply(int op, vf x, vf y) {
    switch (op) {
#define OP(name, result) \
    case BROADCAST_##name: return result;
        BROADCAST_OPS(OP)
#undef OP
    }
    return x;
}

INLINE float broadcast_one(enum cpu_type type, const void *p, size_t i) {
    float lanes[VL];
    v_store(lanes, get_n(p, i, 1, type));
    return lanes[0];
}

// Computes n elements of a row: each operand is a vector, or one element for all.
INLINE void broadcast_row(int op, enum cpu_type type, const void *a, size_t at_a, int a_same, const void *b, size_t at_b, int b_same,
                          void *out, size_t at, size_t n) {
    const vf x = v_set1(a_same ? broadcast_one(type, a, at_a) : 0), y = v_set1(b_same ? broadcast_one(type, b, at_b) : 0);
    size_t i = 0;
    for (; i + VL <= n; i += VL) {
        const vf u = a_same ? x : get(a, at_a + i, type), v = b_same ? y : get(b, at_b + i, type);
        put(out, at + i, broadcast_apply(op, u, v), type);
    }
    if (i == n) return;
    const vf u = a_same ? x : get_n(a, at_a + i, n - i, type), v = b_same ? y : get_n(b, at_b + i, n - i, type);
    put_n(out, at + i, broadcast_apply(op, u, v), n - i, type);
}

// Computes n elements of each of some neighboring rows. The shape is kept in registers: stores might alias it.
INLINE void broadcast_block(int op, enum cpu_type type, const struct broadcast_shape *s, size_t a, int a_same, size_t b, int b_same,
                            size_t out, size_t n, size_t rows) {
    const void *of_a = s->a.data, *of_b = s->b.data;
    void *to = s->out;
    const size_t a_step = s->a.stride[2], b_step = s->b.stride[2];
    for (; rows > 0; rows--, a += a_step, b += b_step, out += n) broadcast_row(op, type, of_a, a, a_same, of_b, b, b_same, to, out, n);
}

// Returns where the element at these indices is in an operand.
static inline size_t broadcast_at(const struct broadcast_operand *o, const size_t index[4]) {
    return index[0] * o->stride[0] + index[1] * o->stride[1] + index[2] * o->stride[2] + index[3] * o->stride[3];
}

// Indices are incremented from row to row: dividing for each would take longer than a short row.
INLINE void broadcast_rows(int op, enum cpu_type type, const struct broadcast_shape *s, size_t first, size_t last) {
    size_t index[4], rest = first;
    for (int d = 3; d >= 0; d--) index[d] = rest % s->dim[d], rest /= s->dim[d];
    while (first < last) {
        const size_t n = min_size(s->dim[3] - index[3], last - first);
        const size_t rows = n == s->dim[3] ? min_size(s->dim[2] - index[2], (last - first) / n) : 1;
        const size_t a = broadcast_at(&s->a, index), b = broadcast_at(&s->b, index);
        const int a_same = s->a.stride[3] == 0, b_same = s->b.stride[3] == 0;
        if (a_same && b_same) broadcast_block(op, type, s, a, 1, b, 1, first, n, rows);
        else if (a_same) broadcast_block(op, type, s, a, 1, b, 0, first, n, rows);
        else if (b_same) broadcast_block(op, type, s, a, 0, b, 1, first, n, rows);
        else broadcast_block(op, type, s, a, 0, b, 0, first, n, rows);
        first += n * rows, index[2] += rows - 1, index[3] += n;
        for (int d = 3; d > 0 && index[d] == s->dim[d]; d--) index[d] = 0, index[d - 1]++;
    }
}

INLINE void broadcast_indexed(int op, enum cpu_type type, const struct broadcast_shape *s, size_t first, size_t last) {
    for (; first < last; first++) {
        const vf x = get_n(s->a.data, broadcast_place(s, &s->a, first), 1, type);
        const vf y = get_n(s->b.data, broadcast_place(s, &s->b, first), 1, type);
        put_n(s->out, first, broadcast_apply(op, x, y), 1, type);
    }
}

#define BROADCAST_LOOP(type, op)                                                                                      \
    WANT_FLOAT(type);                                                                                                 \
    static void broadcast_rows_##op##_##type(const struct broadcast_shape *s, size_t first, size_t last) {            \
        broadcast_rows(BROADCAST_##op, CPU_##type, s, first, last);                                                   \
    }                                                                                                                 \
    static void broadcast_indexed_##op##_##type(const struct broadcast_shape *s, size_t first, size_t last) {         \
        broadcast_indexed(BROADCAST_##op, CPU_##type, s, first, last);                                                \
    }
#define OP(name, result) BROADCAST_TYPES(BROADCAST_LOOP, name)
BROADCAST_OPS(OP)
#undef OP

#define ROWS_ENTRY(type, name) [CPU_##type] = broadcast_rows_##name##_##type,
#define INDEXED_ENTRY(type, name) [CPU_##type] = broadcast_indexed_##name##_##type,
static const struct broadcast_loops broadcast_loops = {
#define OP(name, result) [BROADCAST_##name] = {BROADCAST_TYPES(ROWS_ENTRY, name)},
    .rows = {BROADCAST_OPS(OP)},
#undef OP
#define OP(name, result) [BROADCAST_##name] = {BROADCAST_TYPES(INDEXED_ENTRY, name)},
    .indexed = {BROADCAST_OPS(OP)},
#undef OP
};

#else

#include "params/elementwise.h"

#define PIECE 32768 // elements a thread takes at a time
#define ALONE 65536 // with fewer elements, waking threads does not pay

struct broadcast_job {
    struct broadcast_shape shape;
    broadcast_fn *loop;
    size_t n, piece;
};

static void broadcast_task(void *arg, int task) {
    const struct broadcast_job *j = arg;
    const size_t first = (size_t)task * j->piece;
    j->loop(&j->shape, first, min_size(first + j->piece, j->n));
}

static struct broadcast_operand operand_of(const void *data, const size_t dim[4], uint32_t ones) {
    struct broadcast_operand o = {.data = data};
    size_t stride = 1;
    for (int d = 3; d >= 0; d--) {
        if (ones >> d & 1) continue;
        o.stride[d] = stride;
        stride *= dim[d];
    }
    return o;
}

// Reports whether an operand traverses dimension d of `from` as a continuation of dimension `at` of `to`.
static int runs_on(const struct broadcast_operand *from, int d, const struct broadcast_operand *to, int at, size_t dim) {
    return from->stride[d] == to->stride[at] * dim;
}

// Joins neighboring dimensions that both operands traverse like a single one, so that rows are long.
static void join_dims(struct broadcast_shape *s) {
    struct broadcast_shape to = *s;
    int at = 4;
    for (int d = 3; d >= 0; d--) {
        if (s->dim[d] == 1) continue;
        if (at < 4 && runs_on(&s->a, d, &to.a, at, to.dim[at]) && runs_on(&s->b, d, &to.b, at, to.dim[at])) {
            to.dim[at] *= s->dim[d];
            continue;
        }
        at--;
        to.dim[at] = s->dim[d], to.a.stride[at] = s->a.stride[d], to.b.stride[at] = s->b.stride[d];
    }
    while (at-- > 0) to.dim[at] = 1, to.a.stride[at] = 0, to.b.stride[at] = 0;
    *s = to;
}

static int run_broadcast(cpu_stream *s, const cpu_args *a, broadcast_fn *loop, int join) {
    const struct BroadcastParams *p = a->params;
    struct broadcast_job j = {.shape = {.dim = {p->d0, p->d1, p->d2, p->d3}, .out = a->arg[2]}, .loop = loop};
    j.n = (size_t)p->d0 * p->d1 * p->d2 * p->d3;
    if (j.n == 0) return 1;
    j.shape.a = operand_of(a->arg[0], j.shape.dim, p->a);
    j.shape.b = operand_of(a->arg[1], j.shape.dim, p->b);
    if (join) join_dims(&j.shape);
    j.piece = j.n > ALONE ? PIECE : j.n;
    pool_run(stream_pool(s), (int)ceil_div(j.n, j.piece), broadcast_task, &j);
    return 1;
}

static enum broadcast_op op_of(const cpu_args *a) { return strcmp(a->kernel->op, "mul_broadcast") == 0 ? BROADCAST_mul : BROADCAST_add; }

static int run_broadcast_rows(cpu_stream *s, const cpu_args *a) {
    return run_broadcast(s, a, pool_isa(stream_pool(s))->broadcast->rows[op_of(a)][a->type], 1);
}

static int run_broadcast_indexed(cpu_stream *s, const cpu_args *a) {
    return run_broadcast(s, a, pool_isa(stream_pool(s))->broadcast->indexed[op_of(a)][a->type], 0);
}

#define BROADCAST_BITS TYPE_BITS(BROADCAST_TYPES(TYPE_BIT, ))

const cpu_kernel broadcast_kernels[] = {
    {"add_broadcast", "plain", BROADCAST_BITS, sizeof(struct BroadcastParams), 3, run_broadcast_rows},
    {"add_broadcast", "indexed", BROADCAST_BITS, sizeof(struct BroadcastParams), 3, run_broadcast_indexed},
    {"mul_broadcast", "plain", BROADCAST_BITS, sizeof(struct BroadcastParams), 3, run_broadcast_rows},
    {"mul_broadcast", "indexed", BROADCAST_BITS, sizeof(struct BroadcastParams), 3, run_broadcast_indexed},
    {0},
};

#endif
