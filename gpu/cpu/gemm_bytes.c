// int8 activations times integer codes, both in blocks with scales. Both operands are packed, so that blocks of any length are
// whole lanes; a block longer than a panel is summed in pieces. If there are few rows of activations and blocks fit into vectors,
// the codes are multiplied without packing.
#include <stdatomic.h>
#include <string.h>

#include "blocks.h"
#include "bytes.h"
#include "dots.h"
#include "gemm.h"

#include "params/blocks.h"
#include "params/gemm.h"
#include "params/scales.h"

#define MAX_PANELS 32      // of weights in a part, whose sums stay in the cache, too; twice as many with two digits, which are half as wide
#define ALONE 1e6          // with fewer, waking threads does not pay
#define MAX_GROUPS (BYTE_DEPTH / 4)
#define TURNS 8            // per thread, if there are few rows of activations…
#define MAX_ROWS 240       // …unless it then takes more rows of codes than this
#define PIECE 131072       // codes per task in that case
#define SPACED_DIGITS 2    // for one row times int8 codes: with one digit the loop catches up with memory, and is 0.94 times as fast
#define FEW_ALONE 262144   // with fewer, waking threads does not pay

struct byte_job {
    const struct isa *isa;
    const struct byte_loops *loops;
    size_t m, n, k;
    const int8_t *a;
    const float *a_scale;
    struct quantized w;
    enum byte_terms terms;
    float *out;
    size_t block, a_blocks;      // elements of a block; scales of a row of activations
    int shared;                  // log2 of how many groups of weights share a scale of activations
    size_t pieces, piece, width; // of a block; elements of a piece, without and with padding
    size_t groups, depth;        // pieces of a row, and of a panel: one, if blocks have several
    int adjacent;                // pieces follow each other without padding
    size_t a_panels, w_panels;
    struct parts parts;
    uint64_t owner; // of the packed rows of the first parts; the next parts down have the following numbers
};

// One part, and its current block along k.
struct byte_part {
    const struct byte_job *j;
    size_t a0, a1, w0, w1; // panels
    size_t g0, gs;         // groups
    char *a, *w;           // packed, of the first panel of a, and of one of w
    int8_t *rows;          // unpacked codes of a panel
};

// A panel and its groups' terms, in the order of struct byte_tile.
struct byte_panel {
    char *at;
    int32_t *start;
    float *sums, *a_scale, *scale, *term;
};

static size_t a_side(const struct byte_job *j) { return max_size(j->depth, j->loops->row_groups) * j->loops->rows * 4; }
static size_t w_side(const struct byte_job *j) { return j->depth * j->loops->cols * 4; }
static size_t a_bytes(const struct byte_job *j) { return j->loops->rows * BYTE_ROW(j->loops->each) + 3 * a_side(j); }
static size_t w_codes(const struct byte_job *j) { return (BYTE_DEPTH / j->loops->each + 16) * 4 * j->loops->cols * j->loops->digits; }
static size_t w_bytes(const struct byte_job *j) { return w_codes(j) + (1 + j->loops->terms) * w_side(j); }

static struct byte_panel a_panel(const struct byte_part *p, size_t i) {
    const size_t side = a_side(p->j);
    char *at = p->a + i * a_bytes(p->j), *next = at + a_bytes(p->j) - 3 * side;
    return (struct byte_panel){
        .at = at, .start = (int32_t *)(void *)next, .sums = (float *)(void *)(next + side), .a_scale = (float *)(void *)(next + 2 * side),
    };
}

static struct byte_panel w_panel(const struct byte_part *p) {
    char *next = p->w + w_codes(p->j);
    return (struct byte_panel){.at = p->w, .scale = (float *)(void *)next, .term = (float *)(void *)(next + w_side(p->j))};
}

// Where the piece of group g begins in a row, and its number of elements.
static size_t group_from(const struct byte_job *j, size_t g) { return g / j->pieces * j->block + g % j->pieces * j->piece; }
static size_t group_size(const struct byte_job *j, size_t g) {
    const size_t from = group_from(j, g), end = min_size((g / j->pieces + 1) * j->block, j->k);
    return from < end ? min_size(j->piece, end - from) : 0;
}

