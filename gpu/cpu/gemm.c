// Matrix products in the manner of Goto and van de Geijn: blocks of both operands are packed into panels of floats in
// the order the micro-kernel reads them. Element types and layouts differ only in how they are packed.
#include <string.h>

#include "gemm.h"

#define BLOCK_ROWS 2048     // of a, packed at a time
#define BLOCK_COLS 2048     // of b
#define CACHE_BYTES 400000 // of packed a that stay in a core's cache while panels of b are read
#define GROUP 4             // panels of b packed together, so that longer parts of rows of b are read
#define ALONE 4e6           // with fewer multiplications, waking threads does not pay
#define LINE 16             // floats in a cache line

struct block {
    const struct isa *isa;
    struct gemm p;
    size_t wide;                       // columns of a micro-kernel
    size_t i0, j0, k0, mb, nb, kb;     // the block
    size_t height, a_panels, b_panels; // rows of a panel of a; panels in the block
    size_t rows, cols;                 // panels of a, of b in a tile
    float *a, *b;                      // packed
    float *sum;                        // sums of the product so far, ld apart; NULL if the first block is the last
    size_t ld;
};

// Panel i of a: [kb][rows of the panel].
static void pack_a(struct block *g, size_t i) {
    const size_t first = i * g->height, rows = min_size(g->height, g->mb - first), vl = (size_t)g->isa->vl;
    float tmp[MAX_VL * MAX_KC], *to = g->a + first * g->kb;
    for (size_t r = 0; r < rows; r += vl) {
        const size_t n = min_size(vl, rows - r);
        size_t ld;
        const float *src = a_rows(g->isa, &g->p, g->i0 + first + r, n, g->k0, g->kb, tmp, &ld);
        g->isa->gemm->interleave(src, ld, (int)n, g->kb, to + r, rows, (int)n);
    }
}

// Panel i of b from rows of b: [kb][wide].
static void pack_b_rows(struct block *g, size_t i) {
    const size_t first = i * g->wide, cols = min_size(g->wide, g->nb - first), vl = (size_t)g->isa->vl;
    float tmp[MAX_VL * MAX_KC], *to = g->b + first * g->kb;
    for (size_t c = 0; c < cols; c += vl) {
        const size_t n = min_size(vl, cols - c);
        size_t ld;
        const float *src = b_rows(g->isa, &g->p, g->j0 + first + c, n, g->k0, g->kb, tmp, &ld);
        g->isa->gemm->interleave(src, ld, (int)n, g->kb, to + c, g->wide, (int)vl);
    }
}

// Packs panels of a, then groups of panels of b.
static void pack_task(void *arg, int task) {
    struct block *g = arg;
    if ((size_t)task < g->a_panels) {
        pack_a(g, (size_t)task);
        return;
    }
    const size_t first = ((size_t)task - g->a_panels) * GROUP, last = min_size(first + GROUP, g->b_panels);
    if (g->p.b_rows) {
        for (size_t i = first; i < last; i++) pack_b_rows(g, i);
        return;
    }
    const size_t col = first * g->wide, cols = min_size(last * g->wide, g->nb) - col;
    const char *src = (const char *)g->p.b + (g->k0 * g->p.n + g->j0 + col) * width_of(g->p.a_type);
    g->isa->gemm->pack[g->p.a_type](src, g->p.n, cols, g->kb, g->b + col * g->kb);
}

// Stores or adds the sums of a micro-kernel at the edge of the output.
static void put_sums(float *to, size_t ld, const float *part, size_t wide, size_t rows, size_t cols, int add) {
    for (size_t r = 0; r < rows; r++, to += ld, part += wide) {
        for (size_t c = 0; c < cols; c++) to[c] = add ? to[c] + part[c] : part[c];
    }
}

// One micro-kernel: panel ia of a by panel ib of b, and the epilogue if these are the last products.
static void multiply(struct block *g, size_t ia, size_t ib) {
    const size_t row = ia * g->height, rows = min_size(g->height, g->mb - row);
    const size_t col = ib * g->wide, cols = min_size(g->wide, g->nb - col), vl = (size_t)g->isa->vl;
    const size_t nv = ceil_div(cols, vl);
    const int last = g->k0 + g->kb == g->p.k, add = g->k0 > 0;
    ukr_fn *kernel = g->isa->gemm->ukr[nv - 1][rows];
    const float *a = g->a + row * g->kb, *b = g->b + col * g->kb;
    float part[MAX_MR * 2 * MAX_VL] __attribute__((aligned(64))), *sums = part;
    size_t ld = g->wide;
    if (g->sum) {
        sums = g->sum + row * g->ld + col;
        ld = g->ld;
    }
    if (!g->sum || cols == nv * vl) {
        kernel(g->kb, a, b, sums, ld, add);
    } else {
        kernel(g->kb, a, b, part, g->wide, 0);
        put_sums(sums, ld, part, g->wide, rows, cols, add);
    }
    if (!last || (g->p.end.type == CPU_F32 && !g->p.end.bias && g->p.end.activation == ACT_NONE)) return;
    const size_t i = g->i0 + row, j = g->j0 + col;
    char *out = (char *)g->p.out + (i * g->p.n + j) * width_of(g->p.end.type);
    for (size_t r = 0; r < rows; r++, out += g->p.n * width_of(g->p.end.type))
        g->isa->gemm->store[g->p.end.type](sums + r * ld, cols, j, &g->p.end, out);
}

