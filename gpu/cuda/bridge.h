// The engine's view of the CUDA driver in plain C. Handles are opaque. A call that can fail returns the driver's code, 0 on
// success; cuda_code_name and cuda_code_text describe a code. Any thread may make any call.
#ifndef ASSAY_CUDA_BRIDGE_H
#define ASSAY_CUDA_BRIDGE_H

#include <stddef.h>
#include <stdint.h>

#include "../msl/shim/cuda/abi.h"

typedef struct cuda_driver cuda_driver;     // an opened library; it stays loaded
typedef struct cuda_device cuda_device;     // a device with its primary context retained
typedef struct cuda_queue cuda_queue;       // a stream
typedef struct cuda_program cuda_program;   // commands to submit as often as needed
typedef struct cuda_event cuda_event;       // orders the work of two queues
typedef struct cuda_run cuda_run;           // a submission in flight
typedef struct cuda_module cuda_module;     // the driver's CUmod_st
typedef struct cuda_function cuda_function; // the driver's CUfunc_st

// The engine's own codes, in addition to the driver's.
enum { CUDA_NO_HOST_MEMORY = -1, CUDA_STUCK = -2, CUDA_BLAS = -1000 }; // CUDA_BLAS - status: cuBLAS failed with that status

double cuda_now(void); // seconds of the host's clock, on which all times here are based

// The driver: driver.c

// cuda_driver_open opens a library by its path, once in a process, and initializes it. NULL, with the reason in why, if it cannot
// be opened; otherwise code is the result of its initialization.
cuda_driver *cuda_driver_open(const char *path, int *code, char *why, size_t size);
const char *cuda_code_name(const cuda_driver *driver, int code);
const char *cuda_code_text(const cuda_driver *driver, int code);
// cuda_driver_lost returns the code after which this process cannot use the driver any more; 0: it can. cuda_driver_lose sets it,
// once.
int cuda_driver_lost(const cuda_driver *driver);
void cuda_driver_lose(cuda_driver *driver, int code);
int cuda_driver_count(const cuda_driver *driver, int *count);

typedef struct cuda_facts {
    char name[256];
    unsigned char uuid[16];
    uint64_t memory; // bytes
    int32_t version; // the driver's CUDA version: 13000 is 13.0
    int32_t has_uuid, major, minor, warp, multiprocessors, l2, memory_clock, memory_bus, integrated, maps_host, compute_mode, ecc;
    int32_t pci_domain, pci_bus, pci_device;
    int32_t max_threads, max_block[3], max_grid[3];
    int32_t shared, shared_optin; // bytes of a block: by default, and the maximum that a function may request
} cuda_facts;

int cuda_describe(const cuda_driver *driver, int ordinal, cuda_facts *facts);

int cuda_device_open(cuda_driver *driver, int ordinal, cuda_device **device);
void cuda_device_close(cuda_device *device);
// cuda_device_stop makes submissions return CUDA_STUCK soon, and frees do nothing: the device no longer responds.
void cuda_device_stop(cuda_device *device);
int cuda_device_memory(cuda_device *device, uint64_t *free, uint64_t *total);

// Memory: memory.c

int cuda_allocate(cuda_device *device, uint64_t bytes, uint64_t *address);
void cuda_free(cuda_device *device, uint64_t address);
// cuda_allocate_host allocates pinned memory that the device sees at address; cuda_wrap pins the caller's memory.
int cuda_allocate_host(cuda_device *device, uint64_t bytes, void **host, uint64_t *address);
void cuda_free_host(cuda_device *device, void *host);
int cuda_wrap(cuda_device *device, void *pages, uint64_t bytes, uint64_t *address);
void cuda_unwrap(cuda_device *device, void *pages);

void cuda_trim(void); // returns freed host memory to the system

// Kernels: module.c

typedef struct cuda_function_facts {
    int32_t max_threads, shared, local, registers; // shared: static, bytes of a block; local: bytes of a thread
} cuda_function_facts;