// The current groups of a row of activations, each padded with 0: in place, or in tmp.
static const int8_t *row_groups(const struct byte_part *p, const int8_t *row, int8_t *tmp) {
    const struct byte_job *j = p->j;
    const size_t from = group_from(j, p->g0), n = p->gs * j->width;
    if (j->adjacent && from + n <= j->k) return row + from;
    memset(tmp, 0, n);
    for (size_t g = 0; g < p->gs; g++) {
        const size_t size = group_size(j, p->g0 + g);
        if (size > 0) memcpy(tmp + g * j->width, row + group_from(j, p->g0 + g), size);
    }
    return tmp;
}

// Puts the terms of the current groups of row r of a panel in the order that the loops want.
static void put_row_terms(const struct byte_part *p, size_t r, const int32_t *sums, const float *scale, const struct byte_panel *to) {
    const struct byte_job *j = p->j;
    const size_t room = j->loops->row_groups, rows = j->loops->rows;
    const int bias = j->loops->bias[j->w.type], shared = j->shared;
    if (room) {
        for (size_t g = 0; g < p->gs; g++) to->sums[r * room + g] = (float)sums[g];
        for (size_t g = 0; g < p->gs; g++) to->a_scale[r * room + g] = scale[g >> shared];
        return;
    }
    for (size_t g = 0, at = r; g < p->gs; g++, at += rows) to->start[at] = -bias * sums[g], to->a_scale[at] = scale[g >> shared];
    if (j->terms == BYTE_SCALES) return; // which needs no sums
    for (size_t g = 0, at = r; g < p->gs; g++, at += rows) to->sums[at] = (float)sums[g];
}

static void pack_a(const struct byte_part *p, size_t i) {
    const struct byte_job *j = p->j;
    const size_t first = (p->a0 + i) * j->loops->rows, rows = min_size(j->loops->rows, j->m - first), lanes = j->width / j->loops->each;
    const struct byte_panel to = a_panel(p, i);
    int8_t tmp[BYTE_DEPTH];
    int32_t sums[MAX_GROUPS];
    if (p->gs == 0) return; // without groups their length is undefined
    for (size_t r = 0; r < rows; r++) {
        const int8_t *src = row_groups(p, j->a + (first + r) * j->k, tmp);
        const float *scale = j->a_scale + (first + r) * j->a_blocks + (p->g0 / j->pieces >> j->shared);
        j->loops->pack_row(src, p->gs * j->width, lanes, to.at + r * BYTE_ROW(j->loops->each), sums);
        put_row_terms(p, r, sums, scale, &to);
    }
}

// Unpacks the codes of a row of weights, group by group; the values of the padding do not matter.
static void unpack_row(const struct byte_part *p, size_t row, int8_t *to) {
    const struct byte_job *j = p->j;
    const uint8_t *codes = (const uint8_t *)j->w.codes + row * bytes_of(j->w.type, j->k);
    if (j->adjacent) {
        const size_t from = group_from(j, p->g0);
        j->loops->unpack[j->w.type](codes + bytes_of(j->w.type, from), min_size(p->gs * j->width, j->k - from), to);
        return;
    }
    for (size_t g = 0; g < p->gs; g++) {
        const size_t size = group_size(j, p->g0 + g);
        if (size > 0) j->loops->unpack[j->w.type](codes + bytes_of(j->w.type, group_from(j, p->g0 + g)), size, to + g * j->width);
    }
}

// The scales of a row of weights, and their offsets or zero points.
static void row_terms(const struct byte_part *p, size_t row, float *scale, float *term) {
    const struct byte_job *j = p->j;
    const size_t from = group_from(j, p->g0);
    if (cpu_block_weights(j->w.type)) {
        const uint8_t *blocks = (const uint8_t *)j->w.codes + row * bytes_of(j->w.type, j->k);
        const struct byte_loops *l = j->loops;
        (l->scales[j->w.type] ? l->scales : j->isa->blocks->scales)[j->w.type](blocks, from, min_size(p->gs * j->width, j->k - from), scale, term);
        return;
    }
    const size_t block = quantized_block(&j->w, row, from);
    const float *s = scales_at(j->isa, &j->w, j->w.scale, block, p->gs, scale), *z = scales_at(j->isa, &j->w, j->w.zero, block, p->gs, term);
    for (size_t g = 0; g < p->gs; g++) scale[g] = s[g], term[g] = -z[g];
}

