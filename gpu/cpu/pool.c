// A pool of threads for loops. A caller puts its job on a list, works on it, too, and returns when the last index is done.
// Workers take indices from any job on the list, so that several callers can share them.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "isa.h"

#define SPIN_NS 30000 // idle workers look for work this long before they sleep

struct job {
    task_fn *fn;
    void *arg;
    int total;
    atomic_int next;    // first index not yet taken
    atomic_int workers; // pool threads inside; raised and lowered under the lock
    struct job *link;
};

struct cpu_pool {
    const struct isa *isa;
    size_t cached_bytes;
    pthread_mutex_t lock;
    pthread_cond_t work, done; // a job came; a worker left one
    struct job *jobs;
    atomic_uint epoch; // counts jobs, so that spinning workers see one without the lock
    int sleeping, stop;
    int workers;
    pthread_t thread[];
};

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void work_on(struct job *j) {
    for (int i; (i = atomic_fetch_add(&j->next, 1)) < j->total;) j->fn(j->arg, i);
}

// The job at the head of the list that has indices left; call it with the lock held.
static struct job *open_job(cpu_pool *p) {
    for (struct job *j = p->jobs; j; j = j->link)
        if (atomic_load(&j->next) < j->total) return j;
    return NULL;
}

// Spins until a job has come since epoch `seen`, or for SPIN_NS.
static void spin(cpu_pool *p, unsigned seen) {
    const int64_t end = now_ns() + SPIN_NS;
    do {
        for (int i = 0; i < 64; i++) {
            if (atomic_load_explicit(&p->epoch, memory_order_acquire) != seen) return;
            relax();
        }
    } while (now_ns() < end);
}

// Waits for a job and joins it; NULL once the pool stops. Takes and leaves the lock held.
static struct job *join_job(cpu_pool *p) {
    for (int spun = 0;;) {
        if (p->stop) return NULL;
        struct job *j = open_job(p);
        if (j) {
            atomic_fetch_add(&j->workers, 1);
            return j;
        }
        if (!spun) {
            const unsigned seen = atomic_load(&p->epoch);
            pthread_mutex_unlock(&p->lock);
            spin(p, seen);
            pthread_mutex_lock(&p->lock);
            spun = 1;
            continue;
        }
        p->sleeping++;
        pthread_cond_wait(&p->work, &p->lock);
        p->sleeping--;
    }
}

static void *worker(void *arg) {
    cpu_pool *p = arg;
    pthread_mutex_lock(&p->lock);
    for (struct job *j; (j = join_job(p));) {
        pthread_mutex_unlock(&p->lock);
        work_on(j);
        pthread_mutex_lock(&p->lock);
        if (atomic_fetch_sub(&j->workers, 1) == 1) pthread_cond_broadcast(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void add_job(cpu_pool *p, struct job *j) {
    pthread_mutex_lock(&p->lock);
    j->link = p->jobs;
    p->jobs = j;
    atomic_fetch_add_explicit(&p->epoch, 1, memory_order_release);
    const int wake = p->sleeping;
    pthread_mutex_unlock(&p->lock);
    if (wake > 0) pthread_cond_broadcast(&p->work);
}

// Takes j off the list, so that no more workers join, and waits for those inside.
static void end_job(cpu_pool *p, struct job *j) {
    pthread_mutex_lock(&p->lock);
    struct job **at = &p->jobs;
    while (*at != j) at = &(*at)->link;
    *at = j->link;
    if (atomic_load(&j->workers) > 0) { // they are on their last index: spin before sleeping
        pthread_mutex_unlock(&p->lock);
        const int64_t end = now_ns() + SPIN_NS;
        while (atomic_load(&j->workers) > 0 && now_ns() < end) relax();
        pthread_mutex_lock(&p->lock);
        while (atomic_load(&j->workers) > 0) pthread_cond_wait(&p->done, &p->lock);
    }
    pthread_mutex_unlock(&p->lock);
}

void pool_run(cpu_pool *p, int n, task_fn *fn, void *arg) {
    if (n <= 1 || p->workers == 0) {
        for (int i = 0; i < n; i++) fn(arg, i);
        return;
    }
    struct job j = {.fn = fn, .arg = arg, .total = n};
    add_job(p, &j);
    work_on(&j);
    end_job(p, &j);
}

int pool_threads(const cpu_pool *p) { return p->workers + 1; }

const struct isa *pool_isa(const cpu_pool *p) { return p->isa; }

size_t pool_cached_bytes(const cpu_pool *p) { return p->cached_bytes; }

void cpu_pool_close(cpu_pool *p) {
    pthread_mutex_lock(&p->lock);
    p->stop = 1;
    atomic_fetch_add(&p->epoch, 1);
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->workers; i++) pthread_join(p->thread[i], NULL);
    pthread_cond_destroy(&p->work);
    pthread_cond_destroy(&p->done);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

cpu_pool *cpu_pool_open(const struct isa *isa, int threads) {
    cpu_pool *p = calloc(1, sizeof *p + (size_t)threads * sizeof p->thread[0]);
    if (!p) return NULL;
    p->isa = isa;
    p->cached_bytes = find_cached_bytes();
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->done, NULL);
    for (; p->workers < threads - 1; p->workers++) {
        if (pthread_create(&p->thread[p->workers], NULL, worker, p) != 0) {
            cpu_pool_close(p);
            return NULL;
        }
    }
    return p;
}
