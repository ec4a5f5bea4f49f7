// The C side of the CPU engine as Go sees it: memory, a thread pool, and the execution of command buffers.
#ifndef ASSAY_CPU_H
#define ASSAY_CPU_H

#include <stddef.h>
#include <stdint.h>

enum cpu_op {
    CPU_ADD,
    CPU_MUL,
    CPU_RELU,
    CPU_GELU,
    CPU_ADD_RELU,
    CPU_MUL_RELU,
    CPU_AFFINE,
    CPU_COPY,
    CPU_TRIAD,
    CPU_MAPS, // the operations above take one element at a time
    CPU_MATMUL = CPU_MAPS,
    CPU_QUANTISE,
    CPU_DEQUANTISE,
    CPU_ADD_BIAS,
};

// Element types, numbered as shaders.Type.
enum cpu_type { CPU_F32, CPU_F16, CPU_I8, CPU_I4 };

enum cpu_activation { CPU_NONE, CPU_ACT_RELU, CPU_ACT_GELU };

// One dispatch: arguments in the kernel's order, and the fields of its parameter struct and constants.
typedef struct {
    int32_t op;
    int32_t type;       // of the elements; of the codes or weights where there are any
    uint32_t m, n, k;   // n alone for maps; rows m and columns n for the quantisers and add_bias
    uint32_t block;     // 0: one scale for the tensor
    float s;            // triad's factor
    int32_t transpose_b, activation, symmetric;
    void *arg[5];       // NULL where the argument does not exist
} cpu_dispatch;

typedef struct cpu_pool cpu_pool;
typedef struct cpu_stream cpu_stream;
struct isa;

// Instruction sets that this machine runs, best first; NULL ends. cpu_isa_name names one.
const struct isa *cpu_isa_at(int i);
const char *cpu_isa_name(const struct isa *isa);

// A pool of threads − 1 workers; the caller of cpu_run is the last one. NULL if threads cannot be started.
cpu_pool *cpu_pool_open(const struct isa *isa, int threads);
void cpu_pool_close(cpu_pool *p);

// A stream holds the scratch memory of one queue. It runs one command buffer at a time.
cpu_stream *cpu_stream_open(cpu_pool *p);
void cpu_stream_close(cpu_stream *s);

// Orders the work of two streams: each signal lets one await pass.
typedef struct cpu_event cpu_event;
cpu_event *cpu_event_new(void); // NULL if there is no memory
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

// Runs the commands in order, `repeat` times, and sets *seconds to how long that took. stages, if not NULL, gets the
// seconds of each command of each run. Returns −1, or the index of the command for which there was no scratch memory:
// after it only events are still signaled and awaited.
int cpu_run(cpu_stream *s, const cpu_command *commands, int count, int repeat, double *seconds, double *stages);

// Memory aligned to 64 B or more, uninitialised; NULL if there is none. Free it with the size it was asked for.
void *cpu_alloc(size_t bytes);
void cpu_free(void *p, size_t bytes);

// Up to how many bytes an output is stored through the caches, where cores share `cache` bytes (0: unknown).
size_t cpu_cached_bytes(size_t cache);

#endif
