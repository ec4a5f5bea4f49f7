//go:build (darwin || metalsim) && cgo

// Queues and what is submitted to them: programs, and copies and fills by the blit encoder.

#include <stdlib.h>

#include "internal.h"

metal_queue_result metal_queue_new(metal_device *device, int depth, const char *label) {
    metal_queue_result result = {NULL, metal_no_error()};
    @autoreleasepool {
        id<MTLCommandQueue> queue = [device_of(device) newCommandQueueWithMaxCommandBufferCount:(NSUInteger)depth];
        metal_queue *q = queue ? calloc(1, sizeof *q) : NULL;
        if (!q) {
            [queue release];
            result.error = metal_error_of(nil, @"failed to create a queue");
            return result;
        }
        [queue setLabel:metal_text(label)];
        q->queue = queue;
        q->log = signpost_open();
        result.value = q;
    }
    return result;
}

void metal_queue_release(metal_queue *queue) {
    @autoreleasepool {
        [queue->queue release];
        free(queue);
    }
}

id<MTLCommandBuffer> metal_command_buffer(metal_queue *queue, const char *label) {
    MTLCommandBufferDescriptor *descriptor = [[[MTLCommandBufferDescriptor alloc] init] autorelease];
    [descriptor setRetainedReferences:YES];
    [descriptor setErrorOptions:MTLCommandBufferErrorOptionEncoderExecutionStatus];
    id<MTLCommandBuffer> buffer = [queue->queue commandBufferWithDescriptor:descriptor];
    [buffer setLabel:metal_text(label)];
    return buffer;
}

static metal_run_result refused(metal_run *run, NSString *why) {
    metal_run_discard(run);
    return (metal_run_result){NULL, metal_error_of(nil, why)};
}

metal_run_result metal_copy(metal_queue *queue, const char *label, metal_buffer *from, uint64_t from_offset,
                            metal_buffer *to, uint64_t to_offset, uint64_t bytes) {
    metal_run_result result = {NULL, metal_no_error()};
    @autoreleasepool {
        metal_run *run = metal_run_new(queue, 0, &result.error);
        if (!run) return result;
        id<MTLCommandBuffer> buffer = metal_command_buffer(queue, label);
        id<MTLBlitCommandEncoder> encoder = [buffer blitCommandEncoder];
        if (!encoder) return refused(run, @"no encoder for a copy");
        [encoder setLabel:metal_text(label)];
        [encoder copyFromBuffer:buffer_of(from)
                   sourceOffset:(NSUInteger)from_offset
                       toBuffer:buffer_of(to)
              destinationOffset:(NSUInteger)to_offset
                           size:(NSUInteger)bytes];
        [encoder endEncoding];
        metal_run_commit(run, buffer);
        result.value = run;
    }
    return result;
}

metal_run_result metal_fill(metal_queue *queue, const char *label, metal_buffer *target, uint64_t offset,
                            uint64_t bytes, uint8_t value) {
    metal_run_result result = {NULL, metal_no_error()};
    @autoreleasepool {
        metal_run *run = metal_run_new(queue, 0, &result.error);
        if (!run) return result;
        id<MTLCommandBuffer> buffer = metal_command_buffer(queue, label);
        id<MTLBlitCommandEncoder> encoder = [buffer blitCommandEncoder];
        if (!encoder) return refused(run, @"no encoder for a fill");
        [encoder setLabel:metal_text(label)];
        [encoder fillBuffer:buffer_of(target) range:NSMakeRange((NSUInteger)offset, (NSUInteger)bytes) value:value];
        [encoder endEncoding];
        metal_run_commit(run, buffer);
        result.value = run;
    }
    return result;
}

// encode_segment encodes a segment as run number `run`; 0 if there is no encoder.
static int encode_segment(id<MTLCommandBuffer> buffer, const metal_parts *parts, int segment, int run,
                          const metal_values *values, id<MTLCounterSampleBuffer> samples) {
    const metal_segment *s = &parts->segments[segment];
    id<MTLSharedEvent> event = event_of(parts->commands[s->first].event);
    uint64_t value = values->first + values->step * (uint64_t)run;
    switch (s->kind) {
    case METAL_LIBRARY: return metal_encode_library(buffer, parts, s);
    case METAL_BLIT: return metal_encode_blits(buffer, parts, s);
    case METAL_SIGNAL: [buffer encodeSignalEvent:event value:value]; return 1;
    case METAL_AWAIT: [buffer encodeWaitForEvent:event value:value]; return 1;
    default:
        return metal_encode_compute(buffer, parts, s, 1, samples, run * (int)parts->segment_count + segment);
    }
}

static int encode_run(id<MTLCommandBuffer> buffer, const metal_parts *parts, int run, const metal_values *events,
                      id<MTLCounterSampleBuffer> samples) {
    const metal_values none = {0, 0};
    for (uint32_t i = 0; i < parts->segment_count; i++) {
        uint32_t kind = parts->segments[i].kind;
        const metal_values *values = kind == METAL_SIGNAL || kind == METAL_AWAIT ? events++ : &none;
        if (!encode_segment(buffer, parts, (int)i, run, values, samples)) return 0;
    }
    return 1;
}

// encode_runs puts all runs into one encoder if there are only launches and no encoder is sampled.
static int encode_runs(id<MTLCommandBuffer> buffer, const metal_parts *parts, int repeat, const metal_values *events,
                       id<MTLCounterSampleBuffer> samples) {
    if (parts->segment_count == 1 && parts->segments->kind <= METAL_CONCURRENT && !samples) {
        return metal_encode_compute(buffer, parts, parts->segments, repeat, nil, 0);
    }
    for (int run = 0; run < repeat; run++) {
        if (!encode_run(buffer, parts, run, events, samples)) return 0;
    }
    return 1;
}

metal_run_result metal_submit(metal_queue *queue, const metal_program *program, int repeat, const metal_values *events,
                              int sampled) {
    const metal_parts *parts = &program->parts;
    metal_run_result result = {NULL, metal_no_error()};
    @autoreleasepool {
        metal_run *run = metal_run_new(queue, sampled ? 2 * (int)parts->segment_count * repeat : 0, &result.error);
        if (!run) return result;
        id<MTLCommandBuffer> buffer = metal_command_buffer(queue, parts->labels);
        if (!buffer) return refused(run, @"failed to create a command buffer");
        if (!encode_runs(buffer, parts, repeat, events, run->samples)) return refused(run, @"failed to create an encoder");
        metal_run_commit(run, buffer);
        result.value = run;
    }
    return result;
}
