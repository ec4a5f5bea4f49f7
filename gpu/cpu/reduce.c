// The sum, the maximum and the argmax of each slice of an array. This file is compiled by itself for the kernels, and as a part
// of each instruction set for the loop over a stretch of a slice.
#include <math.h>
#include <string.h>

#include "isa.h"

#define REDUCE_TYPES(X) X(F32) X(F16)

struct reduce_loops {
    float (*sum[CPU_TYPES])(const void *x, size_t n);
    float (*tree[CPU_TYPES])(const void *x, size_t n); // the sum, joined in halves
    float (*max[CPU_TYPES])(const void *x, size_t n);
    size_t (*find[CPU_TYPES])(const void *x, size_t n, float value);                                // the first that is equal; n: none
    uint32_t (*named[CPU_TYPES])(const void *x, const uint32_t *indices, size_t n, uint32_t source); // argmax of indexed elements
};

#if defined(ISA_TABLE)

#define REDUCE_SUMS 8 // independent sums

INLINE float reduce_sum(enum cpu_type type, const void *x, size_t n) {
    vf sums[REDUCE_SUMS] = {{0}};
    size_t i = 0;
    for (; i + REDUCE_SUMS * VL <= n; i += REDUCE_SUMS * VL) {
        UNROLL
        for (size_t v = 0; v < REDUCE_SUMS; v++) sums[v] += get(x, i + v * VL, type);
    }
    for (; i + VL <= n; i += VL) sums[0] += get(x, i, type);
    if (i < n) sums[1] += get_n(x, i, n - i, type);
    UNROLL
    for (int v = REDUCE_SUMS / 2; v > 0; v /= 2)
        for (int w = 0; w < v; w++) sums[w] += sums[w + v];
    return sum_of(sums[0]);
}

#define TREE_LEAF 512 // elements summed in a row

// Halves are joined once they are summed, so a sum of n elements accumulates about log2(n / TREE_LEAF) roundings.
INLINE float reduce_tree(float (*sum)(const void *x, size_t n), size_t width, const char *x, size_t n) {
    float waiting[8 * sizeof n]; // sums of 1, 2, 4 … leaves that wait for as many more
    int depth = 0;
    size_t leaves = 0;
    for (size_t i = 0; i < n; i += TREE_LEAF) {
        float v = sum(x + i * width, n - i < TREE_LEAF ? n - i : TREE_LEAF);
        for (size_t full = leaves++; full & 1; full >>= 1) v += waiting[--depth];
        waiting[depth++] = v;
    }
    float v = depth ? waiting[--depth] : 0;
    while (depth) v += waiting[--depth];
    return v;
}

INLINE float reduce_max(enum cpu_type type, const void *x, size_t n) {
    vf top[REDUCE_SUMS];
    for (int v = 0; v < REDUCE_SUMS; v++) top[v] = v_set1(-INFINITY);
    size_t i = 0;
    for (; i + REDUCE_SUMS * VL <= n; i += REDUCE_SUMS * VL) {
        UNROLL
        for (size_t v = 0; v < REDUCE_SUMS; v++) top[v] = v_max(get(x, i + v * VL, type), top[v]);
    }
    for (; i + VL <= n; i += VL) top[0] = v_max(get(x, i, type), top[0]);
    for (int v = 1; v < REDUCE_SUMS; v++) top[0] = v_max(top[v], top[0]);
    float lanes[2 * VL], largest = -INFINITY;
    v_store(lanes, top[0]);
    v_store(lanes + VL, get_n(x, i, n - i, type));
    for (size_t l = 0; l < VL + n - i; l++) largest = lanes[l] > largest ? lanes[l] : largest;
    return largest;
}

INLINE int any_lane(vi mask) {
    uint64_t pairs[VL / 2], any = 0;
    memcpy(pairs, &mask, sizeof pairs);
    for (int i = 0; i < VL / 2; i++) any |= pairs[i];
    return any != 0;
}

