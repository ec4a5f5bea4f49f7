// Shared by the engine's files: the instruction sets with their vector loops, the thread pool, scratch memory.
#ifndef ASSAY_ISA_H
#define ASSAY_ISA_H

#include <math.h>

#include "cpu.h"

#define MAX_VL 16 // floats in the longest vector

// Each isa_*.c fills one by including a vec_*.h and the loops of all families.
struct tile_loops;
struct code_loops;
struct dot_loops;
struct byte_loops;
#define FAMILY(name) struct name##_loops;
#include "families.h"
#undef FAMILY
struct isa {
    const char *name;
    int vl; // vector length
#define FAMILY(name) const struct name##_loops *name;
#include "families.h"
#undef FAMILY
    const struct dot_loops *dots;
    const struct tile_loops *tiles; // for int8; NULL: no instructions for tile products
    const struct tile_loops *bf16;  // the same for bfloat16
    const struct code_loops *codes; // for floats times codes; NULL: not available
    const struct code_loops *block_codes; // the same for ggml block types that `codes` does not support; NULL: none
    const struct code_loops *more_codes; // the same for weight types that neither supports
    const struct byte_loops *bytes; // for int8 times codes
    const struct byte_loops *first_bytes; // the same for weight types and shapes that are faster with these; NULL: none
    const struct byte_loops *block_bytes; // the same for ggml block types, in groups of a whole block; NULL: none
};

extern const struct isa isa_plain, isa_avx2, isa_avxvnni, isa_avx512, isa_vnni, isa_bf16, isa_amx, isa_neon;

// The rows of all families; each list ends with a row without an operation.
#define FAMILY(name) extern const cpu_kernel name##_kernels[];
#include "families.h"
#undef FAMILY

// A family lists the element types it has loops for: X(F32) X(F16). Its tables of loops, indexed by type, and the types of its
// kernels follow from the list. TYPE_BITS(list(TYPE_BIT)) is a bit for each.
#define TYPE_BIT(type, ...) | 1u << CPU_##type
#define TYPE_BITS(bits) (0u bits)

// Calls fn(arg, i) for every i < n, on all threads, and returns when all are done.
typedef void task_fn(void *arg, int i);
void pool_run(cpu_pool *p, int n, task_fn *fn, void *arg);
void run_on(cpu_pool *p, size_t threads, size_t n, task_fn *fn, void *arg); // only on the caller if `threads` is 1
int pool_threads(const cpu_pool *p);
void pool_called(cpu_pool *p, double seconds); // counts CPU time that a caller has used
void pool_elsewhere(cpu_pool *p);              // counts work that a library did in threads of its own
const struct isa *pool_isa(const cpu_pool *p);
size_t pool_cached_bytes(const cpu_pool *p); // outputs of at least this size are stored non-temporally
size_t find_cached_bytes(void);
size_t pool_kept_bytes(const cpu_pool *p); // size of a packed operand that stays in a core's own cache while others stream through it
size_t find_kept_bytes(void);
double pool_rate(const cpu_pool *p); // float multiplications per second of one core, measured when the pool was opened
double find_rate(const struct isa *isa);
int pool_stream(const cpu_pool *p, size_t bytes); // how an output of this size is stored: see map_fn
size_t cluster_cache(void); // bytes of the LLC of a cluster of cores, 32 MB at most; 0: all cores share one
int stores_in_order(void); // whether non-temporal stores are fastest in address order

// OWN_BYTES of the calling thread, inside a task and in cpu_run: what a core writes there stays in its cache, while lines that
// other cores have read are slow to write.
#define OWN_BYTES ((size_t)4 << 20)
void *own_scratch(void);
void *kept_scratch(uint64_t owner, int *kept); // the same memory; *kept: nothing else on this thread has requested it since `owner` did
uint64_t scratch_owners(size_t n); // n unused owners: the returned number and those after it
void set_own_scratch(void *memory);

// At least `bytes` of memory, valid until the next call; NULL if there is none.
void *stream_scratch(cpu_stream *s, size_t bytes);
cpu_pool *stream_pool(const cpu_stream *s);
void *stream_own(const cpu_stream *s); // the scratch memory of the thread that runs the stream

// Runs one launch, whose parameters and arguments are among those of its program; 0 if there is no scratch memory.
int run_launch(cpu_stream *s, const cpu_dispatch *d, const uint32_t *words, void *const *arg);

// The bytes of an element whose size is whole bytes, and of n elements of any type.
static inline size_t width_of(int type) { return (size_t)cpu_type_bits(type) / 8; }
static inline size_t bytes_of(int type, size_t n) {
    if (cpu_block_weights(type)) return n / (size_t)cpu_block_weights(type) * (size_t)cpu_block_bytes(type);
    return (n * (size_t)cpu_type_bits(type) + 7) / 8;
}
static inline size_t min_size(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t max_size(size_t a, size_t b) { return a > b ? a : b; }
static inline size_t ceil_div(size_t a, size_t b) { return (a + b - 1) / b; }

#endif
