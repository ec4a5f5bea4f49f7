// Products of floats with integer codes, to floats, by instructions for products of bfloat16. Both operands are packed; the scales of
// codes multiply the sums of a group.
#include <math.h>
#include <stdatomic.h>

#include "codes.h"
#include "gemm.h"

#define DEPTH 256           // along k, of a block: two panels of activations and one of weights fit into the nearest cache
#define LONG_GROUP 64       // of elements along k; longer ones would be chains of dependent products
#define BLOCK 2048          // rows and columns of a block
#define PAIR 2              // panels of activations that share a panel of weights in the nearest cache
#define CACHE_BYTES 1000000 // of packed activations that stay in a core's cache
#define LEAST 128           // with fewer products a sum would show that activations are rounded
#define ALONE 1e6           // with fewer multiplications, waking threads does not pay

struct code_job {
    const struct isa *isa;
    const struct code_loops *loops;
    struct gemm p;
    size_t i0, j0, k0, mb, nb, kb;         // the block
    size_t group, groups;                  // elements along k of a group, and groups of the block
    size_t a_panels, w_panels, rows, cols; // of the block, and of the part of a task
    uint16_t *a, *w;
    float *sums, *scale, *offset; // [panel][group][CODE_TILE]
    atomic_int odd;               // something is not finite
};

// A panel of weights is so many elements, one of activations CODE_SPLIT times as many.
static size_t panel_size(const struct code_job *j) { return j->groups * j->group * CODE_TILE; }
static size_t panel_scales(const struct code_job *j) { return j->groups * CODE_TILE; }

// Scales and zero points of `count` rows of weights from `row` on, by group.
static int pack_scales(const struct code_job *j, size_t row, size_t count, float *scale, float *offset) {
    const struct quantized *w = &j->p.w;
    float finite = 0;
    for (size_t g = 0; g < j->groups; g++) {
        for (size_t c = 0; c < CODE_TILE; c++) {
            const size_t at = c < count ? quantized_block(w, row + c, j->k0 + g * j->group) : 0;
            const float s = c < count ? w->scale[at] : 0, o = c < count ? -s * w->zero[at] : 0;
            finite += (s - s) + (o - o);
            scale[g * CODE_TILE + c] = s, offset[g * CODE_TILE + c] = o;
        }
    }
    return finite == 0; // NaN otherwise
}

static void pack_task(void *arg, int task) {
    struct code_job *j = arg;
    int finite;
    if ((size_t)task < j->a_panels) {
        const size_t first = (size_t)task * CODE_TILE;
        const float *src = (const float *)j->p.a + (j->i0 + first) * j->p.k + j->k0;
        finite = j->loops->pack_rows(src, j->p.k, min_size(CODE_TILE, j->mb - first), j->kb, j->group,
                                     j->a + CODE_SPLIT * (size_t)task * panel_size(j), j->sums + (size_t)task * panel_scales(j));
    } else {
        const size_t panel = (size_t)task - j->a_panels, first = panel * CODE_TILE, count = min_size(CODE_TILE, j->nb - first);
        const struct quantized *w = &j->p.w;
        const size_t bytes = bytes_of(w->type, w->cols), row = j->j0 + first;
        const uint8_t *src = (const uint8_t *)w->codes + row * bytes + bytes_of(w->type, j->k0);
        j->loops->pack_codes[w->type](src, bytes, count, j->kb, j->w + panel * panel_size(j));
        finite = pack_scales(j, row, count, j->scale + panel * panel_scales(j), j->offset + panel * panel_scales(j));
    }
    if (!finite) atomic_store_explicit(&j->odd, 1, memory_order_relaxed);
}

static void multiply_codes(const struct code_job *j, size_t ia, size_t iw) {
    const size_t row = ia * CODE_TILE, col = iw * CODE_TILE;
    const struct code_tile t = {
        .groups = j->groups, .steps = j->group / CODE_STEP,
        .a = j->a + CODE_SPLIT * ia * panel_size(j), .sums = j->sums + ia * panel_scales(j),
        .w = j->w + iw * panel_size(j), .scale = j->scale + iw * panel_scales(j), .offset = j->offset + iw * panel_scales(j),
        .out = (float *)j->p.out + (j->i0 + row) * j->p.n + j->j0 + col, .ld = j->p.n,
        .rows = min_size(CODE_TILE, j->mb - row), .cols = min_size(CODE_TILE, j->nb - col), .add = j->k0 > 0,
    };
    j->loops->tile(&t);
}

