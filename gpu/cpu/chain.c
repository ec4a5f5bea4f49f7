// Chains of elementwise operations, interpreted: each step is a loop over a block of elements that stays in L1. This file is
// compiled by itself for the kernels, and as a part of each instruction set for the loops.
#include <math.h>
#include <string.h>

#include "isa.h"
#include "params/chain.h"

#define CHAIN_TYPES(X, ...) X(F32, __VA_ARGS__) X(F16, __VA_ARGS__)

// Computes elements from first to last of the result, or of its rows if they are reduced. stream asks for non-temporal stores.
typedef void chain_fn(const struct ChainParams *p, void *const *arg, size_t first, size_t last, int stream);

struct chain_loops {
    chain_fn *map[CPU_TYPES], *rows[CPU_TYPES];
};

#if defined(ISA_TABLE)

enum { CHAIN_BLOCK = 256 }; // elements: no more than a few registers of this size are in use at a time

struct chain_registers {
    _Alignas(64) float own[CHAIN_REGISTERS][CHAIN_BLOCK];
    const float *at[CHAIN_REGISTERS]; // the register's own memory, or an input's
};

// Applies a function without a vector version lane by lane.
#define CHAIN_LANES(name, function)                                       \
    INLINE vf chain_##name(vf x) {                                        \
        float lanes[VL];                                                  \
        v_store(lanes, x);                                                \
        for (int l = 0; l < VL; l++) lanes[l] = function(lanes[l]);       \
        return v_load(lanes);                                             \
    }
CHAIN_LANES(log, logf)
CHAIN_LANES(sqrt, sqrtf)

INLINE vf chain_pick(vi mask, vf a, vf b) { return (vf)(((vi)a & mask) | ((vi)b & ~mask)); }

// By a power where x is not small, otherwise by the first terms of its series.
INLINE vf chain_tanh(vf x) {
    const vf xx = x * x, size = v_max(x, v_set1(0) - x);
    vf near = v_fma(xx, v_set1(62.0f / 2835), v_set1(-17.0f / 315));
    near = v_fma(xx, near, v_set1(2.0f / 15));
    near = v_fma(xx, near, v_set1(-1.0f / 3));
    near = v_fma(xx * near, x, x);
    const vf far = v_set1(1) - v_set1(2) * v_reciprocal(v_set1(1) + v_exp2_times(v_min(x, v_set1(20)), 2 * LOG2_E));
    return chain_pick((vi)(size > v_set1(0.25f)), far, near);
}

// The operations on vectors x and y.
#define CHAIN_RESULT_add x + y
#define CHAIN_RESULT_sub x - y
#define CHAIN_RESULT_mul x *y
#define CHAIN_RESULT_div x / y
#define CHAIN_RESULT_max chain_pick((vi)(x > y), x, y)
#define CHAIN_RESULT_min chain_pick((vi)(x < y), x, y)
#define CHAIN_RESULT_relu v_relu(x)
#define CHAIN_RESULT_gelu v_gelu(x)
#define CHAIN_RESULT_gelu_erf v_gelu_erf(x)
#define CHAIN_RESULT_silu v_silu(x)
#define CHAIN_RESULT_sigmoid v_reciprocal(v_set1(1) + v_exp2_times(x, -LOG2_E))
#define CHAIN_RESULT_tanh chain_tanh(x)
#define CHAIN_RESULT_exp v_exp(x)
#define CHAIN_RESULT_log chain_log(x)
#define CHAIN_RESULT_sqrt chain_sqrt(x)
#define CHAIN_RESULT_rsqrt v_set1(1) / chain_sqrt(x)
#define CHAIN_RESULT_neg v_set1(0) - x
#define CHAIN_RESULT_abs v_max(x, v_set1(0) - x)
#define CHAIN_RESULT_square x *x

enum chain_op {
#define OP(number, name) CHAIN_##name = number,
    CHAIN_OPS(OP)
#undef OP
};

