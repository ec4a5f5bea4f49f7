// GEMMs after Goto and van de Geijn: panels of b are packed in the order the micro-kernel reads them, and rows of a are copied
// next to each other. Element types and layouts only change the packing. Suitable floats are read in place, and rows of b are
// packed during their first multiplication.
#include <math.h>
#include <string.h>

#include "codes.h"
#include "gemm.h"
#include "tiles.h"

#define B_BYTES 3000000    // of packed b, which every chunk of a rereads
#define SUM_COLS 16        // panels of b in a part whose sums are kept apart from the output
#define GROUP 4            // panels of b packed together, so that longer parts of rows of b are read
#define ALONE 1e5          // with fewer multiplications per thread, waking threads does not pay…
#define ALONE_SECONDS 4e-6 // …nor if one core does all of them in this time at best
#define LEAST 7e5          // minimum multiplications of a part
#define TILES 4            // parts per thread, for load balance
#define IN_PLACE 1024      // maximum length of a row of a that is not copied
#define NARROW 256         // maximum length of a row of b that is not copied
#define PACKED 2           // reading panels of b to be packed takes this many times as long as reading others

struct product {
    const struct isa *isa;
    struct gemm p;
    size_t wide;                       // columns of a micro-kernel
    size_t depth;                      // of a block along k
    size_t height, a_panels, b_panels; // rows of a panel of a; number of panels
    size_t chunk;                      // panels of a that stay in a core's cache
    size_t packed_row;                 // floats from one packed row of a to the next
    struct parts parts;
    int a_here, b_here; // whether an operand is read in place
    int copy;           // micro-kernels pack b while reading it
};

// One part, its current block along k, and the current chunk of panels of a.
struct part {
    const struct product *g;
    size_t a0, a1, b0, b1; // panels
    size_t k0, kb;
    const float *a, *b;          // of the first panel of the chunk, and of the part
    size_t a_row, b_col, b_step; // distances of rows of a, of panels of b, and of rows in one
    float *sum;           // of the first panels, ld apart; NULL if the first block is the last
    size_t ld;
};

// Packs columns of b from `col` on, from rows of b: [kb][wide].
static void pack_b_rows(const struct product *g, size_t col, size_t cols, size_t k0, size_t kb, float *to) {
    const size_t vl = (size_t)g->isa->vl;
    float tmp[MAX_VL * MAX_KC];
    for (size_t c = 0; c < cols; c += vl) {
        const size_t n = min_size(vl, cols - c);
        size_t ld;
        const float *src = b_rows(g->isa, &g->p, col + c, n, k0, kb, tmp, &ld);
        g->isa->gemm->interleave(src, ld, (int)n, kb, to + c, g->wide, (int)vl);
    }
}

static void pack_b(const struct product *g, size_t col, size_t cols, size_t k0, size_t kb, float *to) {
    if (g->p.b_rows) {
        for (size_t c = 0; c < cols; c += g->wide) pack_b_rows(g, col + c, min_size(g->wide, cols - c), k0, kb, to + c * kb);
        return;
    }
    const char *src = (const char *)g->p.b + (k0 * g->p.n + col) * width_of(g->p.a_type);
    g->isa->gemm->pack[g->p.a_type](src, g->p.n, cols, kb, to);
}

// Lets the micro-kernel add the bias and apply ReLU while the sums are in registers; 0 if it cannot.
static int finish_in_registers(const struct epilogue *e, size_t col, struct tile *t) {
    if (e->type != CPU_F32 || (e->activation != ACT_NONE && e->activation != ACT_RELU)) return 0;
    t->last_sums = e->bias || e->activation == ACT_RELU;
    t->bias = e->bias ? (const float *)e->bias + col : NULL;
    t->floor = e->activation == ACT_RELU ? 0 : -INFINITY;
    return 1;
}

static void store_tile(const struct product *g, const struct tile *t, size_t rows, size_t cols, size_t i, size_t j) {
    const struct epilogue *e = &g->p.end;
    char *out = (char *)g->p.out + (i * g->p.n + j) * width_of(e->type);
    for (size_t r = 0; r < rows; r++, out += g->p.n * width_of(e->type)) g->isa->gemm->store[e->type](t->c + r * t->ldc, cols, j, e, out);
}

