// A driver for tests: what libcuda.so.1 exports and the engine calls, over memory of the host and threads for streams. Kernels are
// shared objects for this machine's processor. Tests build it, and script its errors by the environment; see script.c.
#ifndef ASSAY_FAKE_CUDA_H
#define ASSAY_FAKE_CUDA_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "../../../msl/shim/cuda/part.h"

typedef int CUresult;
typedef uint64_t CUdeviceptr;

enum { OK = 0, INVALID_VALUE = 1, NO_MEMORY = 2, INVALID_CONTEXT = 201, NOT_FOUND = 500, NOT_READY = 600 };

// One lock for everything; changed is signaled whenever a stream or an event goes on.
extern pthread_mutex_t fake_lock;
extern pthread_cond_t fake_changed;
extern int fake_fault; // sticky; 0: none

// script.c

// scripted is the code that the script has for this call of a function; fallback if it has none. Counts the call.
int scripted(const char *function, int fallback);
long long setting(const char *name, long long fallback);

// memory.c

enum kind { DEVICE, HOST, WRAPPED, STREAM, EVENT, MODULE, CONTEXT, GRAPH, KINDS };
extern int fake_live[KINDS];
void fake_ledger(void); // writes what is live to the file that FAKE_CUDA_LEDGER names
// room is how many bytes there are from an address on; 0: it is in no allocation.
uint64_t room(CUdeviceptr address);
CUresult current(void); // OK if a context is current on this thread and there was no fault

// stream.c

struct stream;
// call_later has a stream call a function with a copy of its argument.
CUresult call_later(struct stream *s, void (*function)(void *argument), const void *argument, size_t size);

// module.c

struct cuda_function; // of the driver
// run_kernel runs a launch to its end: a code.
int run_kernel(struct cuda_function *function, const uint32_t groups[3], const uint32_t threads[3], uint32_t shared, const void *argument);
// copy_arguments copies a launch's parameters, which have argument_bytes in all.
void copy_arguments(void *to, void **parameters);
size_t argument_bytes(void);
CUresult check_launch(const struct cuda_function *function, const uint32_t groups[3], const uint32_t threads[3], uint32_t shared);

// kernel.c, which knows the executor of gpu/msl/exec and nothing of CUDA

struct kernel;
struct kernel *kernel_load(const char *path, char *why, size_t size);
void kernel_unload(struct kernel *k);
// groups is how many threadgroups the part has; lengths are of the buffers; sizes of the threadgroup arguments. 0, or -1 if the kernel was stopped.
int kernel_run(struct kernel *k, const uint32_t groups[3], const msl_part *part, const uint64_t *buffers, const uint64_t *lengths,
               const uint32_t *sizes, int count, char *why, size_t size);

#endif
