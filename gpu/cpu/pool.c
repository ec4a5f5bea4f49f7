// A pool of threads for loops. A caller puts its job into a slot, works on it, too, and returns when the last index is done.
// Workers take indices from the jobs of all slots, so that several callers can share them. Only going to sleep takes a lock: a
// worker enters a slot by counting itself, and only then checks whether the job is open; a caller closes its job, and only then
// waits until no worker is counted.
#include <pthread.h>
#ifdef __APPLE__
#include <mach/mach.h>
#endif
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "isa.h"

#define SPIN_NS 100000 // idle workers look for work this long before they sleep
#define POLITE_NS 5000 // after this long they yield the core to others
#define LOOKS 100      // at workers that finish, before the clock is read
#define SLOTS 8        // concurrent jobs; a caller that finds no free slot works alone
#define APART __attribute__((aligned(128))) // on cache lines of its own

struct slot {
    APART atomic_int taken; // by a caller
    atomic_int waiting;     // the caller sleeps until the last worker leaves
    APART atomic_int open;
    task_fn *fn;
    void *arg;
    int total;
    APART atomic_int next;    // number of indices taken…
    atomic_int back;          // …and how many of them by workers, from the end
    APART atomic_int workers; // pool threads inside
};

struct cpu_pool {
    const struct isa *isa;
    size_t cached_bytes, kept_bytes;
    double rate;
    int in_order; // whether non-temporal stores are fastest in order
    pthread_mutex_t lock;
    pthread_cond_t work, done; // a job was added; a worker left one
    struct slot slot[SLOTS];
    APART atomic_uint epoch; // counts jobs
    atomic_int sleeping;     // raised and lowered under the lock
    atomic_int stop;
    APART atomic_llong called_ns; // CPU time of callers
    atomic_int elsewhere;         // times that a library worked in threads of its own
    int workers;
    struct worker {
        pthread_t thread;
        cpu_pool *pool;
        void *own;
    } worker[];
};

// Scratch memory, and its last owner that keeps something there: 0 is nobody.
static _Thread_local struct {
    void *memory;
    uint64_t owner;
} own;

uint64_t scratch_owners(size_t n) {
    static _Atomic uint64_t last = 1;
    return atomic_fetch_add_explicit(&last, n, memory_order_relaxed);
}

void *kept_scratch(uint64_t owner, int *kept) {
    *kept = own.owner == owner;
    own.owner = owner;
    return own.memory;
}

void *own_scratch(void) {
    own.owner = 0;
    return own.memory;
}

void set_own_scratch(void *memory) {
    own.memory = memory;
    own.owner = 0;
}

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

static int take(struct slot *j) { return atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed) < j->total; }

// The caller takes the first indices, and workers the last: in a series of similar jobs, a core mostly gets the same part, which
// its caches still hold.
static void work_on(struct slot *j) {
    while (take(j)) j->fn(j->arg, j->total - 1 - atomic_fetch_add_explicit(&j->back, 1, memory_order_relaxed));
}

static void work_on_own(struct slot *j) {
    for (int i = 0; take(j); i++) j->fn(j->arg, i);
}

// Waits until *at is no longer `seen`, for SPIN_NS at most.
static void spin(atomic_uint *at, unsigned seen) {
    const int64_t start = now_ns();
    for (int64_t past = 0; past < SPIN_NS; past = now_ns() - start) {
        for (int i = 0; i < 32; i++) {
            if (atomic_load_explicit(at, memory_order_acquire) != seen) return;
            relax();
        }
        if (past > POLITE_NS) sched_yield();
    }
}

// Wakes up to two sleepers, each of which does the same while there is work: a caller need not wait for all to be woken.
static void wake(cpu_pool *p) {
    if (atomic_load(&p->sleeping) == 0) return;
    pthread_mutex_lock(&p->lock);
    pthread_cond_signal(&p->work);
    pthread_cond_signal(&p->work);
    pthread_mutex_unlock(&p->lock);
}