INLINE size_t reduce_find(enum cpu_type type, const void *x, size_t n, float value) {
    const size_t block = REDUCE_SUMS * VL;
    const vf all = v_set1(value);
    size_t i = 0;
    for (; i + block <= n; i += block) { // whole blocks without the value are skipped
        vi equal = {0};
        UNROLL
        for (size_t v = 0; v < REDUCE_SUMS; v++) equal |= get(x, i + v * VL, type) == all;
        if (any_lane(equal)) break;
    }
    for (; i < n; i += VL) {
        const size_t m = n - i < VL ? n - i : VL;
        const vf some = m == VL ? get(x, i, type) : get_n(x, i, m, type);
        if (!any_lane(some == all)) continue;
        float lanes[VL];
        v_store(lanes, some);
        for (size_t l = 0; l < m; l++)
            if (lanes[l] == value) return i + l;
    }
    return n;
}

INLINE uint32_t reduce_named(enum cpu_type type, const void *x, const uint32_t *indices, size_t n, uint32_t source) {
    float best = -INFINITY;
    uint32_t found = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        const uint32_t at = indices[i] % source;
        float lanes[VL];
        v_store(lanes, get_n(x, at, 1, type));
        if (lanes[0] > best || (lanes[0] == best && at < found)) best = lanes[0], found = at;
    }
    return found;
}

#define REDUCE_LOOPS(type)                                                                              \
    WANT_FLOAT(type);                                                                                   \
    static float sum_##type(const void *x, size_t n) { return reduce_sum(CPU_##type, x, n); }           \
    static float tree_##type(const void *x, size_t n) { return reduce_tree(sum_##type, width_of(CPU_##type), x, n); } \
    static float max_##type(const void *x, size_t n) { return reduce_max(CPU_##type, x, n); }           \
    static size_t find_##type(const void *x, size_t n, float value) { return reduce_find(CPU_##type, x, n, value); } \
    static uint32_t named_##type(const void *x, const uint32_t *indices, size_t n, uint32_t source) {   \
        return reduce_named(CPU_##type, x, indices, n, source);                                         \
    }
REDUCE_TYPES(REDUCE_LOOPS)

#define SUM_ENTRY(type) [CPU_##type] = sum_##type,
#define TREE_ENTRY(type) [CPU_##type] = tree_##type,
#define MAX_ENTRY(type) [CPU_##type] = max_##type,
#define FIND_ENTRY(type) [CPU_##type] = find_##type,
#define NAMED_ENTRY(type) [CPU_##type] = named_##type,
static const struct reduce_loops reduce_loops = {
    {REDUCE_TYPES(SUM_ENTRY)}, {REDUCE_TYPES(TREE_ENTRY)}, {REDUCE_TYPES(MAX_ENTRY)}, {REDUCE_TYPES(FIND_ENTRY)}, {REDUCE_TYPES(NAMED_ENTRY)},
};

#else

#include "params/reduce.h"

#define STRETCH 65536 // consecutive elements per thread: results do not depend on the number of threads
#define TASK 16384    // elements per task of short slices

typedef float stretch_fn(const void *x, size_t n);

// A reduction: the result of each stretch of each slice, joined in order, or in `into` as it arrives.
struct reduce_job {
    stretch_fn *loop;
    const char *x;
    size_t width, n, each, per_slice, stretches; // per_slice: stretches of a slice
    size_t piece;                                // stretches per task
    float *found;
    uint32_t *at; // for argmax: the index of the result of each stretch; NULL: not wanted
    size_t (*find)(const void *x, size_t n, float value); // finds that index
    float *into; // for the maximum or the sum of all, with atomics; NULL: found has the result of each stretch
    size_t *left; // for the sum: stretches still to come. The last one joins them in order, so that threads do not decide the rounding
};

