// Matrix products in the manner of Goto and van de Geijn: blocks of b are packed into panels of floats in the order the
// micro-kernel reads them, and rows of a are copied next to each other. Element types and layouts differ only in that; floats
// that already lie well are read in place.
#include <math.h>
#include <string.h>

#include "codes.h"
#include "gemm.h"
#include "tiles.h"

#define BLOCK_ROWS 2048     // of a, packed at a time
#define BLOCK_COLS 2048     // of b
#define CACHE_BYTES 400000 // of packed a that stay in a core's cache while panels of b are read
#define GROUP 4             // panels of b packed together, so that longer parts of rows of b are read
#define ALONE 1e5           // with fewer multiplications a thread, waking threads does not pay
#define LINE 16             // floats in a cache line
#define TILES 4             // a thread, at least, to share the work well
#define IN_PLACE 1024       // maximum length of a row of a that is not copied
#define FAR 1024            // floats
#define NARROW 256          // maximum length of a row of b that is not copied

struct block {
    const struct isa *isa;
    struct gemm p;
    size_t wide;                       // columns of a micro-kernel
    size_t i0, j0, k0, mb, nb, kb;     // the block
    size_t height, a_panels, b_panels; // rows of a panel of a; panels in the block
    size_t rows, cols;                 // panels of a, of b in a tile
    float *a_packed, *b_packed;        // NULL: the operand is read in place
    const float *a, *b;                // of the block
    size_t a_row, b_col, b_step;       // distances of rows of a, of columns of b that begin a panel, of rows of b in it
    float *sum;                        // sums of the product so far, ld apart; NULL if the first block is the last
    size_t ld;
};

// Panel i of a: rows of kb.
static void pack_a(struct block *g, size_t i) {
    const size_t first = i * g->height, rows = min_size(g->height, g->mb - first);
    float *to = g->a_packed + first * g->kb;
    size_t ld;
    const float *src = a_rows(g->isa, &g->p, g->i0 + first, rows, g->k0, g->kb, to, &ld);
    if (src == to) return;
    for (size_t r = 0; r < rows; r++) memcpy(to + r * g->kb, src + r * ld, 4 * g->kb);
}

// Panel i of b from rows of b: [kb][wide].
static void pack_b_rows(struct block *g, size_t i) {
    const size_t first = i * g->wide, cols = min_size(g->wide, g->nb - first), vl = (size_t)g->isa->vl;
    float tmp[MAX_VL * MAX_KC], *to = g->b_packed + first * g->kb;
    for (size_t c = 0; c < cols; c += vl) {
        const size_t n = min_size(vl, cols - c);
        size_t ld;
        const float *src = b_rows(g->isa, &g->p, g->j0 + first + c, n, g->k0, g->kb, tmp, &ld);
        g->isa->gemm->interleave(src, ld, (int)n, g->kb, to + c, g->wide, (int)vl);
    }
}

static size_t a_pack_tasks(const struct block *g) { return g->a_packed ? g->a_panels : 0; }

// Packs panels of a, then groups of panels of b.
static void pack_task(void *arg, int task) {
    struct block *g = arg;
    if ((size_t)task < a_pack_tasks(g)) {
        pack_a(g, (size_t)task);
        return;
    }
    const size_t first = ((size_t)task - a_pack_tasks(g)) * GROUP, last = min_size(first + GROUP, g->b_panels);
    if (g->p.b_rows) {
        for (size_t i = first; i < last; i++) pack_b_rows(g, i);
        return;
    }
    const size_t col = first * g->wide, cols = min_size(last * g->wide, g->nb) - col;
    const char *src = (const char *)g->p.b + (g->k0 * g->p.n + g->j0 + col) * width_of(g->p.a_type);
    g->isa->gemm->pack[g->p.a_type](src, g->p.n, cols, g->kb, g->b_packed + col * g->kb);
}

// Lets the micro-kernel add the bias and apply ReLU, while the sums are in registers; 0 if it cannot.
static int finish_in_registers(const struct epilogue *e, size_t col, struct tile *t) {
    if (e->type != CPU_F32 || (e->activation != ACT_NONE && e->activation != ACT_RELU)) return 0;
    t->last_sums = e->bias || e->activation == ACT_RELU;
    t->bias = e->bias ? (const float *)e->bias + col : NULL;
    t->floor = e->activation == ACT_RELU ? 0 : -INFINITY;
    return 1;
}

