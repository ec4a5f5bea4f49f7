// Template: the parts of convolutions that touch vectors.
#include "conv.h"

#if KERNEL_ROWS >= 12 // enough registers for this many sums
#define CONV_R 8
#else
#define CONV_R 4
#endif

INLINE void conv_widen(enum cpu_type type, const void *in, size_t first, size_t n, size_t step, float *out) {
    if (step == 1) {
        size_t i = 0;
        for (; i + VL <= n; i += VL) v_store(out + i, get(in, first + i, type));
        if (i < n) v_store_n(out + i, get_n(in, first + i, n - i, type), n - i);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        float lanes[VL];
        if (type == CPU_F32) {
            out[i] = ((const float *)in)[first + i * step];
            continue;
        }
        v_store(lanes, get_n(in, first + i * step, 1, type));
        out[i] = lanes[0];
    }
}

INLINE void conv_channels(const int wide, const float *a, const float *x, size_t count, size_t side, size_t plane, size_t line,
                          const size_t *at, float *sums) {
    vf sum[CONV_R][2];
    UNROLL
    for (int r = 0; r < CONV_R; r++) sum[r][0] = sum[r][1] = (vf){0};
    for (size_t c = 0; c < count; c++, x += plane) {
        for (size_t i = 0; i < side; i++) {
            const float *row = x + i * line;
            for (size_t j = 0; j < side; j++, a += CONV_R) {
                const vf low = v_load(row + at[j]), high = wide > 1 ? v_load(row + at[j] + VL) : low;
                UNROLL
                for (int r = 0; r < CONV_R; r++) {
                    const vf f = v_set1(a[r]);
                    sum[r][0] = v_fma(f, low, sum[r][0]);
                    if (wide > 1) sum[r][1] = v_fma(f, high, sum[r][1]);
                }
            }
        }
    }
    UNROLL
    for (int r = 0; r < CONV_R; r++) {
        v_store(sums + r * 2 * VL, sum[r][0]);
        if (wide > 1) v_store(sums + r * 2 * VL + VL, sum[r][1]);
    }
}

static void conv_channels_1(const float *a, const float *x, size_t count, size_t side, size_t plane, size_t line, const size_t *at,
                            float *sums) {
    conv_channels(1, a, x, count, side, plane, line, at, sums);
}

static void conv_channels_2(const float *a, const float *x, size_t count, size_t side, size_t plane, size_t line, const size_t *at,
                            float *sums) {
    conv_channels(2, a, x, count, side, plane, line, at, sums);
}

static void conv_pixels(const float *b, const float *x, size_t count, size_t side, size_t line, size_t step, float *sums) {
    vf sum[CONV_R][2];
    UNROLL
    for (int r = 0; r < CONV_R; r++) sum[r][0] = sum[r][1] = (vf){0};
    for (size_t i = 0; i < side; i++) {
        const float *from = x + i * line;
        for (size_t d = 0; d < side * count; d++, b += 2 * VL) { // the columns of a filter and their channels are contiguous
            const vf low = v_load(b), high = v_load(b + VL);
            UNROLL
            for (int r = 0; r < CONV_R; r++) {
                const vf v = v_set1(from[r * step + d]);
                sum[r][0] = v_fma(v, low, sum[r][0]);
                sum[r][1] = v_fma(v, high, sum[r][1]);
            }
        }
    }
    UNROLL
    for (int r = 0; r < CONV_R; r++) {
        v_store(sums + r * 2 * VL, sum[r][0]);
        v_store(sums + r * 2 * VL + VL, sum[r][1]);
    }
}

INLINE void conv_store(enum cpu_type type, const float *sum, size_t n, const void *bias, int common, size_t at, int activation, void *out,
                       size_t first) {
    vf add = v_set1(-0.0f); // x + −0 is x for every x
    if (bias && common) {
        float lanes[VL];
        v_store(lanes, get_n(bias, at, 1, type));
        add = v_set1(lanes[0]);
    }
    size_t i = 0;
    for (; i + VL <= n; i += VL) {
        if (bias && !common) add = get(bias, at + i, type);
        put(out, first + i, activated(v_load(sum + i), add, activation), type);
    }
    if (i == n) return;
    if (bias && !common) add = get_n(bias, at + i, n - i, type);
    put_n(out, first + i, activated(v_load_n(sum + i, n - i), add, activation), n - i, type);
}

#define CONV_LOOPS(type)                                                                                                            \
    WANT_FLOAT(type);                                                                                                               \
    static void conv_widen_##type(const void *in, size_t first, size_t n, size_t step, float *out) {                                \
        conv_widen(CPU_##type, in, first, n, step, out);                                                                            \
    }                                                                                                                               \
    static void conv_store_##type(const float *sum, size_t n, const void *bias, int common, size_t at, int activation, void *out,   \
                                  size_t first) {                                                                                   \
        conv_store(CPU_##type, sum, n, bias, common, at, activation, out, first);                                                   \
    }
CONV_TYPES(CONV_LOOPS)

#define CONV_WIDEN(type) [CPU_##type] = conv_widen_##type,
#define CONV_STORE(type) [CPU_##type] = conv_store_##type,
static const struct conv_loops conv_loops = {
    .rows = CONV_R,
    .vl = VL,
    .widen = {CONV_TYPES(CONV_WIDEN)},
    .channels = {conv_channels_1, conv_channels_2},
    .pixels = conv_pixels,
    .store = {CONV_TYPES(CONV_STORE)},
};
