// out[r,c] = (x[r,c] − mean of x[r,·]) / √(variance of x[r,·] + eps) · weight[c] + bias[c]. This file is compiled by itself
// for the kernel, and as a part of each instruction set for the loop over rows.
#include <math.h>

#include "rows.h"

#define LAYERNORM_TYPES(X) X(F32) X(F16) X(BF16)

struct layernorm_loops {
    rows_loop *once[CPU_TYPES], *twice[CPU_TYPES];
};

#if defined(ISA_TABLE)

// For the distances of elements from a shift, and their squares: sums, or means.
struct moments {
    float distance, square;
};

INLINE struct moments layer_sums(enum cpu_type type, const void *x, size_t n, float from) {
    const vf shift = v_set1(from);
    vf sums[4] = {{0}, {0}, {0}, {0}}, squares[4] = {{0}, {0}, {0}, {0}};
    size_t i = 0;
    for (; i + 4 * VL <= n; i += 4 * VL) {
        UNROLL
        for (int v = 0; v < 4; v++) {
            const vf d = get(x, i + (size_t)v * VL, type) - shift;
            sums[v] += d;
            squares[v] = v_fma(d, d, squares[v]);
        }
    }
    for (; i + VL <= n; i += VL) {
        const vf d = get(x, i, type) - shift;
        sums[0] += d;
        squares[0] = v_fma(d, d, squares[0]);
    }
    float sum = sum_of((sums[0] + sums[1]) + (sums[2] + sums[3]));
    float square = sum_of((squares[0] + squares[1]) + (squares[2] + squares[3])), rest[VL];
    v_store(rest, get_n(x, i, n - i, type) - shift);
    for (size_t l = 0; l < n - i; l++) sum += rest[l], square += rest[l] * rest[l];
    return (struct moments){sum, square};
}

INLINE struct moments layer_means(struct moments sums, size_t n) { return (struct moments){sums.distance / (float)n, sums.square / (float)n}; }

INLINE struct moments layer_moments(enum cpu_type type, const void *x, size_t n, float from) { return layer_means(layer_sums(type, x, n, from), n); }

INLINE float layer_first(enum cpu_type type, const void *x) { return get_n(x, 0, 1, type)[0]; }

INLINE float layer_factor(struct moments m, float eps) {
    const float variance = m.square - m.distance * m.distance;
    return 1 / sqrtf((variance < 0 ? 0 : variance) + eps);
}

#define LAYER_TOGETHER 8 // rows that read the same weights and biases from L1,
#define LAYER_SHARING (VL == 8 ? 2 : 4) // of them that share a load, as the registers allow,
#define LAYER_COLS 1024 // this many at a time
#define LAYER_BYTES (128 << 10) // of these rows, which stay in L2

struct layer {
    const char *x;
    char *out;
    float mean, scale;
};

// With one pass, distances are measured from the first element; with two, from the mean that the first pass found.
INLINE struct layer layer_of(enum cpu_type type, int twice, void *const *arg, size_t row, size_t n, float eps) {
    const size_t at = row * n * width_of(type);
    const char *x = (const char *)arg[0] + at;
    const float shift = twice ? layer_moments(type, x, n, 0).distance : layer_first(type, x);
    const struct moments m = layer_moments(type, x, n, shift);
    return (struct layer){x, (char *)arg[3] + at, shift + m.distance, layer_factor(m, eps)};
}

