//go:build linux || darwin

#define _GNU_SOURCE
#include "exec_internal.h"

#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void *symbol(exec_module *m, const char *name, char *message, size_t size) {
    void *at = dlsym(m->handle, name);
    if (!at) snprintf(message, size, "the shared object has no %s", name);
    return at;
}

int exec_load(exec_module *m, const char *path, char *message, size_t size) {
    memset(m, 0, sizeof *m);
    m->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!m->handle) {
        snprintf(message, size, "%s", dlerror());
        return -1;
    }
    const uint32_t *abi = symbol(m, "msl_abi", message, size);
    const msl_host **table = symbol(m, "msl_host_table", message, size);
    m->entry = (msl_entry_fn)symbol(m, "msl_entry", message, size);
    Dl_info info;
    if (!abi || !table || !m->entry || !dladdr((void *)m->entry, &info)) {
        exec_unload(m);
        return -1;
    }
    if (*abi != MSL_ABI) {
        snprintf(message, size, "the shared object is of version %u, this is %d", *abi, MSL_ABI);
        exec_unload(m);
        return -1;
    }
    m->checked = dlsym(m->handle, "msl_checking") != NULL;
    m->base = (uintptr_t)info.dli_fbase;
    m->end = m->base + ((uint64_t)1 << 30); // far above any object's size; the next object has its own base
    *table = &exec_host;
    return 0;
}

void exec_unload(exec_module *m) {
    if (m->handle) dlclose(m->handle);
    memset(m, 0, sizeof *m);
}

