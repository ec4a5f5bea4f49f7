//go:build (darwin || metalsim) && cgo

// Runs: a command buffer from its commit to its end. Only the completion handler writes the outcome.

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "internal.h"

#ifdef __APPLE__
enum { HOST_CLOCK = CLOCK_UPTIME_RAW };
#else
enum { HOST_CLOCK = CLOCK_MONOTONIC };
#endif

double metal_now(void) {
    struct timespec t;
    clock_gettime((clockid_t)HOST_CLOCK, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

uint64_t metal_mark_begin(const char *name, const char *what) { return signpost_phase_begin(signpost_open(), name, what); }

void metal_mark_end(const char *name, uint64_t mark) {
    if (mark) signpost_phase_end(signpost_open(), name, mark);
}

// sample_buffer creates a buffer for samples of the device's clock.
static id<MTLCounterSampleBuffer> sample_buffer(id<MTLDevice> device, int samples, metal_error *error) {
    MTLCounterSampleBufferDescriptor *descriptor = [[[MTLCounterSampleBufferDescriptor alloc] init] autorelease];
    for (id<MTLCounterSet> set in [device counterSets]) {
        if ([[set name] isEqualToString:MTLCommonCounterSetTimestamp]) [descriptor setCounterSet:set];
    }
    if (![descriptor counterSet]) {
        *error = metal_error_of(nil, @"the device has no timestamp counter");
        error->code = METAL_UNSUPPORTED;
        return nil;
    }
    [descriptor setLabel:@"encoder times"];
    [descriptor setStorageMode:MTLStorageModeShared];
    [descriptor setSampleCount:(NSUInteger)samples];
    NSError *why = nil;
    id<MTLCounterSampleBuffer> buffer = [device newCounterSampleBufferWithDescriptor:descriptor error:&why];
    if (!buffer) {
        *error = metal_error_of(why, @"cannot create a sample buffer");
        error->code = METAL_NO_MEMORY; // regardless of its code, since sampling support was checked before
    }
    return buffer;
}

static metal_clocks clocks_of(id<MTLDevice> device) {
    MTLTimestamp host = 0, gpu = 0;
    [device sampleTimestamps:&host gpuTimestamp:&gpu];
    return (metal_clocks){host, gpu};
}

static void begin_samples(metal_run *run, id<MTLDevice> device, int samples, metal_error *error) {
    run->samples = sample_buffer(device, samples, error);
    run->sample_count = samples;
    if (run->samples) run->first = clocks_of(device);
}

static int init_condition(pthread_cond_t *condition) {
#ifdef __APPLE__
    return pthread_cond_init(condition, NULL);
#else
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, HOST_CLOCK);
    int failed = pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
    return failed;
#endif
}

metal_run *metal_run_new(metal_queue *queue, int samples, metal_error *error) {
    metal_run *run = calloc(1, sizeof *run);
    if (!run || pthread_mutex_init(&run->lock, NULL) || init_condition(&run->changed)) {
        free(run);
        *error = metal_error_of(nil, @"out of host memory for a command buffer");
        error->code = METAL_NO_MEMORY;
        return NULL;
    }
    atomic_init(&run->references, 2); // the owner's and the handler's
    run->begun = metal_now();
    run->log = queue->log;
    if (samples > 0) begin_samples(run, [queue->queue device], samples, error);
    if (error->text) {
        metal_run_discard(run);
        return NULL;
    }
    return run;
}

void metal_run_discard(metal_run *run) {
    metal_run_release(run);
    metal_run_release(run);
}

void metal_run_release(metal_run *run) {
    if (atomic_fetch_sub(&run->references, 1) > 1) return;
    @autoreleasepool {
        [run->sampled release];
        [run->samples release];
    }
    pthread_cond_destroy(&run->changed);
    pthread_mutex_destroy(&run->lock);
    free(run->text);
    free(run->encoder);
    free(run);
}

// faulted is the label of the encoder that failed, otherwise of the first that was affected; NULL if none is reported.
static char *faulted(NSError *error) {
    NSArray *encoders = [[error userInfo] objectForKey:MTLCommandBufferEncoderInfoErrorKey];
    NSString *label = nil;
    for (id<MTLCommandBufferEncoderInfo> info in encoders) {
        if ([info errorState] == MTLCommandEncoderErrorStateFaulted) return metal_copy_text([info label]);
        if ([info errorState] == MTLCommandEncoderErrorStateAffected && !label) label = [info label];
    }
    return metal_copy_text(label);
}

static void note_failure(metal_run *run, id<MTLCommandBuffer> buffer) {
    NSError *error = [buffer error];
    metal_error told = metal_error_of(error, @"the command buffer failed: no reason given");
    run->text = told.text;
    run->encoder = faulted(error);
    run->outcome.failed = 1;
    run->outcome.in_metal = [[error domain] isEqualToString:MTLCommandBufferErrorDomain];
    run->outcome.code = told.code;
    run->outcome.text = run->text;
    run->outcome.encoder = run->encoder;
}

// end is the completion handler. Metal also calls it when the command buffer failed, so waiters always wake.
static void end(metal_run *run, id<MTLCommandBuffer> buffer) {
    @autoreleasepool {
        double now = metal_now();
        pthread_mutex_lock(&run->lock);
        run->outcome.begun = run->begun;
        run->outcome.wall = now - run->begun;
        run->outcome.gpu_start = [buffer GPUStartTime];
        run->outcome.gpu_end = [buffer GPUEndTime];
        if ([buffer status] != MTLCommandBufferStatusCompleted) note_failure(run, buffer);
        if (run->samples) run->last = clocks_of([buffer device]);
        run->ended = 1;
        signpost_end(run->log, run, run->outcome.failed);
        pthread_cond_broadcast(&run->changed);
        pthread_mutex_unlock(&run->lock);
    }
    metal_run_release(run);
}

void metal_run_commit(metal_run *run, id<MTLCommandBuffer> buffer) {
    if (run->samples) run->sampled = [buffer retain];
    [buffer addCompletedHandler:^(id<MTLCommandBuffer> done) {
      end(run, done);
    }];
    signpost_begin(run->log, run, [[buffer label] UTF8String]);
    [buffer commit];
}

static int wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, double when) {
#ifdef __APPLE__
    double left = when - metal_now();
    if (left < 0) left = 0;
    struct timespec t = {(time_t)left, (long)(1e9 * (left - (double)(time_t)left))};
    return pthread_cond_timedwait_relative_np(condition, lock, &t);
#else
    struct timespec t = {(time_t)when, (long)(1e9 * (when - (double)(time_t)when))};
    return pthread_cond_timedwait(condition, lock, &t);
#endif
}

