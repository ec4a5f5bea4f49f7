// Operations on images, N × H × W × C. This file is compiled by itself for the kernels, and as a part of each instruction set
// for the loops over a row.
#include <math.h>
#include <string.h>

#include "isa.h"
#include "params/image.h"

#define IMAGE_TYPES(X) X(F32) X(F16)

// Where a pixel of the result is in a row or column of the source.
struct image_place {
    uint32_t first, second;
    float f;
};

struct image_loops {
    // out row = upper · (1 − f) + lower · f for n elements, then interpolated between neighboring pixels at `places`; scratch
    // holds both.
    void (*resize[CPU_TYPES])(const void *upper, const void *lower, float f, size_t n, const struct image_place *places, size_t pixels,
                              size_t channels, float *scratch, void *out);
    // One row of n elements from 3 or 5 rows; scratch holds n floats and two pixels on either side.
    void (*blur[CPU_TYPES])(const void *const *rows, int wide, size_t n, size_t channels, float *scratch, void *out);
    // n elements; scale and shift hold `vectors` whole vectors, after which they repeat.
    void (*normalize[CPU_TYPES])(const void *x, const float *scale, const float *shift, size_t vectors, size_t n, void *out);
    void (*floats[CPU_TYPES])(const void *x, size_t n, float *out);
    void (*gray[CPU_TYPES])(const void *x, size_t pixels, size_t channels, void *out);
};

#if defined(ISA_TABLE)

#define IMAGE_BLOCK 64 // pixels converted at a time

INLINE void image_floats(enum cpu_type type, const void *x, size_t n, float *out) {
    size_t i = 0;
    for (; i + VL <= n; i += VL) v_store(out + i, get(x, i, type));
    if (i < n) v_store_n(out + i, get_n(x, i, n - i, type), n - i);
}

INLINE void image_store(enum cpu_type type, const float *x, size_t n, void *out) {
    size_t i = 0;
    for (; i + VL <= n; i += VL) put(out, i, v_load(x + i), type);
    if (i < n) put_n(out, i, v_load_n(x + i, n - i), n - i, type);
}

INLINE void image_between(const float *row, const struct image_place *places, size_t pixels, size_t channels, float *out) {
    for (size_t i = 0; i < pixels; i++) {
        const float *a = row + places[i].first * channels, *b = row + places[i].second * channels, f = places[i].f;
        for (size_t c = 0; c < channels; c++) out[i * channels + c] = a[c] * (1 - f) + b[c] * f;
    }
}

INLINE void image_resize(enum cpu_type type, const void *upper, const void *lower, float f, size_t n, const struct image_place *places,
                         size_t pixels, size_t channels, float *scratch, void *out) {
    const vf whole = v_set1(1 - f), part = v_set1(f);
    size_t i = 0;
    for (; i + VL <= n; i += VL) v_store(scratch + i, v_fma(get(lower, i, type), part, get(upper, i, type) * whole));
    if (i < n) v_store_n(scratch + i, v_fma(get_n(lower, i, n - i, type), part, get_n(upper, i, n - i, type) * whole), n - i);
    float *row = scratch + n;
    switch (channels) { // as constants, so that the compiler unrolls the loop over channels
    case 1: image_between(scratch, places, pixels, 1, row); break;
    case 3: image_between(scratch, places, pixels, 3, row); break;
    case 4: image_between(scratch, places, pixels, 4, row); break;
    default: image_between(scratch, places, pixels, channels, row);
    }
    image_store(type, row, pixels * channels, out);
}

// The column of pixels above and below element i.
INLINE vf image_column(enum cpu_type type, const void *const *rows, int wide, size_t i, size_t n) {
#define IMAGE_AT(r) (n == VL ? get(rows[r], i, type) : get_n(rows[r], i, n, type))
    if (!wide) return v_fma(IMAGE_AT(1), v_set1(0.5f), (IMAGE_AT(0) * v_set1(0.25f)) + (IMAGE_AT(2) * v_set1(0.25f)));
    const vf near = IMAGE_AT(1) * v_set1(0.25f) + IMAGE_AT(3) * v_set1(0.25f), far = IMAGE_AT(0) * v_set1(0.0625f) + IMAGE_AT(4) * v_set1(0.0625f);
    return v_fma(IMAGE_AT(2), v_set1(0.375f), near + far);
#undef IMAGE_AT
}

