// GEMMs of bfloat16, to bfloat16, and of int8, to int32, with instructions for them. A part packs its columns of b, which stay in
// L2, and takes panels of a one after another: in place if their rows are laid out as in a panel and consist of whole steps,
// otherwise packed. Thus rows of the output are written along. The output is computed tile by tile, in one pass if k is short,
// otherwise in sums of a part.
#include <math.h>
#include <string.h>

#include "bits.h"
#include "gemm.h"
#include "tiles.h"

#define DEPTH_BYTES 1024   // along k, of a block, whose panels have 32 KB each
#define MAX_COLS 8         // panels of b in a part whose sums stay in the cache, too
#define TOGETHER 4         // panels of b that a panel of a is multiplied with in stages
#define AHEAD 256          // lines of b that are fetched before they are packed
#define PACKED 3           // packing a panel of b takes this many times as long as reading as many rows of a

struct tile_job {
    const struct isa *isa;
    const struct tile_loops *loops;
    struct gemm p;
    size_t width, packed;      // bytes of an element of the operands, and in a panel
    size_t depth;              // elements of a block along k
    size_t a_panels, b_panels;
    int past; // use non-temporal stores: output rows are so far apart that few of their lines stay in L1
    struct parts parts;
};

// One part, and its current block along k.
struct tile_part {
    const struct tile_job *j;
    size_t a0, a1, b0, b1; // panels
    size_t k0, kb, steps;  // of TILE_BYTES along k
    size_t whole;          // panels of a before this one stay in place
    char *a, *b;           // packed: a panel of a, and those of b
    uint32_t *sum;         // of the first panels, ld apart; NULL if k is one block
    size_t ld;
};

static size_t panel_bytes(const struct tile_part *p) { return p->steps * TILE_STEP; }

// Packs a panel of an operand whose rows, or columns for b, are contiguous along k.
static void pack_lines(const struct tile_part *p, int is_b, size_t first, size_t count, char *to) {
    const struct tile_job *j = p->j;
    const char *from = (const char *)(is_b ? j->p.b : j->p.a) + (first * j->p.k + p->k0) * j->width;
    (is_b ? j->loops->pack_b_rows : j->loops->pack_rows)(from, j->p.k * j->width, count, p->kb * j->width, to);
}

// The same for a if they are strided along k; bfloat16.
static void pack_across(const struct tile_part *p, size_t first, size_t count, char *to) {
    const struct tile_job *j = p->j;
    j->loops->pack_cols((const uint16_t *)j->p.a + p->k0 * j->p.a_apart + first, j->p.a_apart, count, p->kb, to);
}

// Packs a panel of columns of b that are rows of ternary codes.
static void pack_bits(const struct tile_part *p, size_t first, size_t count, char *to) {
    const struct tile_job *j = p->j;
    const size_t row = bytes_of(CPU_TERNARY, j->p.k);
    int8_t rows[TILE_SIDE * DEPTH_BYTES];
    const uint8_t *codes = (const uint8_t *)j->p.w.codes + first * row + bytes_of(CPU_TERNARY, p->k0);
    for (size_t r = 0; r < count; r++) j->isa->bitlinear->unpack(codes + r * row, p->kb, rows + r * p->kb);
    j->loops->pack_b_rows((const char *)rows, p->kb, count, p->kb, to);
}

// Prefetches the lines of `rows` rows of b, from one on, in a part's columns.
static void fetch_rows(const struct tile_part *p, size_t row, size_t rows, size_t cols) {
    const struct tile_job *j = p->j;
    const char *from = (const char *)j->p.b + (row * j->p.n + p->b0 * TILE_SIDE) * j->width;
    for (size_t r = 0; r < rows; r++, from += j->p.n * j->width)
        for (size_t at = 0; at < cols * j->width; at += TILE_BYTES) __builtin_prefetch(from + at);
}

