// Elementwise kernels: one loop cut into pieces.
#include "isa.h"

#define PIECE 32768 // elements a thread takes at a time
#define ALONE 65536 // up to so many elements waking a thread costs more than it brings

struct map_job {
    map_fn *fn;
    const cpu_dispatch *d;
    size_t n, piece;
    int stream;
};

static void map_piece(void *arg, int i) {
    struct map_job *j = arg;
    const size_t first = (size_t)i * j->piece;
    j->fn(j->d->arg, j->d->s, first, min_size(first + j->piece, j->n), j->stream);
}

void run_map(cpu_pool *p, const cpu_dispatch *d) {
    const size_t n = d->n, width = d->type == CPU_F16 ? 2 : 4;
    struct map_job j = {pool_isa(p)->map[d->op][d->type], d, n, n, n * width > pool_cached_bytes(p)};
    const size_t alone = d->op == CPU_GELU ? ALONE / 4 : ALONE;
    if (n > alone) j.piece = d->op == CPU_GELU ? PIECE / 4 : PIECE;
    if (n > 0) pool_run(p, (int)ceil_div(n, j.piece), map_piece, &j);
}

// add_bias is the sum of each row and the bias: rows in pieces of about PIECE elements.
struct bias_job {
    map_fn *fn;
    const cpu_dispatch *d;
    size_t rows, cols, piece, width;
    int stream;
};

static void bias_piece(void *arg, int i) {
    const struct bias_job *j = arg;
    const size_t first = (size_t)i * j->piece, last = min_size(first + j->piece, j->rows);
    for (size_t r = first; r < last; r++) {
        const size_t at = r * j->cols * j->width;
        void *row[3] = {(char *)j->d->arg[0] + at, j->d->arg[1], (char *)j->d->arg[2] + at};
        j->fn(row, 0, 0, j->cols, j->stream);
    }
}

void run_add_bias(cpu_pool *p, const cpu_dispatch *d) {
    const size_t rows = d->m, cols = d->n, width = width_of(d->type);
    if (rows == 0 || cols == 0) return;
    const size_t piece = rows * cols > ALONE ? max_size(1, PIECE / cols) : rows;
    struct bias_job j = {
        pool_isa(p)->map[CPU_ADD][d->type], d, rows, cols, piece, width, rows * cols * width > pool_cached_bytes(p),
    };
    pool_run(p, (int)ceil_div(rows, piece), bias_piece, &j);
}