// Workers that have ended, for the next dispatch: creating a thread and the stacks of its fibers, with guards and first pages, is
// most of the cost of a small one.
static struct {
    pthread_mutex_t lock;
    int count;
    worker *all[WORKERS_KEPT];
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static worker *worker_kept(void) {
    pthread_mutex_lock(&kept.lock);
    worker *w = kept.count ? kept.all[--kept.count] : NULL;
    pthread_mutex_unlock(&kept.lock);
    return w;
}

static void set_duty(worker *w, enum duty duty) {
    pthread_mutex_lock(&w->lock);
    w->duty = duty;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

// next_duty waits for something to do.
static enum duty next_duty(worker *w) {
    pthread_mutex_lock(&w->lock);
    while (w->duty == WAIT) pthread_cond_wait(&w->changed, &w->lock);
    enum duty duty = w->duty;
    w->duty = WAIT;
    pthread_mutex_unlock(&w->lock);
    return duty;
}

static void worker_free(worker *w) {
    if (w->threaded) {
        set_duty(w, QUIT);
        pthread_join(w->thread, NULL);
    }
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    memory_worker_free(w);
    fibers_free(w);
    free(w);
}

// worker_end keeps the worker, whose thread waits or is about to, or frees it.
static void worker_end(worker *w) {
    if (w->stopped) memory_worker_forget(w);
    pthread_mutex_lock(&kept.lock);
    int room = kept.count < WORKERS_KEPT;
    if (room) kept.all[kept.count++] = w;
    pthread_mutex_unlock(&kept.lock);
    if (!room) worker_free(w);
}

void exec_trim(void) {
    for (worker *w; (w = worker_kept());) worker_free(w);
    memory_trim();
}

// worker_create returns a worker without a thread, stacks and memory; NULL: no memory.
static worker *worker_create(void) {
    worker *w;
    if (posix_memalign((void **)&w, _Alignof(worker), sizeof *w)) return NULL;
    memset(w, 0, offsetof(worker, d));
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    return w;
}

static worker *worker_new(dispatch *d, uint64_t random) {
    worker *w = worker_kept();
    if (!w && !(w = worker_create())) return NULL;
    memset(&w->d, 0, sizeof *w - offsetof(worker, d));
    w->d = d;
    w->random = random;
    if (!fibers_init(w) && !memory_worker(w)) return w;
    worker_free(w);
    return NULL;
}

// shuffled returns the n-th of 0 … total − 1 in an order derived from the seed: a one-to-one map of the numbers below the next
// power of two, repeated until the result is below total.
static uint64_t shuffled(uint64_t n, uint64_t total, uint64_t seed) {
    uint64_t mask = 0, half = 0;
    for (; mask < total - 1; half++) mask = mask << 1 | 1;
    half = half / 2 + 1;
    do {
        n = (n + seed) & mask;
        n = n * 0x9e3779b97f4a7c15u & mask;
        n ^= n >> half;
        n = (n ^ seed >> 32) * 0xd1342543de82ef95u & mask;
    } while (n >= total);
    return n;
}

// group_of returns the n-th group to run.
static uint64_t group_of(const dispatch *d, uint64_t n) {
    switch (d->launch->order) {
    case EXEC_FORWARD: return n;
    case EXEC_REVERSE: return d->total - 1 - n;
    }
    return shuffled(n, d->total, d->launch->seed);
}

static void worker_loop(worker *w) {
    dispatch *d = w->d;
    while (!w->stopped && !atomic_load(&d->stop)) {
        uint64_t n = atomic_fetch_add(&d->next, 1);
        if (n >= d->total) return;
        group_run(w, group_of(d, n));
        if (*d->launch->cancel) {
            int none = 0;
            atomic_compare_exchange_strong(&d->stop, &none, 2);
        }
    }
}

static void set_alive(worker *w, int alive) {
    pthread_mutex_lock(&w->d->lock);
    w->alive = alive;
    if (!alive) {
        w->d->running--;
        pthread_cond_signal(&w->d->finished);
        exec_self = NULL;
    }
    pthread_mutex_unlock(&w->d->lock);
}

// worker_main runs dispatches, one after another. After the end of one its data may be gone.
static void *worker_main(void *arg) {
    worker *w = arg;
    void *stack = exec_signal_stack();
    exec_own = w;
    while (next_duty(w) == RUN) {
        if (!stack) stack = exec_signal_stack();
        exec_self = w;
        set_alive(w, 1);
        if (stack) worker_loop(w);
        else exec_note(w, 0, 0, "no memory for a signal stack");
        set_alive(w, 0);
    }
    stack_t off = {.ss_flags = SS_DISABLE};
    sigaltstack(&off, NULL);
    free(stack);
    return NULL;
}

// worker_start makes the worker run the dispatch. −1: no thread.
static int worker_start(worker *w) {
    if (!w->threaded && pthread_create(&w->thread, NULL, worker_main, w)) return -1;
    w->threaded = 1;
    pthread_mutex_lock(&w->d->lock);
    w->d->running++;
    pthread_mutex_unlock(&w->d->lock);
    set_duty(w, RUN);
    return 0;
}

// start_workers starts as many as it can, with all signals blocked except those of kernels' faults: the others belong to Go's
// threads.
static int start_workers(dispatch *d, worker **workers, int n) {
    sigset_t block, old;
    sigfillset(&block);
    sigdelset(&block, SIGSEGV);
    sigdelset(&block, SIGBUS);
    sigdelset(&block, SIGFPE);
    sigdelset(&block, SIGILL);
    pthread_sigmask(SIG_SETMASK, &block, &old);
    int started = 0;
    for (; started < n; started++) {
        worker *w = worker_new(d, d->launch->seed * 0x9e3779b97f4a7c15ull + (uint64_t)started);
        if (!w) break;
        if (worker_start(w)) {
            worker_free(w);
            break;
        }
        workers[started] = w;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return started;
}

static void refuse(exec_trap *trap, const char *message) {
    memset(trap, 0, sizeof *trap);
    snprintf(trap->message, sizeof trap->message, "%s", message);
}

// measure determines the number of groups; −1 with a trap if the geometry exceeds the limits.
static int measure(dispatch *d) {
    const exec_launch *l = d->launch;
    uint64_t threads = 1;
    d->total = 1;
    for (int i = 0; i < 3; i++) {
        threads *= l->threads[i];
        if (threads > EXEC_MAX_THREADS) threads = EXEC_MAX_THREADS + 1;
        int whole = l->grid[0] || l->grid[1] || l->grid[2];
        d->groups[i] = whole && l->threads[i] ? (l->grid[i] + l->threads[i] - 1) / l->threads[i] : l->groups[i];
        d->first[i] = l->first[i];
        d->count[i] = l->count[0] || l->count[1] || l->count[2] ? l->count[i] : d->groups[i];
        d->total *= d->count[i];
    }
    if (threads >= 1 && threads <= EXEC_MAX_THREADS) return 0;
    snprintf(d->trap->message, sizeof d->trap->message, "%u × %u × %u threads in a threadgroup; the limit is 1 to %d", l->threads[0],
             l->threads[1], l->threads[2], EXEC_MAX_THREADS);
    return -1;
}

// watch waits for the workers. Once the dispatch is canceled, it interrupts those whose kernel does not end.
static void watch(dispatch *d, worker **workers, int n) {
    enum { LOOK = 20 * 1000 * 1000 }; // nanoseconds between looks
    pthread_mutex_lock(&d->lock);
    while (d->running > 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&d->finished, &d->lock, &until);
        int none = 0;
        if (!*d->launch->cancel) continue;
        atomic_compare_exchange_strong(&d->stop, &none, 2);
        for (int i = 0; i < n && atomic_load(&d->stop) == 2; i++)
            if (workers[i]->alive) {
                atomic_store(&workers[i]->interrupted, 1);
                pthread_kill(workers[i]->thread, SIGSEGV);
            }
    }
    pthread_mutex_unlock(&d->lock);
}

// run_all runs the groups on the workers and waits for them.
static int run_all(dispatch *d) {
    enum { MOST = 256 };
    worker *workers[MOST];
    uint64_t n = d->launch->workers ? d->launch->workers : 1;
    if (n > d->total) n = d->total;
    if (n > MOST) n = MOST;
    int started = start_workers(d, workers, (int)n);
    watch(d, workers, started);
    for (int i = 0; i < started; i++) worker_end(workers[i]);
    if (!started) {
        refuse(d->trap, "no memory for the threads' stacks");
        return 1;
    }
    return atomic_load(&d->stop);
}

int exec_run(const exec_module *m, const exec_launch *l, exec_trap *trap) {
    dispatch d;
    memset(&d, 0, sizeof d);
    memset(trap, 0, sizeof *trap);
    d.module = m;
    d.launch = l;
    d.trap = trap;
    exec_catch_signals();
    if (measure(&d)) return 1;
    if (!d.total) return 0;
    pthread_mutex_init(&d.lock, NULL);
    pthread_cond_init(&d.finished, NULL);
    if (memory_open(&d)) {
        memory_close(&d);
        refuse(trap, "no memory for guarded copies of the buffers");
        return 1;
    }
    if (l->conflicts && m->checked && l->workers == 1) {
        d.witness = witness_new();
        if (d.buffers[l->conflicts->focus_buffer]) d.focus = (uintptr_t)d.buffers[l->conflicts->focus_buffer] + l->conflicts->focus;
    }
    int result = run_all(&d);
    if (d.witness) witness_close(&d);
    memory_close(&d);
    pthread_cond_destroy(&d.finished);
    pthread_mutex_destroy(&d.lock);
    return result;
}