static void pack_w(const struct byte_part *p, size_t panel) {
    const struct byte_job *j = p->j;
    const size_t cols = j->loops->cols, first = panel * cols;
    const struct byte_panel to = w_panel(p);
    float scale[BYTE_COLS][MAX_GROUPS], term[BYTE_COLS][MAX_GROUPS];
    for (size_t c = 0; c < cols; c++) {
        const size_t row = min_size(first + c, j->n - 1); // columns that do not exist are not stored
        unpack_row(p, row, p->rows + c * BYTE_UNPACKED);
        row_terms(p, row, scale[c], term[c]);
    }
    j->loops->turn(&scale[0][0], MAX_GROUPS, p->gs, to.scale);
    if (j->terms != BYTE_SCALES) j->loops->turn(&term[0][0], MAX_GROUPS, p->gs * j->loops->terms, to.term);
    j->loops->pack_cols(p->rows, BYTE_UNPACKED, p->gs * j->width / j->loops->each, to.at);
}

static void multiply(const struct byte_part *p, size_t i, size_t panel) {
    const struct byte_job *j = p->j;
    const size_t row = (p->a0 + i) * j->loops->rows, col = panel * j->loops->cols;
    const struct byte_panel a = a_panel(p, i), w = w_panel(p);
    const struct byte_tile t = {
        .terms = j->terms, .groups = p->gs, .lanes = j->width / j->loops->each, .a = a.at, .w = w.at, .start = a.start, .sums = a.sums, .a_scale = a.a_scale,
        .scale = w.scale, .term = w.term, .out = j->out + row * j->n + col, .ld = j->n, .rows = min_size(j->loops->rows, j->m - row),
        .cols = min_size(j->loops->cols, j->n - col), .add = p->g0 > 0,
    };
    j->loops->tile(&t);
}

// Without groups, outputs become 0.
static void run_part(void *arg, int task) {
    const struct byte_job *j = arg;
    const size_t down = (size_t)task / j->parts.across, across = (size_t)task % j->parts.across;
    int kept = 0; // from an earlier part, if it had all groups
    void *own = j->groups <= j->depth ? kept_scratch(j->owner + down, &kept) : own_scratch();
    struct byte_part p = {.j = j, .a0 = down * j->parts.rows, .w0 = across * j->parts.cols, .w = own};
    p.a1 = min_size(p.a0 + j->parts.rows, j->a_panels), p.w1 = min_size(p.w0 + j->parts.cols, j->w_panels);
    p.rows = (int8_t *)p.w + w_bytes(j), p.a = (char *)p.rows + j->loops->cols * j->loops->digits * BYTE_UNPACKED;
    if (j->loops->begin) j->loops->begin(j->width / j->loops->each);
    do {
        p.gs = min_size(j->depth, j->groups - p.g0);
        for (size_t i = 0; i < p.a1 - p.a0 && !kept; i++) pack_a(&p, i);
        for (size_t w = p.w0; w < p.w1; w++) {
            pack_w(&p, w);
            for (size_t i = 0; i < p.a1 - p.a0; i++) multiply(&p, i, w);
        }
        p.g0 += p.gs;
    } while (p.g0 < j->groups);
    if (j->loops->end) j->loops->end();
}

static void run_all(cpu_stream *s, struct byte_job *j) {
    cpu_pool *pool = stream_pool(s);
    j->a_panels = ceil_div(j->m, j->loops->rows), j->w_panels = ceil_div(j->n, j->loops->cols);
    const struct panels a = {j->a_panels, pool_kept_bytes(pool) / a_bytes(j), j->loops->rows * BYTE_DEPTH};
    const struct panels w = {j->w_panels, MAX_PANELS * j->loops->digits, j->loops->cols * j->loops->digits * BYTE_DEPTH};
    const double work = (double)j->m * (double)j->n * (double)j->k;
    const int threads = work < ALONE ? 1 : pool_threads(pool);
    j->parts = j->groups <= j->depth ? divide_columns(&a, &w, threads, work, j->loops->least) : divide(&a, &w, threads, work, j->loops->least);
    j->owner = scratch_owners(ceil_div(j->a_panels, max_size(1, j->parts.rows)));
    run_on(pool, (size_t)threads, j->parts.count, run_part, j);
}

