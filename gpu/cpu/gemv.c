// GEMMs with few rows of a: b is read once, in place, and never packed.
#include <string.h>

#include "dots.h"
#include "gemm.h"

#define PIECE 32768 // elements of b a thread takes at a time
#define TURNS 8     // per thread with codes, if a row is short: longer streams waste less prefetched data
#define ALONE 65536 // with fewer elements of b, waking threads does not pay
#define OUTPUTS 240 // columns of the output that a task computes from rows of b
#define NARROW 512  // maximum length of a row of b of which a few vectors are read at a time
#define CHAINS 4    // minimum independent sums, so that a core does not wait for additions
#define COLS 512    // columns per task if b is [k, n]
#define WHOLE 64    // columns per task are a multiple of this, so that all but the last consist of whole vectors

struct gemv {
    const struct isa *isa;
    struct gemm p;
    const float *a; // [m][k]
    struct quant_rows x; // a, prepared for codes
    size_t piece;   // outputs per task
    size_t vectors; // of the output whose sums a micro-kernel keeps in registers, if b is [k, n]; 0: sums are accumulated in memory
};

static void store_rows(const struct gemv *g, const float *sum, size_t ld, size_t col, size_t n) {
    const size_t width = width_of(g->p.end.type);
    for (size_t r = 0; r < g->p.m; r++)
        g->isa->gemm->store[g->p.end.type](sum + r * ld, n, col, &g->p.end, (char *)g->p.out + (r * g->p.n + col) * width);
}

// Adds to acc the products of `rows` rows of a, from r on, prepared in x, and row `row` of b.
static void dot_row(const struct gemv *g, size_t r, size_t rows, const struct quant_rows *x, size_t row, float *acc) {
    const size_t k = g->p.k;
    const float *a = g->a + r * k;
    if (g->p.w.codes) {
        dot_quantized(g->isa, &g->p.w, row, a, x, (int)rows, acc);
        return;
    }
    const char *b = (const char *)g->p.b + row * k * width_of(g->p.a_type);
    g->isa->gemm->dot[g->p.a_type](b, a, k, (int)rows, k, acc);
}

// Computes the first of n outputs from rows of codes with dot products of DOT_APART rows side by side. Returns how many: all but
// the last few.
static size_t dot_beside(const struct gemv *g, size_t first, size_t n, float *sum) {
    if (g->p.m != 1 || !g->p.w.codes || !can_dot_beside(g->isa, &g->p.w, &g->x)) return 0;
    const size_t apart = n / DOT_APART;
    struct row_turns rows = {.q = &g->p.w, .row = first, .apart = apart, .rows = DOT_APART, .turns = apart};
    for (size_t c = 0; c < apart; c++) {
        float acc[DOT_APART];
        const int finite = dot_beside_quantized(g->isa, &rows, c, &g->x, acc);
        if (!finite) rows.wide = 0; // dot_row widens its scales in the same place
        for (size_t r = 0; r < DOT_APART; r++) {
            if (!finite) acc[r] = 0, dot_row(g, 0, 1, &g->x, first + c + r * apart, &acc[r]);
            sum[c + r * apart] = acc[r];
        }
    }
    return apart * DOT_APART;
}

// Outputs from rows of b: dot products.
static void dot_task(void *arg, int task) {
    const struct gemv *g = arg;
    const size_t first = (size_t)task * g->piece, n = min_size(g->piece, g->p.n - first), m = g->p.m;
    const size_t together = g->x.x ? DOT_ROWS : GEMV_ROWS;
    float sum[GEMV_ROWS][OUTPUTS];
    size_t done = dot_beside(g, first, n, sum[0]);
    if (m == 1 && !g->p.w.codes) {
        const size_t k = g->p.k, row = k * width_of(g->p.a_type);
        for (int rows = g->isa->gemm->beside; rows >= 4; rows /= 2) {
            for (; done + (size_t)rows <= n; done += (size_t)rows)
                g->isa->gemm->dot_beside[g->p.a_type]((const char *)g->p.b + (first + done) * row, k, g->a, k, rows, &sum[0][done]);
        }
    }
    for (size_t r = 0; r < m; r += together) {
        const size_t rows = min_size(together, m - r);
        const struct quant_rows x = rows_from(&g->x, r);
        for (size_t c = done; c < n; c++) {
            float acc[GEMV_ROWS] = {0};
            dot_row(g, r, rows, &x, first + c, acc);
            for (size_t i = 0; i < rows; i++) sum[r + i][c] = acc[i];
        }
    }
    store_rows(g, sum[0], OUTPUTS, first, n);
}