// Packs the panels of b whose columns are strided along k; bfloat16. A step of all panels is read before the next one: the lines of
// one panel are far apart, and would compete for few sets of the caches if that distance is a power of two.
static void pack_b_across(const struct tile_part *p) {
    const struct tile_job *j = p->j;
    const size_t step = TILE_BYTES / j->packed, end = min_size(p->b1 * TILE_SIDE, j->p.n), cols = end - p->b0 * TILE_SIDE;
    const size_t ahead = ceil_div(AHEAD * TILE_BYTES, cols * j->width);
    const uint16_t *from = (const uint16_t *)j->p.b + p->k0 * j->p.n;
    fetch_rows(p, p->k0, min_size(ahead, p->kb), cols);
    for (size_t d = 0; d < p->kb; d += step) {
        const size_t next = min_size(d + step, p->kb), fetched = min_size(d + ahead, p->kb);
        fetch_rows(p, p->k0 + fetched, min_size(next + ahead, p->kb) - fetched, cols);
        char *to = p->b + d / step * TILE_STEP;
        for (size_t first = p->b0 * TILE_SIDE; first < end; first += TILE_SIDE, to += panel_bytes(p))
            j->loops->pack_b_cols(from + d * j->p.n + first, j->p.n, min_size(TILE_SIDE, end - first), next - d, to);
    }
}

static void pack_b(const struct tile_part *p) {
    if (!p->j->p.b_rows && !p->j->p.w.codes) {
        pack_b_across(p);
        return;
    }
    char *to = p->b;
    for (size_t ib = p->b0; ib < p->b1; ib++, to += panel_bytes(p)) {
        const size_t first = ib * TILE_SIDE, count = min_size(TILE_SIDE, p->j->p.n - first);
        if (p->j->p.w.codes) pack_bits(p, first, count, to);
        else pack_lines(p, 1, first, count, to);
    }
}

// Stores the output of a tile at (row, col) from its sums.
static void store_floats(const struct tile_job *j, const float *sums, size_t ld, size_t row, size_t col) {
    const size_t rows = min_size(TILE_SIDE, j->p.m - row), cols = min_size(TILE_SIDE, j->p.n - col);
    const struct epilogue *e = &j->p.end;
    uint16_t *out = (uint16_t *)j->p.out + row * j->p.n + col;
    if (e->activation == ACT_NONE || e->activation == ACT_RELU) {
        const float floor = e->activation == ACT_RELU ? 0 : -INFINITY;
        const int past = j->past && cols == TILE_SIDE;
        j->loops->store(sums, ld, rows, cols, e->bias ? (const uint16_t *)e->bias + col : NULL, floor, out, j->p.n, past);
        return;
    }
    for (size_t r = 0; r < rows; r++) j->isa->gemm->store[CPU_BF16](sums + r * ld, cols, col, e, out + r * j->p.n);
}

static void store_integers(const struct tile_job *j, const int32_t *sums, size_t ld, size_t row, size_t col) {
    const size_t rows = min_size(TILE_SIDE, j->p.m - row), cols = min_size(TILE_SIDE, j->p.n - col);
    int32_t *out = (int32_t *)j->p.out + row * j->p.n + col;
    for (size_t r = 0; r < rows; r++) memcpy(out + r * j->p.n, sums + r * ld, cols * sizeof *out);
}

// Reports whether an integer tile is computed directly in the output.
static int made_in_place(const struct tile_job *j, size_t row, size_t col) {
    return j->p.a_type == CPU_I8 && row + TILE_SIDE <= j->p.m && col + TILE_SIDE <= j->p.n;
}

