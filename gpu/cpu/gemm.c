// Matrix products in the manner of Goto and van de Geijn: panels of b are packed in the order the micro-kernel reads them, and rows of a
// are copied next to each other. Element types and layouts differ only in that; floats that already lie well are read in place.
#include <math.h>
#include <string.h>

#include "codes.h"
#include "gemm.h"
#include "tiles.h"

#define CACHE_BYTES 800000 // of packed a that stay in a core's cache while panels of b are read
#define MAX_COLS 16       // panels of b in a part, whose sums stay in a core's cache
#define GROUP 4            // panels of b packed together, so that longer parts of rows of b are read
#define ALONE 1e5          // with fewer multiplications a thread, waking threads does not pay
#define LEAST 7e5          // multiplications of a part
#define TILES 4            // parts a thread, to share the work well
#define IN_PLACE 1024      // maximum length of a row of a that is not copied
#define FAR 1024           // floats
#define NARROW 256         // maximum length of a row of b that is not copied
#define PACKED 2           // reading panels of b that are to be packed takes longer than reading others

struct product {
    const struct isa *isa;
    struct gemm p;
    size_t wide;                       // columns of a micro-kernel
    size_t depth;                      // of a block along k
    size_t height, a_panels, b_panels; // rows of a panel of a; panels
    struct parts parts;
    int a_here, b_here; // an operand is read in place
};

// One part, of which one block along k is at hand.
struct part {
    const struct product *g;
    size_t a0, a1, b0, b1; // panels
    size_t k0, kb;
    const float *a, *b;          // of the first panel of a, and of b of a group
    size_t a_row, b_col, b_step; // distances of rows of a, of panels of b, and of rows in one
    float *sum;           // of the first panels, ld apart; NULL if the first block is the last
    size_t ld;
};

// Rows of a from `row` on: [rows][kb].
static void pack_a(const struct product *g, size_t row, size_t rows, size_t k0, size_t kb, float *to) {
    size_t ld;
    const float *src = a_rows(g->isa, &g->p, row, rows, k0, kb, to, &ld);
    if (src == to) return;
    for (size_t r = 0; r < rows; r++) memcpy(to + r * kb, src + r * ld, 4 * kb);
}

// Columns of b from `col` on, from rows of b: [kb][wide].
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

// Lets the micro-kernel add the bias and apply ReLU, while the sums are in registers; 0 if it cannot.
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

// Of int8: floats hold the sums of one block along k exactly, integers those of all.
static void add_integers(const struct part *p, const struct tile *t, size_t rows, size_t cols, size_t i, size_t j) {
    int32_t *out = (int32_t *)p->g->p.out + i * p->g->p.n + j;
    for (size_t r = 0; r < rows; r++, out += p->g->p.n) p->g->isa->gemm->add_integers(t->c + r * t->ldc, cols, p->k0 > 0, out);
}

// One micro-kernel: panel ia of a by panel ib of b, which begins at `b`, and the epilogue if these are the last products.
static void multiply(const struct part *p, size_t ia, size_t ib, const float *b) {
    const struct product *g = p->g;
    const size_t i = ia * g->height, rows = min_size(g->height, g->p.m - i), row = i - p->a0 * g->height;
    const size_t j = ib * g->wide, cols = min_size(g->wide, g->p.n - j), col = j - p->b0 * g->wide, vl = (size_t)g->isa->vl;
    const size_t nv = ceil_div(cols, vl);
    float one[MAX_MR * 2 * MAX_VL] __attribute__((aligned(64)));
    struct tile t = {
        .k = p->kb, .a = p->a + row * p->a_row, .b = b, .a_row = p->a_row, .b_step = p->b_step,
        .c = p->sum ? p->sum + row * p->ld + col : one, .ldc = p->sum ? p->ld : g->wide, .last = cols - (nv - 1) * vl,
        .add = p->k0 > 0 && g->p.end.type != CPU_I32,
    };
    const int last = p->k0 + p->kb == g->p.k, finished = last && finish_in_registers(&g->p.end, j, &t);
    g->isa->gemm->ukr[nv - 1][rows](&t);
    if (g->p.end.type == CPU_I32) add_integers(p, &t, rows, cols, i, j);
    else if (last && !finished) store_tile(g, &t, rows, cols, i, j);
}

// Rows of a of the part in the block along k, in place or packed to `to`.
static void place_a(struct part *p, float *to) {
    const struct product *g = p->g;
    const size_t row = p->a0 * g->height, rows = min_size(p->a1 * g->height, g->p.m) - row;
    p->a = to, p->a_row = p->kb;
    if (g->a_here) p->a = (const float *)g->p.a + row * g->p.k + p->k0, p->a_row = g->p.k;
    else
        for (size_t r = 0; r < rows; r += g->height) pack_a(g, row + r, min_size(g->height, rows - r), p->k0, p->kb, to + r * p->kb);
}

