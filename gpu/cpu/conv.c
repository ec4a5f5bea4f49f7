// Convolutions. The direct form first copies the images to floats with padding, and the filters to panels; each sum is then a
// product of a panel and vectors of the images in place. Tasks never depend on the number of threads.
#include <string.h>

#include "conv.h"

#define ROWS_WORK 2e6 // approximate multiplications per task

struct conv_job {
    const struct conv_loops *loops;
    struct ConvParams p;
    const void *x, *filters, *bias;
    void *out;
    int type, activation;
    size_t rows, cols, taps; // of the output; of a filter
    float *images, *panels;
    size_t plane, line, phase; // floats of a padded channel (by pixel: image), of a row, and of every stride-th pixel of a row
    size_t blocks, panel;      // panels of filters; floats per panel
    size_t piece;              // rows of the output per task
};

static struct conv_job job_of(cpu_stream *s, const cpu_args *a) {
    struct conv_job j = {.loops = pool_isa(stream_pool(s))->conv, .p = *(const struct ConvParams *)a->params, .type = a->type};
    j.rows = CONV_OUT(j.p.h, j.p);
    j.cols = CONV_OUT(j.p.w, j.p);
    j.taps = (size_t)j.p.c * j.p.side * j.p.side;
    j.x = a->arg[0];
    return j;
}

// One padded row of one channel. Its pixels are sorted by their position within a stride, so that those that a vector needs are
// contiguous.
static void pad_channel_task(void *arg, int task) {
    const struct conv_job *j = arg;
    const size_t high = j->p.h + 2 * j->p.pad, row = (size_t)task % high, image = (size_t)task / high, stride = j->p.stride;
    float *to = j->images + image * j->plane + row * j->line;
    memset(to, 0, j->line * sizeof *to);
    if (row < j->p.pad || row >= j->p.pad + j->p.h) return;
    const size_t from = (image * j->p.h + row - j->p.pad) * j->p.w;
    for (size_t first = 0; first < stride; first++) { // padded column `first` and every stride-th one after it
        const size_t skip = j->p.pad > first ? ceil_div(j->p.pad - first, stride) : 0, col = first + skip * stride - j->p.pad;
        if (col < j->p.w) j->loops->widen[j->type](j->x, from + col, ceil_div(j->p.w - col, stride), stride, to + first * j->phase + skip);
    }
}

// One padded row of all channels of an image.
static void pad_pixel_task(void *arg, int task) {
    const struct conv_job *j = arg;
    const size_t high = j->p.h + 2 * j->p.pad, row = (size_t)task % high, image = (size_t)task / high, wide = (size_t)j->p.w * j->p.c;
    float *to = j->images + image * j->plane + row * j->line;
    memset(to, 0, j->line * sizeof *to);
    if (row < j->p.pad || row >= j->p.pad + j->p.h) return;
    j->loops->widen[j->type](j->x, (image * j->p.h + row - j->p.pad) * wide, wide, 1, to + j->p.pad * j->p.c);
}

// One panel of filters, side by side: [taps][wide].
static void pack_filters(const struct conv_job *j, size_t block, size_t wide) {
    float *to = j->panels + block * j->panel;
    for (size_t i = 0; i < wide; i++) {
        const size_t o = block * wide + i;
        float row[256];
        for (size_t t = 0; t < j->taps; t += 256) {
            const size_t n = min_size(256, j->taps - t);
            if (o < j->p.o) j->loops->widen[j->type](j->filters, o * j->taps + t, n, 1, row);
            for (size_t k = 0; k < n; k++) to[(t + k) * wide + i] = o < j->p.o ? row[k] : 0;
        }
    }
}

static void pack_channel_task(void *arg, int block) { pack_filters(arg, (size_t)block, ((const struct conv_job *)arg)->loops->rows); }

static void pack_pixel_task(void *arg, int block) { pack_filters(arg, (size_t)block, 2 * ((const struct conv_job *)arg)->loops->vl); }

