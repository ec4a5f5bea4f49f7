// What a compiled kernel file and the executor know of each other. Plain C, so that both sides include it.
#ifndef ASSAY_MSL_ABI_H
#define ASSAY_MSL_ABI_H

#include <stdint.h>

#ifdef __cplusplus
#define MSL_ALIGNED alignas(64)
#else
#define MSL_ALIGNED _Alignas(64)
#endif

enum { MSL_ABI = 1, MSL_SIMD = 32, MSL_QUAD = 4, MSL_BUFFERS = 31, MSL_LANE_BYTES = 64 };

// Where one thread is. Members are named as the attributes of the language; vectors are x, y, z.
typedef struct msl_thread {
    uint32_t thread_position_in_grid[3];
    uint32_t thread_position_in_threadgroup[3];
    uint32_t threadgroup_position_in_grid[3];
    uint32_t threads_per_threadgroup[3]; // of this group: fewer at the edge of a grid that does not divide evenly
    uint32_t dispatch_threads_per_threadgroup[3];
    uint32_t threadgroups_per_grid[3];
    uint32_t threads_per_grid[3];
    uint32_t grid_origin[3];
    uint32_t grid_size[3];
    uint32_t thread_index_in_threadgroup;
    uint32_t thread_index_in_simdgroup;
    uint32_t thread_index_in_quadgroup;
    uint32_t simdgroup_index_in_threadgroup;
    uint32_t quadgroup_index_in_threadgroup;
    uint32_t threads_per_simdgroup; // also thread_execution_width
    uint32_t simdgroups_per_threadgroup;
    uint32_t quadgroups_per_threadgroup;
    uint32_t dispatch_simdgroups_per_threadgroup;
    uint32_t dispatch_quadgroups_per_threadgroup;
} msl_thread;

// One run of an entry point by one thread.
typedef struct msl_call {
    const msl_thread *thread;
    void *const *buffers;      // MSL_BUFFERS, null where none is bound
    const uint64_t *lengths;   // bytes of each
    void *const *threadgroups; // MSL_BUFFERS, memory of the [[threadgroup(n)]] arguments
} msl_call;

// What the lanes of a SIMD group (or quad) gave to one exchange. It holds until this thread's next call.
typedef struct msl_lanes {
    uint32_t active; // a bit for each lane that takes part
    uint32_t self;   // this thread's lane in the SIMD group, for a quad as well
    // One after the other: the value of lane l of the SIMD group starts at l times the bytes of a value.
    MSL_ALIGNED unsigned char value[MSL_SIMD * MSL_LANE_BYTES];
} msl_lanes;

enum { MSL_SCOPE_SIMD = 0, MSL_SCOPE_QUAD = 1 };

// What the executor offers to a kernel; a site is a line and column of the translated text, line << 12 | column.
typedef struct msl_host {
    // barrier waits for all threads of the threadgroup (simd = 0) or of the SIMD group (simd = 1).
    void (*barrier)(uint32_t site, uint32_t simd, uint32_t flags);
    // exchange waits for the lanes of the scope that reach this site and shows what each gave (≤ MSL_LANE_BYTES).
    const msl_lanes *(*exchange)(uint32_t site, uint32_t scope, const void *value, uint32_t bytes);
    // threadgroup is the storage of one threadgroup variable of the kernel; every thread of a group gets the same.
    void *(*threadgroup)(uint32_t site, const char *name, uint64_t bytes, uint64_t align);
    // access is called before each load and store in checking mode; pc is the address of the instruction after it.
    void (*access)(uintptr_t address, uint64_t bytes, uint32_t write, uintptr_t pc);
    // fault ends the dispatch with a message; it does not return.
    void (*fault)(uintptr_t pc, const char *message);
    // self is where the calling thread is.
    const msl_thread *(*self)(void);
} msl_host;

// The value of a function constant, given when a library is specialized. clang/specialize.go writes it.
typedef struct msl_constant {
    uint32_t index;
    uint32_t bytes; // 0: no value was given
    unsigned char value[32];
} msl_constant;

typedef void (*msl_entry_fn)(const msl_call *);

// Symbols of the shared object of one entry point. msl_constants comes from a second object that is linked in, and has a place
// for each constant, so that initializers of program scope see the values.
//   const uint32_t      msl_abi;               MSL_ABI
//   const msl_host     *msl_host_table;        set by the executor after loading
//   void                msl_entry(const msl_call *);
//   const msl_constant  msl_constants[];  const uint32_t msl_constant_count;
//   const uint32_t      msl_checking;          only in an object compiled for checking mode; msl/entry.h defines it
// Program scope initializers must not call the host table.

#endif
