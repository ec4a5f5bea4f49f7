// The threadgroup executor: each OS thread that runs groups is a worker; each thread of a group that has to wait is a
// fiber on a stack of its own. Go sees the functions at the end.
#ifndef ASSAY_MSL_EXEC_H
#define ASSAY_MSL_EXEC_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "shim/abi.h"

enum {
    EXEC_THREADS = 1024,            // threads of a group
    EXEC_SIMDS = EXEC_THREADS / 32, // SIMD groups of a group
    EXEC_THREADGROUP = 32 * 1024,   // bytes of threadgroup memory of a group
    EXEC_VARIABLES = 64,            // threadgroup variables of a kernel
    EXEC_STACK = 256 * 1024,        // bytes of a thread's stack
    EXEC_REGIONS = 256,             // guarded regions of a dispatch and of a worker
};

enum exec_order { EXEC_FORWARD, EXEC_REVERSE, EXEC_SHUFFLED };
enum exec_stop { EXEC_RUN, EXEC_CANCELLED, EXEC_TRAPPED };

// A guarded region: bytes that may be used, amid addresses that may not. Space is reserved for a whole slot.
typedef struct {
    uintptr_t start;
    uint64_t length;
    char name[64];
} exec_region;

typedef struct {
    uintptr_t base;
    uint64_t slot;  // bytes of address space for each region
    uint32_t count; // regions in use
    exec_region regions[EXEC_REGIONS];
} exec_guard;

typedef struct exec_worker exec_worker;

// One dispatch. Go fills the first part; the workers share the rest.
typedef struct {
    msl_entry_fn entry;
    uintptr_t image; // where the object is loaded
    uint32_t groups[3], threads[3], grid[3];
    void *buffers[MSL_BUFFERS];
    uint64_t lengths[MSL_BUFFERS];
    uint64_t threadgroup[MSL_BUFFERS];
    int order;
    uint64_t seed;
    bool checking;
    exec_guard *guard; // of the buffers, in checking mode

    atomic_uint_fast64_t next;
    atomic_int stop;
    pthread_mutex_t lock; // of what follows
    bool trapped;
    uint32_t trap_site;
    uint64_t trap_pc; // offset in the object, 0 where not known
    char message[256];
    exec_worker *workers; // those that run now
} exec_dispatch;

enum exec_state { THREAD_FRESH, THREAD_RUNS, THREAD_EXCHANGE, THREAD_BARRIER, THREAD_ENDED };

// What a thread of the current group does or waits for.
typedef struct {
    uint8_t state;
    uint8_t simd_only; // of a THREAD_EXCHANGE: it is a barrier without a value
    uint16_t fiber;
    uint32_t site;
    uint32_t bytes;
    uint32_t mask; // lanes of its last exchange
    const void *value;
} exec_thread;

typedef struct {
    void *sp;
    bool begun;     // it has a context
    bool guarded;   // the page below its stack is closed
    uint64_t group; // whose positions its `where` holds
    uint32_t thread;
    msl_thread where;
} exec_fiber;

typedef struct {
    uint32_t first, live, waiting; // waiting counts threads at any barrier or exchange
    msl_lanes lanes;
} exec_simd;

typedef struct {
    uint32_t site;
    const char *name;
    uint64_t bytes;
    void *memory;
} exec_variable;

struct exec_worker {
    exec_dispatch *d;
    exec_worker *next; // of the dispatch's running workers
    pthread_t os_thread;
    void *main_sp; // the context that runs groups
    atomic_bool in_kernel;

    char *stacks;
    uint64_t stack_step;
    uint64_t page;
    exec_fiber fibers[EXEC_THREADS];
    uint16_t idle[EXEC_THREADS]; // fibers that have nothing to do, the last one first
    uint32_t idle_count, fiber_count, current;

    exec_thread threads[EXEC_THREADS];
    uint16_t order[EXEC_THREADS]; // in which threads start and go on
    uint16_t ready[EXEC_THREADS]; // ring of threads that may go on
    uint32_t ready_head, ready_count;
    uint32_t total, live, started, at_barrier;
    uint64_t group; // counts the groups that this worker has run
    uint64_t random;
    exec_simd simds[EXEC_SIMDS];
    msl_thread where; // what the threads of the group have in common
    msl_call call;

    char *arena; // threadgroup memory, outside checking mode
    uint64_t arena_used, threadgroup_used;
    void *threadgroup[MSL_BUFFERS];
    exec_variable variables[EXEC_VARIABLES];
    uint32_t variable_count;
    exec_guard guard; // of threadgroup memory, in checking mode
};

// exec_fiber.c
void exec_switch(void **save, void *to);
void exec_resume(void);
bool exec_stacks(exec_worker *w);
void exec_fiber_begin(exec_worker *w, uint32_t fiber);
bool exec_in_guard_page(exec_worker *w, uintptr_t address);
void exec_thread_end(exec_worker *w, uint32_t thread);

// exec_group.c
void exec_run_group(exec_worker *w, uint64_t index);
void exec_wait_barrier(exec_worker *w, uint32_t site);
void exec_wait_exchange(exec_worker *w, uint32_t site, const void *value, uint32_t bytes);
void exec_fiber_main(void);

// exec_host.c
extern const msl_host exec_host;
exec_worker *exec_this(void);
void exec_become(exec_worker *w);

// exec_trap.c
bool exec_signals(void);
void exec_note(exec_worker *w, uint32_t site, uintptr_t pc, const char *format, ...) __attribute__((format(printf, 4, 5)));
_Noreturn void exec_leave(exec_worker *w);

// exec_memory.c
bool exec_reserve(exec_guard *g, uint32_t slots, uint64_t slot);
void *exec_region_add(exec_guard *g, uint64_t bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));
void exec_unreserve(exec_guard *g);
void *exec_variable_memory(exec_worker *w, uint32_t site, const char *name, uint64_t bytes, uint64_t align);
const char *exec_threadgroup_begin(exec_worker *w);
void exec_poison(exec_worker *w);
void exec_access(exec_worker *w, uintptr_t address, uint64_t bytes, bool write, uintptr_t pc);

// What Go calls.
exec_worker *exec_worker_new(void);
void exec_worker_free(exec_worker *w);
// exec_work runs groups of the dispatch until none is left or it is stopped; null, or why it could not begin.
const char *exec_work(exec_worker *w, exec_dispatch *d);
void exec_cancel(exec_dispatch *d);
exec_dispatch *exec_dispatch_new(void);
void exec_dispatch_free(exec_dispatch *d);
// exec_buffer gives a buffer a guarded region; null where there is no address space for it.
void *exec_buffer(exec_dispatch *d, uint64_t bytes, const char *name);
const char *exec_open(const char *path, void **handle, void **entry, uintptr_t *image, bool *checking, char *text, size_t size);
void exec_close(void *handle);

#endif
