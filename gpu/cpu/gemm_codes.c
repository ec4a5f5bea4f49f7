// Floats times integer codes, to floats, with bfloat16 or int16 product instructions. Both operands are packed; the scales of
// codes multiply the sums of a group.
#include <stdatomic.h>
#include <string.h>

#include "blocks.h"
#include "codes.h"
#include "gemm.h"

#define LONG_GROUP 64      // elements along k; longer ones would keep fewer products in flight
#define SHARED_COLS 32     // of weights whose panels share a panel of activations in L1
#define MAX_COLS 1024     // of weights in a part, whose sums stay in the cache, too
#define MAX_DEPTH 512      // along k, of a block
#define ALONE 1e6          // with fewer multiplications, waking threads does not pay

struct code_job {
    const struct isa *isa;
    const struct code_loops *loops;
    struct gemm p;
    size_t group, depth; // elements along k of a group, and of the longest block
    int offsets;         // whether some offsets of weights are not 0
    size_t a_panels, w_panels;
    struct parts parts;
    uint64_t owner; // as in byte_job
    atomic_int odd; // a value is not finite, or rounded too far
};

// A packed panel of activations or weights, with the terms of its groups: [group][row] or [group][column].
struct code_panel {
    uint16_t *at;
    float *sums, *units;   // of activations
    float *scale, *offset; // of weights
};

// One part, and its current block along k.
struct code_part {
    const struct code_job *j;
    size_t a0, a1, w0, w1; // panels
    size_t k0, kb, groups;
    char *a, *w; // packed panels
    int kept;    // those of a are from an earlier part, which had all of k
};

static size_t groups_bytes(const struct code_job *j, size_t side) { return j->depth / j->group * side * sizeof(float); }
static size_t a_bytes(const struct code_job *j) { return 2 * j->loops->split * j->depth * CODE_TILE + 2 * groups_bytes(j, CODE_TILE); }
static size_t w_bytes(const struct code_job *j) { return 2 * j->loops->w_split * j->depth * j->loops->cols + 2 * groups_bytes(j, j->loops->cols); }

static struct code_panel a_panel(const struct code_part *p, size_t i) {
    const size_t bytes = groups_bytes(p->j, CODE_TILE);
    char *at = p->a + i * a_bytes(p->j), *next = at + bytes;
    return (struct code_panel){.sums = (float *)(void *)at, .units = (float *)(void *)next, .at = (uint16_t *)(void *)(next + bytes)};
}

static struct code_panel w_panel(const struct code_part *p, size_t i) {
    const size_t bytes = groups_bytes(p->j, p->j->loops->cols);
    char *at = p->w + i * w_bytes(p->j), *next = at + bytes;
    return (struct code_panel){.scale = (float *)(void *)at, .offset = (float *)(void *)next, .at = (uint16_t *)(void *)(next + bytes)};
}

// The same for rows of blocks.
static int pack_block_scales(const struct code_part *p, size_t row, size_t count, const struct code_panel *to) {
    const struct quantized *w = &p->j->p.w;
    const size_t cols = p->j->loops->cols, bytes = bytes_of(w->type, w->cols);
    const struct code_loops *l = p->j->loops;
    float scale[MAX_DEPTH / BLOCKS_LEAST], offset[MAX_DEPTH / BLOCKS_LEAST], finite = 0;
    for (size_t c = 0; c < cols; c++) {
        if (c < count) (l->scales[w->type] ? l->scales : p->j->isa->blocks->scales)[w->type]((const uint8_t *)w->codes + (row + c) * bytes, p->k0, p->kb, scale, offset);
        for (size_t g = 0; g < p->groups; g++) {
            const float s = c < count ? scale[g] : 0, o = c < count ? offset[g] : 0;
            finite += (s - s) + (o - o);
            to->scale[g * cols + c] = s, to->offset[g * cols + c] = o;
        }
    }
    return finite == 0; // otherwise it is NaN
}