// Rows of a panel of a in the current block along k, in place or packed; `start` has their initial sums.
static struct tile_rows rows_of_a(const struct tile_part *p, size_t panel, int32_t start[TILE_SIDE]) {
    const struct tile_job *j = p->j;
    const size_t first = panel * TILE_SIDE;
    struct tile_rows a = {.at = p->a, .row = TILE_BYTES, .step = TILE_STEP, .rows = min_size(TILE_SIDE, j->p.m - first), .start = start};
    if (panel < p->whole) {
        a.step = TILE_BYTES, a.row = j->p.k * j->width;
        a.at = (const char *)j->p.a + first * a.row + p->k0 * j->width;
    } else if (j->p.a_cols) {
        pack_across(p, first, a.rows, p->a);
    } else {
        pack_lines(p, 0, first, a.rows, p->a);
    }
    if (j->loops->start) j->loops->start(p->steps, &a, start);
    return a;
}

static void multiply(const struct tile_part *p, const struct tile_rows *a, size_t ia, size_t ib) {
    const struct tile_job *j = p->j;
    const size_t row = ia * TILE_SIDE, col = ib * TILE_SIDE;
    const int in_place = made_in_place(j, row, col), type = j->p.a_type;
    uint32_t one[TILE_SIDE * TILE_SIDE] __attribute__((aligned(64))), *sums = one;
    size_t ld = TILE_SIDE;
    if (in_place) sums = (uint32_t *)j->p.out + row * j->p.n + col, ld = j->p.n;
    else if (p->sum) sums = p->sum + (ia - p->a0) * TILE_SIDE * p->ld + (ib - p->b0) * TILE_SIDE, ld = p->ld;
    const int past = in_place && j->past && p->kb == j->p.k;
    j->loops->tile[type](p->steps, a, p->b + (ib - p->b0) * panel_bytes(p), sums, ld, p->k0 > 0 ? SUMS_ADD : past ? SUMS_PAST : SUMS_NEW);
    if (in_place || p->k0 + p->kb < j->p.k) return;
    if (type == CPU_I8) store_integers(j, (const int32_t *)sums, ld, row, col);
    else store_floats(j, (const float *)sums, ld, row, col);
}

// Multiplies a panel of a by several of b in stages, between which their sums stay in L1. bfloat16, if k is one block.
static void multiply_in_stages(const struct tile_part *p, const struct tile_rows *a, size_t ia, size_t ib) {
    const struct tile_job *j = p->j;
    const size_t count = min_size(TOGETHER, p->b1 - ib), stage = j->loops->stage;
    float sums[TOGETHER][TILE_SIDE * TILE_SIDE] __attribute__((aligned(64)));
    for (size_t s = 0; s < p->steps; s += stage) {
        struct tile_rows rows = *a;
        rows.at += s * a->step;
        const char *b = p->b + (ib - p->b0) * panel_bytes(p) + s * TILE_STEP;
        for (size_t i = 0; i < count; i++, b += panel_bytes(p))
            j->loops->tile[CPU_BF16](min_size(stage, p->steps - s), &rows, b, sums[i], TILE_SIDE, s > 0 ? SUMS_ADD : SUMS_NEW);
    }
    for (size_t i = 0; i < count; i++) store_floats(j, sums[i], TILE_SIDE, ia * TILE_SIDE, (ib + i) * TILE_SIDE);
}

static void multiply_all(const struct tile_part *p, const struct tile_rows *a, size_t ia) {
    const int staged = p->j->loops->stage && p->j->p.a_type == CPU_BF16 && !p->sum;
    for (size_t ib = p->b0; staged && ib < p->b1; ib += TOGETHER) multiply_in_stages(p, a, ia, ib);
    for (size_t ib = p->b0; !staged && ib < p->b1; ib++) multiply(p, a, ia, ib);
}

static size_t panel_most(const struct tile_job *j) { return ceil_div(j->depth * j->packed, TILE_BYTES) * TILE_STEP; }

