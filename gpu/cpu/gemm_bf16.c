// Products of bfloat16 by instructions for them, to bfloat16. Both operands are packed; the output is made tile by tile, in one pass along k
// if k is short, and otherwise in sums of floats.
#include "bf16.h"
#include "gemm.h"

#define DEPTH 512           // along k, of a block: a panel of b fits into the nearest cache
#define BLOCK 2048          // rows and columns of a block
#define CACHE_BYTES 1000000 // of packed a that stay in a core's cache
#define ALONE 2e6           // with fewer multiplications, waking threads does not pay

struct bf16_block {
    const struct isa *isa;
    const struct bf16_loops *loops;
    struct gemm p;
    size_t i0, j0, k0, mb, nb, kb, steps; // the block; of BF16_TILE along k
    size_t a_panels, b_panels, rows, cols; // of the block, and of the part of a task
    uint16_t *a, *b;
    float *sum; // of the block, ld apart; NULL if k is one block
    size_t ld;
};

static size_t panel_size(const struct bf16_block *g) { return g->steps * BF16_TILE * BF16_TILE; }

static void pack_bf16(void *arg, int task) {
    struct bf16_block *g = arg;
    const int is_b = (size_t)task >= g->a_panels, rows = is_b ? g->p.b_rows : !g->p.a_cols;
    const size_t panel = (size_t)task - (is_b ? g->a_panels : 0), first = panel * BF16_TILE;
    const size_t all = is_b ? g->p.n : g->p.m, at = (is_b ? g->j0 : g->i0) + first;
    const size_t count = min_size(BF16_TILE, (is_b ? g->nb : g->mb) - first), ld = rows ? g->p.k : all;
    const uint16_t *src = (const uint16_t *)(is_b ? g->p.b : g->p.a) + (rows ? at * ld + g->k0 : g->k0 * ld + at);
    const struct bf16_loops *l = g->loops;
    if (is_b) (rows ? l->pack_b_rows : l->pack_b_cols)(src, ld, count, g->kb, g->b + panel * panel_size(g));
    else (rows ? l->pack_rows : l->pack_cols)(src, ld, count, g->kb, g->a + panel * panel_size(g));
}

// The output of a tile at (row, col) of the block from its sums.
static void store_tile(const struct bf16_block *g, const float *sums, size_t ld, size_t row, size_t col) {
    const size_t rows = min_size(BF16_TILE, g->mb - row), cols = min_size(BF16_TILE, g->nb - col), j = g->j0 + col;
    const struct epilogue *e = &g->p.end;
    uint16_t *out = (uint16_t *)g->p.out + (g->i0 + row) * g->p.n + j;
    if (e->activation == ACT_NONE || e->activation == ACT_RELU) {
        const float floor = e->activation == ACT_RELU ? 0 : -INFINITY;
        g->loops->store(sums, ld, rows, cols, e->bias ? (const uint16_t *)e->bias + j : NULL, floor, out, g->p.n);
        return;
    }
    for (size_t r = 0; r < rows; r++) g->isa->gemm->store[CPU_BF16](sums + r * ld, cols, j, e, out + r * g->p.n);
}

static void multiply_bf16(const struct bf16_block *g, size_t ia, size_t ib) {
    const size_t row = ia * BF16_TILE, col = ib * BF16_TILE;
    float part[BF16_TILE * BF16_TILE] __attribute__((aligned(64))), *sums = g->sum ? g->sum + row * g->ld + col : part;
    const size_t ld = g->sum ? g->ld : BF16_TILE;
    g->loops->tile(g->steps, g->a + ia * panel_size(g), g->b + ib * panel_size(g), sums, ld, g->k0 > 0);
    if (g->k0 + g->kb == g->p.k) store_tile(g, sums, ld, row, col);
}

static void multiply_part(void *arg, int task) {
    const struct bf16_block *g = arg;
    const size_t across = ceil_div(g->b_panels, g->cols);
    const size_t a0 = (size_t)task / across * g->rows, a1 = min_size(a0 + g->rows, g->a_panels);
    const size_t b0 = (size_t)task % across * g->cols, b1 = min_size(b0 + g->cols, g->b_panels);
    g->loops->begin();
    for (size_t b = b0; b < b1; b++)
        for (size_t a = a0; a < a1; a++) multiply_bf16(g, a, b);
    g->loops->end();
}

static void run_bf16_block(struct bf16_block *g, cpu_pool *pool, size_t threads, float *sum) {
    g->a_panels = ceil_div(g->mb, BF16_TILE), g->b_panels = ceil_div(g->nb, BF16_TILE);
    g->sum = sum, g->ld = g->b_panels * BF16_TILE;
    for (g->k0 = 0; g->k0 < g->p.k; g->k0 += g->kb) {
        g->kb = min_size(DEPTH, g->p.k - g->k0);
        g->steps = ceil_div(g->kb, BF16_TILE);
        run_on(pool, threads, g->a_panels + g->b_panels, pack_bf16, g);
        divide_panels(g->a_panels, g->b_panels, CACHE_BYTES / (2 * panel_size(g)), threads, &g->rows, &g->cols);
        run_on(pool, threads, ceil_div(g->a_panels, g->rows) * ceil_div(g->b_panels, g->cols), multiply_part, g);
    }
}

int run_bf16(cpu_stream *s, const struct gemm *product) {
    cpu_pool *pool = stream_pool(s);
    struct bf16_block g = {.isa = pool_isa(pool), .loops = pool_isa(pool)->bf16, .p = *product};
    const size_t rows = min_size(BLOCK, ceil_div(g.p.m, BF16_TILE) * BF16_TILE), cols = min_size(BLOCK, ceil_div(g.p.n, BF16_TILE) * BF16_TILE);
    const size_t depth = min_size(DEPTH, ceil_div(g.p.k, BF16_TILE) * BF16_TILE), sum_size = g.p.k > DEPTH ? rows * cols : 0;
    float *sum = stream_scratch(s, 4 * sum_size + 2 * (rows + cols) * depth);
    if (!sum) return 0;
    g.a = (uint16_t *)(sum + sum_size), g.b = g.a + rows * depth;
    const size_t threads = (double)g.p.m * (double)g.p.n * (double)g.p.k < ALONE ? 1 : (size_t)pool_threads(pool);
    for (g.j0 = 0; g.j0 < g.p.n; g.j0 += cols) {
        g.nb = min_size(cols, g.p.n - g.j0);
        for (g.i0 = 0; g.i0 < g.p.m; g.i0 += rows) {
            g.mb = min_size(rows, g.p.m - g.i0);
            run_bf16_block(&g, pool, threads, sum_size > 0 ? sum : NULL);
        }
    }
    return 1;
}