// Elements [i, last) of `rows` rows; with `stream`, those `ahead` elements further are prefetched.
INLINE void layer_part(enum cpu_type type, const int rows, const struct layer *l, const void *weight, const void *bias, size_t i, size_t last,
                       size_t ahead, int stream) {
    vf e[LAYER_SHARING], mean[LAYER_SHARING], scale[LAYER_SHARING];
    UNROLL
    for (int r = 0; r < rows; r++) mean[r] = v_set1(l[r].mean), scale[r] = v_set1(l[r].scale);
    for (; i + VL <= last; i += VL) {
        const vf by = get(weight, i, type), add = get(bias, i, type);
        UNROLL
        for (int r = 0; r < rows; r++) { // stored after all loads, which would wait for a store to the same offset in another page
            if (stream) __builtin_prefetch(l[r].x + (ahead + i) * width_of(type));
            e[r] = v_fma((get(l[r].x, i, type) - mean[r]) * scale[r], by, add);
        }
        UNROLL
        for (int r = 0; r < rows; r++) put_past(l[r].out, i, e[r], type, stream);
    }
    if (i == last) return;
    const size_t rest = last - i;
    for (int r = 0; r < rows; r++) {
        const vf d = (get_n(l[r].x, i, rest, type) - mean[r]) * scale[r];
        put_n(l[r].out, i, v_fma(d, get_n(weight, i, rest, type), get_n(bias, i, rest, type)), rest, type);
    }
}

// The same for `count` rows, of which LAYER_SHARING share each load of weights and biases.
INLINE void layer_parts(enum cpu_type type, const struct layer *l, size_t count, const void *weight, const void *bias, size_t i, size_t last,
                        size_t ahead, int stream) {
    for (; count >= LAYER_SHARING; l += LAYER_SHARING, count -= LAYER_SHARING)
        layer_part(type, LAYER_SHARING, l, weight, bias, i, last, ahead, stream);
    for (; count > 0; l++, count--) layer_part(type, 1, l, weight, bias, i, last, ahead, stream);
}

INLINE void layer_rows(enum cpu_type type, int twice, void *const *arg, size_t row, size_t count, size_t n, float eps, int stream) {
    const size_t most = max_size(1, min_size(LAYER_TOGETHER, LAYER_BYTES / (n * width_of(type))));
    struct layer l[LAYER_TOGETHER];
    for (size_t done = 0, some; done < count; done += some) {
        some = min_size(most, count - done);
        for (size_t r = 0; r < some; r++) l[r] = layer_of(type, twice, arg, row + done + r, n, eps);
        for (size_t i = 0; i < n; i += LAYER_COLS) layer_parts(type, l, some, arg[1], arg[2], i, min_size(i + LAYER_COLS, n), some * n, stream);
    }
    if (stream) v_fence();
}

// Past the caches, rows are written side by side in several streams each while the next ones are read for their moments, so that
// memory is read and written all the time. Elements of two bytes, whose conversion takes longer than their loads, gain from that
// in the caches, too. Rows of at most LAYER_SIDE_BYTES are still in L2 when they are written.
enum { LAYER_SIDE = 4, LAYER_SIDE_BYTES = 64 << 10, LAYER_STRETCH = 16, LAYER_STEP = 2 };

struct layer_side {
    const char *x, *weight, *bias;
    char *out;
    float mean[LAYER_SIDE], scale[LAYER_SIDE];
    float shift[LAYER_SIDE]; // of the next rows: what their distances are measured from
    vf sum[LAYER_SIDE], square[LAYER_SIDE]; // of their whole steps so far
    struct moments sums[LAYER_SIDE];        // of all their elements
};

// The rest of the rows at x, and at `next`, after `whole` elements.
INLINE void layer_rest(enum cpu_type type, int side, struct layer_side *s, const char *next, size_t whole, size_t n, int write, int read) {
    const size_t row = n * width_of(type), at = whole * width_of(type);
    for (int r = 0; r < side; r++) {
        const struct layer l = {s->x + (size_t)r * row, s->out + (size_t)r * row, s->mean[r], s->scale[r]};
        if (write) layer_part(type, 1, &l, s->weight, s->bias, whole, n, 0, 0);
        if (!read) continue;
        const struct moments rest = layer_sums(type, next + (size_t)r * row + at, n - whole, s->shift[r]);
        s->sums[r].distance += rest.distance, s->sums[r].square += rest.square;
    }
}

