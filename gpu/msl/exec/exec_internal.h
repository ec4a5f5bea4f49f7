// Shared by the parts of the executor.
#ifndef ASSAY_MSL_EXEC_INTERNAL_H
#define ASSAY_MSL_EXEC_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "exec.h"

struct worker;

// Address space below a stack is inaccessible, wide enough for the first access of a large frame to fall into it.
enum { STACK_BYTES = 256 << 10, STACK_GUARD = 1 << 20 };

// At most this many workers are kept for the next dispatch: each has two mappings for each of 1024 threads.
enum { WORKERS_KEPT = 4 };

// At most this many areas are kept for copies of buffers.
enum { AREAS_KEPT = 4 };

// After this many exchanges a SIMD group lets the others catch up.
enum { EXEC_AHEAD = 1024 };

// What a thread of the current group does or waits for.
enum thread_state { FRESH, RUNNING, AT_BARRIER, AT_EXCHANGE, ENDED };

typedef struct thread {
    enum thread_state state;
    uint32_t site, bytes;
    uint32_t mask;     // lanes of its last exchange
    const void *value; // passed to an exchange
    struct fiber *fiber;
} thread;

// A fiber is a stack, and the thread that is on it.
typedef struct fiber {
    void *sp; // saved while it is not running
    unsigned char *low, *top; // of its stack
    int begun;                // it has a context
    uint32_t thread;
    uint64_t group; // the group for whose threads `position` was set
    msl_thread position;
    struct fiber *next; // in the list of idle ones
} fiber;

// A SIMD group: live threads that have not ended, and those of them that wait at a barrier or an exchange; ahead counts the
// exchanges after which it continued before the others.
typedef struct simd {
    uint32_t first, live, waiting, ahead;
    uint32_t epoch; // exchanges so far
    msl_lanes lanes;
} simd;

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

// An area is address space for regions, each from the middle of a gap. Their pages stay accessible until the area's next use, when
// most have the same sizes: accesses are checked against the exact bounds in any case.
typedef struct area {
    unsigned char *base;
    int regions;
    uint64_t open[EXEC_MAX_VARIABLES]; // accessible bytes of each region
} area;

// Memory of the caller that contains one or several buffers, and the copy that the kernel works on, if there is one.
typedef struct span {
    unsigned char *at, *copy;
    unsigned char *before; // what was copied
    uint64_t bytes;
} span;

// Everything that the workers of one dispatch share.
typedef struct dispatch {
    const exec_module *module;
    const exec_launch *launch;
    void *buffers[MSL_BUFFERS]; // as the kernel sees them: copies in checking mode, and if they are not aligned
    span spans[MSL_BUFFERS];
    int span_count;
    uint64_t total;             // groups
    uint32_t groups[3], first[3], count[3]; // of the grid; those that run
    atomic_ullong next; // group
    atomic_int stop;    // 1 trap, 2 canceled
    pthread_mutex_t lock;
    pthread_cond_t finished; // signals that a worker has finished
    int running;             // workers that have not finished
    exec_trap *trap;
    region regions[MSL_BUFFERS];
    int region_count;
    struct witness *witness;      // NULL: conflicts are not requested
    uintptr_t focus;              // the address of exec_conflicts.focus
    area area;  // for copies in checking mode
    int opened; // it is as it should be
    uintptr_t guard_lo, guard_hi; // its address space, which holds nothing but regions and gaps
} dispatch;

// What a worker's thread is to do.
enum duty { WAIT, RUN, QUIT };

