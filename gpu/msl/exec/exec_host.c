//go:build linux || darwin

// The functions that kernels call, and the handling of faulty kernels.
#define _GNU_SOURCE
#include "exec_internal.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ucontext.h>

_Thread_local worker *exec_self;
_Thread_local worker *exec_own;

// exec_note keeps the first trap of a dispatch and stops its other workers.
int exec_note(worker *w, uint32_t site, uintptr_t pc, const char *message) {
    dispatch *d = w->d;
    int first;
    pthread_mutex_lock(&d->lock);
    first = atomic_load(&d->stop) != 1;
    if (first) {
        atomic_store(&d->stop, 1);
        d->trap->site = site;
        d->trap->pc = pc >= d->module->base && pc < d->module->end ? pc - d->module->base : 0;
        snprintf(d->trap->message, sizeof d->trap->message, "%s", message);
    }
    pthread_mutex_unlock(&d->lock);
    return first;
}

void exec_stop(worker *w, uint32_t site, uintptr_t pc, const char *format, ...) {
    char text[EXEC_MESSAGE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    exec_note(w, site, pc, text);
    exec_abandon(w);
}

void exec_abandon(worker *w) {
    w->stopped = 1;
    fiber_leave(w);
    __builtin_unreachable();
}

static void host_barrier(uint32_t site, uint32_t simd, uint32_t flags) {
    (void)flags; // all memory is immediately visible to all threads
    if (simd) group_exchange(exec_self, site, NULL, 0);
    else group_barrier(exec_self, site);
}

static const msl_lanes *host_exchange(uint32_t site, uint32_t scope, const void *value, uint32_t bytes) {
    (void)scope; // a quad's lanes are lanes of its SIMD group
    if (bytes > MSL_LANE_BYTES)
        exec_stop(exec_self, site, 0, "a SIMD function of %u bytes a lane; the limit is %d", bytes, MSL_LANE_BYTES);
    return group_exchange(exec_self, site, value, bytes);
}

static void *host_threadgroup(uint32_t site, const char *name, uint64_t bytes, uint64_t align) {
    return memory_variable(exec_self, site, name, bytes, align);
}

static void host_access(uintptr_t address, uint64_t bytes, uint32_t write, uintptr_t pc) {
    memory_access(exec_self, address, bytes, write, pc);
}

static void host_fault(uintptr_t pc, const char *message) { exec_stop(exec_self, 0, pc, "%s", message); }

static const msl_thread *host_self(void) { return &exec_self->running->position; }

const msl_host exec_host = {host_barrier, host_exchange, host_threadgroup, host_access, host_fault, host_self};

// Signals that a kernel's own faults raise.
static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
enum { CAUGHT = sizeof caught / sizeof caught[0] };
static struct sigaction before[CAUGHT]; // previous handlers, which get all other signals

static uintptr_t *context_pc(ucontext_t *c) {
#if defined(__linux__) && defined(__x86_64__)
    return (uintptr_t *)&c->uc_mcontext.gregs[REG_RIP];
#elif defined(__linux__)
    return (uintptr_t *)&c->uc_mcontext.pc;
#elif defined(__x86_64__)
    return (uintptr_t *)&c->uc_mcontext->__ss.__rip;
#else
    return (uintptr_t *)&c->uc_mcontext->__ss.__pc;
#endif
}

static uintptr_t *context_sp(ucontext_t *c) {
#if defined(__linux__) && defined(__x86_64__)
    return (uintptr_t *)&c->uc_mcontext.gregs[REG_RSP];
#elif defined(__linux__)
    return (uintptr_t *)&c->uc_mcontext.sp;
#elif defined(__x86_64__)
    return (uintptr_t *)&c->uc_mcontext->__ss.__rsp;
#else
    return (uintptr_t *)&c->uc_mcontext->__ss.__sp;
#endif
}

static void describe(worker *w, int sig, siginfo_t *info, uintptr_t sp, char *out, size_t size) {
    if (sig == SIGFPE) snprintf(out, size, "integer division by zero or overflow");
    else if (sig == SIGILL) snprintf(out, size, "the kernel reached code that cannot be (undefined behavior)");
    else memory_where(w, (uintptr_t)info->si_addr, sp, out, size);
}

static void chain(const struct sigaction *old, int sig, siginfo_t *info, void *context) {
    if (old->sa_flags & SA_SIGINFO) old->sa_sigaction(sig, info, context);
    else if (old->sa_handler == SIG_DFL) signal(sig, SIG_DFL); // it is raised again, and ends the process
    else if (old->sa_handler != SIG_IGN) old->sa_handler(sig);
}

// leave makes the worker continue where it entered the fibers, once the handler has returned.
static void leave(worker *w, ucontext_t *c) {
    w->stopped = 1;
    *context_pc(c) = (uintptr_t)exec_resume;
    *context_sp(c) = (uintptr_t)w->sp;
}

static void on_signal(int sig, siginfo_t *info, void *context) {
    worker *w = exec_self;
    int i = 0;
    // exec_run interrupts a kernel that was canceled. The signal may arrive after the end of its dispatch, or during the next.
    int interrupt = exec_own && sig == SIGSEGV && (atomic_exchange(&exec_own->interrupted, 0) || info->si_code <= 0);
    if (interrupt || (w && atomic_load(&w->d->stop) == 2)) {
        if (w && w->running && atomic_load(&w->d->stop) == 2) leave(w, context);
        return;
    }
    if (!w || !w->running) {
        while (i < CAUGHT - 1 && caught[i] != sig) i++;
        chain(&before[i], sig, info, context);
        return;
    }
    ucontext_t *c = context;
    char text[EXEC_MESSAGE];
    describe(w, sig, info, *context_sp(c), text, sizeof text);
    exec_note(w, 0, *context_pc(c) + 1, text); // places are given by the address after an access, and this is the address of the access itself
    leave(w, c);
}

static void install(void) {
    for (int i = 0; i < CAUGHT; i++) {
        struct sigaction a;
        memset(&a, 0, sizeof a);
        a.sa_sigaction = on_signal;
        a.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
        sigfillset(&a.sa_mask);
        sigaction(caught[i], &a, &before[i]);
    }
}

// exec_catch_signals installs the handlers, once for the process: Go's own are called for signals that no kernel caused.
void exec_catch_signals(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
}

void *exec_signal_stack(void) {
    enum { SIZE = 64 << 10 };
    stack_t s = {.ss_sp = malloc(SIZE), .ss_size = SIZE};
    if (!s.ss_sp || sigaltstack(&s, NULL)) {
        free(s.ss_sp);
        return NULL;
    }
    return s.ss_sp;
}