// Few rows of activations: the codes are read once, in place.
struct few_rows {
    const struct byte_job *j;
    struct quant_rows x;
    size_t piece;      // rows of codes per task
    atomic_int odd;    // a sum is not finite: its value depends on the order
};

// Computes the outputs of the rows of codes of an iteration and m rows of activations from r on; one of the two counts is 1.
static void dot_few(struct few_rows *f, const struct quant_rows *x, size_t r, size_t m, struct row_turns *c, size_t turn) {
    const struct byte_job *j = f->j;
    const struct dot_weights w = weights_of(j->isa, c, turn);
    float sum[DOT_APART] = {0};
    if (!j->isa->dots->dot_codes[j->w.type](&w, x, (int)m, (int)c->rows, j->k, sum)) atomic_store_explicit(&f->odd, 1, memory_order_relaxed);
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < c->rows; k++) j->out[(r + i) * j->n + c->row + turn + k * c->apart] = sum[i + k];
}

static void dot_rows(void *arg, int task) {
    struct few_rows *f = arg;
    const struct byte_job *j = f->j;
    const size_t first = (size_t)task * f->piece, n = min_size(f->piece, j->n - first), apart = j->m == 1 ? n / DOT_APART : 0;
    struct row_turns side = {.q = &j->w, .row = first, .apart = apart, .rows = DOT_APART, .turns = apart};
    for (size_t c = 0; c < apart; c++) dot_few(f, &f->x, 0, 1, &side, c);
    const size_t done = apart * DOT_APART;
    for (size_t r = 0; r < j->m; r += DOT_ROWS) {
        const struct quant_rows x = rows_from(&f->x, r);
        struct row_turns rest = {.q = &j->w, .row = first + done, .rows = 1, .turns = n - done};
        for (size_t c = 0; c < n - done; c++) dot_few(f, &x, r, min_size(DOT_ROWS, j->m - r), &rest, c);
    }
}

// Returns 0 if the product is left to packed codes.
static int run_few(cpu_stream *s, const struct byte_job *j) {
    const struct dot_loops *dots = j->isa->dots;
    const int bits = cpu_type_bits(j->w.type);
    if (j->m > GEMV_ROWS || !blocks_fit(j->isa, &j->w) || (j->w.half && !wide_fits(&j->w, DOT_APART))) return 0;
    const size_t group = 32 * (size_t)j->isa->vl / (size_t)bits;
    struct few_rows f = {.j = j, .piece = max_size(1, PIECE / j->k)};
    f.x.digits = j->m == 1 && j->w.type == CPU_I8 ? SPACED_DIGITS : dots->code_digits[j->w.type];
    f.x.x_row = ceil_div(j->k, group) * dot_group_bytes(bits, f.x.digits, (size_t)j->isa->vl), f.x.sums_row = j->a_blocks;
    char *x = stream_scratch(s, j->m * (f.x.x_row + j->a_blocks * sizeof(float)));
    if (!x) return 0;
    float *sums = (float *)(void *)(x + j->m * f.x.x_row);
    for (size_t r = 0; r < j->m; r++) {
        dots->prepare_codes[j->w.type](j->a + r * j->k, f.x.digits, j->a_scale + r * j->a_blocks, j->block, j->k, x + r * f.x.x_row, sums + r * j->a_blocks);
        f.x.unit[r] = 1;
    }
    f.x.x = x, f.x.sums = sums;
    cpu_pool *pool = stream_pool(s);
    const int alone = j->n * j->k <= FEW_ALONE;
    f.piece = rows_in_streams(max_size(f.piece, min_size(j->n / (TURNS * (size_t)pool_threads(pool)), MAX_ROWS)));
    run_on(pool, alone ? 1 : (size_t)pool_threads(pool), ceil_div(j->n, f.piece), dot_rows, &f);
    return !atomic_load(&f.odd);
}

// The loops for a product whose blocks are divided into pieces.
static const struct byte_loops *loops_for(const struct byte_job *j) {
    const struct byte_loops *l = j->isa->first_bytes;
    return l && l->unpack[j->w.type] && j->m >= l->least_rows && ceil_div(j->piece, l->each) >= l->least_lanes ? l : j->isa->bytes;
}

// The loops with whole blocks of weights as groups; NULL: none.
static const struct byte_loops *block_loops_for(const struct byte_job *j) {
    const struct byte_loops *l = j->isa->block_bytes;
    return l && l->unpack[j->w.type] && j->m >= l->least_rows ? l : NULL;
}