static void place_b(struct part *p, size_t panel, size_t panels, float *to) {
    const struct product *g = p->g;
    const size_t col = panel * g->wide, cols = min_size(panels * g->wide, g->p.n - col);
    p->b = to, p->b_col = g->wide * p->kb, p->b_step = g->wide;
    if (g->b_here) p->b = (const float *)g->p.b + p->k0 * g->p.n + col, p->b_col = g->wide, p->b_step = g->p.n;
    else pack_b(g, col, cols, p->k0, p->kb, to);
}

// Multiplies the block along k that is at hand, with room for packed operands at a and b.
static void run_block(struct part *p, float *a, float *b) {
    place_a(p, a);
    for (size_t first = p->b0; first < p->b1; first += GROUP) {
        const size_t panels = min_size(GROUP, p->b1 - first);
        place_b(p, first, panels, b);
        for (size_t i = 0; i < panels; i++)
            for (size_t ia = p->a0; ia < p->a1; ia++) multiply(p, ia, first + i, p->b + i * p->b_col);
    }
}

static size_t whole_lines(size_t floats) { return ceil_div(floats, MAX_VL) * MAX_VL; }

// Runs every block along k; at least one, since a product with k = 0 is 0.
static void run_part(void *arg, int task) {
    const struct product *g = arg;
    const size_t down = (size_t)task / g->parts.across, across = (size_t)task % g->parts.across;
    struct part p = {.g = g, .a0 = down * g->parts.rows, .b0 = across * g->parts.cols};
    p.a1 = min_size(p.a0 + g->parts.rows, g->a_panels), p.b1 = min_size(p.b0 + g->parts.cols, g->b_panels);
    float *b = own_scratch(), *a = b + whole_lines(GROUP * g->wide * g->depth);
    if (g->p.end.type == CPU_F32) p.sum = (float *)g->p.out + p.a0 * g->height * g->p.n + p.b0 * g->wide, p.ld = g->p.n;
    else if (g->p.end.type != CPU_I32 && g->p.k > g->depth) {
        p.sum = a + (g->a_here ? 0 : whole_lines(g->parts.rows * g->height * g->depth));
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

static size_t even_parts(size_t n, size_t max) { return n == 0 ? 0 : ceil_div(n, ceil_div(n, max)); }

// Floats need no copy of a if its rows are not so far apart that they meet in the same few lines of the nearest cache.
static int a_in_place(const struct gemm *p) {
    return p->a_type == CPU_F32 && !p->a_cols && p->k <= IN_PLACE && (p->k % FAR != 0 || p->k < FAR);
}

// Nor of b, whose rows a panel then reads in parts.
static int b_in_place(const struct gemm *p, size_t vl) {
    return p->a_type == CPU_F32 && !p->b_rows && p->n % vl == 0 && p->n <= NARROW;
}

static void run_floats(cpu_stream *s, const struct gemm *p) {
    cpu_pool *pool = stream_pool(s);
    const struct isa *isa = pool_isa(pool);
    struct product g = {.isa = isa, .p = *p, .a_here = a_in_place(p), .b_here = b_in_place(p, (size_t)isa->vl)};
    g.wide = (size_t)(isa->vl * isa->gemm->nv);
    g.depth = even_parts(p->k, (size_t)isa->gemm->kc);
    g.a_panels = ceil_div(p->m, (size_t)isa->gemm->mr), g.b_panels = ceil_div(p->n, g.wide);
    g.height = ceil_div(p->m, g.a_panels);
    const size_t each = 4 * max_size(1, g.depth);
    const struct panels a = {g.a_panels, CACHE_BYTES / (each * g.height), each * g.height};
    const struct panels b = {g.b_panels, MAX_COLS, (g.b_here ? 1 : PACKED) * each * g.wide};
    const double work = (double)p->m * (double)p->n * (double)p->k;
    const int threads = work < ALONE * pool_threads(pool) ? 1 : pool_threads(pool);
    g.parts = divide(&a, &b, threads, work, LEAST);
    run_on(pool, threads, g.parts.count, run_part, &g);
}

void run_packed(cpu_stream *s, const struct gemm *g) {
    const struct isa *isa = pool_isa(stream_pool(s));
    if (tiles_fit(isa, g)) run_tiles(s, g);
    else if (!codes_fit(isa, g) || !run_codes(s, g)) run_floats(s, g);
}
