// The executor: runs one entry point over a grid. Threads of a group are cooperative fibers on one OS thread.
#ifndef ASSAY_MSL_EXEC_H
#define ASSAY_MSL_EXEC_H

#include <stddef.h>
#include <stdint.h>

#include "../shim/cpu/abi.h"

enum {
    EXEC_MAX_THREADS = 1024,       // of a threadgroup
    EXEC_THREADGROUP_BYTES = 32768, // of a threadgroup's variables and arguments together
    EXEC_MAX_VARIABLES = 64,       // threadgroup variables of a kernel
    EXEC_MESSAGE = 320,
    EXEC_MAX_CONFLICTS = 256,
    EXEC_MEMORY_NAME = 64,
};

// Two accesses to the same byte by different threads without any ordering, at least one of them a write. Places are offsets into
// the shared object, of the instruction after the access.
typedef struct exec_conflict {
    uint64_t pc[2];
    int write[2];
    uint32_t group[2], thread[2]; // in the order in which groups ran, and within the group
    char memory[EXEC_MEMORY_NAME];
    uint64_t offset; // in that memory
    int focus;
} exec_conflict;

// The conflicts of a dispatch, one for each pair of places, in the order in which they were found.
typedef struct exec_conflicts {
    uint64_t focus; // offset of a byte in a buffer; conflicts on it are marked
    int focus_buffer;
    uint32_t count;
    exec_conflict list[EXEC_MAX_CONFLICTS];
} exec_conflicts;

// Why a dispatch was stopped. Positions are 0 if unknown.
typedef struct exec_trap {
    uint32_t site; // line << 12 | column of the translated text
    uint64_t pc;   // offset into the shared object
    char message[EXEC_MESSAGE];
} exec_trap;

typedef struct exec_module {
    void *handle;
    msl_entry_fn entry;
    uintptr_t base, end; // where the object is mapped
    int checked;         // the object calls msl_host.access
} exec_module;

enum { EXEC_FORWARD = 0, EXEC_REVERSE = 1, EXEC_SHUFFLED = 2 };

typedef struct exec_launch {
    uint32_t groups[3], threads[3];
    uint32_t grid[3]; // total threads, if not all are zero
    uint32_t first[3], count[3]; // the threadgroups to run, if not all counts are zero
    void *buffers[MSL_BUFFERS];
    uint64_t lengths[MSL_BUFFERS];
    uint32_t threadgroup[MSL_BUFFERS]; // bytes
    uint32_t workers;
    uint32_t order; // EXEC_FORWARD …
    uint64_t seed;
    int poison; // threadgroup memory does not keep values of an earlier group or dispatch; always so in checking mode
    volatile int32_t *cancel; // if not 0: stop soon
    exec_conflicts *conflicts; // to fill in, in checking mode with one worker; NULL: not requested
} exec_launch;

// exec_load opens a shared object; 0, or -1 with the reason in message.
int exec_load(exec_module *m, const char *path, char *message, size_t size);
void exec_unload(exec_module *m);

// exec_run returns 0 when every thread has ended, 1 with a trap, 2 when it was canceled.
int exec_run(const exec_module *m, const exec_launch *l, exec_trap *trap);

// exec_trim frees what is kept between dispatches: workers, with their threads and stacks, and address space.
void exec_trim(void);

#endif
