// Attention. Keys and values are packed once for all queries, so that GEMMs read panels of floats in order. In one dispatch
// (flash) a task takes a block of queries, one in each lane: scores are stored by key, so maxima and sums are vector operations,
// and the powers are the right operand of the next GEMM. Tasks never depend on the number of threads.
#include <float.h>
#include <math.h>

#include "attention.h"

#define PACKED_BYTES ((size_t)64 << 20) // of keys and values at a time
#define NAIVE_QUERIES 64                // per task
#define FEW_QUERIES 4                   // up to this many, most lanes of a block would be empty

struct attention_job {
    const struct attention_loops *loops;
    struct AttentionParams p;
    int type, causal;
    const void *q, *k, *v, *mask; // q: attention weights, in the last dispatch of naive attention
    void *out;
    size_t group;       // heads that share keys
    size_t first;       // first head of keys that is packed
    float *rows;        // packed keys; key_floats for each head
    float *columns;     // packed values; value_floats for each head
    size_t key_panel, key_floats, value_panel, value_floats;
    size_t blocks, block; // per head; queries per block
    float *parts;         // of decoding
    float scale;
};

static struct attention_job job_of(cpu_stream *s, const cpu_args *a) {
    struct attention_job j = {.loops = pool_isa(stream_pool(s))->attention, .p = *(const struct AttentionParams *)a->params, .type = a->type};
    j.group = j.p.heads / max_size(1, j.p.kvheads);
    j.scale = 1 / sqrtf((float)j.p.dim);
    return j;
}

static int is_empty(const struct attention_job *j) { return j->p.heads == 0 || j->p.queries == 0; }

static size_t round_up(size_t n, size_t to) { return ceil_div(n, to) * to; }

static size_t seen_by(const struct attention_job *j, size_t query) {
    return j->causal ? query + 1 + j->p.keys - j->p.queries : j->p.keys;
}

// Element (row, 0) of a head's [rows][cols] matrix.
static size_t element(size_t head, size_t rows, size_t row, size_t cols) { return (head * rows + row) * cols; }

// Packs a block of keys, or of values, of one head.
static void pack_task(void *arg, int task) {
    const struct attention_job *j = arg;
    const size_t blocks = ceil_div(j->p.keys, ATT_KEYS), local = (size_t)task / blocks, key = (size_t)task % blocks * ATT_KEYS;
    const size_t n = min_size(ATT_KEYS, j->p.keys - key), dim = j->p.dim, from = element(j->first + local, j->p.keys, key, dim);
    for (size_t r = 0; j->rows && r < n; r += j->key_panel)
        j->loops->pack_rows[j->type](j->k, from + r * dim, dim, min_size(j->key_panel, n - r), dim, 1,
                                     j->rows + local * j->key_floats + (key + r) * dim, j->key_panel);
    if (j->columns)
        j->loops->pack_columns[j->type](j->v, from, n, dim, j->columns + local * j->value_floats + key * j->value_panel,
                                        j->value_panel, j->p.keys * j->value_panel);
}

// Packs as many heads at a time as PACKED_BYTES allows, and runs a task for each block of queries of the heads that share them.
static int run_blocks(cpu_stream *s, struct attention_job *j, task_fn *fn) {
    if (is_empty(j)) return 1;
    cpu_pool *pool = stream_pool(s);
    const size_t keys = ceil_div(j->p.keys, ATT_KEYS);
    j->blocks = ceil_div(j->p.queries, j->block);
    if (j->key_panel) j->key_floats = round_up(round_up(j->p.keys, j->key_panel) * j->p.dim, MAX_VL);
    if (j->value_panel) j->value_floats = round_up(round_up(j->p.dim, j->value_panel) * j->p.keys, MAX_VL);
    const size_t each = j->key_floats + j->value_floats;
    const size_t heads = max_size(1, min_size(j->p.kvheads, PACKED_BYTES / sizeof(float) / each));
    float *packed = stream_scratch(s, heads * each * sizeof(float));
    if (!packed) return 0;
    if (j->key_panel) j->rows = packed;
    if (j->value_panel) j->columns = packed + heads * j->key_floats;
    for (j->first = 0; j->first < j->p.kvheads; j->first += heads) {
        const size_t n = min_size(heads, j->p.kvheads - j->first);
        pool_run(pool, (int)(n * keys), pack_task, j);
        pool_run(pool, (int)(n * j->group * j->blocks), fn, j);
    }
    return 1;
}

