// Shared by kernels over the rows of a matrix: the loop over one row, and the tasks that divide the rows among threads.
#ifndef ASSAY_ROWS_H
#define ASSAY_ROWS_H

#include "isa.h"

// Computes row `row` of n > 0 elements; arg holds the kernel's arguments. With `stream` each row of the output is aligned to a
// whole vector and may be stored non-temporally, as decided by pool_stream.
typedef void row_loop(void *const *arg, size_t row, size_t n, float eps, int stream);

// The same for `count` rows from `row` on.
typedef void rows_loop(void *const *arg, size_t row, size_t count, size_t n, float eps, int stream);

// The loops of a family by element type: those that read a row once for its statistics, and those that read it twice.
struct row_loops {
    row_loop *once[CPU_TYPES], *twice[CPU_TYPES];
};

#if !defined(ISA_TABLE)

#define ROWS_PIECE 8192   // elements per task
#define ROWS_TOGETHER 8   // minimum rows per task where they are taken together, if each thread gets as many
#define ROWS_PAST 64      // the same with non-temporal stores

struct rows_job {
    row_loop *loop;
    rows_loop *together; // NULL: rows are taken one by one
    void *const *arg;
    size_t rows, cols, piece; // piece: rows per task
    float eps;
    int stream;
};

static void rows_task(void *arg, int task) {
    const struct rows_job *j = arg;
    const size_t first = (size_t)task * j->piece, last = min_size(first + j->piece, j->rows);
    if (j->together) j->together(j->arg, first, last - first, j->cols, j->eps, j->stream);
    for (size_t r = first; r < last && !j->together; r++) j->loop(j->arg, r, j->cols, j->eps, j->stream);
}

// The last argument is the output. A loop that writes a row twice gains less from non-temporal stores: it uses them from `passes`
// times as many bytes on.
static inline int run_all_rows(cpu_stream *s, const cpu_args *a, row_loop *const loops[CPU_TYPES], rows_loop *const together[CPU_TYPES],
                               size_t rows, size_t cols, float eps, size_t passes) {
    cpu_pool *pool = stream_pool(s);
    const size_t row = cols * width_of(a->type), line = 64;
    const int whole = row % line == 0 && (uintptr_t)a->arg[a->kernel->args - 1] % line == 0;
    struct rows_job j = {
        .loop = loops ? loops[a->type] : NULL, .together = together ? together[a->type] : NULL, .arg = a->arg, .rows = rows, .cols = cols,
        .piece = max_size(1, ROWS_PIECE / max_size(1, cols)), .eps = eps, .stream = whole ? pool_stream(pool, rows * row / passes) : 0,
    };
    if (together) j.piece = max_size(j.piece, min_size(j.stream ? ROWS_PAST : ROWS_TOGETHER, rows / (size_t)pool_threads(pool)));
    if (cols > 0) pool_run(pool, (int)ceil_div(rows, j.piece), rows_task, &j);
    return 1;
}

static inline int run_rows(cpu_stream *s, const cpu_args *a, row_loop *const loops[CPU_TYPES], size_t rows, size_t cols, float eps,
                           size_t passes) {
    return run_all_rows(s, a, loops, NULL, rows, cols, eps, passes);
}

#endif
#endif