static int has_work(struct slot *j) {
    return atomic_load(&j->open) && atomic_load_explicit(&j->next, memory_order_relaxed) < j->total;
}

static void leave(cpu_pool *p, struct slot *j) {
    if (atomic_fetch_sub(&j->workers, 1) != 1 || !atomic_load(&j->waiting)) return;
    pthread_mutex_lock(&p->lock);
    pthread_cond_broadcast(&p->done);
    pthread_mutex_unlock(&p->lock);
}

// Works on every job there is.
static void work_on_all(cpu_pool *p, int woken) {
    for (struct slot *j = p->slot; j < p->slot + SLOTS; j++) {
        if (!atomic_load_explicit(&j->open, memory_order_acquire)) continue;
        atomic_fetch_add(&j->workers, 1);
        if (has_work(j)) {
            if (woken) wake(p);
            work_on(j);
        }
        leave(p, j);
    }
}

// Sleeps until a job has been added since epoch `seen`.
static void sleep_until_work(cpu_pool *p, unsigned seen) {
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->sleeping, 1);
    while (atomic_load(&p->epoch) == seen) pthread_cond_wait(&p->work, &p->lock);
    atomic_fetch_sub(&p->sleeping, 1);
    pthread_mutex_unlock(&p->lock);
}

static void *worker(void *arg) {
    struct worker *me = arg;
    cpu_pool *p = me->pool;
    set_own_scratch(me->own);
    for (int woken = 0;;) {
        const unsigned seen = atomic_load(&p->epoch);
        if (atomic_load(&p->stop)) return NULL;
        work_on_all(p, woken);
        spin(&p->epoch, seen);
        woken = atomic_load(&p->epoch) == seen;
        if (woken) sleep_until_work(p, seen);
    }
}

// A free slot, or NULL.
static struct slot *take_slot(cpu_pool *p) {
    for (struct slot *j = p->slot; j < p->slot + SLOTS; j++)
        if (!atomic_load_explicit(&j->taken, memory_order_relaxed) && !atomic_exchange(&j->taken, 1)) return j;
    return NULL;
}

static void open_job(cpu_pool *p, struct slot *j, int n, task_fn *fn, void *arg) {
    j->fn = fn, j->arg = arg, j->total = n;
    atomic_store_explicit(&j->next, 0, memory_order_relaxed);
    atomic_store_explicit(&j->back, 0, memory_order_relaxed);
    atomic_store(&j->open, 1);
    atomic_fetch_add(&p->epoch, 1);
    wake(p);
}

// Reports whether all workers leave within a few looks, which takes less time than reading the clock.
static int left_at_once(struct slot *j) {
    for (int i = 0; i < LOOKS; i++)
        if (atomic_load(&j->workers) == 0) return 1;
    return 0;
}

static void wait_for_workers(cpu_pool *p, struct slot *j) {
    const int64_t start = now_ns();
    while (atomic_load(&j->workers) > 0) {
        const int64_t past = now_ns() - start;
        if (past > SPIN_NS) break;
        if (past > POLITE_NS) sched_yield();
        relax();
    }
    if (atomic_load(&j->workers) == 0) return;
    pthread_mutex_lock(&p->lock);
    atomic_store(&j->waiting, 1);
    while (atomic_load(&j->workers) > 0) pthread_cond_wait(&p->done, &p->lock);
    atomic_store(&j->waiting, 0);
    pthread_mutex_unlock(&p->lock);
}

// Closes the job, so that no more workers enter, and waits for those inside, who are on their last index.
static void end_job(cpu_pool *p, struct slot *j) {
    atomic_store(&j->open, 0);
    if (!left_at_once(j)) wait_for_workers(p, j);
    atomic_store(&j->taken, 0);
}

void pool_run(cpu_pool *p, int n, task_fn *fn, void *arg) {
    struct slot *j = n <= 1 || p->workers == 0 ? NULL : take_slot(p);
    if (!j) {
        for (int i = 0; i < n; i++) fn(arg, i);
        return;
    }
    open_job(p, j, n, fn, arg);
    work_on_own(j);
    end_job(p, j);
}