// Rows of the output from images by channel.
static void channel_task(void *arg, int task) {
    const struct conv_job *j = arg;
    const size_t pieces = ceil_div(j->rows, j->piece), image = (size_t)task / pieces, first = (size_t)task % pieces * j->piece;
    const size_t vl = j->loops->vl, rows = j->loops->rows;
    float sums[CONV_ROWS * 2 * MAX_VL] __attribute__((aligned(64)));
    size_t at[CONV_MAX_SIDE];
    for (size_t i = 0; i < j->p.side; i++) at[i] = i % j->p.stride * j->phase + i / j->p.stride;
    for (size_t y = first; y < min_size(first + j->piece, j->rows); y++) {
        const float *from = j->images + image * j->p.c * j->plane + y * j->p.stride * j->line;
        for (size_t block = 0; block < j->blocks; block++) {
            for (size_t x = 0; x < j->cols; x += 2 * vl) {
                const size_t n = min_size(2 * vl, j->cols - x);
                j->loops->channels[n > vl](j->panels + block * j->panel, from + x, j->p.c, j->p.side, j->plane, j->line, at, sums);
                for (size_t r = 0; r < rows && block * rows + r < j->p.o; r++) {
                    const size_t o = block * rows + r;
                    j->loops->store[j->type](sums + r * 2 * vl, n, j->bias, 1, o, j->activation, j->out,
                                             ((image * j->p.o + o) * j->rows + y) * j->cols + x);
                }
            }
        }
    }
}

// Rows of the output from images by pixel.
static void pixel_task(void *arg, int task) {
    const struct conv_job *j = arg;
    const size_t pieces = ceil_div(j->rows, j->piece), image = (size_t)task / pieces, first = (size_t)task % pieces * j->piece;
    const size_t wide = 2 * j->loops->vl, rows = j->loops->rows, step = (size_t)j->p.stride * j->p.c;
    float sums[CONV_ROWS * 2 * MAX_VL] __attribute__((aligned(64)));
    for (size_t y = first; y < min_size(first + j->piece, j->rows); y++) {
        const float *from = j->images + image * j->plane + y * j->p.stride * j->line;
        for (size_t block = 0; block < j->blocks; block++) {
            const size_t n = min_size(wide, j->p.o - block * wide);
            for (size_t x = 0; x < j->cols; x += rows) {
                j->loops->pixels(j->panels + block * j->panel, from + x * step, j->p.c, j->p.side, j->line, step, sums);
                for (size_t r = 0; r < rows && x + r < j->cols; r++)
                    j->loops->store[j->type](sums + r * wide, n, j->bias, 0, block * wide, j->activation, j->out,
                                             ((image * j->rows + y) * j->cols + x + r) * j->p.o + block * wide);
            }
        }
    }
}

static int run_direct(cpu_stream *s, const cpu_args *a) {
    struct conv_job j = job_of(s, a);
    cpu_pool *pool = stream_pool(s);
    const int by_pixel = a->constants[CONV_BY_PIXEL];
    if (j.p.n == 0) return 1;
    j.filters = a->arg[1], j.bias = a->arg[2], j.out = a->arg[3];
    j.activation = a->constants[CONV_ACTIVATION];
    const size_t high = j.p.h + 2 * j.p.pad, wide = by_pixel ? 2 * j.loops->vl : j.loops->rows;
    const size_t planes = by_pixel ? j.p.n : (size_t)j.p.n * j.p.c;
    if (by_pixel) { // a micro-kernel reads on to its last row
        j.line = ((j.cols + j.loops->rows) * j.p.stride + j.p.side) * j.p.c;
    } else { // or to the end of its vectors
        j.phase = ceil_div(j.cols, 2 * j.loops->vl) * 2 * j.loops->vl + ceil_div(j.p.side, j.p.stride);
        j.phase = max_size(j.phase, ceil_div(j.p.w + 2 * j.p.pad, j.p.stride));
        j.line = j.phase * j.p.stride;
    }
    if (by_pixel) j.line = max_size(j.line, (size_t)(j.p.w + 2 * j.p.pad) * j.p.c);
    j.plane = high * j.line;
    j.blocks = ceil_div(j.p.o, wide);
    j.panel = j.taps * wide;
    j.panels = stream_scratch(s, (planes * j.plane + j.blocks * j.panel + MAX_VL) * sizeof(float));
    if (!j.panels) return 0;
    j.images = j.panels + ceil_div(j.blocks * j.panel, MAX_VL) * MAX_VL;
    j.piece = max_size(1, (size_t)(ROWS_WORK / ((double)j.cols * (double)j.p.o * (double)j.taps)));
    pool_run(pool, (int)(planes * high), by_pixel ? pad_pixel_task : pad_channel_task, &j);
    pool_run(pool, (int)j.blocks, by_pixel ? pack_pixel_task : pack_channel_task, &j);
    pool_run(pool, (int)(j.p.n * ceil_div(j.rows, j.piece)), by_pixel ? pixel_task : channel_task, &j);
    return 1;
}