INLINE vf image_beside(const float *x, size_t c, int wide) {
    if (!wide) return v_fma(v_load(x), v_set1(0.5f), v_load(x - c) * v_set1(0.25f) + v_load(x + c) * v_set1(0.25f));
    const vf near = v_load(x - c) * v_set1(0.25f) + v_load(x + c) * v_set1(0.25f);
    return v_fma(v_load(x), v_set1(0.375f), near + (v_load(x - 2 * c) * v_set1(0.0625f) + v_load(x + 2 * c) * v_set1(0.0625f)));
}

INLINE void image_blur(enum cpu_type type, const void *const *rows, int wide, size_t n, size_t channels, float *scratch, void *out) {
    float *mid = scratch + 2 * channels;
    size_t i = 0;
    for (; i + VL <= n; i += VL) v_store(mid + i, image_column(type, rows, wide, i, VL));
    if (i < n) v_store_n(mid + i, image_column(type, rows, wide, i, n - i), n - i);
    for (int k = 0; k < 2; k++) { // the edges are repeated
        memcpy(scratch + (size_t)k * channels, mid, channels * sizeof *mid);
        memcpy(mid + n + (size_t)k * channels, mid + n - channels, channels * sizeof *mid);
    }
    for (i = 0; i + VL <= n; i += VL) put(out, i, image_beside(mid + i, channels, wide), type);
    if (i < n) put_n(out, i, image_beside(mid + i, channels, wide), n - i, type); // scratch is padded by a vector
}

INLINE void image_normalize(enum cpu_type type, const void *x, const float *scale, const float *shift, size_t vectors, size_t n, void *out) {
    size_t i = 0, v = 0;
    for (; i + VL <= n; i += VL) {
        put(out, i, v_fma(get(x, i, type), v_load(scale + v * VL), v_load(shift + v * VL)), type);
        v = v + 1 < vectors ? v + 1 : 0;
    }
    if (i < n) put_n(out, i, v_fma(get_n(x, i, n - i, type), v_load(scale + v * VL), v_load(shift + v * VL)), n - i, type);
}

INLINE void image_gray_of(const float *x, size_t pixels, size_t channels, float *out) {
    for (size_t i = 0; i < pixels; i++)
        out[i] = GRAY_RED * x[i * channels] + GRAY_GREEN * x[i * channels + 1] + GRAY_BLUE * x[i * channels + 2];
}

INLINE void image_gray(enum cpu_type type, const char *x, size_t pixels, size_t channels, char *out) {
    float in[4 * IMAGE_BLOCK], sums[IMAGE_BLOCK];
    for (size_t i = 0; i < pixels; i += IMAGE_BLOCK) {
        const size_t n = pixels - i < IMAGE_BLOCK ? pixels - i : IMAGE_BLOCK;
        image_floats(type, x + i * channels * width_of(type), n * channels, in);
        if (channels == 3) image_gray_of(in, n, 3, sums);
        else image_gray_of(in, n, 4, sums);
        image_store(type, sums, n, out + i * width_of(type));
    }
}

