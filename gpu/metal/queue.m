//go:build (darwin || metalsim) && cgo

// Queues and what they take: batches of dispatches, and copies and fills by the blit encoder.

#include <stdlib.h>

#include "internal.h"

metal_queue_result metal_queue_new(metal_device *device, int depth, const char *label) {
    metal_queue_result result = {NULL, metal_no_error()};
    @autoreleasepool {
        id<MTLCommandQueue> queue = [device_of(device) newCommandQueueWithMaxCommandBufferCount:(NSUInteger)depth];
        metal_queue *q = queue ? calloc(1, sizeof *q) : NULL;
        if (!q) {
            [queue release];
            result.error = metal_error_of(nil, @"the device gives no queue");
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

metal_run_result metal_submit(metal_queue *queue, const char *label, const metal_segment *segments, int count,
                              const metal_dispatch *dispatches, const metal_binding *bindings,
                              const unsigned char *params, const char *labels, int sampled) {
    metal_run_result result = {NULL, metal_no_error()};
    @autoreleasepool {
        metal_run *run = metal_run_new(queue, sampled ? 2 * count : 0, &result.error);
        if (!run) return result;
        id<MTLCommandBuffer> buffer = metal_command_buffer(queue, label);
        if (!buffer) return refused(run, @"the queue gives no command buffer");
        metal_batch batch = {dispatches, bindings, params, labels, run->samples};
        for (int i = 0; i < count; i++) {
            if (!metal_encode(buffer, &batch, &segments[i], i)) return refused(run, @"there is no encoder to be had");
        }
        metal_run_commit(run, buffer);
        result.value = run;
    }
    return result;
}