int metal_run_wait(metal_run *run, double seconds) {
    double until = metal_now() + seconds;
    pthread_mutex_lock(&run->lock);
    while (!run->ended && wait_until(&run->changed, &run->lock, until) != ETIMEDOUT) {
    }
    int ended = run->ended;
    pthread_mutex_unlock(&run->lock);
    return ended;
}

metal_outcome metal_run_outcome(metal_run *run) {
    pthread_mutex_lock(&run->lock);
    metal_outcome outcome = run->outcome;
    pthread_mutex_unlock(&run->lock);
    return outcome;
}

// The length of a tick is computed from both clocks, which the device sampled together at the start and at the end: the unit
// of the device's clock is not documented; the host's counts nanoseconds.
static double tick_of(const metal_run *run) {
    if (run->last.gpu <= run->first.gpu || run->last.host <= run->first.host) return 0;
    return 1e-9 * (double)(run->last.host - run->first.host) / (double)(run->last.gpu - run->first.gpu);
}

int metal_run_samples(metal_run *run, uint64_t *samples, int count, double *tick) {
    int got = 0;
    @autoreleasepool {
        if (count > run->sample_count) count = run->sample_count;
        NSData *data = count > 0 ? [run->samples resolveCounterRange:NSMakeRange(0, (NSUInteger)count)] : nil;
        got = (int)([data length] / sizeof(MTLCounterResultTimestamp));
        if (got > count) got = count;
        if (got > 0) memcpy(samples, [data bytes], (size_t)got * sizeof *samples);
        *tick = tick_of(run);
    }
    return got;
}
