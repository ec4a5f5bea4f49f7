// Memory access patterns: by columns, in the order of an index, and along a linked list. This file is compiled by itself for
// the kernels, and as a part of each instruction set for the loop over tiles of a transposition.
#include "isa.h"
#include "params/stream.h"

struct walk_part {
    const float *x;
    float *out;
    size_t rows, cols;               // of x
    size_t row, last_row, col, last; // the part of x to transpose
    int stream;                      // rows of out are whole vectors, and stored non-temporally
};

struct walk_loops {
    void (*transpose)(const struct walk_part *p);
};

#if defined(ISA_TABLE)

INLINE void walk_square(const struct walk_part *p, size_t r, size_t c, int stream) {
    vf v[VL];
    UNROLL
    for (size_t k = 0; k < VL; k++) v[k] = v_load(p->x + (r + k) * p->cols + c);
    v_transpose(v);
    UNROLL
    for (size_t k = 0; k < VL; k++) put_past(p->out, (c + k) * p->rows + r, v[k], CPU_F32, stream);
}

// Squares of vectors: they read whole cache lines of the rows of x, and write whole lines of those of out.
INLINE void walk_squares(const struct walk_part *p, int stream) {
    size_t c = p->col;
    for (; c + VL <= p->last; c += VL) {
        size_t r = p->row;
        for (; r + VL <= p->last_row; r += VL) walk_square(p, r, c, stream);
        for (; r < p->last_row; r++)
            for (size_t k = c; k < c + VL; k++) p->out[k * p->rows + r] = p->x[r * p->cols + k];
    }
    for (; c < p->last; c++)
        for (size_t r = p->row; r < p->last_row; r++) p->out[c * p->rows + r] = p->x[r * p->cols + c];
    if (stream) v_fence();
}

static void walk_transpose(const struct walk_part *p) {
    if (STREAMS && p->stream) walk_squares(p, 1);
    else walk_squares(p, 0);
}

static const struct walk_loops walk_loops = {walk_transpose};

#else

#include "map.h"

#define ALONE 65536 // with fewer elements, waking threads does not pay
#define TILE_COLS 64
#define TILE_ROWS 512

struct walk_job {
    void *const *arg;
    size_t rows, cols; // of x
    size_t piece;      // columns or elements that a thread takes at a time
    const struct walk_loops *loops;
    int stream;
};

static struct walk_job walk_matrix(cpu_stream *s, const cpu_args *a) {
    const struct MatrixParams *p = a->params;
    const struct isa *isa = pool_isa(stream_pool(s));
    const size_t bytes = (size_t)p->rows * p->cols * sizeof(float), line = 64;
    struct walk_job j = {a->arg, p->rows, p->cols, 1, isa->walk, 0};
    j.stream = bytes >= pool_cached_bytes(stream_pool(s)) && p->rows * sizeof(float) % line == 0 && (uintptr_t)a->arg[1] % line == 0;
    return j;
}

static size_t walk_pieces(struct walk_job *j, size_t each) {
    j->piece = j->rows * j->cols > ALONE ? each : max_size(1, j->cols);
    return ceil_div(j->cols, j->piece);
}

// Consecutive elements of a column, of which a thread takes few: a cache line holds 16 columns.
#define WALK_COLUMNS 16

static void columns_task(void *arg, int task) {
    const struct walk_job *j = arg;
    const float *x = j->arg[0];
    float *out = j->arg[1];
    const size_t first = (size_t)task * j->piece, last = min_size(first + j->piece, j->cols);
    for (size_t c = first; c < last; c++)
        for (size_t r = 0; r < j->rows; r++) out[r * j->cols + c] = x[r * j->cols + c];
}

static int run_copy_columns(cpu_stream *s, const cpu_args *a) {
    struct walk_job j = walk_matrix(s, a);
    pool_run(stream_pool(s), (int)walk_pieces(&j, WALK_COLUMNS), columns_task, &j);
    return 1;
}

static void transpose_task(void *arg, int task) {
    const struct walk_job *j = arg;
    const float *x = j->arg[0];
    float *out = j->arg[1];
    const size_t first = (size_t)task * j->piece, last = min_size(first + j->piece, j->cols);
    for (size_t c = first; c < last; c++)
        for (size_t r = 0; r < j->rows; r++) out[c * j->rows + r] = x[r * j->cols + c];
}