#define IMAGE_LOOPS(type)                                                                                                       \
    WANT_FLOAT(type);                                                                                                           \
    static void resize_##type(const void *upper, const void *lower, float f, size_t n, const struct image_place *places,        \
                              size_t pixels, size_t channels, float *scratch, void *out) {                                      \
        image_resize(CPU_##type, upper, lower, f, n, places, pixels, channels, scratch, out);                                   \
    }                                                                                                                           \
    static void blur_##type(const void *const *rows, int wide, size_t n, size_t channels, float *scratch, void *out) {          \
        if (wide) image_blur(CPU_##type, rows, 1, n, channels, scratch, out);                                                   \
        else image_blur(CPU_##type, rows, 0, n, channels, scratch, out);                                                        \
    }                                                                                                                           \
    static void normalize_##type(const void *x, const float *scale, const float *shift, size_t vectors, size_t n, void *out) {  \
        image_normalize(CPU_##type, x, scale, shift, vectors, n, out);                                                          \
    }                                                                                                                           \
    static void floats_##type(const void *x, size_t n, float *out) { image_floats(CPU_##type, x, n, out); }                     \
    static void gray_##type(const void *x, size_t pixels, size_t channels, void *out) {                                         \
        image_gray(CPU_##type, x, pixels, channels, out);                                                                       \
    }
IMAGE_TYPES(IMAGE_LOOPS)

#define IMAGE_RESIZE(type) [CPU_##type] = resize_##type,
#define IMAGE_BLUR(type) [CPU_##type] = blur_##type,
#define IMAGE_NORMALIZE(type) [CPU_##type] = normalize_##type,
#define IMAGE_FLOATS(type) [CPU_##type] = floats_##type,
#define IMAGE_GRAY(type) [CPU_##type] = gray_##type,
static const struct image_loops image_loops = {
    {IMAGE_TYPES(IMAGE_RESIZE)}, {IMAGE_TYPES(IMAGE_BLUR)}, {IMAGE_TYPES(IMAGE_NORMALIZE)}, {IMAGE_TYPES(IMAGE_FLOATS)}, {IMAGE_TYPES(IMAGE_GRAY)},
};

#else

#define PIECE 16384 // minimum elements per task
#define MAX_TASKS 64 // for tasks with scratch memory

// Rows of results, divided among tasks; each task has its own scratch memory.
struct image_job {
    const struct image_loops *loops;
    const cpu_args *a;
    size_t rows, piece, span; // span: floats of scratch per task
    float *scratch;
    const struct image_place *places;
};

static size_t image_tasks(struct image_job *j, size_t rows, size_t row) {
    j->rows = rows;
    j->piece = max_size(max_size(1, PIECE / max_size(1, row)), ceil_div(rows, MAX_TASKS));
    return ceil_div(rows, j->piece);
}

// Like in resize.metal.
static struct image_place place_of(size_t i, size_t from, size_t to) {
    const size_t twice = (2 * i + 1) * from;
    if (twice <= to) return (struct image_place){0, 0, 0};
    const size_t at = (twice - to) / (2 * to), rest = (twice - to) % (2 * to);
    if (at + 1 >= from) return (struct image_place){(uint32_t)from - 1, (uint32_t)from - 1, 0};
    return (struct image_place){(uint32_t)at, (uint32_t)at + 1, (float)rest / (float)(2 * to)};
}

static void resize_task(void *arg, int task) {
    const struct image_job *j = arg;
    const struct ResizeParams *p = j->a->params;
    const size_t width = width_of(j->a->type), row = (size_t)p->w * p->c, out = (size_t)p->outw * p->c;
    const size_t first = (size_t)task * j->piece, last = min_size(first + j->piece, j->rows);
    for (size_t r = first; r < last; r++) {
        const struct image_place at = place_of(r % p->outh, p->h, p->outh);
        const char *image = (const char *)j->a->arg[0] + r / p->outh * p->h * row * width;
        j->loops->resize[j->a->type](image + at.first * row * width, image + at.second * row * width, at.f, row, j->places, p->outw,
                                     p->c, j->scratch + (size_t)task * j->span, (char *)j->a->arg[1] + r * out * width);
    }
}

static int run_resize(cpu_stream *s, const cpu_args *a) {
    const struct ResizeParams *p = a->params;
    struct image_job j = {.loops = pool_isa(stream_pool(s))->image, .a = a, .span = ((size_t)p->w + p->outw) * p->c};
    const size_t tasks = image_tasks(&j, (size_t)p->n * p->outh, (size_t)max_size(p->w, p->outw) * p->c);
    struct image_place *places = stream_scratch(s, p->outw * sizeof *places + tasks * j.span * sizeof(float));
    if (!places) return 0;
    for (size_t i = 0; i < p->outw; i++) places[i] = place_of(i, p->w, p->outw);
    j.places = places;
    j.scratch = (float *)(places + p->outw);
    pool_run(stream_pool(s), (int)tasks, resize_task, &j);
    return 1;
}

static void blur_task(void *arg, int task) {
    const struct image_job *j = arg;
    const struct BlurParams *p = j->a->params;
    const int wide = j->a->constants[IMAGE_WIDE], r = wide ? 2 : 1;
    const size_t row = (size_t)p->w * p->c * width_of(j->a->type);
    const size_t first = (size_t)task * j->piece, last = min_size(first + j->piece, j->rows);
    for (size_t i = first; i < last; i++) {
        const char *image = (const char *)j->a->arg[0] + i / p->h * p->h * row;
        const void *rows[5];
        for (int d = -r; d <= r; d++) {
            const long y = (long)(i % p->h) + d;
            rows[d + r] = image + (y < 0 ? 0 : min_size((size_t)y, p->h - 1)) * row;
        }
        j->loops->blur[j->a->type](rows, wide, (size_t)p->w * p->c, p->c, j->scratch + (size_t)task * j->span, (char *)j->a->arg[1] + i * row);
    }
}

static int run_blur(cpu_stream *s, const cpu_args *a) {
    const struct BlurParams *p = a->params;
    const size_t row = (size_t)p->w * p->c;
    struct image_job j = {.loops = pool_isa(stream_pool(s))->image, .a = a, .span = row + 4 * (size_t)p->c + MAX_VL};
    const size_t tasks = image_tasks(&j, (size_t)p->n * p->h, row);
    j.scratch = stream_scratch(s, max_size(1, tasks) * j.span * sizeof(float));
    if (!j.scratch) return 0;
    pool_run(stream_pool(s), (int)tasks, blur_task, &j);
    return 1;
}

// normalize_job divides n elements into pieces that begin where scale and shift do.
struct normalize_job {
    const struct image_loops *loops;
    const cpu_args *a;
    const float *scale, *shift;
    size_t vectors, n, piece;
};

static void normalize_task(void *arg, int task) {
    const struct normalize_job *j = arg;
    const size_t first = (size_t)task * j->piece, n = min_size(j->piece, j->n - first), at = first * width_of(j->a->type);
    j->loops->normalize[j->a->type]((const char *)j->a->arg[0] + at, j->scale, j->shift, j->vectors, n, (char *)j->a->arg[3] + at);
}

static int run_normalize(cpu_stream *s, const cpu_args *a) {
    const struct NormalizeParams *p = a->params;
    cpu_pool *pool = stream_pool(s);
    const size_t vl = (size_t)pool_isa(pool)->vl, channels = p->channels, period = vl * channels; // of whole vectors and pixels
    float *scale = stream_scratch(s, 2 * period * sizeof *scale), *shift = scale + period;
    if (!scale) return 0;
    const struct image_loops *loops = pool_isa(pool)->image;
    loops->floats[a->type](a->arg[1], channels, scale);
    loops->floats[a->type](a->arg[2], channels, shift);
    for (size_t i = channels; i < period; i++) scale[i] = scale[i - channels], shift[i] = shift[i - channels];
    const size_t n = (size_t)p->pixels * channels;
    struct normalize_job j = {loops, a, scale, shift, channels, n, ceil_div(2 * PIECE, period) * period};
    pool_run(pool, (int)ceil_div(n, j.piece), normalize_task, &j);
    return 1;
}

static void gray_task(void *arg, int task) {
    const struct image_job *j = arg;
    const struct GrayParams *p = j->a->params;
    const size_t first = (size_t)task * j->piece, n = min_size(j->piece, j->rows - first), width = width_of(j->a->type);
    j->loops->gray[j->a->type]((const char *)j->a->arg[0] + first * p->channels * width, n, p->channels, (char *)j->a->arg[1] + first * width);
}

static int run_gray(cpu_stream *s, const cpu_args *a) {
    const struct GrayParams *p = a->params;
    struct image_job j = {.loops = pool_isa(stream_pool(s))->image, .a = a, .rows = p->pixels, .piece = PIECE};
    pool_run(stream_pool(s), (int)ceil_div(p->pixels, PIECE), gray_task, &j);
    return 1;
}

const cpu_kernel image_kernels[] = {
    {"resize", "plain", TYPE_BITS(IMAGE_TYPES(TYPE_BIT)), sizeof(struct ResizeParams), 2, run_resize},
    {"normalize", "plain", TYPE_BITS(IMAGE_TYPES(TYPE_BIT)), sizeof(struct NormalizeParams), 4, run_normalize},
    {"blur", "plain", TYPE_BITS(IMAGE_TYPES(TYPE_BIT)), sizeof(struct BlurParams), 2, run_blur},
    {"gray", "plain", TYPE_BITS(IMAGE_TYPES(TYPE_BIT)), sizeof(struct GrayParams), 2, run_gray},
    {0},
};

#endif
