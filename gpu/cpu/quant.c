// Quantizing and dequantizing matrices by blocks.
#include <math.h>
#include <string.h>

#include "blocks.h"
#include "dots.h"
#include "gemm.h"

#include "params/blocks.h"
#include "params/quant.h"
#include "params/scales.h"

#define PIECE 16384   // elements a thread takes at a time
#define WIDE_BLOCKS 64 // whose scales are widened together when a row is dequantized

struct quant_job {
    const struct isa *isa;
    void *const *arg;
    char *codes; // of the quantizers
    int type, symmetric, half, stream; // half: scales and zero points are in f16
    size_t rows, cols, block, per_row; // per_row: blocks in a row; 0 with one scale for all
    size_t piece;                      // rows per task
};

static struct quant_job rows_of(cpu_stream *s, const cpu_args *a, size_t rows, size_t cols) {
    return (struct quant_job){
        .isa = pool_isa(stream_pool(s)), .arg = a->arg, .type = a->type,
        .rows = rows, .cols = cols, .piece = max_size(1, PIECE / max_size(1, cols)),
        .stream = rows * (4 * cols + bytes_of(a->type, cols)) >= pool_cached_bytes(stream_pool(s)) * 4 / 3, // earlier than others: input of the quantizers is rarely in a cache
    };
}

static struct quant_job job_of(cpu_stream *s, const cpu_args *a) {
    const struct QuantParams *p = a->params;
    struct quant_job j = rows_of(s, a, p->rows, p->cols);
    j.codes = a->arg[1];
    j.half = a->constants[HALF_SCALES];
    j.block = p->block;
    j.per_row = j.block ? ceil_div(j.cols, j.block) : 0;
    return j;
}

static int in_blocks(const struct quantized *q) { return cpu_block_weights(q->type) > 0; }
const void *zeros_of(int type, const void *zero) { return codings[type].zeros ? zero : NULL; }

static const char *row_codes(const struct quantized *q, size_t row) {
    return (const char *)q->codes + row * bytes_of(q->type, q->cols);
}

// With one scale for all, every row is block 0.
static size_t block_size(const struct quantized *q) { return q->block ? q->block : max_size(1, q->cols); }
static size_t first_block(const struct quantized *q, size_t row) {
    return q->block ? row * ceil_div(q->cols, q->block) : 0;
}

static const float *scales_from(const struct quantized *q, size_t block) { return (const float *)q->scale + block; }
static const float *zeros_from(const struct quantized *q, size_t block) { return q->zero ? (const float *)q->zero + block : NULL; }

size_t quantized_block(const struct quantized *q, size_t row, size_t col) { return first_block(q, row) + col / block_size(q); }

const float *scales_at(const struct isa *isa, const struct quantized *q, const void *plane, size_t b, size_t n, float *tmp) {
    if (!plane) return NULL;
    if (!q->half) return (const float *)plane + b;
    isa->gemm->widen[CPU_F16]((const uint16_t *)plane + b, tmp, n);
    return tmp;
}

// The same as load_quantized, with f16 scales.
static void load_half(const struct isa *isa, const struct quantized *q, size_t row, size_t first, size_t n, float *out) {
    const size_t block = block_size(q), row_block = first_block(q, row);
    float scale[WIDE_BLOCKS], zero[WIDE_BLOCKS];
    for (const size_t last = first + n; first < last;) {
        const size_t b = first / block, blocks = min_size(WIDE_BLOCKS, ceil_div(last, block) - b), from = b * block;
        const size_t end = min_size(from + blocks * block, last);
        const float *s = scales_at(isa, q, q->scale, row_block + b, blocks, scale), *z = scales_at(isa, q, q->zero, row_block + b, blocks, zero);
        isa->quant->dequant[q->type](row_codes(q, row) + bytes_of(q->type, from), block, z, s, first - from, end - first, out);
        out += end - first, first = end;
    }
}