static int run_transpose(cpu_stream *s, const cpu_args *a) {
    struct walk_job j = walk_matrix(s, a);
    pool_run(stream_pool(s), (int)walk_pieces(&j, WALK_COLUMNS), transpose_task, &j);
    return 1;
}

static void tiles_task(void *arg, int task) {
    const struct walk_job *j = arg;
    const size_t across = ceil_div(j->cols, TILE_COLS), row = (size_t)task / across * TILE_ROWS, col = (size_t)task % across * TILE_COLS;
    const struct walk_part p = {
        j->arg[0], j->arg[1], j->rows, j->cols, row, min_size(row + TILE_ROWS, j->rows), col, min_size(col + TILE_COLS, j->cols), j->stream,
    };
    j->loops->transpose(&p);
}

static int run_transpose_tiled(cpu_stream *s, const cpu_args *a) {
    struct walk_job j = walk_matrix(s, a);
    const size_t tasks = ceil_div(j.cols, TILE_COLS) * ceil_div(j.rows, TILE_ROWS);
    run_on(stream_pool(s), j.rows * j.cols > ALONE ? (size_t)pool_threads(stream_pool(s)) : 1, tasks, tiles_task, &j);
    return 1;
}

#define GATHER_PIECE 32768 // elements that a thread takes at a time

struct gather_job {
    const float *x;
    const uint32_t *index;
    float *out;
    size_t n, chunks, piece; // piece: of the index
    unsigned shift;
    map_fn *copy;
    int stream;
};

// Elements one by one: a thread has as many loads in flight as its core supports.
static void gather_elements(void *arg, int task) {
    const struct gather_job *j = arg;
    const size_t first = (size_t)task * j->piece, last = min_size(first + j->piece, j->n);
    const size_t most = j->n - 1;
    for (size_t i = first; i < last; i++) j->out[i] = j->x[min_size(j->index[i], most)];
}

static void gather_chunks(void *arg, int task) {
    const struct gather_job *j = arg;
    const size_t first = (size_t)task * j->piece, last = min_size(first + j->piece, j->chunks), size = (size_t)1 << j->shift;
    for (size_t i = first; i < last; i++) {
        void *both[2] = {(float *)j->x + min_size(j->index[i], j->chunks - 1) * size, j->out + i * size};
        j->copy(both, 0, 0, size, j->stream);
    }
}

static int run_gather(cpu_stream *s, const cpu_args *a) {
    const struct GatherParams *p = a->params;
    cpu_pool *pool = stream_pool(s);
    if (p->n == 0) return 1;
    struct gather_job j = {
        a->arg[0], a->arg[1], a->arg[2], p->n, p->n >> p->shift, 0, p->shift, pool_isa(pool)->map->map[MAP_copy][CPU_F32],
        pool_stream(pool, p->n * sizeof(float)),
    };
    j.piece = p->n > ALONE ? max_size(1, GATHER_PIECE >> p->shift) : j.chunks;
    pool_run(pool, (int)ceil_div(j.chunks, j.piece), p->shift == 0 ? gather_elements : gather_chunks, &j);
    return 1;
}

static int run_chase(cpu_stream *s, const cpu_args *a) {
    (void)s;
    const struct ChaseParams *p = a->params;
    const uint32_t *next = a->arg[0];
    uint32_t *out = a->arg[1];
    for (uint32_t t = 0; t < p->threads; t++) {
        uint32_t at = p->first;
        for (uint32_t i = 0; i < p->steps; i++) at = next[at];
        out[t] = at;
    }
    return 1;
}

static int run_stamp(cpu_stream *s, const cpu_args *a) {
    (void)s;
    const struct StampParams *p = a->params;
    uint32_t *out = a->arg[0];
    for (uint32_t i = 0; i < p->n; i++) out[i] = p->value;
    return 1;
}

const cpu_kernel walk_kernels[] = {
    {"copy_matrix", "columns", 1u << CPU_F32, sizeof(struct MatrixParams), 2, run_copy_columns},
    {"transpose", "plain", 1u << CPU_F32, sizeof(struct MatrixParams), 2, run_transpose},
    {"transpose", "tiled", 1u << CPU_F32, sizeof(struct MatrixParams), 2, run_transpose_tiled},
    {"gather", "plain", 1u << CPU_F32, sizeof(struct GatherParams), 3, run_gather},
    {"chase", "plain", 1u << CPU_U32, sizeof(struct ChaseParams), 2, run_chase},
    {"stamp", "plain", 1u << CPU_U32, sizeof(struct StampParams), 1, run_stamp},
    {0},
};

#endif