static void store_tile(const struct block *g, const struct tile *t, size_t rows, size_t cols, size_t i, size_t j) {
    const struct epilogue *e = &g->p.end;
    char *out = (char *)g->p.out + (i * g->p.n + j) * width_of(e->type);
    for (size_t r = 0; r < rows; r++, out += g->p.n * width_of(e->type)) g->isa->gemm->store[e->type](t->c + r * t->ldc, cols, j, e, out);
}

// Of int8: floats hold the sums of one block along k exactly, integers those of all.
static void add_integers(const struct block *g, const struct tile *t, size_t rows, size_t cols, size_t i, size_t j) {
    int32_t *out = (int32_t *)g->p.out + i * g->p.n + j;
    for (size_t r = 0; r < rows; r++, out += g->p.n) g->isa->gemm->add_integers(t->c + r * t->ldc, cols, g->k0 > 0, out);
}

// One micro-kernel: panel ia of a by panel ib of b, and the epilogue if these are the last products.
static void multiply(struct block *g, size_t ia, size_t ib) {
    const size_t row = ia * g->height, rows = min_size(g->height, g->mb - row);
    const size_t col = ib * g->wide, cols = min_size(g->wide, g->nb - col), vl = (size_t)g->isa->vl;
    const size_t nv = ceil_div(cols, vl), i = g->i0 + row, j = g->j0 + col;
    float part[MAX_MR * 2 * MAX_VL] __attribute__((aligned(64)));
    struct tile t = {
        .k = g->kb, .a = g->a + row * g->a_row, .b = g->b + col * g->b_col, .a_row = g->a_row, .b_step = g->b_step,
        .c = g->sum ? g->sum + row * g->ld + col : part, .ldc = g->sum ? g->ld : g->wide, .last = cols - (nv - 1) * vl,
        .add = g->k0 > 0 && g->p.end.type != CPU_I32,
    };
    const int last = g->k0 + g->kb == g->p.k, finished = last && finish_in_registers(&g->p.end, j, &t);
    g->isa->gemm->ukr[nv - 1][rows](&t);
    if (g->p.end.type == CPU_I32) add_integers(g, &t, rows, cols, i, j);
    else if (last && !finished) store_tile(g, &t, rows, cols, i, j);
}

static void multiply_tile(void *arg, int task) {
    struct block *g = arg;
    const size_t across = ceil_div(g->b_panels, g->cols);
    const size_t a0 = (size_t)task / across * g->rows, a1 = min_size(a0 + g->rows, g->a_panels);
    const size_t b0 = (size_t)task % across * g->cols, b1 = min_size(b0 + g->cols, g->b_panels);
    for (size_t b = b0; b < b1; b++)
        for (size_t a = a0; a < a1; a++) multiply(g, a, b);
}

// Where the block's operands lie: packed, or in place.
static void place_operands(struct block *g) {
    g->a = g->a_packed, g->a_row = g->kb;
    g->b = g->b_packed, g->b_col = g->kb, g->b_step = g->wide;
    if (!g->a_packed) g->a = (const float *)g->p.a + g->i0 * g->p.k + g->k0, g->a_row = g->p.k;
    if (!g->b_packed) g->b = (const float *)g->p.b + g->k0 * g->p.n + g->j0, g->b_col = 1, g->b_step = g->p.n;
}

void divide_panels(size_t a_panels, size_t b_panels, size_t fit, size_t threads, size_t *rows, size_t *cols) {
    const size_t want = threads == 1 ? 1 : TILES * threads;
    size_t down = ceil_div(a_panels, max_size(1, fit));
    const size_t across = min_size(b_panels, ceil_div(want, down));
    down = min_size(a_panels, max_size(down, ceil_div(want, across)));
    *rows = ceil_div(a_panels, down);
    *cols = ceil_div(b_panels, across);
}