void load_quantized(const struct isa *isa, const struct quantized *q, size_t row, size_t first, size_t n, float *out) {
    if (in_blocks(q)) {
        isa->blocks->decode[q->type]((const uint8_t *)row_codes(q, row), first, n, out);
        return;
    }
    if (q->half) {
        load_half(isa, q, row, first, n, out);
        return;
    }
    const size_t b = first_block(q, row);
    isa->quant->dequant[q->type](row_codes(q, row), block_size(q), zeros_from(q, b), scales_from(q, b), first, n, out);
}

static size_t blocks_of(const struct quantized *q) { return ceil_div(q->cols, block_size(q)); }

// f16 scales of this many blocks, or of a row with more, are widened at once: calls for a few cost more than their work.
#define WIDE_AT_ONCE 128

// The floats for the widened scales of `rows` rows, padded to whole lines.
static size_t wide_floats(const struct quantized *q, size_t rows) {
    return ceil_div(rows * max_size(blocks_of(q), WIDE_AT_ONCE), MAX_VL) * MAX_VL;
}

int wide_fits(const struct quantized *q, size_t rows) { return 2 * wide_floats(q, rows) * sizeof(float) <= OWN_BYTES; }

// Meanwhile the next rows' scales are prefetched.
static void widen_plane(const struct isa *isa, const struct quantized *q, const void *plane, size_t b, size_t n, float *to) {
    const char *next = (const char *)plane + (b + n) * sizeof(uint16_t);
    for (size_t i = 0; i < n * sizeof(uint16_t); i += 64) __builtin_prefetch(next + i);
    scales_at(isa, q, plane, b, n, to);
}

// Widens the scales of as many iterations from `turn` on as are taken at once, those of each row's iterations side by side.
static void widen_turns(const struct isa *isa, struct row_turns *r, size_t turn, float *scale, float *zero) {
    const struct quantized *q = r->q;
    const size_t blocks = blocks_of(q);
    r->first = turn, r->wide = q->block ? min_size(r->turns - turn, max_size(1, WIDE_AT_ONCE / blocks)) : 1;
    for (size_t i = 0, n = r->wide * blocks; i < r->rows; i++) {
        const size_t from = first_block(q, r->row + turn + i * r->apart);
        widen_plane(isa, q, q->scale, from, n, scale + i * n);
        if (q->zero) widen_plane(isa, q, q->zero, from, n, zero + i * n);
    }
}

struct dot_weights weights_of(const struct isa *isa, struct row_turns *r, size_t turn) {
    const struct quantized *q = r->q;
    const size_t row = r->row + turn, blocks = blocks_of(q), b = first_block(q, row);
    struct dot_weights w = {.q = row_codes(q, row), .apart = r->apart * bytes_of(q->type, q->cols), .block = block_size(q)};
    if (!q->half) {
        w.scale = scales_from(q, b), w.zero = zeros_from(q, b), w.scales_apart = q->block ? r->apart * blocks : 0;
        return w;
    }
    float *scale = own_scratch(), *zero = scale + wide_floats(q, r->rows);
    if (turn < r->first || turn >= r->first + r->wide) widen_turns(isa, r, turn, scale, zero);
    const size_t at = (turn - r->first) * blocks;
    w.scale = scale + at, w.zero = q->zero ? zero + at : NULL, w.scales_apart = r->wide * blocks;
    return w;
}

struct quantized with_one_scale(const struct isa *isa, const struct quantized *q, float one[2]) {
    if (!q->half || q->block) return *q;
    const float *scale = scales_at(isa, q, q->scale, 0, 1, one), *zero = scales_at(isa, q, q->zero, 0, 1, one + 1);
    return (struct quantized){q->codes, scale, zero, q->type, q->cols, q->block, 0};
}

// Codes of a group of activations, all in lanes of 4 bytes.
static size_t group_codes(const struct isa *isa, const struct quantized *q) {
    return 32 * (size_t)isa->vl / (size_t)cpu_type_bits(q->type);
}