static void multiply_tile(void *arg, int task) {
    struct block *g = arg;
    const size_t across = ceil_div(g->b_panels, g->cols);
    const size_t a0 = (size_t)task / across * g->rows, a1 = min_size(a0 + g->rows, g->a_panels);
    const size_t b0 = (size_t)task % across * g->cols, b1 = min_size(b0 + g->cols, g->b_panels);
    for (size_t b = b0; b < b1; b++)
        for (size_t a = a0; a < a1; a++) multiply(g, a, b);
}

static void run_tasks(cpu_pool *pool, int alone, size_t n, task_fn *fn, struct block *g) {
    if (!alone) {
        pool_run(pool, (int)n, fn, g);
        return;
    }
    for (size_t i = 0; i < n; i++) fn(g, (int)i);
}

// Packs and multiplies the block that g describes.
static void run_block(struct block *g, cpu_pool *pool, int alone) {
    const size_t threads = alone ? 1 : (size_t)pool_threads(pool);
    g->b_panels = ceil_div(g->nb, g->wide);
    g->a_panels = ceil_div(g->mb, (size_t)g->isa->gemm->mr);
    g->height = ceil_div(g->mb, g->a_panels);
    run_tasks(pool, alone, g->a_panels + ceil_div(g->b_panels, GROUP), pack_task, g);
    const size_t fit = max_size(1, CACHE_BYTES / (4 * g->height * max_size(1, g->kb)));
    g->rows = ceil_div(g->a_panels, ceil_div(g->a_panels, fit));
    const size_t down = ceil_div(g->a_panels, g->rows);
    const size_t across = threads == 1 ? 1 : min_size(g->b_panels, ceil_div(4 * threads, down));
    g->cols = ceil_div(g->b_panels, across);
    run_tasks(pool, alone, down * ceil_div(g->b_panels, g->cols), multiply_tile, g);
}

// Runs every block along k of the block of the output at (i0, j0); at least one, since a product with k = 0 is 0.
static void run_depth(struct block *g, cpu_pool *pool, int alone, size_t depth, float *scratch_sum) {
    g->sum = scratch_sum;
    g->ld = g->nb;
    if (g->p.end.type == CPU_F32) {
        g->sum = (float *)g->p.out + g->i0 * g->p.n + g->j0;
        g->ld = g->p.n;
    }
    g->k0 = 0;
    do {
        g->kb = min_size(depth, g->p.k - g->k0);
        run_block(g, pool, alone);
        g->k0 += g->kb;
    } while (g->k0 < g->p.k);
}

static size_t even_parts(size_t n, size_t max) { return n == 0 ? 0 : ceil_div(n, ceil_div(n, max)); }

int run_packed(cpu_stream *s, const struct gemm *product) {
    cpu_pool *pool = stream_pool(s);
    struct block g = {.isa = pool_isa(pool), .p = *product};
    g.wide = (size_t)(g.isa->vl * g.isa->gemm->nv);
    const size_t depth = even_parts(g.p.k, (size_t)g.isa->gemm->kc);
    const size_t rows = even_parts(g.p.m, BLOCK_ROWS), cols = even_parts(g.p.n, BLOCK_COLS);
    const size_t a_size = ceil_div(rows * depth, LINE) * LINE, b_size = ceil_div(cols, g.wide) * g.wide * depth;
    const size_t sum_size = g.p.end.type != CPU_F32 && g.p.k > depth ? rows * cols : 0;
    g.a = stream_scratch(s, 4 * (a_size + b_size + sum_size + LINE));
    if (!g.a) return 0;
    g.b = g.a + a_size;
    const int alone = (double)g.p.m * (double)g.p.n * (double)g.p.k < ALONE;
    for (g.j0 = 0; g.j0 < g.p.n; g.j0 += cols) {
        g.nb = min_size(cols, g.p.n - g.j0);
        for (g.i0 = 0; g.i0 < g.p.m; g.i0 += rows) {
            g.mb = min_size(rows, g.p.m - g.i0);
            run_depth(&g, pool, alone, depth, sum_size > 0 ? g.b + b_size : NULL);
        }
    }
    return 1;
}