// Packs and multiplies the block that g describes.
static void run_block(struct block *g, cpu_pool *pool, size_t threads) {
    g->b_panels = ceil_div(g->nb, g->wide);
    g->a_panels = ceil_div(g->mb, (size_t)g->isa->gemm->mr);
    g->height = ceil_div(g->mb, g->a_panels);
    place_operands(g);
    const size_t b_tasks = g->b_packed ? ceil_div(g->b_panels, GROUP) : 0;
    run_on(pool, threads, a_pack_tasks(g) + b_tasks, pack_task, g);
    divide_panels(g->a_panels, g->b_panels, CACHE_BYTES / (4 * g->height * max_size(1, g->kb)), threads, &g->rows, &g->cols);
    run_on(pool, threads, ceil_div(g->a_panels, g->rows) * ceil_div(g->b_panels, g->cols), multiply_tile, g);
}

// Runs every block along k of the block of the output at (i0, j0); at least one, since a product with k = 0 is 0.
static void run_depth(struct block *g, cpu_pool *pool, size_t threads, size_t depth, float *scratch_sum) {
    g->sum = scratch_sum;
    g->ld = g->nb;
    if (g->p.end.type == CPU_F32) {
        g->sum = (float *)g->p.out + g->i0 * g->p.n + g->j0;
        g->ld = g->p.n;
    }
    g->k0 = 0;
    do {
        g->kb = min_size(depth, g->p.k - g->k0);
        run_block(g, pool, threads);
        g->k0 += g->kb;
    } while (g->k0 < g->p.k);
}

static size_t even_parts(size_t n, size_t max) { return n == 0 ? 0 : ceil_div(n, ceil_div(n, max)); }

// Floats need no copy of a if its rows are not so far apart that they meet in the same few lines of the nearest cache.
static int a_in_place(const struct gemm *p) {
    return p->a_type == CPU_F32 && !p->a_cols && p->k <= IN_PLACE && (p->k % FAR != 0 || p->k < FAR);
}

// Nor of b, whose rows a panel then reads in parts.
static int b_in_place(const struct gemm *p, size_t vl) {
    return p->a_type == CPU_F32 && !p->b_rows && p->n % vl == 0 && p->n <= NARROW;
}

static int run_floats(cpu_stream *s, const struct gemm *product) {
    cpu_pool *pool = stream_pool(s);
    struct block g = {.isa = pool_isa(pool), .p = *product};
    g.wide = (size_t)(g.isa->vl * g.isa->gemm->nv);
    const size_t depth = even_parts(g.p.k, (size_t)g.isa->gemm->kc);
    const size_t rows = even_parts(g.p.m, BLOCK_ROWS), cols = even_parts(g.p.n, BLOCK_COLS);
    const size_t a_size = a_in_place(&g.p) ? 0 : ceil_div(rows * depth, LINE) * LINE;
    const size_t b_size = b_in_place(&g.p, (size_t)g.isa->vl) ? 0 : ceil_div(cols, g.wide) * g.wide * depth;
    const size_t sum_size = g.p.end.type != CPU_F32 && g.p.end.type != CPU_I32 && g.p.k > depth ? rows * cols : 0;
    float *scratch = stream_scratch(s, 4 * (a_size + b_size + sum_size + LINE));
    if (!scratch) return 0;
    if (a_size > 0) g.a_packed = scratch;
    if (b_size > 0) g.b_packed = scratch + a_size;
    const int alone = (double)g.p.m * (double)g.p.n * (double)g.p.k < ALONE * pool_threads(pool);
    const size_t threads = alone ? 1 : (size_t)pool_threads(pool);
    for (g.j0 = 0; g.j0 < g.p.n; g.j0 += cols) {
        g.nb = min_size(cols, g.p.n - g.j0);
        for (g.i0 = 0; g.i0 < g.p.m; g.i0 += rows) {
            g.mb = min_size(rows, g.p.m - g.i0);
            run_depth(&g, pool, threads, depth, sum_size > 0 ? scratch + a_size + b_size : NULL);
        }
    }
    return 1;
}

int run_packed(cpu_stream *s, const struct gemm *g) {
    const struct isa *isa = pool_isa(stream_pool(s));
    if (tiles_fit(isa, g)) return run_tiles(s, g);
    if (codes_fit(isa, g)) {
        const int done = run_codes(s, g);
        if (done != 0) return done > 0;
    }
    return run_floats(s, g);
}
