// Products of bfloat16, to bfloat16, and of int8, to int32, by instructions for them. Both operands are packed; the output is made tile
// by tile, in one pass along k if k is short, and otherwise in sums of a block.
#include <math.h>
#include <string.h>

#include "gemm.h"
#include "tiles.h"

#define DEPTH_BYTES 1024    // along k, of a block: most of a panel of each operand fits into the nearest cache
#define BLOCK 2048          // rows and columns of a block
#define CACHE_BYTES 1000000 // of packed a that stay in a core's cache
#define ALONE 2e6           // with fewer multiplications, waking threads does not pay

struct tile_job {
    const struct isa *isa;
    const struct tile_loops *loops;
    struct gemm p;
    size_t width;                          // bytes of an element of the operands
    size_t i0, j0, k0, mb, nb, kb, steps;  // the block; of TILE_BYTES along k
    size_t a_panels, b_panels, rows, cols; // of the block, and of the part of a task
    char *a, *b;
    uint32_t *sum; // of the block, ld apart; NULL if k is one block
    size_t ld;
};

static size_t panel_bytes(const struct tile_job *j) { return j->steps * TILE_STEP; }

// A panel of an operand whose rows, or of b columns, lie as rows of k.
static void pack_lines(const struct tile_job *j, int is_b, size_t panel) {
    const size_t first = panel * TILE_SIDE, count = min_size(TILE_SIDE, (is_b ? j->nb : j->mb) - first);
    const char *from = is_b ? j->p.b : j->p.a;
    const size_t at = ((is_b ? j->j0 : j->i0) + first) * j->p.k + j->k0;
    char *to = (is_b ? j->b : j->a) + panel * panel_bytes(j);
    (is_b ? j->loops->pack_b_rows : j->loops->pack_rows)(from + at * j->width, j->p.k * j->width, count, j->kb * j->width, to);
}

// The same if they lie as columns; bfloat16.
static void pack_across(const struct tile_job *j, int is_b, size_t panel) {
    const size_t first = panel * TILE_SIDE, count = min_size(TILE_SIDE, (is_b ? j->nb : j->mb) - first), ld = is_b ? j->p.n : j->p.m;
    const uint16_t *from = (const uint16_t *)(is_b ? j->p.b : j->p.a) + j->k0 * ld + (is_b ? j->j0 : j->i0) + first;
    char *to = (is_b ? j->b : j->a) + panel * panel_bytes(j);
    (is_b ? j->loops->pack_b_cols : j->loops->pack_cols)(from, ld, count, j->kb, to);
}

static void pack_task(void *arg, int task) {
    const struct tile_job *j = arg;
    const int is_b = (size_t)task >= j->a_panels;
    const size_t panel = (size_t)task - (is_b ? j->a_panels : 0);
    if (is_b ? j->p.b_rows : !j->p.a_cols) pack_lines(j, is_b, panel);
    else pack_across(j, is_b, panel);
}

// The output of a tile at (row, col) of the block from its sums.
static void store_floats(const struct tile_job *j, const float *sums, size_t ld, size_t row, size_t col) {
    const size_t rows = min_size(TILE_SIDE, j->mb - row), cols = min_size(TILE_SIDE, j->nb - col), at = j->j0 + col;
    const struct epilogue *e = &j->p.end;
    uint16_t *out = (uint16_t *)j->p.out + (j->i0 + row) * j->p.n + at;
    if (e->activation == ACT_NONE || e->activation == ACT_RELU) {
        const float floor = e->activation == ACT_RELU ? 0 : -INFINITY;
        j->loops->store(sums, ld, rows, cols, e->bias ? (const uint16_t *)e->bias + at : NULL, floor, out, j->p.n);
        return;
    }
    for (size_t r = 0; r < rows; r++) j->isa->gemm->store[CPU_BF16](sums + r * ld, cols, at, e, out + r * j->p.n);
}

static void store_integers(const struct tile_job *j, const int32_t *sums, size_t ld, size_t row, size_t col) {
    const size_t rows = min_size(TILE_SIDE, j->mb - row), cols = min_size(TILE_SIDE, j->nb - col);
    int32_t *out = (int32_t *)j->p.out + (j->i0 + row) * j->p.n + j->j0 + col;
    for (size_t r = 0; r < rows; r++) memcpy(out + r * j->p.n, sums + r * ld, cols * sizeof *out);
}

// Whether a tile of integers is made where it belongs.
static int made_in_place(const struct tile_job *j, size_t row, size_t col) {
    return j->p.a_type == CPU_I8 && row + TILE_SIDE <= j->mb && col + TILE_SIDE <= j->nb;
}

