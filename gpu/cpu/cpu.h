// The C side of the CPU engine as Go sees it: memory, a thread pool, and the execution of command buffers.
#ifndef ASSAY_CPU_H
#define ASSAY_CPU_H

#include <stddef.h>
#include <stdint.h>

// The element types and their bits, numbered like shaders.Type.
#define CPU_ELEMENT_LIST(TYPE)                                                                                    \
    TYPE(F32, 32) TYPE(F16, 16) TYPE(I8, 8) TYPE(I4, 4) TYPE(BF16, 16) TYPE(I32, 32) TYPE(U32, 32) TYPE(E4M3, 8) \
    TYPE(E5M2, 8) TYPE(TERNARY, 2)
// The types of weights in blocks, with the weights and bytes of a block.
#define CPU_BLOCK_LIST(TYPE) \
    TYPE(Q8_0, 8, 32, 34) TYPE(Q6_K, 6, 256, 210) TYPE(Q4_1, 4, 32, 20) TYPE(Q4_K, 4, 256, 144) TYPE(Q4_0, 4, 32, 18)
#define CPU_TYPE_LIST(TYPE) CPU_ELEMENT_LIST(TYPE) CPU_BLOCK_LIST(TYPE)
enum cpu_type {
#define CPU_TYPE(name, bits, ...) CPU_##name,
    CPU_TYPE_LIST(CPU_TYPE) CPU_TYPES,
#undef CPU_TYPE
};

// The bits of an element, excluding its share of a block's scales; 0 if the type does not exist.
static inline int cpu_type_bits(int type) {
    switch (type) {
#define CPU_TYPE(name, bits, ...) \
    case CPU_##name: return bits;
        CPU_TYPE_LIST(CPU_TYPE)
#undef CPU_TYPE
    }
    return 0;
}

// The weights and bytes of a block; 0 if elements are stored individually.
static inline int cpu_block_weights(int type) {
    switch (type) {
#define CPU_TYPE(name, bits, weights, bytes) \
    case CPU_##name: return weights;
        CPU_BLOCK_LIST(CPU_TYPE)
#undef CPU_TYPE
    }
    return 0;
}
static inline int cpu_block_bytes(int type) {
    switch (type) {
#define CPU_TYPE(name, bits, weights, bytes) \
    case CPU_##name: return bytes;
        CPU_BLOCK_LIST(CPU_TYPE)
#undef CPU_TYPE
    }
    return 0;
}

typedef struct cpu_pool cpu_pool;
typedef struct cpu_stream cpu_stream;
typedef struct cpu_kernel cpu_kernel;
struct isa;

// What a kernel is given, the same as on Metal: the bytes of its parameter struct, the values of its function constants by index,
// its arguments in order (NULL: absent), and its element type.
typedef struct {
    const cpu_kernel *kernel;
    const void *params;
    const int32_t *constants;
    void *const *arg;
    int type;
} cpu_args;

// A kernel for some types of one implementation of an operation. Each file lists its kernels.
struct cpu_kernel {
    const char *op, *impl;
    uint32_t types; // a bit for each: 1 << CPU_F32 | …
    uint32_t params; // bytes of the parameter struct
    uint32_t args;
    int (*run)(cpu_stream *s, const cpu_args *a); // 0 if there is no scratch memory
};

const cpu_kernel *cpu_find(const char *op, const char *impl, int type); // NULL: no such kernel

// Returns why the library of an implementation cannot be used with this many threads; NULL if it can, which opens it, and "" if
// no library has that name.
const char *cpu_library_lacks(const char *impl, int threads);
// Its version, the processor it detected, and the threads it uses in an engine of `threads`.
void cpu_library_name(const char *impl, int threads, char *name, size_t size);

// One dispatch: where its parameters, constants and arguments begin among those of the program.
typedef struct {
    const cpu_kernel *kernel;
    uint32_t params, constants; // words
    uint32_t arg;
    int32_t type;
} cpu_dispatch;

// The instruction sets that this machine supports, best first; NULL ends them. cpu_isa_name names one.
const struct isa *cpu_isa_at(int i);
const char *cpu_isa_name(const struct isa *isa);

// Opens a pool of threads − 1 workers; the caller of cpu_run is the last thread. NULL if threads cannot be started.
cpu_pool *cpu_pool_open(const struct isa *isa, int threads);
void cpu_pool_close(cpu_pool *p);

// The CPU time that the pool's threads and the callers of cpu_run have used so far. Returns how often a library worked in threads
// of its own, whose time is not included; negative if the system does not report it.
int cpu_worked(cpu_pool *p, double *seconds);

// A stream holds the scratch memory of one queue. It runs one command buffer at a time.
cpu_stream *cpu_stream_open(cpu_pool *p);
void cpu_stream_close(cpu_stream *s);

// Orders the work of two streams: each signal lets one await pass.
typedef struct cpu_event cpu_event;
cpu_event *cpu_event_new(void); // NULL if memory is exhausted
void cpu_event_free(cpu_event *e);

enum cpu_command_kind { CPU_LAUNCH, CPU_COPY_BYTES, CPU_FILL_BYTES, CPU_SIGNAL, CPU_AWAIT };

typedef struct {
    int32_t kind;
    int32_t value; // of a fill
    void *to;      // of a copy or fill
    const void *from;
    size_t bytes;
    cpu_event *event;
    cpu_dispatch launch;
} cpu_command;

// Runs the commands in order, `repeat` times, with the words and arguments that launches point into, and sets *seconds to the
// time taken. stages, unless NULL, receives the seconds of each command in each repetition. Returns −1, or the index of the
// command that lacked scratch memory: after it, events are still signaled and awaited, but nothing else runs. Brief runs count
// entirely as CPU time, because reading that clock takes as long as they do.
int cpu_run(cpu_stream *s, const cpu_command *commands, int count, const uint32_t *words, void *const *arg, int repeat, int brief,
            double *seconds, double *stages);

// Allocates uninitialized memory aligned to at least 64 B; NULL if there is none. Free it with the size requested.
void *cpu_alloc(size_t bytes);
void cpu_free(void *p, size_t bytes);

// The output size from which non-temporal stores are used, where all cores share `cache` bytes (0: unknown) and those of a
// cluster share at most `cluster` (0: there is only one).
size_t cpu_cached_bytes(size_t cache, size_t cluster);
size_t cpu_kept_bytes(size_t cache); // the same for data kept in an L2 of this size; 0: unknown

// How many of `threads` threads take part in a GEMM of floats with `work` multiplications, of which a core does at most `rate` a
// second.
int cpu_product_threads(double work, int threads, double rate);

#endif
