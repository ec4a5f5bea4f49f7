// Quantising and dequantising matrices by blocks.
#include <math.h>
#include <string.h>

#include "isa.h"

#define SMALLEST 1.17549435e-38 // least normal float
#define PIECE 16384             // elements a thread takes at a time
#define CODES 512               // codes made at a time; even

struct quant_job {
    const struct isa *isa;
    const cpu_dispatch *d;
    size_t rows, cols, block, per_row; // per_row: blocks in a row; 0 with one scale for all
    size_t piece;                      // rows a task takes
    float lo[64], hi[64];              // minima and maxima of the tasks, with one scale for all
};

static struct quant_job job_of(cpu_pool *p, const cpu_dispatch *d) {
    struct quant_job j = {.isa = pool_isa(p), .d = d, .rows = d->m, .cols = d->n, .block = d->block};
    j.per_row = j.block ? ceil_div(j.cols, j.block) : 0;
    j.piece = max_size(1, PIECE / max_size(1, j.cols));
    return j;
}

static size_t code_stride(size_t cols, int type) { return type == CPU_I4 ? (cols + 1) / 2 : cols; }

static const char *row_codes(const struct quantised *q, size_t row) {
    return (const char *)q->codes + row * code_stride(q->cols, q->type);
}

// With one scale for all, every row is block 0.
static size_t block_size(const struct quantised *q) { return q->block ? q->block : max_size(1, q->cols); }
static size_t first_block(const struct quantised *q, size_t row) {
    return q->block ? row * ceil_div(q->cols, q->block) : 0;
}

void load_quantised(const struct isa *isa, const struct quantised *q, size_t row, size_t first, size_t n, float *out) {
    const size_t b = first_block(q, row);
    isa->dequant[q->type == CPU_I4](row_codes(q, row), block_size(q), q->zero + b, q->scale + b, first, n, out);
}

void dot_quantised(const struct isa *isa, const struct quantised *q, size_t row, const float *a, int m, float *acc) {
    const size_t b = first_block(q, row);
    isa->quant_dot[q->type == CPU_I4](row_codes(q, row), block_size(q), q->zero + b, q->scale + b, a, q->cols, m, q->cols,
                                      acc);
}

static void dequantise_rows(void *arg, int task) {
    struct quant_job *j = arg;
    const struct quantised q = {j->d->arg[0], j->d->arg[1], j->d->arg[2], j->d->type, j->cols, j->block};
    float *out = j->d->arg[3];
    const size_t first = (size_t)task * j->piece, last = min_size(first + j->piece, j->rows);
    for (size_t r = first; r < last; r++) load_quantised(j->isa, &q, r, 0, j->cols, out + r * j->cols);
}

void run_dequantise(cpu_pool *p, const cpu_dispatch *d) {
    struct quant_job j = job_of(p, d);
    pool_run(p, (int)ceil_div(j.rows, j.piece), dequantise_rows, &j);
}

struct scale {
    float scale, zero, qmin, qmax;
};

// Scale and zero point of a block whose values lie in [lo, hi], reckoned in double so that hi − lo cannot overflow.
static struct scale scale_of(const cpu_dispatch *d, double lo, double hi) {
    struct scale s = {1, 0, -128, 127};
    if (d->type == CPU_I4) s.qmin = -8, s.qmax = 7;
    if (lo == hi) {
        if (fabs(lo) >= SMALLEST) s.scale = (float)lo;
        return s;
    }
    const double scale = d->symmetric ? fmax(fabs(lo), fabs(hi)) / s.qmax : (hi - lo) / (s.qmax - s.qmin);
    if (scale < SMALLEST) return s;
    s.scale = (float)scale;
    if (!d->symmetric) s.zero = (float)(s.qmin - lo / scale);
    return s;
}

// Codes of columns [first, last) of a row; int4 codes begin in the low half of a byte.
static void encode_part(const struct quant_job *j, const struct scale *s, size_t row, size_t first, size_t last) {
    const cpu_dispatch *d = j->d;
    const float *x = (const float *)d->arg[0] + row * j->cols;
    char *q = (char *)d->arg[1] + row * code_stride(j->cols, d->type);
    if (d->type == CPU_I8) {
        j->isa->encode(x + first, s->scale, s->zero, s->qmin, s->qmax, (int8_t *)q + first, last - first);
        return;
    }
    for (; first < last; first += CODES) {
        int8_t code[CODES + 1];
        const size_t n = min_size(CODES, last - first);
        j->isa->encode(x + first, s->scale, s->zero, s->qmin, s->qmax, code, n);
        code[n] = 0;
        for (size_t i = 0; i < n; i += 2) q[(first + i) / 2] = (char)((code[i] & 15) | (code[i + 1] & 15) << 4);
    }
}

static void quantise_blocks(void *arg, int task) {
    struct quant_job *j = arg;
    float *scale = j->d->arg[2], *zero = j->d->arg[3];
    const size_t first = (size_t)task * j->piece, last = min_size(first + j->piece, j->rows);
    for (size_t r = first; r < last; r++) {
        for (size_t b = 0; b < j->per_row; b++) {
            const size_t c0 = b * j->block, c1 = min_size(c0 + j->block, j->cols);
            float lo = INFINITY, hi = -INFINITY;
            j->isa->range((const float *)j->d->arg[0] + r * j->cols + c0, c1 - c0, &lo, &hi);
            const struct scale s = scale_of(j->d, lo, hi);
            encode_part(j, &s, r, c0, c1);
            scale[r * j->per_row + b] = s.scale;
            zero[r * j->per_row + b] = s.zero;
        }
    }
}

static void tensor_range(void *arg, int task) {
    struct quant_job *j = arg;
    const size_t first = min_size((size_t)task * j->piece, j->rows), last = min_size(first + j->piece, j->rows);
    j->lo[task] = INFINITY, j->hi[task] = -INFINITY;
    j->isa->range((const float *)j->d->arg[0] + first * j->cols, (last - first) * j->cols, &j->lo[task], &j->hi[task]);
}

static void tensor_encode(void *arg, int task) {
    struct quant_job *j = arg;
    const struct scale s = scale_of(j->d, j->lo[0], j->hi[0]);
    const size_t first = min_size((size_t)task * j->piece, j->rows), last = min_size(first + j->piece, j->rows);
    for (size_t r = first; r < last; r++) encode_part(j, &s, r, 0, j->cols);
    if (task > 0) return;
    *(float *)j->d->arg[2] = s.scale;
    *(float *)j->d->arg[3] = s.zero;
}

void run_quantise(cpu_pool *p, const cpu_dispatch *d) {
    struct quant_job j = job_of(p, d);
    if (j.block > 0) {
        pool_run(p, (int)ceil_div(j.rows, j.piece), quantise_blocks, &j);
        return;
    }
    j.piece = max_size(j.piece, ceil_div(j.rows, 64));
    const int tasks = (int)max_size(1, ceil_div(j.rows, j.piece));
    pool_run(p, tasks, tensor_range, &j);
    for (int i = 1; i < tasks; i++) {
        j.lo[0] = fminf(j.lo[0], j.lo[i]);
        j.hi[0] = fmaxf(j.hi[0], j.hi[i]);
    }
    pool_run(p, tasks, tensor_encode, &j);
}
