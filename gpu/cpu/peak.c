// Multiplications and additions in registers only. This file is compiled by itself for the kernels, and as a part of each
// instruction set for the loop over vectors; byte products are among the dot loops.
#include "isa.h"
#include "params/peak.h"

struct peak_loops {
    void (*multiply_add)(const float *x, float *out, size_t n, uint32_t steps);
};

#if defined(ISA_TABLE)

#define PEAK_CHAINS 12 // independent vectors: more than a core starts during one multiplication

static void peak_multiply_add(const float *x, float *out, size_t n, uint32_t steps) {
    const vf factor = v_set1(-MULTIPLY_ADD_FACTOR), one = v_set1(1);
    size_t i = 0;
    for (; i + PEAK_CHAINS * VL <= n; i += PEAK_CHAINS * VL) {
        vf v[PEAK_CHAINS];
        UNROLL
        for (size_t c = 0; c < PEAK_CHAINS; c++) v[c] = v_load(x + i + c * VL);
        for (uint32_t s = 0; s < steps; s++) {
            UNROLL
            for (size_t c = 0; c < PEAK_CHAINS; c++) v[c] = v_fma(v[c], factor, one);
        }
        UNROLL
        for (size_t c = 0; c < PEAK_CHAINS; c++) v_store(out + i + c * VL, v[c]);
    }
    for (; i < n; i++) {
        float v = x[i];
        for (uint32_t s = 0; s < steps; s++) v = 1 - MULTIPLY_ADD_FACTOR * v;
        out[i] = v;
    }
}

static const struct peak_loops peak_loops = {peak_multiply_add};

#else

#include <time.h>

#include "dots.h"

#define PEAK_PIECE (64 * 12 * MAX_VL) // elements per task: whole groups of chains of any vector

struct peak_job {
    const char *x;
    char *out;
    size_t n, x_width;
    uint32_t steps;
    void (*loop)(const void *x, void *out, size_t n, uint32_t steps, const struct isa *isa);
    const struct isa *isa;
};

static void peak_task(void *arg, int task) {
    const struct peak_job *j = arg;
    const size_t first = (size_t)task * PEAK_PIECE, n = min_size(PEAK_PIECE, j->n - first);
    j->loop(j->x + first * j->x_width, j->out + first * 4, n, j->steps, j->isa);
}

static void in_floats(const void *x, void *out, size_t n, uint32_t steps, const struct isa *isa) { isa->peak->multiply_add(x, out, n, steps); }
static void in_bytes(const void *x, void *out, size_t n, uint32_t steps, const struct isa *isa) { isa->dots->dot_add(x, out, n, steps); }

static int run_peak(cpu_stream *s, const cpu_args *a, void (*loop)(const void *, void *, size_t, uint32_t, const struct isa *)) {
    const struct StepsParams *p = a->params;
    const struct peak_job j = {a->arg[0], a->arg[1], p->n, 4, p->steps, loop, pool_isa(stream_pool(s))};
    pool_run(stream_pool(s), (int)ceil_div(p->n, PEAK_PIECE), peak_task, (void *)&j);
    return 1;
}

#define RATE_FLOATS (12 * MAX_VL)
#define RATE_STEPS 1000
#define RATE_TRIES 8 // of a few microseconds, of which the fastest counts: interruptions slow down the others

double find_rate(const struct isa *isa) {
    float x[RATE_FLOATS] = {0}, out[RATE_FLOATS];
    double best = 0;
    for (int i = 0; i < RATE_TRIES; i++) {
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        isa->peak->multiply_add(x, out, RATE_FLOATS, RATE_STEPS);
        clock_gettime(CLOCK_MONOTONIC, &to);
        const double ns = 1e9 * (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec);
        if (ns > 0 && RATE_FLOATS * RATE_STEPS / ns > best) best = RATE_FLOATS * RATE_STEPS / ns;
    }
    return 1e9 * best;
}

static int run_multiply_add(cpu_stream *s, const cpu_args *a) { return run_peak(s, a, in_floats); }
static int run_dot_add(cpu_stream *s, const cpu_args *a) { return run_peak(s, a, in_bytes); }

const cpu_kernel peak_kernels[] = {
    {"multiply_add", "plain", 1u << CPU_F32, sizeof(struct StepsParams), 2, run_multiply_add},
    {"dot_add", "plain", 1u << CPU_I8, sizeof(struct StepsParams), 2, run_dot_add},
    {0},
};

#endif