static void multiply_part(void *arg, int task) {
    const struct code_job *j = arg;
    const size_t across = ceil_div(j->w_panels, j->cols);
    const size_t a0 = (size_t)task / across * j->rows, a1 = min_size(a0 + j->rows, j->a_panels);
    const size_t w0 = (size_t)task % across * j->cols, w1 = min_size(w0 + j->cols, j->w_panels);
    j->loops->begin();
    for (size_t a = a0; a < a1; a += PAIR)
        for (size_t w = w0; w < w1; w++)
            for (size_t i = a; i < min_size(a + PAIR, a1); i++) multiply_codes(j, i, w);
    j->loops->end();
}

static void run_block(struct code_job *j, cpu_pool *pool, size_t threads) {
    j->a_panels = ceil_div(j->mb, CODE_TILE), j->w_panels = ceil_div(j->nb, CODE_TILE);
    for (j->k0 = 0; j->k0 < j->p.k; j->k0 += j->kb) {
        j->kb = min_size(DEPTH, j->p.k - j->k0);
        j->groups = ceil_div(j->kb, j->group);
        run_on(pool, threads, j->a_panels + j->w_panels, pack_task, j);
        if (atomic_load(&j->odd)) return;
        divide_panels(j->a_panels, j->w_panels, CACHE_BYTES / (2 * CODE_SPLIT * panel_size(j)), threads, &j->rows, &j->cols);
        run_on(pool, threads, ceil_div(j->a_panels, j->rows) * ceil_div(j->w_panels, j->cols), multiply_part, j);
    }
}

int codes_fit(const struct isa *isa, const struct gemm *g) {
    return isa->codes && g->w.codes && isa->codes->pack_codes[g->w.type] && g->k >= LEAST && g->w.block % CODE_STEP == 0;
}

static size_t round_up(size_t n, size_t to) { return ceil_div(n, to) * to; }

// Takes scratch memory for blocks of rows × cols; 0: there is none.
static int place(cpu_stream *s, struct code_job *j, size_t rows, size_t cols) {
    const size_t depth = min_size(DEPTH, round_up(j->p.k, j->group)), scales = depth / j->group;
    uint16_t *at = stream_scratch(s, 2 * depth * (CODE_SPLIT * rows + cols) + 4 * scales * (rows + 2 * cols));
    if (!at) return 0;
    j->a = at, j->w = j->a + CODE_SPLIT * rows * depth;
    j->sums = (float *)(void *)(j->w + cols * depth), j->scale = j->sums + rows * scales, j->offset = j->scale + cols * scales;
    return 1;
}

int run_codes(cpu_stream *s, const struct gemm *product) {
    cpu_pool *pool = stream_pool(s);
    struct code_job j = {.isa = pool_isa(pool), .loops = pool_isa(pool)->codes, .p = *product};
    const size_t rows = min_size(BLOCK, round_up(j.p.m, CODE_TILE)), cols = min_size(BLOCK, round_up(j.p.n, CODE_TILE));
    j.group = j.p.w.block % LONG_GROUP == 0 ? LONG_GROUP : CODE_STEP;
    if (!place(s, &j, rows, cols)) return -1;
    const size_t threads = (double)j.p.m * (double)j.p.n * (double)j.p.k < ALONE ? 1 : (size_t)pool_threads(pool);
    for (j.j0 = 0; j.j0 < j.p.n; j.j0 += cols) {
        j.nb = min_size(cols, j.p.n - j.j0);
        for (j.i0 = 0; j.i0 < j.p.m; j.i0 += rows) {
            j.mb = min_size(rows, j.p.m - j.i0);
            run_block(&j, pool, threads);
            if (atomic_load(&j.odd)) return 0;
        }
    }
    return 1;
}
