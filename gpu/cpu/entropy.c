// The entropy of the bytes in windows. This file is compiled by itself for the kernels, and as a part of each instruction set for
// the loop over windows. Sums are integers, so they do not depend on where a thread begins.
#include <math.h>
#include <string.h>

#include "isa.h"

#define ENTROPY_CODES 256

struct entropy_terms {
    uint32_t step[ENTROPY_CODES + 1]; // how much the sum of count·log2(count) grows from a count to the next
    float log[ENTROPY_CODES + 1];     // log2 of a number of bytes
};

// A task's input: n bytes and a window around every stride-th.
struct entropy_windows {
    const uint8_t *x;
    float *out;
    size_t n, stride;
    struct entropy_terms terms;
};

struct entropy_loops {
    // Windows from first to last: each counted from scratch, or by the bytes that enter and leave.
    void (*single)(const struct entropy_windows *w, size_t first, size_t last);
    void (*rolling)(const struct entropy_windows *w, size_t first, size_t last);
};

#include "params/entropy.h"

#if defined(ISA_TABLE)

struct entropy_counts {
    size_t first, last; // bytes counted
    uint32_t sum;
    uint16_t count[ENTROPY_CODES];
};

INLINE void entropy_store(const struct entropy_windows *w, size_t i, const struct entropy_counts *c) {
    const size_t bytes = c->last - c->first;
    w->out[i] = (w->terms.log[bytes] - (float)c->sum / ENTROPY_FIXED / (float)bytes) / 8;
}

INLINE void entropy_move(const struct entropy_windows *w, size_t i, struct entropy_counts *c) {
    const size_t center = i * w->stride, first = center > ENTROPY_HALF ? center - ENTROPY_HALF : 0;
    const size_t last = w->n - center > ENTROPY_HALF ? center + ENTROPY_HALF : w->n;
    for (; c->first < first && c->first < c->last; c->first++) c->sum -= w->terms.step[--c->count[w->x[c->first]]];
    c->first = first;
    if (c->last < first) c->last = first;
    for (; c->last < last; c->last++) c->sum += w->terms.step[c->count[w->x[c->last]]++];
}

static void entropy_single(const struct entropy_windows *w, size_t first, size_t last) {
    for (size_t i = first; i < last; i++) {
        struct entropy_counts c = {0};
        entropy_move(w, i, &c);
        entropy_store(w, i, &c);
    }
}

static void entropy_rolling(const struct entropy_windows *w, size_t first, size_t last) {
    struct entropy_counts c = {0};
    for (size_t i = first; i < last; i++) {
        entropy_move(w, i, &c);
        entropy_store(w, i, &c);
    }
}

static const struct entropy_loops entropy_loops = {entropy_single, entropy_rolling};

#else

#define PIECE 512 // windows per task

struct entropy_job {
    struct entropy_windows w;
    size_t windows;
    void (*loop)(const struct entropy_windows *w, size_t first, size_t last);
};

static void entropy_task(void *arg, int task) {
    const struct entropy_job *j = arg;
    const size_t first = (size_t)task * PIECE;
    j->loop(&j->w, first, min_size(first + PIECE, j->windows));
}

static uint32_t fixed_term(int count) { return count > 1 ? (uint32_t)lrint(ENTROPY_FIXED * count * log2(count)) : 0; }

static void fill_terms(struct entropy_terms *t) {
    for (int i = 0; i <= ENTROPY_CODES; i++) {
        t->step[i] = fixed_term(i + 1) - fixed_term(i);
        t->log[i] = i > 0 ? log2f((float)i) : 0;
    }
}

static int run_entropy(cpu_stream *s, const cpu_args *a, void (*loop)(const struct entropy_windows *, size_t, size_t)) {
    const struct EntropyParams *p = a->params;
    struct entropy_job j = {{.x = a->arg[0], .out = a->arg[1], .n = p->n, .stride = p->stride}, ENTROPY_WINDOWS(p->n, p->stride), loop};
    fill_terms(&j.w.terms);
    pool_run(stream_pool(s), (int)ceil_div(j.windows, PIECE), entropy_task, &j);
    return 1;
}

static int run_single(cpu_stream *s, const cpu_args *a) { return run_entropy(s, a, pool_isa(stream_pool(s))->entropy->single); }

static int run_rolling(cpu_stream *s, const cpu_args *a) { return run_entropy(s, a, pool_isa(stream_pool(s))->entropy->rolling); }

const cpu_kernel entropy_kernels[] = {
    {"entropy", "plain", 1u << CPU_I8, sizeof(struct EntropyParams), 2, run_single},
    {"entropy", "rolling", 1u << CPU_I8, sizeof(struct EntropyParams), 2, run_rolling},
    {0},
};

#endif