static void raise_to(float *top, float v) {
    float held;
    __atomic_load(top, &held, __ATOMIC_RELAXED);
    while (v > held && !__atomic_compare_exchange(top, &held, &v, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

// Joins n sums in halves; n > 0.
static float join_tree(float *found, size_t n) {
    for (; n > 1; n = (n + 1) / 2)
        for (size_t k = 0; k < n / 2; k++) found[k] += found[k + (n + 1) / 2];
    return found[0];
}

struct stretch {
    const char *x;
    size_t first, n;
};

static struct stretch stretch_of(const struct reduce_job *j, size_t stretch) {
    const size_t slice = stretch / j->per_slice, at = stretch % j->per_slice * STRETCH;
    const size_t from = min_size(slice * j->each, j->n), end = min_size(from + j->each, j->n);
    const size_t first = min_size(from + at, end), last = min_size(first + STRETCH, end);
    return (struct stretch){j->x + first * j->width, first, last - first};
}

static void reduce_stretch(const struct reduce_job *j, size_t stretch) {
    const struct stretch s = stretch_of(j, stretch);
    const float v = j->loop(s.x, s.n);
    if (j->into && !j->left) {
        raise_to(j->into, v);
        return;
    }
    j->found[stretch] = v;
    if (j->left && __atomic_sub_fetch(j->left, 1, __ATOMIC_ACQ_REL) == 0) *j->into += join_tree(j->found, j->stretches);
    if (!j->at) return;
    const size_t i = j->find(s.x, s.n, v); // the data is in the cache by now
    j->at[stretch] = i < s.n ? (uint32_t)(s.first + i) : UINT32_MAX;
}

static void reduce_task(void *arg, int task) {
    const struct reduce_job *j = arg;
    const size_t first = (size_t)task * j->piece, last = min_size(first + j->piece, j->stretches);
    for (size_t k = first; k < last; k++) reduce_stretch(j, k);
}

static void reduce_all(cpu_stream *s, struct reduce_job *j) {
    pool_run(stream_pool(s), (int)ceil_div(j->stretches, j->piece), reduce_task, j);
}

static struct reduce_job slices_of(const cpu_args *a, stretch_fn *loop, size_t n, size_t parts) {
    struct reduce_job j = {.loop = loop, .x = a->arg[0], .width = width_of(a->type), .n = n};
    j.each = REDUCE_EACH(n, max_size(1, parts));
    j.per_slice = max_size(1, ceil_div(j.each, STRETCH));
    j.stretches = parts * j.per_slice;
    j.piece = max_size(1, TASK / min_size(max_size(1, j.each), STRETCH));
    return j;
}

static struct reduce_job job_of(cpu_stream *s, stretch_fn *loop, const cpu_args *a, size_t n, size_t parts) {
    struct reduce_job j = slices_of(a, loop, n, parts);
    j.found = stream_scratch(s, max_size(1, j.stretches) * (sizeof *j.found + sizeof *j.at));
    return j;
}

// Fills found with the loop's result for each stretch; it is NULL if there is no memory for it.
static struct reduce_job run_stretches(cpu_stream *s, stretch_fn *loop, const cpu_args *a, size_t n, size_t parts) {
    struct reduce_job j = job_of(s, loop, a, n, parts);
    if (j.found) reduce_all(s, &j);
    return j;
}

static int sum_by(cpu_stream *s, const cpu_args *a, stretch_fn *loop) {
    const struct ReduceParams *p = a->params;
    const struct reduce_job j = run_stretches(s, loop, a, p->n, p->parts);
    float *out = a->arg[1];
    for (size_t i = 0; j.found && i < p->parts; i++) out[i] = join_tree(j.found + i * j.per_slice, j.per_slice);
    return j.found != NULL;
}

static int run_sum(cpu_stream *s, const cpu_args *a) { return sum_by(s, a, pool_isa(stream_pool(s))->reduce->sum[a->type]); }

static int run_sum_tree(cpu_stream *s, const cpu_args *a) { return sum_by(s, a, pool_isa(stream_pool(s))->reduce->tree[a->type]); }

static int run_sum_into(cpu_stream *s, const cpu_args *a) {
    const struct ReduceParams *p = a->params;
    struct reduce_job j = job_of(s, pool_isa(stream_pool(s))->reduce->sum[a->type], a, p->n, p->parts);
    size_t left = j.stretches;
    j.into = a->arg[1], j.left = &left;
    if (j.found) reduce_all(s, &j);
    return j.found != NULL;
}

static int run_max(cpu_stream *s, const cpu_args *a) {
    const struct ReduceParams *p = a->params;
    const struct reduce_job j = run_stretches(s, pool_isa(stream_pool(s))->reduce->max[a->type], a, p->n, p->parts);
    float *out = a->arg[1];
    for (size_t i = 0; j.found && i < p->parts; i++) {
        float largest = -INFINITY;
        for (size_t k = 0; k < j.per_slice; k++) largest = fmaxf(largest, j.found[i * j.per_slice + k]);
        out[i] = largest;
    }
    return j.found != NULL;
}

static int run_max_into(cpu_stream *s, const cpu_args *a) {
    const struct ReduceParams *p = a->params;
    struct reduce_job j = slices_of(a, pool_isa(stream_pool(s))->reduce->max[a->type], p->n, p->parts);
    j.into = a->arg[1];
    reduce_all(s, &j);
    return 1;
}

// What a task of find_into works on.
struct find_job {
    struct reduce_job slices;
    float top;
    uint32_t *first;
};

static void lower_to(uint32_t *least, uint32_t v) {
    uint32_t held = __atomic_load_n(least, __ATOMIC_RELAXED);
    while (v < held && !__atomic_compare_exchange_n(least, &held, v, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

static void find_task(void *arg, int task) {
    const struct find_job *f = arg;
    const struct reduce_job *j = &f->slices;
    const size_t end = min_size(((size_t)task + 1) * j->piece, j->stretches);
    for (size_t k = (size_t)task * j->piece; k < end; k++) {
        const struct stretch s = stretch_of(j, k);
        const size_t i = j->find(s.x, s.n, f->top);
        if (i < s.n) lower_to(f->first, (uint32_t)(s.first + i));
    }
}

static int run_find_into(cpu_stream *s, const cpu_args *a) {
    const struct ReduceParams *p = a->params;
    struct find_job f = {.slices = slices_of(a, NULL, p->n, p->parts), .first = a->arg[2]};
    if (p->parts == 0) return 1; // then there is no top
    f.top = *(const float *)a->arg[1];
    f.slices.find = pool_isa(stream_pool(s))->reduce->find[a->type];
    pool_run(stream_pool(s), (int)ceil_div(f.slices.stretches, f.slices.piece), find_task, &f);
    return 1;
}

static int run_argmax_named(cpu_stream *s, const cpu_args *a) {
    const struct ArgmaxParams *p = a->params;
    const size_t each = REDUCE_EACH((size_t)p->n, max_size(1, p->parts));
    uint32_t *out = a->arg[2];
    for (size_t i = 0; i < p->parts; i++) {
        const size_t first = min_size(i * each, p->n), last = min_size(first + each, p->n);
        const uint32_t *indices = (const uint32_t *)a->arg[1] + first;
        out[i] = pool_isa(stream_pool(s))->reduce->named[a->type](a->arg[0], indices, last - first, p->source);
    }
    return 1;
}

static int run_argmax(cpu_stream *s, const cpu_args *a) {
    if (a->constants[ARGMAX_INDEXED]) return run_argmax_named(s, a);
    const struct ArgmaxParams *p = a->params;
    const struct reduce_loops *loops = pool_isa(stream_pool(s))->reduce;
    struct reduce_job j = job_of(s, loops->max[a->type], a, p->n, p->parts);
    if (!j.found) return 0;
    j.at = (uint32_t *)(j.found + j.stretches);
    j.find = loops->find[a->type];
    reduce_all(s, &j);
    uint32_t *out = a->arg[2];
    for (size_t i = 0; i < p->parts; i++) {
        size_t best = i * j.per_slice;
        for (size_t k = best + 1; k < (i + 1) * j.per_slice; k++)
            if (j.found[k] > j.found[best]) best = k;
        out[i] = j.at[best];
    }
    return 1;
}

const cpu_kernel reduce_kernels[] = {
    {"sum", "plain", TYPE_BITS(REDUCE_TYPES(TYPE_BIT)), sizeof(struct ReduceParams), 2, run_sum},
    {"sum", "tree", TYPE_BITS(REDUCE_TYPES(TYPE_BIT)), sizeof(struct ReduceParams), 2, run_sum_tree},
    {"sum_into", "plain", TYPE_BITS(REDUCE_TYPES(TYPE_BIT)), sizeof(struct ReduceParams), 2, run_sum_into},
    {"max", "plain", TYPE_BITS(REDUCE_TYPES(TYPE_BIT)), sizeof(struct ReduceParams), 2, run_max},
    {"max_into", "plain", TYPE_BITS(REDUCE_TYPES(TYPE_BIT)), sizeof(struct ReduceParams), 2, run_max_into},
    {"argmax", "plain", TYPE_BITS(REDUCE_TYPES(TYPE_BIT)), sizeof(struct ArgmaxParams), 3, run_argmax},
    {"find_into", "plain", TYPE_BITS(REDUCE_TYPES(TYPE_BIT)), sizeof(struct ReduceParams), 3, run_find_into},
    {0},
};

#endif