// Outputs from columns of b that fit in a core's cache: sums stay in registers, and rows of b are read a few vectors at a time.
static void column_task(void *arg, int task) {
    const struct gemv *g = arg;
    const size_t first = (size_t)task * g->piece, n = min_size(g->piece, g->p.n - first), vl = (size_t)g->isa->vl;
    float sum[GEMV_ROWS][COLS];
    struct tile t = {.k = g->p.k, .a = g->a, .a_row = g->p.k, .b_step = g->p.n, .ldc = COLS, .last = vl};
    for (size_t c = 0, left = n / vl; left > 0;) {
        const size_t nv = left >= g->vectors ? g->vectors : left >= 2 ? 2 : 1;
        t.b = (const float *)g->p.b + first + c, t.c = &sum[0][c];
        g->isa->gemm->ukr[B_STRIDED][nv - 1][g->p.m](&t);
        left -= nv, c += nv * vl;
    }
    store_rows(g, sum[0], COLS, first, n);
}

// Outputs from columns of b: scaled rows of b are added.
static void axpy_task(void *arg, int task) {
    const struct gemv *g = arg;
    const size_t first = (size_t)task * g->piece, n = min_size(g->piece, g->p.n - first);
    const size_t width = width_of(g->p.a_type);
    float sum[GEMV_ROWS][COLS] = {{0}}, tmp[AXPY_STEPS][COLS];
    for (size_t d = 0; d < g->p.k; d += AXPY_STEPS) {
        const size_t steps = min_size(AXPY_STEPS, g->p.k - d);
        const char *at = (const char *)g->p.b + (d * g->p.n + first) * width;
        const float *b = (const float *)(const void *)at;
        size_t ldb = g->p.n;
        if (g->p.a_type != CPU_F32) {
            for (size_t i = 0; i < steps; i++) g->isa->gemm->widen[g->p.a_type](at + i * ldb * width, tmp[i], n);
            b = tmp[0];
            ldb = COLS;
        }
        g->isa->gemm->axpy(sum[0], COLS, g->a + d, g->p.k, (int)g->p.m, b, ldb, (int)steps, n);
    }
    store_rows(g, sum[0], COLS, first, n);
}

static size_t piece_of(const struct gemv *g, size_t threads) {
    const size_t max = g->p.b_rows ? OUTPUTS : COLS;
    if (g->p.n * g->p.k <= ALONE) return max;
    if (!g->p.b_rows) return min_size(max, ceil_div(ceil_div(g->p.n, 2 * threads), WHOLE) * WHOLE);
    const size_t even = g->p.w.codes ? g->p.n / (TURNS * threads) : 0;
    const size_t rows = max_size(1, min_size(max, max_size(even, PIECE / g->p.k)));
    return g->p.w.codes ? rows_in_streams(rows) : rows;
}

// The vectors of sums that a micro-kernel keeps in registers, if that is faster than adding rows of b in memory: enough that
// additions do not wait for each other, with the parts of rows of b fitting in a core's cache. Otherwise 0.
static size_t vectors_of(const struct gemv *g, size_t kept) {
    const struct gemm *p = &g->p;
    const size_t most = (size_t)(p->m <= (size_t)g->isa->gemm->broad_mr ? g->isa->gemm->broad_nv : g->isa->gemm->nv);
    const int fits = p->a_type == CPU_F32 && !p->b_rows && p->n <= NARROW && p->n % (size_t)g->isa->vl == 0 && 4 * p->n * p->k <= kept;
    return fits && p->m * most >= CHAINS ? most : 0;
}

int run_gemv(cpu_stream *s, const struct gemm *product) {
    cpu_pool *pool = stream_pool(s);
    struct gemv g = {.isa = pool_isa(pool), .p = *product};
    g.a = g.p.a;
    if ((g.p.a_type != CPU_F32 || g.p.a_cols) && g.p.k > 0) {
        float *a = stream_scratch(s, 4 * g.p.m * g.p.k);
        if (!a) return 0;
        size_t ld;
        g.a = a_rows(g.isa, &g.p, 0, g.p.m, 0, g.p.k, a, &ld);
    }
    if (g.p.w.codes) {
        char *x = stream_scratch(s, prepared_bytes(g.isa, &g.p.w, (int)g.p.m) + 4);
        if (!x) return 0;
        if (g.p.rounded) g.x = prepare_rounded_rows(g.isa, &g.p.w, g.p.rounded, g.p.rounded_scale, (int)g.p.m, x);
        if (!g.x.x) g.x = prepare_rows(g.isa, &g.p.w, g.a, (int)g.p.m, x);
    }
    g.vectors = vectors_of(&g, pool_kept_bytes(pool));
    task_fn *task = g.p.b_rows ? dot_task : g.vectors > 0 ? column_task : axpy_task;
    g.piece = piece_of(&g, (size_t)pool_threads(pool));
    const size_t tasks = ceil_div(g.p.n, g.piece);
    if (g.p.n * g.p.k > ALONE) {
        pool_run(pool, (int)tasks, task, &g);
    } else {
        for (size_t i = 0; i < tasks; i++) task(&g, (int)i);
    }
    return 1;
}