// For int8: floats hold the sums of one block along k exactly, integers those of all.
static void add_integers(const struct part *p, const struct tile *t, size_t rows, size_t cols, size_t i, size_t j) {
    int32_t *out = (int32_t *)p->g->p.out + i * p->g->p.n + j;
    for (size_t r = 0; r < rows; r++, out += p->g->p.n) p->g->isa->gemm->add_integers(t->c + r * t->ldc, cols, p->k0 > 0, out);
}

// Reports whether the micro-kernel packs panel ib of b while it reads it.
static int is_copied(const struct part *p, size_t first, size_t ib) {
    const struct product *g = p->g;
    return g->copy && first == p->a0 && (ib + 1) * g->wide <= g->p.n;
}

static const float *b_in_place(const struct part *p, size_t ib) {
    return (const float *)p->g->p.b + p->k0 * p->g->p.n + ib * p->g->wide;
}

// Lets the micro-kernels of a chunk prefetch the panel of b after panel ib, unless it still has to be packed; returns its rows.
static size_t fetch_next(const struct part *p, size_t first, size_t end, size_t ib, struct tile *t) {
    const struct product *g = p->g;
    const size_t next = ib + 1 < p->b1 ? ib + 1 : p->b0;
    const int again = next == p->b0 && end < p->a1, whole = !again && is_copied(p, first, next);
    if (g->b_here || (!again && (next == p->b0 || (first == p->a0 && !whole)))) return 0;
    t->next_step = whole ? g->p.n : g->wide;
    t->next = whole ? b_in_place(p, next) : p->b + (next - p->b0) * p->b_col;
    return p->kb;
}

// Multiplies the chunk's panels of a, from `first` to `end`, by panel ib of b, and applies the epilogue if the sums are complete.
static void multiply(const struct part *p, size_t first, size_t end, size_t ib) {
    const struct product *g = p->g;
    const size_t j = ib * g->wide, cols = min_size(g->wide, g->p.n - j), vl = (size_t)g->isa->vl, nv = 1 + (cols - 1) / vl;
    float one[MAX_MR * MAX_NV * MAX_VL] __attribute__((aligned(64)));
    struct tile t = {
        .k = p->kb, .b = p->b + (ib - p->b0) * p->b_col, .a_row = p->a_row, .b_step = p->b_step, .c = one, .ldc = p->sum ? p->ld : g->wide,
        .last = cols - (nv - 1) * vl, .add = p->k0 > 0 && g->p.end.type != CPU_I32,
    };
    const int last = p->k0 + p->kb == g->p.k, finished = last && finish_in_registers(&g->p.end, j, &t);
    enum b_layout layout = g->b_here ? B_STRIDED : B_PACKED;
    if (is_copied(p, first, ib)) layout = B_COPIED, t.copy = (float *)t.b, t.b = b_in_place(p, ib), t.b_step = g->p.n;
    size_t left = fetch_next(p, first, end, ib, &t);
    const size_t share = ceil_div(left, end - first);
    for (size_t ia = first; ia < end; ia++, t.next += t.next_rows * t.next_step, left -= t.next_rows) {
        const size_t i = ia * g->height, rows = min_size(g->height, g->p.m - i);
        t.a = p->a + (ia - first) * g->height * p->a_row;
        if (p->sum) t.c = p->sum + (ia - p->a0) * g->height * p->ld + (ib - p->b0) * g->wide;
        t.next_rows = min_size(share, left);
        g->isa->gemm->ukr[layout][nv - 1][rows](&t);
        if (layout == B_COPIED) layout = B_PACKED, t.b = t.copy, t.b_step = g->wide;
        if (g->p.end.type == CPU_I32) add_integers(p, &t, rows, cols, i, j);
        else if (last && !finished) store_tile(g, &t, rows, cols, i, j);
    }
}

// Rows of a chunk in the current block along k, in place or packed to `to`.
static void place_a(struct part *p, size_t first, size_t end, float *to) {
    const struct product *g = p->g;
    const size_t row = first * g->height, rows = min_size(end * g->height, g->p.m) - row;
    p->a = to, p->a_row = g->packed_row;
    if (g->a_here) p->a = (const float *)g->p.a + row * g->p.k + p->k0, p->a_row = g->p.k;
    else copy_a_rows(g->isa, &g->p, row, rows, p->k0, p->kb, to, p->a_row);
}

