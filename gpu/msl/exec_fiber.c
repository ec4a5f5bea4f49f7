// Stacks of fibers, and workers.
#include "exec.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

// exec_stacks reserves the stacks of all threads of a group; pages come when they are touched.
bool exec_stacks(exec_worker *w) {
    if (w->stacks) return true;
    w->page = (uint64_t)sysconf(_SC_PAGESIZE);
    w->stack_step = EXEC_STACK + w->page;
    void *p = mmap(NULL, w->stack_step * EXEC_THREADS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return false;
    w->stacks = p;
    return true;
}

// exec_fiber_begin gives a fiber a fresh context, which starts in exec_fiber_main.
void exec_fiber_begin(exec_worker *w, uint32_t fiber) {
    exec_fiber *f = &w->fibers[fiber];
    char *low = w->stacks + w->stack_step * fiber;
    if (!f->guarded) f->guarded = mprotect(low, w->page, PROT_NONE) == 0;
    uintptr_t *top = (uintptr_t *)(low + w->stack_step);
#if defined(__x86_64__)
    top -= 2; // after the return into exec_fiber_main the stack is as a call leaves it
    *--top = (uintptr_t)exec_fiber_main;
    top -= 6;
    memset(top, 0, 6 * sizeof *top);
#elif defined(__aarch64__)
    top -= 20;
    memset(top, 0, 20 * sizeof *top);
    top[11] = (uintptr_t)exec_fiber_main; // x30
#else
#error "no fibers for this processor"
#endif
    f->sp = top;
    f->begun = true;
}

bool exec_in_guard_page(exec_worker *w, uintptr_t address) {
    uintptr_t low = (uintptr_t)w->stacks;
    if (!w->stacks || address < low || address >= low + w->stack_step * EXEC_THREADS) return false;
    return (address - low) % w->stack_step < w->page;
}

exec_worker *exec_worker_new(void) {
    exec_worker *w = NULL;
    if (posix_memalign((void **)&w, 64, sizeof *w)) return NULL;
    memset(w, 0, sizeof *w);
    return w;
}

void exec_worker_free(exec_worker *w) {
    if (!w) return;
    if (w->stacks) munmap(w->stacks, w->stack_step * EXEC_THREADS);
    exec_unreserve(&w->guard);
    free(w->arena);
    free(w);
}

exec_dispatch *exec_dispatch_new(void) {
    exec_dispatch *d = calloc(1, sizeof *d);
    if (d) pthread_mutex_init(&d->lock, NULL);
    return d;
}

void exec_dispatch_free(exec_dispatch *d) {
    if (d->guard) {
        exec_unreserve(d->guard);
        free(d->guard);
    }
    pthread_mutex_destroy(&d->lock);
    free(d);
}