// The elements of a piece, padded to whole lanes and, where loops take several at once, to a multiple for each step.
static size_t filled(const struct byte_loops *l, size_t piece) {
    const size_t quads = ceil_div(piece, 4), steps = l->whole_lanes ? ceil_div(quads, l->whole_lanes) : 1;
    return steps > 0 ? ceil_div(quads, steps) * steps * 4 : 0;
}

// Divides blocks into pieces that fit into panels, and picks the loops for them.
static void divide_blocks(struct byte_job *j) {
    j->pieces = max_size(1, ceil_div(j->block, BYTE_DEPTH));
    j->piece = ceil_div(j->block, j->pieces);
    if (!j->loops) j->loops = loops_for(j);
    j->width = filled(j->loops, j->piece);
    if (j->pieces > 1) j->piece = j->width;
    j->groups = j->k > 0 ? j->k / j->block * j->pieces + ceil_div(j->k % j->block, j->piece) : 0;
    j->depth = j->width > 0 ? BYTE_DEPTH / j->width : 1;
    j->adjacent = j->width * j->pieces == j->block || j->block == j->k;
}

int run_bytes(cpu_stream *s, const cpu_args *a) {
    const struct QuantInt8MatmulParams *p = a->params;
    if (p->m == 0 || p->n == 0) return 1;
    struct byte_job j = {
        .isa = pool_isa(stream_pool(s)), .m = p->m, .n = p->n, .k = p->k, .a = a->arg[0], .a_scale = a->arg[1],
        .w = {a->arg[2], a->arg[3], a->arg[4], a->type, p->k, p->block, a->constants[HALF_SCALES]}, .out = a->arg[5],
        .block = p->block ? min_size(p->block, p->k) : p->k,
    };
    j.a_blocks = j.block ? ceil_div(j.k, j.block) : 0;
    float one[2];
    j.w = with_one_scale(j.isa, &j.w, one);
    if (run_few(s, &j)) return 1;
    divide_blocks(&j);
    run_all(s, &j);
    return 1;
}

// Few rows of activations: the codes are read once, in place. Floats handle sums that are not finite, and types without an
// integer loop.
static int run_few_blocks(cpu_stream *s, const cpu_args *a) {
    const struct BlockMatmulParams *p = a->params;
    const size_t n = (size_t)p->m * p->k;
    float *x = own_scratch();
    const int8_t *codes = a->arg[0];
    const float *scale = a->arg[1];
    const size_t block = (size_t)cpu_block_weights(a->type);
    for (size_t i = 0; i < n; i += block)
        for (size_t c = i; c < i + block; c++) x[c] = (float)codes[c] * scale[i / block];
    const struct gemm g = {
        .m = p->m, .n = p->n, .k = p->k, .a = x, .a_type = CPU_F32, .b_rows = 1, .rounded = codes, .rounded_scale = scale, .out = a->arg[3],
        .w = {a->arg[2], NULL, NULL, a->type, p->k, BLOCKS_GROUP}, .end = {NULL, CPU_F32, ACT_NONE},
    };
    return run_gemv(s, &g);
}

int run_block_bytes(cpu_stream *s, const cpu_args *a) {
    const struct BlockMatmulParams *p = a->params;
    if (p->m == 0 || p->n == 0) return 1;
    if (p->m <= GEMV_ROWS && (size_t)p->m * p->k * sizeof(float) <= OWN_BYTES) return run_few_blocks(s, a);
    const size_t weights = (size_t)cpu_block_weights(a->type);
    struct byte_job j = {
        .isa = pool_isa(stream_pool(s)), .m = p->m, .n = p->n, .k = p->k, .a = a->arg[0], .a_scale = a->arg[1],
        .w = {a->arg[2], NULL, NULL, a->type, p->k, 0}, .out = a->arg[3], .a_blocks = p->k / weights,
        .terms = has_offsets(a->type) ? BYTE_OFFSETS : BYTE_SCALES,
    };
    j.loops = block_loops_for(&j);
    j.block = j.loops ? weights : j.isa->blocks->group[a->type];
    while (j.block << j.shared < weights) j.shared++;
    divide_blocks(&j);
    run_all(s, &j);
    return 1;
}