// Where a task of run_blocks begins: its head and first query. Later queries see more keys, so they come first.
struct place {
    size_t head, query, count, local; // local: of the head's packed keys
};

static struct place place_of(const struct attention_job *j, int task) {
    const size_t head = (size_t)task / j->blocks, block = j->blocks - 1 - (size_t)task % j->blocks;
    struct place at = {j->first * j->group + head, block * j->block, 0, head / j->group};
    at.count = min_size(j->block, j->p.queries - at.query);
    return at;
}

static const void *mask_at(const struct attention_job *j, size_t query) {
    return j->mask ? (const char *)j->mask + query * j->p.keys * width_of(j->type) : NULL;
}

static void flash_task(void *arg, int task) {
    const struct attention_job *j = arg;
    const struct place at = place_of(j, task);
    const size_t first = element(at.head, j->p.queries, at.query, j->p.dim);
    float queries[ATT_DIM * ATT_WIDE] __attribute__((aligned(64)));
    j->loops->pack_rows[j->type](j->q, first, j->p.dim, at.count, j->p.dim, j->scale * (float)M_LOG2E, queries, j->loops->wide);
    struct attention_block b = {
        .dim = j->p.dim, .keys = j->p.keys, .count = at.count, .mask = mask_at(j, at.query),
        .rows = j->rows + at.local * j->key_floats, .columns = j->columns + at.local * j->value_floats,
        .depth = j->p.keys * j->value_panel,
    };
    for (size_t i = 0; i < at.count; i++) b.seen[i] = seen_by(j, at.query + i);
    j->loops->flash[j->type](&b, queries, j->out, first);
}

// Computes what a block of keys contributes to each query of the heads that share them.
static void decode_task(void *arg, int task) {
    const struct attention_job *j = arg;
    const size_t dim = j->p.dim, chunks = ceil_div(j->p.keys, ATT_KEYS), shared = (size_t)task / chunks, chunk = (size_t)task % chunks;
    const size_t key = chunk * ATT_KEYS, first = element(shared, j->p.keys, key, dim);
    for (size_t row = shared * j->group * j->p.queries; row < (shared + 1) * j->group * j->p.queries; row++) {
        const size_t query = row % j->p.queries, seen = seen_by(j, query);
        float *part = j->parts + (row * chunks + chunk) * (dim + 2), from[ATT_DIM + MAX_VL];
        part[dim] = -FLT_MAX, part[dim + 1] = 0;
        for (size_t d = 0; d < dim; d++) part[d] = 0;
        if (seen <= key) continue;
        j->loops->pack_rows[j->type](j->q, row * dim, dim, 1, dim, j->scale * (float)M_LOG2E, from, 1);
        for (size_t d = dim; d < dim + MAX_VL; d++) from[d] = 0;
        j->loops->decode[j->type](from, dim, j->k, j->v, first, min_size(ATT_KEYS, seen - key), j->mask, query * j->p.keys + key, part,
                                  part + dim, part + dim + 1);
    }
}

static void merge_task(void *arg, int row) {
    const struct attention_job *j = arg;
    const size_t dim = j->p.dim, chunks = ceil_div(j->p.keys, ATT_KEYS);
    j->loops->merge[j->type](j->parts + (size_t)row * chunks * (dim + 2), chunks, dim, j->out, (size_t)row * dim);
}

static struct attention_job attention_of(cpu_stream *s, const cpu_args *a) {
    struct attention_job j = job_of(s, a);
    j.q = a->arg[0], j.k = a->arg[1], j.v = a->arg[2], j.mask = a->arg[3], j.out = a->arg[4];
    j.causal = a->constants[ATTENTION_CAUSAL];
    return j;
}

static int decode(cpu_stream *s, struct attention_job *j) {
    if (is_empty(j)) return 1;
    const size_t rows = (size_t)j->p.heads * j->p.queries, chunks = ceil_div(j->p.keys, ATT_KEYS);
    j->parts = stream_scratch(s, rows * chunks * (j->p.dim + 2) * sizeof(float));
    if (!j->parts) return 0;
    pool_run(stream_pool(s), (int)(j->p.kvheads * chunks), decode_task, j);
    pool_run(stream_pool(s), (int)rows, merge_task, j);
    return 1;
}

static int run_decode(cpu_stream *s, const cpu_args *a) {
    struct attention_job j = attention_of(s, a);
    return decode(s, &j);
}

static int run_flash(cpu_stream *s, const cpu_args *a) {
    struct attention_job j = attention_of(s, a);
    if (j.p.queries <= FEW_QUERIES) return decode(s, &j);
    j.block = j.loops->wide;
    j.key_panel = j.value_panel = j.loops->rows;
    return run_blocks(s, &j, flash_task);
}

