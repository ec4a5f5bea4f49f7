// Elementwise kernels: one loop divided into pieces.
#include "map.h"

#include "params/elementwise.h"
#include "params/stream.h"

#define PIECE 32768       // elements a thread takes at a time
#define LONG_PIECE 262144 // maximum with non-temporal stores, where a piece ends by waiting for its stores
#define LONG_PIECES 16    // minimum number of those for each thread, for load balance
#define ALONE 65536       // with fewer elements, waking threads does not pay

struct map_job {
    map_fn *fn;
    void *const *arg;
    float s;
    size_t n, piece;
    int stream;
};

static void map_piece(void *arg, int i) {
    struct map_job *j = arg;
    const size_t first = (size_t)i * j->piece;
    j->fn(j->arg, j->s, first, min_size(first + j->piece, j->n), j->stream);
}

// Divides n elements: returns the size of a piece.
static size_t piece_of(const cpu_pool *p, size_t n, int costly, int stream) {
    if (n <= (costly ? ALONE / 4 : ALONE)) return n;
    if (costly) return PIECE / 4;
    return stream ? max_size(PIECE, min_size(LONG_PIECE, n / (size_t)(LONG_PIECES * pool_threads(p)))) : PIECE;
}

static int run_map(cpu_stream *stream, const cpu_args *a, enum map_op op, size_t n, float s) {
    cpu_pool *p = stream_pool(stream);
    map_fn *fn = pool_isa(p)->map->map[op][a->type];
    const int costly = op == MAP_gelu || op == MAP_gelu_erf || op == MAP_silu || op == MAP_silu_mul; // because of their exponential
    const int past = pool_stream(p, n * width_of(a->type));
    struct map_job j = {fn, a->arg, s, n, piece_of(p, n, costly, past), past};
    if (n > 0) pool_run(p, (int)ceil_div(n, j.piece), map_piece, &j);
    return 1;
}

// The rows of the elementwise operations are in the order of map_op.
static int run_elementwise(cpu_stream *s, const cpu_args *a) {
    const struct ElementwiseParams *p = a->params;
    return run_map(s, a, (enum map_op)(a->kernel - map_kernels), p->n, 0);
}

// run_gelu_inplace overwrites its input.
static int run_gelu_inplace(cpu_stream *s, const cpu_args *a) {
    const struct ElementwiseParams *p = a->params;
    void *const both[2] = {a->arg[0], a->arg[0]};
    const cpu_args in_place = {a->kernel, a->params, a->constants, both, a->type};
    return run_map(s, &in_place, MAP_gelu, p->n, 0);
}

// run_add_multi adds pairs one after the other: each is divided among all threads.
static int run_add_multi(cpu_stream *s, const cpu_args *a) {
    const struct ElementwiseParams *p = a->params;
    for (int i = 0; i < 4; i++) {
        const cpu_args one = {a->kernel, a->params, a->constants, a->arg + 3 * i, a->type};
        run_map(s, &one, MAP_add, p->n, 0);
    }
    return 1;
}

static int run_copy(cpu_stream *s, const cpu_args *a) {
    const struct CopyParams *p = a->params;
    void *const from[2] = {(float *)a->arg[0] + p->first, a->arg[1]};
    const cpu_args one = {a->kernel, a->params, a->constants, from, a->type};
    return run_map(s, &one, MAP_copy, p->n, 0);
}

static int run_scale(cpu_stream *s, const cpu_args *a) {
    const struct ScaleParams *p = a->params;
    return run_map(s, a, MAP_scale, p->n, p->s);
}

// The consecutive rows of a matrix are one array.
static int run_copy_matrix(cpu_stream *s, const cpu_args *a) {
    const struct MatrixParams *p = a->params;
    return run_map(s, a, MAP_copy, (size_t)p->rows * p->cols, 0);
}

static int run_triad(cpu_stream *s, const cpu_args *a) {
    const struct TriadParams *p = a->params;
    return run_map(s, a, MAP_triad, p->n, p->s);
}

// add_bias adds the bias to each row, in pieces of about PIECE elements.
struct bias_job {
    map_fn *fn;
    void *const *arg;
    size_t rows, cols, piece, width;
    int stream;
};

static void bias_piece(void *arg, int i) {
    const struct bias_job *j = arg;
    const size_t first = (size_t)i * j->piece, last = min_size(first + j->piece, j->rows);
    for (size_t r = first; r < last; r++) {
        const size_t at = r * j->cols * j->width;
        void *row[3] = {(char *)j->arg[0] + at, j->arg[1], (char *)j->arg[2] + at};
        j->fn(row, 0, 0, j->cols, j->stream);
    }
}

static int run_add_bias(cpu_stream *s, const cpu_args *a) {
    const struct BiasParams *p = a->params;
    cpu_pool *pool = stream_pool(s);
    const size_t rows = p->rows, cols = p->cols, width = width_of(a->type);
    if (rows == 0 || cols == 0) return 1;
    const size_t piece = rows * cols > ALONE ? max_size(1, PIECE / cols) : rows;
    struct bias_job j = {
        pool_isa(pool)->map->map[MAP_add][a->type], a->arg, rows, cols, piece, width,
        pool_stream(pool, rows * cols * width),
    };
    pool_run(pool, (int)ceil_div(rows, piece), bias_piece, &j);
    return 1;
}

#define FLOATS TYPE_BITS(ELEMENTWISE_TYPES(TYPE_BIT, ))
#define MOVED TYPE_BITS(MOVES_TYPES(TYPE_BIT, ))

const cpu_kernel map_kernels[] = {
#define MAP(name, inputs, result) \
    [MAP_##name] = {#name, "plain", FLOATS, sizeof(struct ElementwiseParams), (inputs) + 1, run_elementwise},
    ELEMENTWISE(MAP)
#undef MAP
    {"gelu_inplace", "plain", FLOATS, sizeof(struct ElementwiseParams), 1, run_gelu_inplace},
    {"add_multi", "plain", FLOATS, sizeof(struct ElementwiseParams), 12, run_add_multi},
    {"copy", "plain", MOVED, sizeof(struct CopyParams), 2, run_copy},
    {"scale", "plain", MOVED, sizeof(struct ScaleParams), 2, run_scale},
    {"copy_matrix", "plain", MOVED, sizeof(struct MatrixParams), 2, run_copy_matrix},
    {"triad", "plain", MOVED, sizeof(struct TriadParams), 3, run_triad},
    {"add_bias", "plain", FLOATS, sizeof(struct BiasParams), 3, run_add_bias},
    {0},
};