// Columns of the part's b in the current block along k, in place or to be packed to `to`.
static void place_b(struct part *p, float *to) {
    const struct product *g = p->g;
    p->b = to, p->b_col = g->wide * p->kb, p->b_step = g->wide;
    if (g->b_here) p->b = (const float *)g->p.b + p->k0 * g->p.n + p->b0 * g->wide, p->b_col = g->wide, p->b_step = g->p.n;
}

// Multiplies the current block along k, with room for packed operands at a and b. Panels of b are packed when the first chunk
// needs them.
static void run_block(struct part *p, float *a, float *b) {
    const struct product *g = p->g;
    place_b(p, b);
    for (size_t first = p->a0; first < p->a1; first += g->chunk) {
        const size_t end = min_size(first + g->chunk, p->a1);
        place_a(p, first, end, a);
        for (size_t ib = p->b0; ib < p->b1; ib++) {
            const size_t at = ib - p->b0, col = ib * g->wide;
            if (!g->b_here && first == p->a0 && !is_copied(p, first, ib) && (g->copy || at % GROUP == 0))
                pack_b(g, col, min_size(min_size(GROUP, p->b1 - ib) * g->wide, g->p.n - col), p->k0, p->kb, b + at * p->b_col);
            multiply(p, first, end, ib);
        }
    }
}

static size_t whole_lines(size_t floats) { return ceil_div(floats, MAX_VL) * MAX_VL; }

// Runs every block along k; at least one, since the product is 0 for k = 0.
static void run_part(void *arg, int task) {
    const struct product *g = arg;
    const size_t down = (size_t)task / g->parts.across, across = (size_t)task % g->parts.across;
    struct part p = {.g = g, .a0 = down * g->parts.rows, .b0 = across * g->parts.cols};
    p.a1 = min_size(p.a0 + g->parts.rows, g->a_panels), p.b1 = min_size(p.b0 + g->parts.cols, g->b_panels);
    float *b = own_scratch(), *a = b + (g->b_here ? 0 : whole_lines(g->parts.cols * g->wide * g->depth));
    if (g->p.end.type == CPU_F32) p.sum = (float *)g->p.out + p.a0 * g->height * g->p.n + p.b0 * g->wide, p.ld = g->p.n;
    else if (g->p.end.type != CPU_I32 && g->p.k > g->depth) {
        p.sum = a + (g->a_here ? 0 : whole_lines(g->chunk * g->height * g->packed_row));
        p.ld = g->parts.cols * g->wide;
    }
    do {
        p.kb = min_size(g->depth, g->p.k - p.k0);
        run_block(&p, a, b);
        p.k0 += p.kb;
    } while (p.k0 < g->p.k);
}

struct parts divide(const struct panels *a, const struct panels *b, int threads, double work, double least) {
    const double most = threads == 1 ? 1 : fmin((double)TILES * threads, fmax(threads, work / least));
    const size_t want = (size_t)most;
    if (want == 1 && a->count <= a->most && b->count <= b->most) return (struct parts){a->count, b->count, 1, 1};
    struct parts best = {0};
    double bytes = INFINITY;
    for (size_t rows = max_size(1, min_size(a->most, a->count)); rows > 0; rows--) {
        const size_t down = ceil_div(a->count, rows), parts = max_size(ceil_div(want, down), ceil_div(b->count, b->most));
        const size_t cols = ceil_div(b->count, min_size(b->count, parts)), across = ceil_div(b->count, cols), count = down * across;
        const double idle = count < want ? most / (double)count : 1;
        const double read = idle * (double)count * (double)(rows * a->bytes + cols * b->bytes);
        if (read >= bytes) continue;
        bytes = read, best = (struct parts){rows, cols, across, count};
    }
    return best;
}

static double bytes_read(const struct panels *a, const struct panels *b, double rows, double cols) { return rows * (double)a->bytes + cols * (double)b->bytes; }

struct parts divide_columns(const struct panels *a, const struct panels *b, int threads, double work, double least) {
    const struct parts parts = divide(a, b, threads, work, least);
    const size_t want = (size_t)fmin((double)TILES * threads, fmax(threads, TILES * work / least));
    const size_t cols = max_size(1, min_size(b->most, b->count / max_size(1, want))), across = ceil_div(b->count, cols);
    if (threads == 1 || a->count > a->most || across < (size_t)threads) return parts;
    const double divided = (double)parts.count * bytes_read(a, b, (double)parts.rows, (double)parts.cols);
    if (bytes_read(a, b, (double)threads * (double)a->count, (double)b->count) >= divided) return parts;
    return (struct parts){a->count, cols, across, across};
}