static void run_part(void *arg, int task) {
    const struct tile_job *j = arg;
    const size_t down = (size_t)task / j->parts.across, across = (size_t)task % j->parts.across;
    struct tile_part p = {.j = j, .a0 = down * j->parts.rows, .b0 = across * j->parts.cols, .b = own_scratch()};
    p.a1 = min_size(p.a0 + j->parts.rows, j->a_panels), p.b1 = min_size(p.b0 + j->parts.cols, j->b_panels);
    p.a = p.b + j->parts.cols * panel_most(j);
    if (j->p.k > j->depth) p.sum = (uint32_t *)(void *)(p.a + panel_most(j)), p.ld = j->parts.cols * TILE_SIDE;
    j->loops->begin();
    for (; p.k0 < j->p.k; p.k0 += p.kb) {
        p.kb = min_size(j->depth, j->p.k - p.k0);
        p.steps = ceil_div(p.kb * j->packed, TILE_BYTES);
        const int in_place = !j->p.a_cols && j->packed == j->width && p.kb * j->width % TILE_BYTES == 0;
        p.whole = in_place ? j->p.m / TILE_SIDE : 0;
        pack_b(&p);
        for (size_t ia = p.a0; ia < p.a1; ia++) {
            int32_t start[TILE_SIDE];
            const struct tile_rows a = rows_of_a(&p, ia, start);
            multiply_all(&p, &a, ia);
        }
    }
    j->loops->end();
}

static const struct tile_loops *loops_of(const struct isa *isa, int type) { return type == CPU_BF16 ? isa->bf16 : isa->tiles; }

int tiles_fit(const struct isa *isa, const struct gemm *g) {
    const struct tile_loops *loops = loops_of(isa, g->a_type);
    if (!loops || (g->w.codes && g->a_type != CPU_I8) || g->k == 0 || !loops->tile[g->a_type]) return 0;
    return g->end.type == (g->a_type == CPU_I8 ? CPU_I32 : CPU_BF16);
}

// Reports whether the output may be stored non-temporally: it is large and consists of whole lines.
static int goes_past(const cpu_pool *pool, const struct gemm *p) {
    const size_t row = p->n * width_of(p->end.type);
    return pool_stream(pool, p->m * row) && row % TILE_BYTES == 0 && (uintptr_t)p->out % TILE_BYTES == 0;
}

// The number of panels of a that one of b counts as in the division into parts. The smaller it is, the more threads divide rows,
// and each of them packs the same panels. Threads that divide columns fetch lines of each other's output, which takes longer the
// larger it is.
static size_t weight_of_b(const struct tile_job *j, const cpu_pool *pool) {
    const int near = j->p.a_type == CPU_BF16 && j->p.m * j->p.n * width_of(j->p.end.type) <= pool_kept_bytes(pool);
    return near && j->loops->near ? j->loops->near : PACKED;
}

void run_tiles(cpu_stream *s, const struct gemm *p) {
    cpu_pool *pool = stream_pool(s);
    struct tile_job j = {.isa = pool_isa(pool), .loops = loops_of(pool_isa(pool), p->a_type), .p = *p, .width = width_of(p->a_type)};
    j.packed = p->a_type == CPU_I8 ? j.loops->codes : j.width;
    j.depth = min_size(DEPTH_BYTES / j.packed, p->k);
    j.a_panels = ceil_div(p->m, TILE_SIDE), j.b_panels = ceil_div(p->n, TILE_SIDE);
    j.past = goes_past(pool, p);
    const size_t each = panel_most(&j), kept = max_size(1, pool_kept_bytes(pool) / each);
    const int once = p->k <= j.depth; // there are no sums to keep
    const struct panels a = {j.a_panels, once ? j.a_panels : kept, each};
    const struct panels b = {j.b_panels, once ? kept : MAX_COLS, weight_of_b(&j, pool) * each};
    const double work = (double)p->m * (double)p->n * (double)p->k;
    const int threads = work < j.loops->least / 4 ? 1 : pool_threads(pool);
    j.parts = divide(&a, &b, threads, work, j.loops->least);
    run_on(pool, threads, j.parts.count, run_part, &j);
}