// Writes elements [i, last) of `side` rows while adding the distances of the next rows to sums; without `write` or `read` that
// half is left out.
INLINE void layer_steps(enum cpu_type type, int side, int stream, struct layer_side *s, const char *next, size_t i, size_t last, size_t row,
                        int write, int read) {
    const char *x = s->x;
    char *out = s->out;
    vf mean[LAYER_SIDE], scale[LAYER_SIDE], shift[LAYER_SIDE], sum[LAYER_SIDE], square[LAYER_SIDE];
    UNROLL
    for (int r = 0; r < side; r++) {
        mean[r] = v_set1(s->mean[r]), scale[r] = v_set1(s->scale[r]), shift[r] = v_set1(s->shift[r]);
        sum[r] = square[r] = v_set1(0);
    }
    for (; i < last; i += LAYER_STEP * VL) {
        vf e[LAYER_SIDE][LAYER_STEP]; // stored after all loads, which would wait for a store to the same offset in another page
        UNROLL
        for (int v = 0; v < LAYER_STEP; v++) {
            const size_t at = i + (size_t)v * VL;
            UNROLL
            for (int r = 0; read && r < side; r++) {
                const vf d = get(next + (size_t)r * row, at, type) - shift[r];
                sum[r] += d;
                square[r] = v_fma(d, d, square[r]);
            }
            if (!write) continue;
            const vf weight = get(s->weight, at, type), bias = get(s->bias, at, type);
            UNROLL
            for (int r = 0; r < side; r++) e[r][v] = v_fma((get(x + (size_t)r * row, at, type) - mean[r]) * scale[r], weight, bias);
        }
        UNROLL
        for (int r = 0; write && r < side; r++) {
            UNROLL
            for (int v = 0; v < LAYER_STEP; v++) put_past(out + (size_t)r * row, i + (size_t)v * VL, e[r][v], type, stream);
        }
    }
    UNROLL
    for (int r = 0; r < side; r++) s->sum[r] += sum[r], s->square[r] += square[r];
}

// The same for whole rows, LAYER_STRETCH steps at a time: long float sums would be less accurate.
INLINE void layer_turn(enum cpu_type type, int side, int stream, struct layer_side *s, size_t n, int write, int read) {
    const size_t row = n * width_of(type), step = LAYER_STEP * VL, whole = n - n % step;
    const char *next = write ? s->x + (size_t)side * row : s->x;
    for (int r = 0; r < side; r++) s->sum[r] = s->square[r] = v_set1(0);
    for (size_t i = 0; i < whole; i += LAYER_STRETCH * step)
        layer_steps(type, side, stream, s, next, i, min_size(i + LAYER_STRETCH * step, whole), row, write, read);
    for (int r = 0; r < side; r++) s->sums[r] = (struct moments){sum_of(s->sum[r]), sum_of(s->square[r])};
    if (whole < n) layer_rest(type, side, s, next, whole, n, write, read);
}

// Distances of the rows at x are measured from their first elements.
INLINE void layer_shift(enum cpu_type type, int side, struct layer_side *s, const char *x, size_t n) {
    for (int r = 0; r < side; r++) s->shift[r] = layer_first(type, x + (size_t)r * n * width_of(type));
}

// Derives mean and scale of the rows at x from the sums.
INLINE void layer_scale(enum cpu_type type, int side, int twice, struct layer_side *s, size_t n, float eps) {
    for (int r = 0; r < side; r++) {
        struct moments m = layer_means(s->sums[r], n);
        float shift = s->shift[r];
        if (twice) shift += m.distance, m = layer_moments(type, s->x + (size_t)r * n * width_of(type), n, shift);
        s->mean[r] = shift + m.distance, s->scale[r] = layer_factor(m, eps);
    }
}

