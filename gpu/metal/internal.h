// Shared by the Objective-C files. Handles of bridge.h are retained Metal objects, except queue and run.
#ifndef ASSAY_METAL_INTERNAL_H
#define ASSAY_METAL_INTERNAL_H

#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

#include <pthread.h>
#include <stdatomic.h>

#include "bridge.h"
#include "signpost.h"

static inline id<MTLDevice> device_of(metal_device *d) { return (id<MTLDevice>)d; }
static inline id<MTLBuffer> buffer_of(metal_buffer *b) { return (id<MTLBuffer>)b; }
static inline id<MTLLibrary> library_of(metal_library *l) { return (id<MTLLibrary>)l; }
static inline id<MTLFunction> function_of(metal_function *f) { return (id<MTLFunction>)f; }
static inline id<MTLComputePipelineState> pipeline_of(metal_pipeline *p) { return (id<MTLComputePipelineState>)p; }
static inline id<MTLBinaryArchive> archive_of(metal_archive *a) { return (id<MTLBinaryArchive>)a; }

// metal_text is an autoreleased string; "?" if text is not UTF-8.
NSString *metal_text(const char *utf8);
char *metal_copy_text(NSString *text); // NULL for nil
metal_error metal_no_error(void);
// metal_error_of describes error; if it is nil, otherwise.
metal_error metal_error_of(NSError *error, NSString *otherwise);

struct metal_queue {
    id<MTLCommandQueue> queue;
    signpost_log log;
};

// The clocks of host (nanoseconds) and device (ticks) at one time.
typedef struct metal_clocks {
    uint64_t host, gpu;
} metal_clocks;

// A run is shared by its owner and the completion handler, which may be called late or never.
struct metal_run {
    atomic_int references;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int ended;
    double begun; // host clock
    metal_outcome outcome;
    char *text, *encoder; // of the outcome
    signpost_log log;

    id<MTLCounterSampleBuffer> samples; // nil: none
    id<MTLCommandBuffer> sampled;       // the command buffer that writes them: they must live as long as it does
    int sample_count;
    metal_clocks first, last;
};

double metal_now(void); // seconds, the clock of GPUStartTime
// metal_run_new creates a run of samples counter samples (0: none) for a command buffer that is created later.
metal_run *metal_run_new(metal_queue *queue, int samples, metal_error *error);
// metal_run_discard frees a run that was never committed, so that no handler will be called.
void metal_run_discard(metal_run *run);
// metal_run_commit commits buffer and makes its completion handler end run.
void metal_run_commit(metal_run *run, id<MTLCommandBuffer> buffer);
// metal_command_buffer is a labeled autoreleased command buffer that reports which encoder failed; nil if it cannot be created.
id<MTLCommandBuffer> metal_command_buffer(metal_queue *queue, const char *label);

struct metal_program {
    metal_parts parts; // copied
};

static inline id<MTLSharedEvent> event_of(metal_event *e) { return (id<MTLSharedEvent>)e; }

// metal_encode_compute encodes repeat runs of a segment of launches with one encoder; 0 if there is no encoder. Its start and
// end are stored as samples 2·at and 2·at + 1, unless samples is nil.
int metal_encode_compute(id<MTLCommandBuffer> buffer, const metal_parts *parts, const metal_segment *segment, int repeat,
                         id<MTLCounterSampleBuffer> samples, int at);
int metal_encode_blits(id<MTLCommandBuffer> buffer, const metal_parts *parts, const metal_segment *segment);
// metal_encode_library encodes a segment of a library's operations, one encoder each; 0 if there is no memory.
int metal_encode_library(id<MTLCommandBuffer> buffer, const metal_parts *parts, const metal_segment *segment);

#endif