static size_t row_bytes(const struct isa *isa, const struct quantized *q, int digits) {
    return ceil_div(q->cols, group_codes(isa, q)) * dot_group_bytes(cpu_type_bits(q->type), digits, (size_t)isa->vl);
}

static size_t spans(const struct quantized *q) { return ceil_div(q->cols, BLOCKS_SPAN); }

size_t prepared_bytes(const struct isa *isa, const struct quantized *q, int m) {
    if (in_blocks(q)) return (size_t)m * isa->dots->span_bytes[q->type] * spans(q);
    return (size_t)m * (row_bytes(isa, q, DIGITS) + blocks_of(q) * sizeof(float));
}

int blocks_fit(const struct isa *isa, const struct quantized *q) {
    const size_t block = block_size(q), group = group_codes(isa, q);
    if (q->cols < DOT_SHORTEST || block < DOT_BLOCK) return 0;
    return block >= q->cols || block % group == 0 || group % block == 0;
}

static struct quant_rows prepare_for_blocks(const struct isa *isa, const struct quantized *q, const float *a, int m, char *memory) {
    struct quant_rows x = {.x_row = isa->dots->span_bytes[q->type] * spans(q)};
    for (size_t r = 0; r < (size_t)m; r++)
        if (!isa->dots->prepare_blocks[q->type](a + r * q->cols, q->cols, memory + r * x.x_row)) return x;
    x.x = memory;
    return x;
}

struct quant_rows prepare_rounded_rows(const struct isa *isa, const struct quantized *q, const int8_t *a, const float *scale, int m, char *memory) {
    struct quant_rows x = {.digits = 1, .x_row = isa->dots->rounded_bytes[q->type] * spans(q)};
    if (!isa->dots->prepare_rounded[q->type]) return x;
    for (size_t r = 0; r < (size_t)m; r++)
        isa->dots->prepare_rounded[q->type](a + r * q->cols, scale + r * (q->cols / (size_t)cpu_block_weights(q->type)), q->cols, memory + r * x.x_row);
    x.x = memory;
    return x;
}

// All rows with the same number of digits.
static struct quant_rows prepare_digits(const struct isa *isa, const struct quantized *q, const float *a, int m, int digits, char *memory) {
    struct quant_rows x = {.digits = digits, .x_row = row_bytes(isa, q, digits), .sums_row = blocks_of(q)};
    float *sums = (float *)(void *)(memory + (size_t)m * x.x_row);
    for (size_t r = 0; r < (size_t)m; r++) {
        const float *row = a + r * q->cols;
        if (!isa->dots->prepare[q->type](row, digits, block_size(q), q->cols, memory + r * x.x_row, sums + r * x.sums_row, &x.unit[r])) return x;
    }
    x.x = memory, x.sums = sums;
    return x;
}

struct quant_rows prepare_rows(const struct isa *isa, const struct quantized *q, const float *a, int m, char *memory) {
    if (in_blocks(q)) return prepare_for_blocks(isa, q, a, m, memory);
    if (!isa->dots->prepare[q->type] || !blocks_fit(isa, q)) return (struct quant_rows){0};
    const struct quant_rows two = prepare_digits(isa, q, a, m, 2, memory);
    return two.x ? two : prepare_digits(isa, q, a, m, 3, memory);
}

// The weights of a row of blocks as floats, a piece at a time, where integer products would not do.
static void dot_decoded(const struct isa *isa, const struct quantized *q, size_t row, const float *a, int m, float *acc) {
    float w[2 * BLOCKS_SPAN];
    for (size_t k = 0; k < q->cols; k += 2 * BLOCKS_SPAN) {
        const size_t n = min_size(2 * BLOCKS_SPAN, q->cols - k);
        load_quantized(isa, q, row, k, n, w);
        isa->gemm->dot[CPU_F32](w, a + k, q->cols, m, n, acc);
    }
}