static size_t even_parts(size_t n, size_t max) { return n == 0 ? 0 : ceil_div(n, ceil_div(n, max)); }

int cpu_product_threads(double work, int threads, double rate) { return work < ALONE * threads || work < ALONE_SECONDS * rate ? 1 : threads; }

// Floats of a need no copy unless its rows are so far apart that they compete for the same few lines of L1.
static int a_fits(const struct gemm *p) {
    return p->a_type == CPU_F32 && !p->a_cols && p->k <= IN_PLACE;
}

// Nor do those of b, whose rows a panel then reads in parts.
static int b_fits(const struct gemm *p, size_t vl) {
    return p->a_type == CPU_F32 && !p->b_rows && p->n % vl == 0 && p->n <= NARROW;
}

// Chooses the columns of a micro-kernel, and returns its rows.
static size_t choose_tile(struct product *g) {
    const struct gemm_loops *l = g->isa->gemm;
    const size_t vl = (size_t)g->isa->vl, broad = vl * (size_t)l->broad_nv;
    const int fits = g->b_here && g->p.n % broad == 0;
    g->wide = fits ? broad : vl * (size_t)(g->b_here ? l->nv : l->wide_nv);
    return (size_t)(fits ? l->broad_mr : g->b_here ? l->mr : l->wide_mr);
}

// The whole GEMM on this thread, undivided: operands are in place, and those that are reread fit in the cache.
static void run_in_place(const struct product *g) {
    const struct part p = {
        .g = g, .a1 = g->a_panels, .b1 = g->b_panels, .kb = g->p.k, .a = g->p.a, .b = g->p.b, .a_row = g->p.k, .b_col = g->wide, .b_step = g->p.n,
        .sum = g->p.out, .ld = g->p.n,
    };
    for (size_t ib = 0; ib < g->b_panels; ib++) multiply(&p, 0, g->a_panels, ib);
}

static void run_floats(cpu_stream *s, const struct gemm *p) {
    cpu_pool *pool = stream_pool(s);
    const struct isa *isa = pool_isa(pool);
    struct product g = {.isa = isa, .p = *p, .a_here = a_fits(p), .b_here = b_fits(p, (size_t)isa->vl)};
    const size_t mr = choose_tile(&g);
    g.copy = p->a_type == CPU_F32 && !p->b_rows && !g.b_here;
    g.depth = even_parts(p->k, (size_t)isa->gemm->kc);
    g.a_panels = ceil_div(p->m, mr), g.b_panels = ceil_div(p->n, g.wide);
    g.height = ceil_div(p->m, g.a_panels);
    g.packed_row = (size_t)isa->gemm->kc + ROW_PAD;
    const size_t each = 4 * max_size(1, g.depth);
    // from the first row of a to the last: they stay in a core's cache while panels of b are read
    g.chunk = pool_kept_bytes(pool) / (4 * max_size(1, g.a_here ? p->k : g.packed_row) * g.height);
    const double work = (double)p->m * (double)p->n * (double)p->k;
    const int threads = cpu_product_threads(work, pool_threads(pool), pool_rate(pool));
    if (threads == 1 && g.a_here && g.b_here && g.depth == p->k && g.chunk >= g.a_panels) {
        run_in_place(&g);
        return;
    }
    const int apart = p->end.type != CPU_F32 && p->end.type != CPU_I32 && p->k > g.depth;
    const struct panels a = {g.a_panels, apart ? g.chunk : g.a_panels, each * g.height};
    const struct panels b = {g.b_panels, apart ? SUM_COLS : B_BYTES / (each * g.wide), (g.b_here ? 1 : PACKED) * each * g.wide};
    g.parts = divide(&a, &b, threads, work, LEAST);
    g.chunk = even_parts(g.parts.rows, g.chunk); // so that panels of b are not read for a few remaining rows
    run_on(pool, threads, g.parts.count, run_part, &g);
}

void run_packed(cpu_stream *s, const struct gemm *g) {
    const struct isa *isa = pool_isa(stream_pool(s));
    if (tiles_fit(isa, g)) run_tiles(s, g);
    else if (!codes_fit(isa, g) || !run_codes(s, g)) run_floats(s, g);
}
