// The CUDA driver functions that the engine calls, declared here so that building it requires nothing from NVIDIA. Names end like
// the library's symbols: those without _v2 are an older interface.
#ifndef ASSAY_CUDA_DRIVER_H
#define ASSAY_CUDA_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>

#include "bridge.h"

#include "../msl/shim/cuda/part.h"

typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct cuda_module *CUmodule;
typedef struct cuda_function *CUfunction;
typedef struct CUuuid { unsigned char bytes[16]; } CUuuid;

enum { CUDA_OK = 0, CUDA_NOT_READY = 600 };

// X(member, symbol, needed, arguments): all return CUresult.
#define CUDA_FUNCTIONS(X)                                                                                                  \
    X(init, "cuInit", 1, (unsigned flags))                                                                                 \
    X(version, "cuDriverGetVersion", 1, (int *version))                                                                    \
    X(error_name, "cuGetErrorName", 1, (CUresult code, const char **text))                                                 \
    X(error_text, "cuGetErrorString", 1, (CUresult code, const char **text))                                               \
    X(device_count, "cuDeviceGetCount", 1, (int *count))                                                                   \
    X(device_get, "cuDeviceGet", 1, (CUdevice *device, int ordinal))                                                       \
    X(device_name, "cuDeviceGetName", 1, (char *name, int size, CUdevice device))                                          \
    X(device_uuid, "cuDeviceGetUuid_v2", 0, (CUuuid *uuid, CUdevice device))                                               \
    X(device_memory, "cuDeviceTotalMem_v2", 1, (size_t *bytes, CUdevice device))                                           \
    X(device_attribute, "cuDeviceGetAttribute", 1, (int *value, int attribute, CUdevice device))                           \
    X(retain_context, "cuDevicePrimaryCtxRetain", 1, (CUcontext *context, CUdevice device))                                \
    X(release_context, "cuDevicePrimaryCtxRelease_v2", 1, (CUdevice device))                                               \
    X(set_context, "cuCtxSetCurrent", 1, (CUcontext context))                                                              \
    X(memory_info, "cuMemGetInfo_v2", 1, (size_t *free, size_t *total))                                                    \
    X(alloc, "cuMemAlloc_v2", 1, (CUdeviceptr *address, size_t bytes))                                                     \
    X(free, "cuMemFree_v2", 1, (CUdeviceptr address))                                                                      \
    X(host_alloc, "cuMemHostAlloc", 1, (void **host, size_t bytes, unsigned flags))                                        \
    X(host_free, "cuMemFreeHost", 1, (void *host))                                                                         \
    X(host_register, "cuMemHostRegister_v2", 1, (void *host, size_t bytes, unsigned flags))                                \
    X(host_unregister, "cuMemHostUnregister", 1, (void *host))                                                             \
    X(host_address, "cuMemHostGetDevicePointer_v2", 1, (CUdeviceptr *address, void *host, unsigned flags))                 \
    X(copy, "cuMemcpyAsync", 1, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                         \
    X(fill8, "cuMemsetD8Async", 1, (CUdeviceptr to, unsigned char value, size_t count, CUstream stream))                   \
    X(fill32, "cuMemsetD32Async", 1, (CUdeviceptr to, unsigned value, size_t count, CUstream stream))                      \
    X(module_load, "cuModuleLoadDataEx", 1, (CUmodule *module, const void *image, unsigned count, int *options, void **values)) \
    X(module_unload, "cuModuleUnload", 1, (CUmodule module))                                                               \
    X(module_function, "cuModuleGetFunction", 1, (CUfunction *function, CUmodule module, const char *name))                \
    X(function_get, "cuFuncGetAttribute", 1, (int *value, int attribute, CUfunction function))                             \
    X(function_set, "cuFuncSetAttribute", 1, (CUfunction function, int attribute, int value))                              \
    X(stream_new, "cuStreamCreate", 1, (CUstream *stream, unsigned flags))                                                 \
    X(stream_free, "cuStreamDestroy_v2", 1, (CUstream stream))                                                             \
    X(stream_await, "cuStreamWaitEvent", 1, (CUstream stream, CUevent event, unsigned flags))                              \
    X(capture_begin, "cuStreamBeginCapture_v2", 0, (CUstream stream, int mode))                                            \
    X(capture_end, "cuStreamEndCapture", 0, (CUstream stream, CUgraph *graph))                                             \
    X(graph_instantiate, "cuGraphInstantiateWithFlags", 0, (CUgraphExec *made, CUgraph graph, unsigned long long flags))   \
    X(graph_launch, "cuGraphLaunch", 0, (CUgraphExec graph, CUstream stream))                                              \
    X(graph_free, "cuGraphDestroy", 0, (CUgraph graph))                                                                    \
    X(graph_exec_free, "cuGraphExecDestroy", 0, (CUgraphExec graph))                                                       \
    X(event_new, "cuEventCreate", 1, (CUevent *event, unsigned flags))                                                     \
    X(event_free, "cuEventDestroy_v2", 1, (CUevent event))                                                                 \
    X(event_record, "cuEventRecord", 1, (CUevent event, CUstream stream))                                                  \
    X(event_query, "cuEventQuery", 1, (CUevent event))                                                                     \
    X(event_elapsed, "cuEventElapsedTime", 1, (float *milliseconds, CUevent start, CUevent end))                           \
    X(launch, "cuLaunchKernel", 1,                                                                                         \
      (CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, \
       CUstream stream, void **parameters, void **extra))

struct cuda_driver {
#define X(member, symbol, needed, arguments) CUresult(*member) arguments;
    CUDA_FUNCTIONS(X)
#undef X
    char *path;
    atomic_int lost;
    int status; // of cuInit
    cuda_driver *next;
};

struct cuda_device {
    cuda_driver *driver;
    const cuda_driver *call; // same as driver, for calls
    CUdevice device;
    CUcontext context;
    atomic_int stopped, closed;
};

// cuda_dead reports whether calls must not be made any more: they would not return, or there is nothing left for them.
static inline int cuda_dead(const cuda_device *device) {
    cuda_device *d = (cuda_device *)device;
    return atomic_load(&d->stopped) || atomic_load(&d->closed) || atomic_load(&d->driver->lost);
}

// cuda_use makes the device's context current on this thread and returns the device's functions.
static inline const cuda_driver *cuda_use(const cuda_device *device) {
    device->call->set_context(device->context);
    return device->call;
}

// Events, created once and reused.
typedef struct cuda_events {
    pthread_mutex_t lock;
    CUevent *idle;
    size_t count, room;
    unsigned flags; // of cuEventCreate
} cuda_events;

void cuda_events_open(cuda_events *events, unsigned flags);
int cuda_events_take(cuda_events *events, const cuda_driver *driver, CUevent *event); // the context is current
void cuda_events_give(cuda_events *events, const cuda_driver *driver, CUevent event);
void cuda_events_close(cuda_events *events, const cuda_device *device);

enum { EVENT_TIMED = 0, EVENT_UNTIMED = 2 };

enum command_kind { COMMAND_LAUNCH, COMMAND_COPY, COMMAND_FILL, COMMAND_PRODUCT, COMMAND_SIGNAL, COMMAND_AWAIT };

typedef struct cuda_command {
    enum command_kind kind;
    enum cuda_order order;
    unsigned char value;
    uint32_t groups[3], threads[3], grid[3], shared; // grid: 0 unless the last threadgroups are partial
    CUfunction function;
    CUdeviceptr to, from;
    uint64_t bytes;
    cuda_event *event;
    cuda_product product;
    msl_launch argument;
} cuda_command;

// A graph of some runs of a program, for submissions of a certain number of runs. exec is NULL if the commands are submitted one
// by one.
typedef struct cuda_graph {
    CUgraphExec exec;
    int runs, repeat;
    int flying;    // submissions that use it
    uint64_t used; // last, by submission number
    pthread_mutex_t *lock;
    const cuda_device *device;
} cuda_graph;

enum { GRAPHS = 4 }; // maximum per program

struct cuda_program {
    cuda_command *commands;
    size_t count, room;

    pthread_mutex_t lock; // guards all below
    int repeat;           // of the last submission; 0: none
    uint64_t submissions;
    cuda_graph graphs[GRAPHS];
};

// cuda_graph_take returns the graph with which to submit that many runs, to be given back when they have ended; NULL: none.
cuda_graph *cuda_graph_take(cuda_queue *queue, cuda_program *program, int repeat);
void cuda_graph_give(cuda_graph *graph);
void cuda_program_drop_graphs(cuda_program *program); // nothing of it is running any more

// The engine limits the launches that a stream holds, so that a submission waits where it can give up, and not inside the driver,
// which accepts about a thousand and then blocks.
enum { PART = 128, PARTS = 4 }; // commands between marks; marks

// Streams in addition to a queue's own, created when first needed: lanes.c
enum { LANES = 3 };

typedef struct cuda_lanes {
    CUstream streams[LANES];
    CUevent forked, joined[LANES]; // forked: the position of the queue's own stream before the first of several launches
    unsigned busy;                 // a bit for each stream with work that the queue's own does not wait for yet
    unsigned next;                 // counts launches
    int open;
} cuda_lanes;

struct cuda_queue {
    cuda_device *device;
    CUstream stream;
    cuda_lanes lanes;
    cuda_events events; // timed
    CUevent marks[PARTS];
    uint64_t commands; // so far
    const cuda_blas *blas;
    struct cublas *blas_handle; // NULL: no GEMM yet
};

struct cuda_run {
    cuda_queue *queue;
    cuda_graph *graph; // NULL: none
    double begun;
    int count; // of events
    cuda_outcome outcome;
    CUevent events[];
};

// cuda_lane returns the stream for a command of that order: concurrent launches rotate through all of them.
int cuda_lane(cuda_queue *queue, enum cuda_order order, CUstream *stream); // the context is current
int cuda_lanes_join(cuda_queue *queue);                                    // the queue's own stream waits for the others
void cuda_lanes_close(cuda_queue *queue);

int cuda_encode(cuda_queue *queue, const cuda_command *command); // the context is current

int cuda_launch_parts(const cuda_driver *call, const cuda_command *command, CUstream stream);
int cuda_parts(const cuda_command *command); // launches that make up a command

int cuda_event_signal(cuda_event *event, CUstream stream); // the context is current
int cuda_event_await(cuda_event *event, CUstream stream);

int cuda_blas_product(cuda_queue *queue, const cuda_product *product); // the context is current
void cuda_blas_leave(cuda_queue *queue);

// cuda_await polls until the event has passed. It returns the event's code, or CUDA_STUCK after that many seconds or, with
// stoppable, once the device was stopped.
int cuda_await(cuda_device *device, CUevent event, double seconds, int stoppable);

#endif