// One step on n elements, which are whole vectors.
static void chain_step(uint32_t op, const float *a, const float *b, float *to, size_t n) {
    switch (op) {
#define OP(number, name)                                       \
    case number:                                               \
        for (size_t i = 0; i < n; i += VL) {                   \
            const vf x = v_load(a + i), y = v_load(b + i);     \
            (void)y;                                           \
            v_store(to + i, CHAIN_RESULT_##name);              \
        }                                                      \
        break;
        CHAIN_OPS(OP)
#undef OP
    }
}

INLINE float chain_one(enum cpu_type type, const void *p, size_t i) {
    float lanes[VL];
    v_store(lanes, get_n(p, i, 1, type));
    return lanes[0];
}

// Loads n elements of an input, `step` apart, into register r.
INLINE void chain_load(enum cpu_type type, struct chain_registers *regs, uint r, const void *from, size_t place, size_t step, size_t n) {
    float *to = regs->own[r];
    regs->at[r] = to;
    if (step == 1 && type == CPU_F32 && n % VL == 0) {
        regs->at[r] = (const float *)from + place;
        return;
    }
    if (step == 0) {
        const vf x = v_set1(chain_one(type, from, place));
        for (size_t i = 0; i < n; i += VL) v_store(to + i, x);
        return;
    }
    size_t i = 0;
    if (step == 1) {
        for (; i + VL <= n; i += VL) v_store(to + i, get(from, place + i, type));
        if (i < n) v_store(to + i, get_n(from, place + i, n - i, type));
        return;
    }
    for (; i < n; i++) to[i] = chain_one(type, from, place + i * step);
}

// Computes n elements from column i of a row on; returns a pointer to the result, which is in `out` if possible.
INLINE const float *chain_block(enum cpu_type type, struct chain_registers *regs, const struct ChainParams *p, void *const *arg,
                                const size_t *place, size_t i, size_t n, float *out) {
    const size_t whole = (n + VL - 1) / VL * VL;
    for (uint r = 0; r < p->inputs; r++)
        chain_load(type, regs, r, arg[r], place[r] + i * p->strides[4 * r + 3], p->strides[4 * r + 3], n);
    for (uint s = 0; s < p->steps; s++) {
        const uint32_t word = p->step[s], to = word >> 8 & 255;
        float *result = out && s + 1 == p->steps ? out : regs->own[to];
        chain_step(word & 255, regs->at[word >> 16 & 255], regs->at[word >> 24], result, whole);
        regs->at[to] = result;
    }
    return regs->at[p->result];
}

INLINE void chain_open(struct chain_registers *regs, const struct ChainParams *p) {
    memset(regs->own, 0, sizeof regs->own[0] * (p->inputs + p->constants + 4 < CHAIN_REGISTERS ? p->inputs + p->constants + 4 : CHAIN_REGISTERS));
    for (uint r = 0; r < CHAIN_REGISTERS; r++) regs->at[r] = regs->own[r];
    for (uint c = 0; c < p->constants; c++)
        for (size_t i = 0; i < CHAIN_BLOCK; i++) regs->own[p->inputs + c][i] = p->constant_values[c];
}

// Where a row begins in each input.
INLINE void chain_row(const struct ChainParams *p, size_t row, size_t *place) {
    const size_t i2 = row % p->d2, i1 = row / p->d2 % p->d1, i0 = row / p->d2 / p->d1;
    for (uint r = 0; r < p->inputs; r++) {
        const uint *stride = p->strides + 4 * r;
        place[r] = i0 * stride[0] + i1 * stride[1] + i2 * stride[2];
    }
}

INLINE void chain_map(enum cpu_type type, const struct ChainParams *p, void *const *arg, size_t first, size_t last, int stream) {
    struct chain_registers regs;
    size_t place[CHAIN_INPUTS];
    char *out = arg[p->inputs];
    chain_open(&regs, p);
    while (first < last) {
        const size_t row = first / p->d3, col = first % p->d3;
        const size_t end = min_size(p->d3, col + last - first);
        chain_row(p, row, place);
        for (size_t i = col, n; i < end; i += n) {
            const size_t at = row * p->d3 + i;
            n = min_size(CHAIN_BLOCK, end - i);
            const int past = STREAMS && stream && at % VL == 0, direct = type == CPU_F32 && n % VL == 0 && !past && p->steps > 0;
            const float *result = chain_block(type, &regs, p, arg, place, i, n, direct ? (float *)out + at : NULL);
            if (direct) continue;
            size_t k = 0;
            for (; k + VL <= n; k += VL) put_past(out, at + k, v_load(result + k), type, past);
            if (k < n) put_n(out, at + k, v_load_n(result + k, n - k), n - k, type);
        }
        first += end - col;
    }
    if (stream) v_fence();
}

INLINE void chain_rows(enum cpu_type type, const struct ChainParams *p, void *const *arg, size_t first, size_t last) {
    struct chain_registers regs;
    size_t place[CHAIN_INPUTS];
    const int largest = p->reduce == CHAIN_LARGEST;
    chain_open(&regs, p);
    for (size_t row = first; row < last; row++) {
        float lanes[VL], all = largest ? -INFINITY : 0;
        vf sums = v_set1(all);
        chain_row(p, row, place);
        for (size_t i = 0, n; i < p->d3; i += n) {
            n = min_size(CHAIN_BLOCK, p->d3 - i);
            const float *x = chain_block(type, &regs, p, arg, place, i, n, NULL);
            size_t k = 0;
            for (; k + VL <= n; k += VL) sums = largest ? chain_pick((vi)(v_load(x + k) > sums), v_load(x + k), sums) : sums + v_load(x + k);
            for (; k < n; k++) all = largest ? (x[k] > all ? x[k] : all) : all + x[k];
        }
        v_store(lanes, sums);
        for (int l = 0; l < VL; l++) all = largest ? (lanes[l] > all ? lanes[l] : all) : all + lanes[l];
        if (p->reduce == CHAIN_MEAN) all /= (float)p->d3;
        put_n(arg[p->inputs], row, v_set1(all), 1, type);
    }
}

#define CHAIN_LOOP(type, ...)                                                                                               \
    WANT_FLOAT(type);                                                                                                       \
    static void chain_map_##type(const struct ChainParams *p, void *const *arg, size_t first, size_t last, int stream) {    \
        chain_map(CPU_##type, p, arg, first, last, stream);                                                                 \
    }                                                                                                                       \
    static void chain_rows_##type(const struct ChainParams *p, void *const *arg, size_t first, size_t last, int stream) {   \
        (void)stream;                                                                                                       \
        chain_rows(CPU_##type, p, arg, first, last);                                                                        \
    }
CHAIN_TYPES(CHAIN_LOOP, )

#define MAP_ENTRY_OF(type, ...) [CPU_##type] = chain_map_##type,
#define ROWS_ENTRY_OF(type, ...) [CPU_##type] = chain_rows_##type,
static const struct chain_loops chain_loops = {.map = {CHAIN_TYPES(MAP_ENTRY_OF, )}, .rows = {CHAIN_TYPES(ROWS_ENTRY_OF, )}};

#else

#define PIECE 8192  // elements a thread takes at a time
#define ALONE 16384 // with fewer elements, waking threads does not pay

struct chain_job {
    const struct ChainParams *p;
    void *const *arg;
    chain_fn *loop;
    size_t n, piece;
    int stream;
};

static void chain_task(void *arg, int task) {
    const struct chain_job *j = arg;
    const size_t first = (size_t)task * j->piece;
    j->loop(j->p, j->arg, first, min_size(first + j->piece, j->n), j->stream);
}

static int run_chain(cpu_stream *s, const cpu_args *a) {
    const struct ChainParams *p = a->params;
    cpu_pool *pool = stream_pool(s);
    const struct chain_loops *loops = pool_isa(pool)->chain;
    const size_t rows = (size_t)p->d0 * p->d1 * p->d2, elements = rows * p->d3;
    struct chain_job j = {p, a->arg, loops->map[a->type], elements, elements, 0};
    if (elements == 0) return 1;
    if (p->reduce != CHAIN_EACH) {
        j.loop = loops->rows[a->type], j.n = rows;
        j.piece = elements > ALONE ? max_size(1, PIECE / p->d3) : rows;
    } else {
        j.stream = elements * width_of(a->type) >= pool_cached_bytes(pool);
        if (elements > ALONE) j.piece = PIECE;
    }
    pool_run(pool, (int)ceil_div(j.n, j.piece), chain_task, &j);
    return 1;
}

#define CHAIN_BITS TYPE_BITS(CHAIN_TYPES(TYPE_BIT, ))
#define CHAIN_OF(inputs) {"chain" #inputs, "generated", CHAIN_BITS, sizeof(struct ChainParams), (inputs) + 1, run_chain}

const cpu_kernel chain_kernels[] = {
    CHAIN_OF(1), CHAIN_OF(2), CHAIN_OF(3), CHAIN_OF(4), CHAIN_OF(5), CHAIN_OF(6), CHAIN_OF(7), CHAIN_OF(8), {0},
};

#endif