static void dot_blocks(const struct isa *isa, const struct quantized *q, size_t row, const float *a, const struct quant_rows *x, int m, float *acc) {
    if (!x->x || !isa->dots->dot_blocks[q->type]((const uint8_t *)row_codes(q, row), x, m, q->cols, acc)) dot_decoded(isa, q, row, a, m, acc);
}

void dot_quantized(const struct isa *isa, const struct quantized *q, size_t row, const float *a, const struct quant_rows *x, int m,
                   float *acc) {
    if (in_blocks(q)) {
        dot_blocks(isa, q, row, a, x, m, acc);
        return;
    }
    if (q->half && !wide_fits(q, 1)) {
        dot_decoded(isa, q, row, a, m, acc);
        return;
    }
    struct row_turns r = {.q = q, .row = row, .rows = 1, .turns = 1};
    const struct dot_weights w = weights_of(isa, &r, 0);
    if (x->x && isa->dots->dot[q->type](w.q, w.block, w.zero, w.scale, x, m, q->cols, acc)) return;
    isa->quant->dot[q->type](w.q, w.block, w.zero, w.scale, a, q->cols, m, q->cols, acc);
}

int can_dot_beside(const struct isa *isa, const struct quantized *q, const struct quant_rows *x) {
    if (!x->x) return 0;
    if (in_blocks(q)) return isa->dots->blocks_beside[q->type] && q->cols % BLOCKS_SPAN == 0;
    return isa->dots->beside[q->type] && (!q->half || wide_fits(q, DOT_APART));
}

int dot_beside_quantized(const struct isa *isa, struct row_turns *r, size_t turn, const struct quant_rows *x, float *acc) {
    const struct quantized *q = r->q;
    if (in_blocks(q)) {
        const uint8_t *row = (const uint8_t *)row_codes(q, r->row + turn);
        return isa->dots->blocks_beside[q->type](row, r->apart * bytes_of(q->type, q->cols), x, q->cols, acc);
    }
    const struct dot_weights w = weights_of(isa, r, turn);
    return isa->dots->beside[q->type](&w, x, q->cols, acc);
}

static void dequantize_rows(void *arg, int task) {
    struct quant_job *j = arg;
    const struct quantized q = {j->arg[0], j->arg[1], zeros_of(j->type, j->arg[2]), j->type, j->cols, j->block, j->half};
    float *out = j->arg[3];
    const size_t first = (size_t)task * j->piece, last = min_size(first + j->piece, j->rows);
    for (size_t r = first; r < last; r++) load_quantized(j->isa, &q, r, 0, j->cols, out + r * j->cols);
}

static int run_dequantize(cpu_stream *s, const cpu_args *a) {
    struct quant_job j = job_of(s, a);
    pool_run(stream_pool(s), (int)ceil_div(j.rows, j.piece), dequantize_rows, &j);
    return 1;
}

// The scales of up to QUANT_GROUP blocks.
static void find_scales(const struct quant_job *j, const struct spans *x, size_t count, struct scales *s) {
    const struct coding *c = &codings[j->type];
    j->isa->quant->scales(c, j->symmetric || !c->zeros, j->half, x, count, s);
}

// What the scales are computed from.
static void spans_of(const struct quant_job *j, const float *x, size_t n, struct spans *to) {
    if (!codings[j->type].mean) {
        j->isa->quant->ranges(x, n, j->block, to);
        return;
    }
    *to = (struct spans){0};
    j->isa->quant->means(x, n, j->block, to);
}

// Codes of a row from column `first` on.
static void quantize_part(const struct quant_job *j, const struct scales *s, size_t block, size_t row, size_t first, size_t n) {
    if (n == 0) return; // rows without elements have no blocks
    const float *x = (const float *)j->arg[0] + row * j->cols + first;
    char *to = j->codes + row * bytes_of(j->type, j->cols) + bytes_of(j->type, first);
    j->isa->quant->quantize[j->type](x, s, block, n, to, j->stream);
}

