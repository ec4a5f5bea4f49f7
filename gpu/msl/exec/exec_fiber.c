//go:build linux || darwin

// Fibers: stacks, and switching between them.
#include "exec_internal.h"

#include <string.h>
#include <sys/mman.h>

// clang has another name for gcc's macro.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

// Stacks begin at different offsets within their pages; otherwise the tops of all would share a few cache lines.
enum { STEP = STACK_BYTES + STACK_GUARD, SHIFT = 320, SHIFTS = 51 };

int fibers_init(worker *w) {
    if (w->stacks) return 0;
    void *at = mmap(NULL, (size_t)STEP * EXEC_MAX_THREADS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return -1;
    w->stacks = at;
    return 0;
}

void fibers_free(worker *w) {
    if (w->stacks) munmap(w->stacks, (size_t)STEP * EXEC_MAX_THREADS);
}

// begin gives a fiber a context that starts in fiber_main.
static void begin(fiber *f) {
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(f->low, (size_t)(f->top - f->low)); // poisoned by a stopped kernel
#endif
    uintptr_t *sp = (uintptr_t *)f->top;
#if defined(__x86_64__)
    *--sp = 0; // fiber_main never returns; it finds the stack as after a call
    *--sp = (uintptr_t)fiber_main;
    sp -= 6;
    memset(sp, 0, 6 * sizeof *sp);
#elif defined(__aarch64__)
    sp -= 20;
    memset(sp, 0, 20 * sizeof *sp);
    sp[11] = (uintptr_t)fiber_main; // the link register
#else
#error "fibers are written for amd64 and arm64"
#endif
    f->sp = sp;
    f->begun = 1;
}

fiber *fiber_take(worker *w) {
    fiber *f = w->idle;
    if (f) {
        w->idle = f->next;
        return f;
    }
    unsigned char *low = w->stacks + (size_t)STEP * w->fiber_count;
    uint32_t shift = w->fiber_count % SHIFTS * SHIFT;
    int guarded = w->fiber_count < w->guarded_stacks;
    if (!guarded && mprotect(low, STACK_GUARD, PROT_NONE)) { // a process has a limited number of mappings: on Linux, vm.max_map_count
        exec_note(w, 0, 0, "no memory mapping for the guard of another thread's stack; run fewer workers or fewer threads in a group");
        return NULL;
    }
    f = &w->fibers[w->fiber_count++];
    w->guarded_stacks += !guarded;
    f->low = low + STACK_GUARD;
    f->top = low + STEP - shift;
    begin(f);
    return f;
}

void fiber_enter(worker *w, fiber *f) {
    void **save = w->running ? &w->running->sp : &w->sp;
    if (w->running == f) return;
    w->running = f;
    exec_switch(save, f->sp);
}

void fiber_leave(worker *w) {
    void **save = &w->running->sp;
    exec_switch(save, w->sp);
}

// fiber_main runs threads until none is left to start, then waits in the list of idle fibers for the next group.
void fiber_main(void) {
    worker *w = exec_self;
    for (;;) group_threads(w, w->running);
}