// Scales and zero points of `count` rows of weights from `row` on, by group.
static int pack_scales(const struct code_part *p, size_t row, size_t count, const struct code_panel *to) {
    const struct quantized *w = &p->j->p.w;
    if (cpu_block_weights(w->type)) return pack_block_scales(p, row, count, to);
    const size_t cols = p->j->loops->cols, blocks = w->block ? ceil_div(p->k0 % w->block + p->kb, w->block) : 1;
    float finite = 0, wide[2][MAX_DEPTH / CODE_STEP + 1];
    for (size_t c = 0; c < cols; c++) {
        const size_t first = quantized_block(w, row + (c < count ? c : 0), p->k0);
        const float *scale = scales_at(p->j->isa, w, w->scale, first, blocks, wide[0]), *zero = scales_at(p->j->isa, w, w->zero, first, blocks, wide[1]);
        size_t at = 0, left = w->block ? w->block - p->k0 % w->block : SIZE_MAX;
        for (size_t g = 0; g < p->groups; g++, left -= p->j->group) {
            if (left == 0) at++, left = w->block;
            const float s = c < count ? scale[at] : 0, o = c < count && zero ? -s * zero[at] : 0;
            finite += (s - s) + (o - o);
            to->scale[g * cols + c] = s, to->offset[g * cols + c] = o;
        }
    }
    return finite == 0; // otherwise it is NaN
}

static int pack_a(const struct code_part *p, size_t i) {
    const struct gemm *g = &p->j->p;
    const size_t row = (p->a0 + i) * CODE_TILE;
    const struct code_panel at = a_panel(p, i);
    const double k = (double)g->k, rounding = 0x1p-24; // √k of them are the error of a float sum of k products
    const struct code_rows to = {at.at, at.sums, at.units, p->j->group, k * rounding * rounding * k / (double)p->kb};
    return p->j->loops->pack_rows((const float *)g->a + row * g->k + p->k0, g->k, min_size(CODE_TILE, g->m - row), p->kb, &to);
}

static int pack_w(const struct code_part *p, size_t panel, size_t i) {
    const struct gemm *g = &p->j->p;
    const size_t row = panel * p->j->loops->cols, count = min_size(p->j->loops->cols, g->n - row), bytes = bytes_of(g->w.type, g->k);
    const struct code_panel to = w_panel(p, i);
    const uint8_t *src = (const uint8_t *)g->w.codes + row * bytes + bytes_of(g->w.type, p->k0);
    p->j->loops->pack_codes[g->w.type](src, bytes, count, p->kb, to.at);
    const size_t packed = ceil_div(p->kb, CODE_STEP) * CODE_STEP, whole = p->groups * p->j->group, cols = p->j->loops->cols;
    if (packed < whole) memset(to.at + packed * cols, 0, (whole - packed) * cols * sizeof *to.at); // only with one term, since two have whole blocks; AMX multiplies it by 0, and 0 · NaN is not 0
    return pack_scales(p, row, count, &to);
}

// Multiplies the i-th panel of activations by panel `panel` of weights, which is packed as the iw-th.
static void multiply(const struct code_part *p, size_t i, size_t panel, size_t iw) {
    const struct gemm *g = &p->j->p;
    const size_t row = (p->a0 + i) * CODE_TILE, cols = p->j->loops->cols, col = panel * cols;
    const struct code_panel a = a_panel(p, i), w = w_panel(p, iw);
    const struct code_tile t = {
        .groups = p->groups, .steps = p->j->group / CODE_STEP, .pairs = p->j->group / 2, .a = a.at, .sums = a.sums, .units = a.units, .w = w.at,
        .scale = w.scale, .offset = w.offset, .out = (float *)g->out + row * g->n + col, .ld = g->n, .rows = min_size(CODE_TILE, g->m - row),
        .cols = min_size(cols, g->n - col), .add = p->k0 > 0, .offsets = p->j->offsets,
    };
    p->j->loops->tile(&t);
}

static size_t shared(const struct code_job *j) { return SHARED_COLS / j->loops->cols; }