// cuda_module_load compiles PTX, which ends in a NUL; log receives the output of the driver's compiler.
int cuda_module_load(cuda_device *device, const char *ptx, cuda_module **module, char *log, size_t size);
int cuda_module_function(cuda_device *device, cuda_module *module, const char *entry, cuda_function **function,
                         cuda_function_facts *facts);
int cuda_function_allow_shared(cuda_device *device, cuda_function *function, uint32_t bytes); // dynamic
void cuda_module_unload(cuda_device *device, cuda_module *module);

// cuBLAS: blas.c

typedef struct cuda_blas cuda_blas; // an opened library; it stays loaded

cuda_blas *cuda_blas_open(const char *path, char *why, size_t size); // NULL, with the reason in why, if it cannot be opened
int cuda_blas_version(const cuda_blas *blas, int version[3]);        // 0: the version is not reported

enum { CUDA_PRODUCT_F32, CUDA_PRODUCT_F16, CUDA_PRODUCT_BF16 };

// out[m,n] = a · b for each of a batch, row-major; a is [m,k], or [k,m] if it is transposed, b is [k,n] or [n,k]. No size is 0.
typedef struct cuda_product {
    const cuda_blas *blas;
    uint32_t m, n, k, batch;
    int32_t type, transpose_a, transpose_b;
    uint64_t a, b, out;
} cuda_product;

// Programs: program.c

// What a launch waits for: all commands before it; or, for launches that run concurrently, whatever the first of them waits for.
enum cuda_order { CUDA_AFTER_ALL, CUDA_FIRST_OF_SEVERAL, CUDA_BESIDE_THOSE };

typedef struct cuda_launch {
    cuda_function *function;
    uint32_t groups[3], threads[3];
    uint32_t grid[3];     // total threads if the last threadgroups are partial, otherwise 0
    uint32_t shared;      // dynamic, bytes
    uint32_t param_bytes; // in params; 0: they are too large, and only in their buffer
    enum cuda_order order;
    uint64_t buffers[MSL_BUFFERS];
    uint32_t threadgroups[MSL_BUFFERS];
    unsigned char params[MSL_INLINE_BYTES];
} cuda_launch;

cuda_program *cuda_program_new(void); // NULL: no memory
// Each adds a command; 0 if there is no memory.
int cuda_program_launch(cuda_program *program, const cuda_launch *launch);
int cuda_program_copy(cuda_program *program, uint64_t to, uint64_t from, uint64_t bytes);
int cuda_program_fill(cuda_program *program, uint64_t to, uint64_t bytes, unsigned char value);
int cuda_program_product(cuda_program *program, const cuda_product *product);
int cuda_program_event(cuda_program *program, cuda_event *event, int signal);
void cuda_program_free(cuda_program *program);

// Events: event.c

cuda_event *cuda_event_new(cuda_device *device); // NULL: no memory
void cuda_event_free(cuda_event *event);

// Work: queue.c, run.c

int cuda_queue_new(cuda_device *device, cuda_queue **queue);
void cuda_queue_free(cuda_queue *queue);

// cuda_submit submits repeat runs of a program. With staged, the device's time is recorded after each command, otherwise only at
// the start and end. If it fails, nothing of it runs any more, unless the code is CUDA_STUCK. seconds is how long to wait if the
// device does not accept more work.
int cuda_submit(cuda_queue *queue, cuda_program *program, int repeat, int staged, double seconds, cuda_run **run);
int cuda_copy(cuda_queue *queue, uint64_t to, uint64_t from, uint64_t bytes, double seconds, cuda_run **run);
int cuda_fill(cuda_queue *queue, uint64_t to, uint64_t bytes, unsigned char value, double seconds, cuda_run **run);

typedef struct cuda_outcome {
    int32_t code;
    int32_t ended;
    double wall;   // seconds from before the submission until its end was observed
    double device; // seconds between the events at its start and end
} cuda_outcome;

// cuda_run_wait waits up to that many seconds: first busily, then between increasing sleeps.
cuda_outcome cuda_run_wait(cuda_run *run, double seconds);
// cuda_run_stages stores the seconds of each command of each run, count in total.
int cuda_run_stages(cuda_run *run, double *seconds, int count);
void cuda_run_free(cuda_run *run);

#endif