static void quantize_whole_rows(void *arg, int task) {
    const struct quant_job *j = arg;
    const size_t first = (size_t)task * j->piece, last = min_size(first + j->piece, j->rows);
    for (size_t r = first; r < last; r++) {
        struct spans x = {0};
        if (j->cols > 0) j->isa->quant->ranges((const float *)j->arg[0] + r * j->cols, j->cols, j->cols, &x);
        const float size = fmaxf(fmaxf(-x.lo[0], x.hi[0]), 0) / codings[j->type].top, scale = size < SMALLEST ? 1 : size;
        const struct scales s = {.scale = {scale}, .inverse = {1 / scale}, .far = !is_near(scale)};
        quantize_part(j, &s, j->cols, r, 0, j->cols);
        ((float *)j->arg[2])[r] = scale;
    }
    j->isa->quant->fence();
}

static int run_quantize_rows(cpu_stream *s, const cpu_args *a) {
    const struct RowsParams *p = a->params;
    struct quant_job j = rows_of(s, a, p->rows, p->cols);
    j.codes = a->arg[1];
    pool_run(stream_pool(s), (int)ceil_div(j.rows, j.piece), quantize_whole_rows, &j);
    return 1;
}

// Whole lines may be stored non-temporally, like codes.
static void put_group(const struct quant_job *j, float *to, const float from[QUANT_GROUP], size_t count) {
    if (j->stream && count == QUANT_GROUP && (uintptr_t)to % (QUANT_GROUP * sizeof *to) == 0) j->isa->quant->stream_group(from, to);
    else if (count == QUANT_GROUP) memcpy(to, from, QUANT_GROUP * sizeof *to);
    else memcpy(to, from, count * sizeof *to);
}

// Scales or zero points from block b on; with f16 they already are f16 values.
static void put_scales(const struct quant_job *j, void *plane, size_t b, const float from[QUANT_GROUP], size_t count) {
    const struct epilogue none = {NULL, CPU_F16, ACT_NONE};
    if (j->half) j->isa->gemm->store[CPU_F16](from, count, 0, &none, (uint16_t *)plane + b);
    else put_group(j, (float *)plane + b, from, count);
}

// Up to QUANT_GROUP blocks from column `first` on, the first of which is block b overall.
static void quantize_group(const struct quant_job *j, size_t row, size_t first, size_t n, size_t b) {
    struct spans x;
    struct scales s;
    const size_t count = ceil_div(n, j->block);
    spans_of(j, (const float *)j->arg[0] + row * j->cols + first, n, &x);
    find_scales(j, &x, count, &s);
    put_scales(j, j->arg[2], b, s.scale, count);
    if (codings[j->type].zeros) put_scales(j, j->arg[3], b, s.zero, count);
    quantize_part(j, &s, j->block, row, first, n);
}

// Columns of a row, the first of which begins block b overall.
static void quantize_run(const struct quant_job *j, size_t row, size_t first, size_t last, size_t b) {
    const size_t group = max_size(1, min_size(QUANT_GROUP, GROUP_ELEMENTS / j->block));
    for (; first < last; first += group * j->block, b += group) quantize_group(j, row, first, min_size(group * j->block, last - first), b);
}

static void quantize_blocks(void *arg, int task) {
    struct quant_job *j = arg;
    const size_t first = (size_t)task * j->piece, last = min_size(first + j->piece, j->rows);
    if (j->cols % j->block == 0) { // groups of blocks may continue in the next row
        quantize_run(j, 0, first * j->cols, last * j->cols, first * j->per_row);
    } else {
        for (size_t r = first; r < last; r++) quantize_run(j, r, 0, j->cols, r * j->per_row);
    }
    j->isa->quant->fence();
}

// One of several parts of a tensor.
struct part_job {
    const struct isa *isa;
    const float *x;
    float *lo, *hi, *sum;
    size_t n, part;
};

