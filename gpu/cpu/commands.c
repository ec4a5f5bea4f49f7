// Programs: commands run and timed in order; and the events between streams.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "isa.h"

#define PIECE ((size_t)1 << 20) // bytes that one thread copies or fills at a time

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct cpu_event {
    pthread_mutex_t lock;
    pthread_cond_t signaled;
    unsigned long pending; // signals that nothing has awaited yet
};

cpu_event *cpu_event_new(void) {
    cpu_event *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->signaled, NULL);
    return e;
}

void cpu_event_free(cpu_event *e) {
    pthread_cond_destroy(&e->signaled);
    pthread_mutex_destroy(&e->lock);
    free(e);
}

static void signal_event(cpu_event *e) {
    pthread_mutex_lock(&e->lock);
    e->pending++;
    pthread_cond_signal(&e->signaled);
    pthread_mutex_unlock(&e->lock);
}

static void await_event(cpu_event *e) {
    pthread_mutex_lock(&e->lock);
    while (e->pending == 0) pthread_cond_wait(&e->signaled, &e->lock);
    e->pending--;
    pthread_mutex_unlock(&e->lock);
}

static void move_piece(void *arg, int i) {
    const cpu_command *c = arg;
    const size_t at = (size_t)i * PIECE, n = min_size(PIECE, c->bytes - at);
    if (c->kind == CPU_COPY_BYTES) memcpy((char *)c->to + at, (const char *)c->from + at, n);
    else memset((char *)c->to + at, c->value, n);
}

// Runs one command; 0 if there is no scratch memory.
static int run_command(cpu_stream *s, const cpu_command *c, const uint32_t *words, void *const *arg) {
    switch (c->kind) {
    case CPU_LAUNCH: return run_launch(s, &c->launch, words, arg);
    case CPU_SIGNAL: signal_event(c->event); return 1;
    case CPU_AWAIT: await_event(c->event); return 1;
    default: pool_run(stream_pool(s), (int)ceil_div(c->bytes, PIECE), move_piece, (void *)c); return 1;
    }
}

static int is_event(const cpu_command *c) { return c->kind == CPU_SIGNAL || c->kind == CPU_AWAIT; }

// The CPU time of this thread.
static double own_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int cpu_run(cpu_stream *s, const cpu_command *commands, int count, const uint32_t *words, void *const *arg, int repeat, int brief,
            double *seconds, double *stages) {
    const double used = brief ? 0 : own_time(), start = now();
    double before = start;
    int failed = -1;
    set_own_scratch(stream_own(s));
    for (int r = 0; r < repeat; r++) {
        for (int i = 0; i < count; i++) {
            if (failed >= 0 && !is_event(&commands[i])) continue; // a queue awaiting its signal must not wait forever
            if (!run_command(s, &commands[i], words, arg)) failed = i;
            if (!stages) continue;
            const double after = now();
            *stages++ = after - before;
            before = after;
        }
    }
    *seconds = now() - start;
    pool_called(stream_pool(s), brief ? *seconds : own_time() - used);
    return failed;
}