static void multiply(const struct tile_job *j, size_t ia, size_t ib) {
    const size_t row = ia * TILE_SIDE, col = ib * TILE_SIDE;
    const int in_place = made_in_place(j, row, col);
    uint32_t part[TILE_SIDE * TILE_SIDE] __attribute__((aligned(64))), *sums = j->sum ? j->sum + row * j->ld + col : part;
    size_t ld = j->sum ? j->ld : TILE_SIDE;
    if (in_place) sums = (uint32_t *)j->p.out + (j->i0 + row) * j->p.n + j->j0 + col, ld = j->p.n;
    j->loops->tile[j->p.a_type](j->steps, j->a + ia * panel_bytes(j), j->b + ib * panel_bytes(j), sums, ld, j->k0 > 0);
    if (in_place || j->k0 + j->kb < j->p.k) return;
    if (j->p.a_type == CPU_I8) store_integers(j, (const int32_t *)sums, ld, row, col);
    else store_floats(j, (const float *)sums, ld, row, col);
}

static void multiply_part(void *arg, int task) {
    const struct tile_job *j = arg;
    const size_t across = ceil_div(j->b_panels, j->cols);
    const size_t a0 = (size_t)task / across * j->rows, a1 = min_size(a0 + j->rows, j->a_panels);
    const size_t b0 = (size_t)task % across * j->cols, b1 = min_size(b0 + j->cols, j->b_panels);
    j->loops->begin();
    for (size_t b = b0; b < b1; b++)
        for (size_t a = a0; a < a1; a++) multiply(j, a, b);
    j->loops->end();
}

static size_t round_up(size_t n, size_t to) { return ceil_div(n, to) * to; }

static void run_block(struct tile_job *j, cpu_pool *pool, size_t threads) {
    j->a_panels = ceil_div(j->mb, TILE_SIDE), j->b_panels = ceil_div(j->nb, TILE_SIDE);
    j->ld = j->b_panels * TILE_SIDE;
    for (j->k0 = 0; j->k0 < j->p.k; j->k0 += j->kb) {
        j->kb = min_size(DEPTH_BYTES / j->width, j->p.k - j->k0);
        j->steps = ceil_div(j->kb * j->width, TILE_BYTES);
        run_on(pool, threads, j->a_panels + j->b_panels, pack_task, j);
        divide_panels(j->a_panels, j->b_panels, CACHE_BYTES / panel_bytes(j), threads, &j->rows, &j->cols);
        run_on(pool, threads, ceil_div(j->a_panels, j->rows) * ceil_div(j->b_panels, j->cols), multiply_part, j);
    }
}

int tiles_fit(const struct isa *isa, const struct gemm *g) {
    if (!isa->tiles || g->w.codes || g->k == 0) return 0;
    return (g->a_type == CPU_BF16 && g->end.type == CPU_BF16) || (g->a_type == CPU_I8 && g->end.type == CPU_I32);
}

int run_tiles(cpu_stream *s, const struct gemm *product) {
    cpu_pool *pool = stream_pool(s);
    struct tile_job j = {.isa = pool_isa(pool), .loops = pool_isa(pool)->tiles, .p = *product, .width = width_of(product->a_type)};
    const size_t rows = min_size(BLOCK, round_up(j.p.m, TILE_SIDE)), cols = min_size(BLOCK, round_up(j.p.n, TILE_SIDE));
    const size_t bytes = j.p.k * j.width, depth = min_size(DEPTH_BYTES, round_up(bytes, TILE_BYTES));
    const size_t sum_size = bytes > DEPTH_BYTES ? rows * cols : 0;
    uint32_t *sum = stream_scratch(s, 4 * sum_size + (rows + cols) * depth);
    if (!sum) return 0;
    if (sum_size > 0) j.sum = sum;
    j.a = (char *)(sum + sum_size), j.b = j.a + rows * depth;
    const size_t threads = (double)j.p.m * (double)j.p.n * (double)j.p.k < ALONE ? 1 : (size_t)pool_threads(pool);
    for (j.j0 = 0; j.j0 < j.p.n; j.j0 += cols) {
        j.nb = min_size(cols, j.p.n - j.j0);
        for (j.i0 = 0; j.i0 < j.p.m; j.i0 += rows) {
            j.mb = min_size(rows, j.p.m - j.i0);
            run_block(&j, pool, threads);
        }
    }
    return 1;
}
