// What the parts of the executor share.
#ifndef ASSAY_MSL_EXEC_INTERNAL_H
#define ASSAY_MSL_EXEC_INTERNAL_H

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>

#include "exec.h"

struct worker;

enum wait { RUNNING, AT_BARRIER, AT_SIMD_BARRIER, AT_EXCHANGE };

// A fiber is a stack and the thread that is on it.
typedef struct fiber {
    void *sp;  // saved while it is not running
    void *top; // of its stack
    struct worker *worker;
    uint32_t thread; // index in the threadgroup
    enum wait wait;
    uint32_t site, bytes;
    const void *value;       // given to an exchange
    const msl_lanes *lanes;  // got from it
    msl_thread position;
    msl_call call;
    struct fiber *next; // in the list of free ones
} fiber;

// A threadgroup variable of the kernel, or an argument.
typedef struct variable {
    uint32_t site;
    const char *name;
    unsigned char *at;
    uint64_t bytes;
} variable;

// A region that a checked kernel may touch.
typedef struct region {
    uintptr_t at;
    uint64_t bytes;
    char name[64];
} region;

// All that one dispatch shares between its workers.
typedef struct dispatch {
    const exec_module *module;
    const exec_launch *launch;
    void *buffers[MSL_BUFFERS]; // as the kernel sees them: copies in checking mode
    uint64_t total;             // groups
    uint32_t groups[3];
    atomic_ullong next; // group
    atomic_int stop;    // 1 trap, 2 cancelled
    pthread_mutex_t lock;
    exec_trap *trap;
    region regions[MSL_BUFFERS];
    int region_count;
    uintptr_t guard_lo, guard_hi; // address space that holds nothing but regions and gaps
} dispatch;

typedef struct worker {
    dispatch *d;
    pthread_t thread;
    void *sp; // of the scheduler while a fiber runs
    fiber *running; // NULL while the scheduler runs
    int stopped;    // this worker's kernel was stopped
    jmp_buf escape; // out of the scheduler then
    unsigned char *stacks;
    fiber fibers[EXEC_MAX_THREADS];
    uint32_t fiber_count; // made so far
    fiber *free;

    uint32_t size[3], count; // of the group at hand
    uint32_t group[3];
    uint32_t started, ended; // threads
    fiber *waiting[EXEC_MAX_THREADS]; // by thread
    uint16_t order[EXEC_MAX_THREADS];      // in which threads run
    uint16_t lane_order[EXEC_MAX_THREADS]; // the same, SIMD group by SIMD group
    uint64_t random;

    variable variables[EXEC_MAX_VARIABLES];
    int variable_count;
    uint64_t threadgroup_bytes;
    unsigned char *arena;             // threadgroup memory, EXEC_THREADGROUP_BYTES
    unsigned char *guarded;           // instead of it, in checking mode
    void *arguments[MSL_BUFFERS];     // [[threadgroup(n)]]
    msl_lanes lanes[EXEC_MAX_THREADS / MSL_SIMD];
} worker;

// exec_fiber.c
int fibers_init(worker *w);
void fibers_free(worker *w);
void fiber_resume(worker *w, fiber *f); // until it waits, or no thread is left to start
fiber *fiber_take(worker *w);
void fiber_wait(worker *w); // called on the running fiber

// exec_group.c
void group_run(worker *w, uint64_t index);
void thread_start(worker *w, fiber *f);
int thread_next(worker *w, fiber *f); // puts the next thread on f; 0 if all are started

// exec_memory.c
int memory_open(dispatch *d);
void memory_close(dispatch *d);
int memory_worker(worker *w);
void memory_worker_free(worker *w);
void memory_group(worker *w); // before each group
void *memory_variable(worker *w, uint32_t site, const char *name, uint64_t bytes, uint64_t align);
void memory_access(worker *w, uintptr_t address, uint64_t bytes, uint32_t write, uintptr_t pc);
void memory_where(worker *w, uintptr_t address, char *out, size_t size);

// exec_host.c
extern const msl_host exec_host;
extern _Thread_local worker *exec_self; // the worker of this OS thread, while it runs kernels
void exec_stop(worker *w, uint32_t site, uintptr_t pc, const char *format, ...) __attribute__((noreturn, format(printf, 4, 5)));
void exec_abandon(worker *w) __attribute__((noreturn)); // gives up what runs, the trap being noted
int exec_note(worker *w, uint32_t site, uintptr_t pc, const char *message);
void exec_catch_signals(void);
void *exec_signal_stack(void); // for this thread; free it after the thread's last kernel

#endif