typedef struct worker {
    // Kept from dispatch to dispatch.
    pthread_t thread;
    int threaded; // it has a thread
    pthread_mutex_t lock; // guards duty
    pthread_cond_t changed;
    enum duty duty;
    atomic_int interrupted; // a signal was sent to the thread
    unsigned char *stacks;
    uint32_t guarded_stacks; // the number of first stacks that have their guards
    unsigned char *arena;    // threadgroup memory, EXEC_THREADGROUP_BYTES
    area area;               // used instead of it in checking mode

    // Of one dispatch: worker_new clears everything from here.
    dispatch *d;
    int alive; // it may be interrupted; guarded by the dispatch's lock
    void *sp;       // of the context that runs groups, while a fiber runs
    fiber *running; // NULL while no fiber does
    int stopped;    // this worker's kernel was stopped

    fiber fibers[EXEC_MAX_THREADS];
    uint32_t fiber_count; // created so far
    fiber *idle;

    uint64_t group; // counts groups
    uint32_t total, live, started, at_barrier; // threads
    uint32_t epoch; // barriers of this group and those before it
    msl_thread position; // common to the threads of the group
    thread threads[EXEC_MAX_THREADS];
    simd simds[EXEC_MAX_THREADS / MSL_SIMD];
    uint16_t order[EXEC_MAX_THREADS]; // in which threads start
    uint16_t ready[EXEC_MAX_THREADS]; // a ring of threads that may continue
    uint32_t ready_head, ready_count;
    uint64_t random;

    variable variables[EXEC_MAX_VARIABLES];
    int variable_count;
    uint64_t threadgroup_bytes;
    unsigned char *guarded;       // the area, in checking mode
    void *arguments[MSL_BUFFERS]; // [[threadgroup(n)]]
} worker;

// exec_switch_*.S
void exec_switch(void **save, void *to);
void exec_resume(void); // pops what exec_switch has saved at the stack pointer

// exec_fiber.c
int fibers_init(worker *w); // reserves the stacks of a whole group, unless it has them; pages are allocated when touched. −1: no address space
void fibers_free(worker *w);
fiber *fiber_take(worker *w);               // an idle or new one; NULL with the trap recorded: no memory
void fiber_enter(worker *w, fiber *f);      // from the running fiber or, if there is none, from the worker
void fiber_leave(worker *w);                // back to the worker
void fiber_main(void);

// exec_group.c
void group_run(worker *w, uint64_t index); // until all threads have ended or the kernel was stopped
void group_barrier(worker *w, uint32_t site);
const msl_lanes *group_exchange(worker *w, uint32_t site, const void *value, uint32_t bytes);
void group_threads(worker *w, fiber *f);

// exec_memory.c
int memory_open(dispatch *d);
void memory_close(dispatch *d);
int memory_worker(worker *w);
void memory_worker_forget(worker *w);
void memory_worker_free(worker *w);
void memory_trim(void); // frees the areas that are kept
void memory_group(worker *w); // before each group
void *memory_variable(worker *w, uint32_t site, const char *name, uint64_t bytes, uint64_t align);
void memory_access(worker *w, uintptr_t address, uint64_t bytes, uint32_t write, uintptr_t pc);
void memory_where(worker *w, uintptr_t address, uintptr_t sp, char *out, size_t size);

// exec_witness.c
typedef struct witness_place { // the region of an access: in buffers, or a threadgroup variable
    int buffers, index;
    const char *kind, *name;
    uintptr_t at;
    uint64_t bytes;
} witness_place;
struct witness *witness_new(void);
void witness_close(dispatch *d); // after the workers have ended, while buffers exist
void witness_settle(dispatch *d); // before memory changes without announced accesses
void witness_access(worker *w, uintptr_t address, uint64_t bytes, uint32_t write, uintptr_t pc, const witness_place *at);

// exec_host.c
extern const msl_host exec_host;
extern _Thread_local worker *exec_self; // the worker of this OS thread, while it runs a dispatch
extern _Thread_local worker *exec_own;  // the same, also between dispatches
void exec_stop(worker *w, uint32_t site, uintptr_t pc, const char *format, ...) __attribute__((noreturn, format(printf, 4, 5)));
void exec_abandon(worker *w) __attribute__((noreturn)); // gives up what is running; the trap is recorded
int exec_note(worker *w, uint32_t site, uintptr_t pc, const char *message);
void exec_catch_signals(void);
void *exec_signal_stack(void); // for this thread; free it after the thread's last kernel

#endif