static void part_extremes(void *arg, int task) {
    const struct part_job *j = arg;
    const size_t first = min_size((size_t)task * j->part, j->n), last = min_size(first + j->part, j->n);
    struct spans x = {{INFINITY}, {-INFINITY}, {0}};
    if (first < last) j->isa->quant->ranges(j->x + first, last - first, last - first, &x);
    j->lo[task] = x.lo[0], j->hi[task] = x.hi[0];
    j->sum[task] = j->isa->quant->magnitudes(j->x + first, last - first);
}

static int run_extremes(cpu_stream *s, const cpu_args *a) {
    const struct ExtremesParams *p = a->params;
    struct part_job j = {
        .isa = pool_isa(stream_pool(s)), .x = a->arg[0], .lo = a->arg[1], .hi = a->arg[2], .sum = a->arg[3], .n = p->n,
        .part = ceil_div(p->n, max_size(1, p->parts)),
    };
    pool_run(stream_pool(s), (int)p->parts, part_extremes, &j);
    return 1;
}

struct tensor_job {
    struct quant_job rows;
    struct scales scale;
};

static void tensor_rows(void *arg, int task) {
    const struct tensor_job *t = arg;
    const struct quant_job *j = &t->rows;
    const size_t first = (size_t)task * j->piece, last = min_size(first + j->piece, j->rows);
    for (size_t r = first; r < last; r++) quantize_part(j, &t->scale, j->cols, r, 0, j->cols);
    j->isa->quant->fence();
}

static int run_quantize_tensor(cpu_stream *s, const cpu_args *a) {
    const struct TensorParams *p = a->params;
    if (p->rows == 0 || p->cols == 0) return 1;
    struct tensor_job t = {.rows = rows_of(s, a, p->rows, p->cols)};
    t.rows.codes = a->arg[4];
    t.rows.symmetric = a->constants[QUANTIZE_SYMMETRIC], t.rows.half = a->constants[HALF_SCALES];
    const float *lo = a->arg[1], *hi = a->arg[2], *sum = a->arg[3];
    struct spans x = {{INFINITY}, {-INFINITY}, {0}};
    for (size_t i = 0; i < p->parts; i++) {
        x.lo[0] = fminf(x.lo[0], lo[i]), x.hi[0] = fmaxf(x.hi[0], hi[i]);
        x.mean[0] += sum[i];
    }
    x.mean[0] /= (double)p->rows * p->cols;
    find_scales(&t.rows, &x, 1, &t.scale);
    pool_run(stream_pool(s), (int)ceil_div(t.rows.rows, t.rows.piece), tensor_rows, &t);
    put_scales(&t.rows, a->arg[5], 0, t.scale.scale, 1);
    if (codings[a->type].zeros) put_scales(&t.rows, a->arg[6], 0, t.scale.zero, 1);
    return 1;
}

static int run_quantize(cpu_stream *s, const cpu_args *a) {
    struct quant_job j = job_of(s, a);
    j.symmetric = a->constants[QUANTIZE_SYMMETRIC];
    pool_run(stream_pool(s), (int)ceil_div(j.rows, j.piece), quantize_blocks, &j);
    return 1;
}

#define CODE_TYPES TYPE_BITS(QUANT_TYPES(TYPE_BIT))

const cpu_kernel quant_kernels[] = {
    {"quantize", "plain", CODE_TYPES, sizeof(struct QuantParams), 4, run_quantize},
    {"extremes", "plain", 1u << CPU_F32, sizeof(struct ExtremesParams), 4, run_extremes},
    {"quantize_tensor", "plain", CODE_TYPES, sizeof(struct TensorParams), 7, run_quantize_tensor},
    {"quantize_rows", "plain", 1u << CPU_I8, sizeof(struct RowsParams), 3, run_quantize_rows},
    {"dequantize", "plain", CODE_TYPES, sizeof(struct QuantParams), 4, run_dequantize},
    {0},
};