void run_on(cpu_pool *p, size_t threads, size_t n, task_fn *fn, void *arg) {
    if (threads > 1) pool_run(p, (int)n, fn, arg);
    else
        for (size_t i = 0; i < n; i++) fn(arg, (int)i);
}

int pool_threads(const cpu_pool *p) { return p->workers + 1; }

const struct isa *pool_isa(const cpu_pool *p) { return p->isa; }

size_t pool_cached_bytes(const cpu_pool *p) { return p->cached_bytes; }
size_t pool_kept_bytes(const cpu_pool *p) { return p->kept_bytes; }
double pool_rate(const cpu_pool *p) { return p->rate; }
int pool_stream(const cpu_pool *p, size_t bytes) { return bytes < p->cached_bytes ? 0 : p->in_order ? 1 : 2; }

void pool_called(cpu_pool *p, double seconds) { atomic_fetch_add_explicit(&p->called_ns, (long long)(seconds * 1e9), memory_order_relaxed); }

void pool_elsewhere(cpu_pool *p) { atomic_fetch_add_explicit(&p->elsewhere, 1, memory_order_relaxed); }

// The CPU time of a thread, in seconds; negative if the system does not report it.
static double thread_seconds(pthread_t thread) {
#ifdef __APPLE__
    thread_basic_info_data_t info;
    mach_msg_type_number_t count = THREAD_BASIC_INFO_COUNT;
    if (thread_info(pthread_mach_thread_np(thread), THREAD_BASIC_INFO, (thread_info_t)&info, &count) != KERN_SUCCESS) return -1;
    return (double)(info.user_time.seconds + info.system_time.seconds) +
           1e-6 * (double)(info.user_time.microseconds + info.system_time.microseconds);
#else
    clockid_t clock;
    struct timespec t;
    if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &t) != 0) return -1;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#endif
}

int cpu_worked(cpu_pool *p, double *seconds) {
    *seconds = 1e-9 * (double)atomic_load_explicit(&p->called_ns, memory_order_relaxed);
    for (int i = 0; i < p->workers; i++) {
        const double own_time = thread_seconds(p->worker[i].thread);
        if (own_time < 0) return -1;
        *seconds += own_time;
    }
    return atomic_load_explicit(&p->elsewhere, memory_order_relaxed);
}

void cpu_pool_close(cpu_pool *p) {
    pthread_mutex_lock(&p->lock);
    atomic_store(&p->stop, 1);
    atomic_fetch_add(&p->epoch, 1);
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->workers; i++) {
        pthread_join(p->worker[i].thread, NULL);
        cpu_free(p->worker[i].own, OWN_BYTES);
    }
    pthread_cond_destroy(&p->work);
    pthread_cond_destroy(&p->done);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

static int start_worker(cpu_pool *p, struct worker *w) {
    w->pool = p;
    w->own = cpu_alloc(OWN_BYTES);
    if (w->own && pthread_create(&w->thread, NULL, worker, w) == 0) return 1;
    cpu_free(w->own, OWN_BYTES);
    return 0;
}

cpu_pool *cpu_pool_open(const struct isa *isa, int threads) {
    const size_t size = sizeof(cpu_pool) + (size_t)threads * sizeof(struct worker);
    cpu_pool *p = NULL;
    if (posix_memalign((void **)&p, 128, size) != 0) return NULL;
    memset(p, 0, size);
    p->isa = isa;
    p->cached_bytes = find_cached_bytes(), p->kept_bytes = find_kept_bytes();
    p->rate = threads > 1 ? find_rate(isa) : 0;
    p->in_order = stores_in_order();
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->done, NULL);
    for (; p->workers < threads - 1; p->workers++) {
        if (!start_worker(p, &p->worker[p->workers])) {
            cpu_pool_close(p);
            return NULL;
        }
    }
    return p;
}