// Computes rows of scores: panels of queries times panels of keys.
static void scores_task(void *arg, int task) {
    const struct attention_job *j = arg;
    const struct place at = place_of(j, task);
    const size_t dim = j->p.dim, keys = j->p.keys, rows = j->loops->rows, wide = j->loops->wide;
    float queries[NAIVE_QUERIES * ATT_DIM], tile[8 * ATT_WIDE] __attribute__((aligned(64)));
    for (size_t r = 0; r < at.count; r += rows)
        j->loops->pack_rows[j->type](j->q, element(at.head, j->p.queries, at.query + r, dim), dim, min_size(rows, at.count - r), dim,
                                     j->scale, queries + r * dim, rows);
    for (size_t key = 0; key < keys; key += wide) {
        const float *panel = j->rows + at.local * j->key_floats + key * dim;
        const size_t n = min_size(wide, keys - key);
        for (size_t r = 0; r < at.count; r += rows) {
            j->loops->product(dim, queries + r * dim, panel, tile, wide, 0);
            for (size_t i = 0; i < rows && r + i < at.count; i++) {
                const size_t query = at.query + r + i, all = seen_by(j, query);
                j->loops->store[j->type](tile + i * wide, n, all > key ? min_size(n, all - key) : 0, j->mask, query * keys + key, j->out,
                                         element(at.head, j->p.queries, query, keys) + key);
            }
        }
    }
}

static int run_scores(cpu_stream *s, const cpu_args *a) {
    struct attention_job j = job_of(s, a);
    j.q = a->arg[0], j.k = a->arg[1], j.mask = a->arg[2], j.out = a->arg[3];
    j.causal = a->constants[ATTENTION_CAUSAL];
    j.block = NAIVE_QUERIES;
    j.key_panel = j.loops->wide;
    return run_blocks(s, &j, scores_task);
}

// Computes rows of the output: panels of attention weights times panels of values.
static void values_task(void *arg, int task) {
    const struct attention_job *j = arg;
    const struct place at = place_of(j, task);
    const size_t dim = j->p.dim, keys = j->p.keys, rows = j->loops->rows, wide = j->loops->wide;
    const float *columns = j->columns + at.local * j->value_floats;
    float shares[8 * ATT_KEYS], sums[8 * (ATT_DIM + ATT_WIDE)] __attribute__((aligned(64)));
    for (size_t r = 0; r < at.count; r += rows) {
        const size_t n = min_size(rows, at.count - r), first = element(at.head, j->p.queries, at.query + r, keys);
        for (size_t key = 0; key < keys; key += ATT_KEYS) {
            const size_t part = min_size(ATT_KEYS, keys - key);
            j->loops->pack_rows[j->type](j->q, first + key, keys, n, part, 1, shares, rows);
            for (size_t d = 0; d < dim; d += wide)
                j->loops->product(part, shares, columns + d * keys + key * wide, sums + d, ATT_DIM + ATT_WIDE, key > 0);
        }
        for (size_t i = 0; i < n; i++) {
            const size_t to = element(at.head, j->p.queries, at.query + r + i, dim);
            for (size_t d = 0; d < dim; d += wide) {
                const size_t m = min_size(wide, dim - d);
                j->loops->store[j->type](sums + i * (ATT_DIM + ATT_WIDE) + d, m, m, NULL, 0, j->out, to + d);
            }
        }
    }
}

static int run_values(cpu_stream *s, const cpu_args *a) {
    struct attention_job j = job_of(s, a);
    j.q = a->arg[0], j.v = a->arg[1], j.out = a->arg[2];
    j.block = NAIVE_QUERIES;
    j.value_panel = j.loops->wide;
    return run_blocks(s, &j, values_task);
}

#define ATTENTION_FLOATS TYPE_BITS(ATTENTION_TYPES(TYPE_BIT))

const cpu_kernel attention_kernels[] = {
    {"attention", "flash", ATTENTION_FLOATS, sizeof(struct AttentionParams), 5, run_flash},
    {"attention", "decode", ATTENTION_FLOATS, sizeof(struct AttentionParams), 5, run_decode},
    {"attention_scores", "tiled", ATTENTION_FLOATS, sizeof(struct AttentionParams), 4, run_scores},
    {"attention_values", "tiled", ATTENTION_FLOATS, sizeof(struct AttentionParams), 3, run_values},
    {0},
};