// The columns of the output whose tap lies within the image, from and to.
static void inside(const struct conv_job *j, size_t tap, size_t *from, size_t *to) {
    const size_t pad = j->p.pad, stride = j->p.stride, end = j->p.w + pad;
    *from = min_size(j->cols, tap < pad ? ceil_div(pad - tap, stride) : 0);
    *to = end > tap ? max_size(*from, min_size(j->cols, ceil_div(end - tap, stride))) : *from;
}

// A row of the output of im2col by channel: one tap of one channel of an image, for all pixels.
static void unfold_channel_task(void *arg, int task) {
    const struct conv_job *j = arg;
    const size_t side = j->p.side, image = (size_t)task / j->taps, tap = (size_t)task % j->taps, place = tap % (side * side);
    const size_t size = width_of(j->type), kx = place % side, channel = image * j->p.c + tap / (side * side);
    char *to = (char *)j->out + (size_t)task * j->rows * j->cols * size;
    size_t from, end;
    inside(j, kx, &from, &end);
    for (size_t y = 0; y < j->rows; y++, to += j->cols * size) {
        const size_t row = y * j->p.stride + place / side - j->p.pad; // wraps around outside the image
        if (row >= j->p.h || from == end) {
            memset(to, 0, j->cols * size);
            continue;
        }
        const char *x = (const char *)j->x + ((channel * j->p.h + row) * j->p.w + from * j->p.stride + kx - j->p.pad) * size;
        memset(to, 0, from * size);
        memset(to + end * size, 0, (j->cols - end) * size);
        if (j->p.stride == 1) {
            memcpy(to + from * size, x, (end - from) * size);
        } else if (size == 4) {
            for (size_t i = 0; i < end - from; i++) memcpy(to + (from + i) * 4, x + i * j->p.stride * 4, 4);
        } else {
            for (size_t i = 0; i < end - from; i++) memcpy(to + (from + i) * 2, x + i * j->p.stride * 2, 2);
        }
    }
}

// The rows of the output of im2col by pixel that belong to a row of pixels.
static void unfold_pixel_task(void *arg, int task) {
    const struct conv_job *j = arg;
    const size_t image = (size_t)task / j->rows, y = (size_t)task % j->rows, side = j->p.side, bytes = j->p.c * width_of(j->type);
    char *to = (char *)j->out + (size_t)task * j->cols * side * side * bytes;
    for (size_t x = 0; x < j->cols; x++) {
        for (size_t tap = 0; tap < side * side; tap++, to += bytes) {
            const size_t row = y * j->p.stride + tap / side - j->p.pad, col = x * j->p.stride + tap % side - j->p.pad;
            if (row < j->p.h && col < j->p.w) memcpy(to, (const char *)j->x + ((image * j->p.h + row) * j->p.w + col) * bytes, bytes);
            else memset(to, 0, bytes);
        }
    }
}

static int run_im2col(cpu_stream *s, const cpu_args *a) {
    struct conv_job j = job_of(s, a);
    const int by_pixel = a->constants[CONV_BY_PIXEL];
    j.out = a->arg[1];
    pool_run(stream_pool(s), (int)(j.p.n * (by_pixel ? j.rows : j.taps)), by_pixel ? unfold_pixel_task : unfold_channel_task, &j);
    return 1;
}

#define CONV_FLOATS TYPE_BITS(CONV_TYPES(TYPE_BIT))

const cpu_kernel conv_kernels[] = {
    {"conv2d", "direct", CONV_FLOATS, sizeof(struct ConvParams), 4, run_direct},
    {"im2col", "plain", CONV_FLOATS, sizeof(struct ConvParams), 2, run_im2col},
    {0},
};