// Multiplies the current block along k; 0 if a panel cannot be packed.
static int run_block(const struct code_part *p) {
    for (size_t i = 0; i < p->a1 - p->a0 && !p->kept; i++)
        if (!pack_a(p, i)) return 0;
    for (size_t w = p->w0; w < p->w1; w += shared(p->j)) {
        const size_t pair = min_size(shared(p->j), p->w1 - w);
        for (size_t i = 0; i < pair; i++)
            if (!pack_w(p, w + i, i)) return 0;
        for (size_t i = 0; i < p->a1 - p->a0; i++)
            for (size_t iw = 0; iw < pair; iw++) multiply(p, i, w + iw, iw);
    }
    return 1;
}

static void run_part(void *arg, int task) {
    struct code_job *j = arg;
    const size_t down = (size_t)task / j->parts.across, across = (size_t)task % j->parts.across;
    struct code_part p = {.j = j, .a0 = down * j->parts.rows, .w0 = across * j->parts.cols};
    p.w = j->p.k <= j->depth ? kept_scratch(j->owner + down, &p.kept) : own_scratch();
    p.a1 = min_size(p.a0 + j->parts.rows, j->a_panels), p.w1 = min_size(p.w0 + j->parts.cols, j->w_panels);
    p.a = p.w + shared(j) * w_bytes(j);
    j->loops->begin();
    for (; p.k0 < j->p.k && !atomic_load_explicit(&j->odd, memory_order_relaxed); p.k0 += p.kb) {
        p.kb = min_size(j->depth, j->p.k - p.k0);
        p.groups = ceil_div(p.kb, j->group);
        if (!run_block(&p)) atomic_store_explicit(&j->odd, 1, memory_order_relaxed);
    }
    j->loops->end();
}

static const struct code_loops *loops_for(const struct isa *isa, const struct gemm *g) {
    const struct code_loops *l = isa->block_codes, *more = isa->more_codes;
    if (isa->codes && isa->codes->pack_codes[g->w.type]) return isa->codes;
    if (!l || !l->pack_codes[g->w.type]) return more;
    return g->m >= l->least_rows || !more || g->k < more->shortest ? l : more;
}

int codes_fit(const struct isa *isa, const struct gemm *g) {
    const struct code_loops *l = loops_for(isa, g);
    return l && g->w.codes && g->a_type == CPU_F32 && l->pack_codes[g->w.type] && g->k >= l->shortest && g->w.block % CODE_STEP == 0;
}

// Elements along k of a group.
static size_t group_of(const struct isa *isa, const struct code_loops *l, const struct quantized *w) {
    if (l->scales[w->type]) return (size_t)cpu_block_weights(w->type);
    if (cpu_block_weights(w->type)) return isa->blocks->group[w->type];
    return w->block % LONG_GROUP == 0 ? LONG_GROUP : CODE_STEP;
}

int run_codes(cpu_stream *s, const struct gemm *p) {
    cpu_pool *pool = stream_pool(s);
    struct code_job j = {.isa = pool_isa(pool), .loops = loops_for(pool_isa(pool), p), .p = *p};
    j.offsets = cpu_block_weights(p->w.type) ? has_offsets(p->w.type) : p->w.zero != NULL;
    j.group = group_of(j.isa, j.loops, &p->w);
    const double work = (double)p->m * (double)p->n * (double)p->k;
    const int threads = work < ALONE ? 1 : pool_threads(pool);
    j.depth = min_size(j.loops->depth[threads > 1], ceil_div(p->k, j.group) * j.group);
    j.a_panels = ceil_div(p->m, CODE_TILE), j.w_panels = ceil_div(p->n, j.loops->cols);
    const struct panels a = {j.a_panels, pool_kept_bytes(pool) / a_bytes(&j), a_bytes(&j)}, w = {j.w_panels, MAX_COLS / j.loops->cols, w_bytes(&j)};
    j.parts = p->k <= j.depth ? divide_columns(&a, &w, threads, work, j.loops->least) : divide(&a, &w, threads, work, j.loops->least);
    j.owner = scratch_owners(ceil_div(j.a_panels, max_size(1, j.parts.rows)));
    run_on(pool, threads, j.parts.count, run_part, &j);
    return !atomic_load(&j.odd);
}