// Computes `turns` times `side` rows.
INLINE void layer_turns(enum cpu_type type, int side, int stream, int twice, void *const *arg, size_t row, size_t turns, size_t n, float eps) {
    if (turns == 0) return;
    const size_t at = row * n * width_of(type), bytes = (size_t)side * n * width_of(type);
    struct layer_side s = {.x = (const char *)arg[0] + at, .weight = arg[1], .bias = arg[2], .out = (char *)arg[3] + at};
    layer_shift(type, side, &s, s.x, n);
    layer_turn(type, side, stream, &s, n, 0, 1);
    layer_scale(type, side, twice, &s, n, eps);
    for (; turns > 1; turns--) {
        layer_shift(type, side, &s, s.x + bytes, n);
        layer_turn(type, side, stream, &s, n, 1, 1);
        s.x += bytes, s.out += bytes;
        layer_scale(type, side, twice, &s, n, eps);
    }
    layer_turn(type, side, stream, &s, n, 1, 0);
}

// Remaining rows are taken one by one in the same way: results do not depend on how rows are divided among threads.
INLINE void layer_sides(enum cpu_type type, int stream, int twice, void *const *arg, size_t row, size_t count, size_t n, float eps) {
    const size_t left = count % LAYER_SIDE;
    layer_turns(type, LAYER_SIDE, stream, twice, arg, row, count / LAYER_SIDE, n, eps);
    layer_turns(type, 1, stream, twice, arg, row + count - left, left, n, eps);
    if (stream) v_fence();
}

INLINE void layer_all(enum cpu_type type, int twice, void *const *arg, size_t row, size_t count, size_t n, float eps, int stream) {
    const int past = STREAMS && stream, side_by_side = n >= LAYER_STEP * VL && n * width_of(type) <= LAYER_SIDE_BYTES;
    if (side_by_side && past) layer_sides(type, 1, twice, arg, row, count, n, eps);
    else if (side_by_side && type != CPU_F32) layer_sides(type, 0, twice, arg, row, count, n, eps);
    else layer_rows(type, twice, arg, row, count, n, eps, past);
}

// Both kernels share a function, which takes half as long to compile.
#define LAYER_LOOPS(type)                                                                                                                \
    WANT_FLOAT(type);                                                                                                                    \
    static __attribute__((noinline)) void layer_##type(int twice, void *const *arg, size_t row, size_t count, size_t n, float eps, int stream) { \
        layer_all(CPU_##type, twice, arg, row, count, n, eps, stream);                                                                   \
    }                                                                                                                                    \
    static void layer_once_##type(void *const *arg, size_t row, size_t count, size_t n, float eps, int stream) {                         \
        layer_##type(0, arg, row, count, n, eps, stream);                                                                                \
    }                                                                                                                                    \
    static void layer_twice_##type(void *const *arg, size_t row, size_t count, size_t n, float eps, int stream) {                        \
        layer_##type(1, arg, row, count, n, eps, stream);                                                                                \
    }
LAYERNORM_TYPES(LAYER_LOOPS)

#define LAYER_ONCE(type) [CPU_##type] = layer_once_##type,
#define LAYER_TWICE(type) [CPU_##type] = layer_twice_##type,
static const struct layernorm_loops layernorm_loops = {{LAYERNORM_TYPES(LAYER_ONCE)}, {LAYERNORM_TYPES(LAYER_TWICE)}};

#else

#include "params/norm.h"

static int run_layers(cpu_stream *s, const cpu_args *a, rows_loop *const loops[CPU_TYPES]) {
    const struct LayerNormParams *p = a->params;
    return run_all_rows(s, a, NULL, loops, p->rows, p->cols, p->eps, 1);
}

static int run_layernorm(cpu_stream *s, const cpu_args *a) { return run_layers(s, a, pool_isa(stream_pool(s))->layernorm->once); }
static int run_layernorm_twice(cpu_stream *s, const cpu_args *a) { return run_layers(s, a, pool_isa(stream_pool(s))->layernorm->twice); }

const cpu_kernel layernorm_kernels[] = {
    {"layernorm", "plain", TYPE_BITS(LAYERNORM_TYPES(TYPE_BIT)), sizeof(struct LayerNormParams), 4, run_layernorm},
    {"layernorm", "twopass", TYPE_BITS(LAYERNORM_TYPES(TYPE_BIT)), sizeof(struct LayerNormParams), 4, run_layernorm_twice},
    {0},
};

#endif
