//go:build (darwin || metalsim) && cgo

// Compute and blit encoders.

#include "internal.h"

// sampled_encoder samples the device's clock at the start and the end of the encoder's work. Apple GPUs support no other
// sampling points.
static id<MTLComputeCommandEncoder> sampled_encoder(id<MTLCommandBuffer> buffer, id<MTLCounterSampleBuffer> samples,
                                                    int at, MTLDispatchType type) {
    MTLComputePassDescriptor *pass = [MTLComputePassDescriptor computePassDescriptor];
    [pass setDispatchType:type];
    MTLComputePassSampleBufferAttachmentDescriptor *attachment =
        [[pass sampleBufferAttachments] objectAtIndexedSubscript:0];
    [attachment setSampleBuffer:samples];
    [attachment setStartOfEncoderSampleIndex:(NSUInteger)(2 * at)];
    [attachment setEndOfEncoderSampleIndex:(NSUInteger)(2 * at + 1)];
    return [buffer computeCommandEncoderWithDescriptor:pass];
}

static void encode_launch(id<MTLComputeCommandEncoder> encoder, const metal_command *c, const metal_parts *parts,
                          int barrier) {
    for (uint32_t i = 0; i < c->count; i++) {
        const metal_binding *b = &parts->bindings[c->first + i];
        if (b->buffer) [encoder setBuffer:buffer_of(b->buffer) offset:(NSUInteger)b->offset atIndex:i];
    }
    [encoder setBytes:parts->params + c->params length:c->param_bytes atIndex:c->count];
    for (NSUInteger i = 0; i < sizeof c->shared / sizeof c->shared[0]; i++) {
        if (c->shared[i]) [encoder setThreadgroupMemoryLength:c->shared[i] atIndex:i];
    }
    if (barrier) [encoder memoryBarrierWithScope:MTLBarrierScopeBuffers];
    MTLSize threads = MTLSizeMake(c->threads[0], c->threads[1], c->threads[2]);
    if (c->grid[0]) {
        [encoder dispatchThreads:MTLSizeMake(c->grid[0], c->grid[1], c->grid[2]) threadsPerThreadgroup:threads];
        return;
    }
    [encoder dispatchThreadgroups:MTLSizeMake(c->groups[0], c->groups[1], c->groups[2]) threadsPerThreadgroup:threads];
}

// encode_launches groups consecutive launches of a pipeline in a debug group with its label. In a concurrent encoder each
// run waits for the one before.
static void encode_launches(id<MTLComputeCommandEncoder> encoder, const metal_parts *parts, const metal_segment *segment,
                            int repeat) {
    const int concurrent = segment->kind == METAL_CONCURRENT;
    metal_pipeline *current = NULL;
    for (int run = 0; run < repeat; run++) {
        for (uint32_t i = 0; i < segment->count; i++) {
            const metal_command *c = &parts->commands[segment->first + i];
            if (c->pipeline != current) {
                if (current) [encoder popDebugGroup];
                current = c->pipeline;
                NSString *label = [pipeline_of(current) label];
                [encoder pushDebugGroup:label ? label : @"kernel"];
                [encoder setComputePipelineState:pipeline_of(current)];
            }
            encode_launch(encoder, c, parts, c->barrier || (concurrent && run > 0 && i == 0));
        }
    }
    if (current) [encoder popDebugGroup];
}

int metal_encode_compute(id<MTLCommandBuffer> buffer, const metal_parts *parts, const metal_segment *segment, int repeat,
                         id<MTLCounterSampleBuffer> samples, int at) {
    MTLDispatchType type = segment->kind == METAL_CONCURRENT ? MTLDispatchTypeConcurrent : MTLDispatchTypeSerial;
    id<MTLComputeCommandEncoder> encoder = samples ? sampled_encoder(buffer, samples, at, type)
                                                   : [buffer computeCommandEncoderWithDispatchType:type];
    if (!encoder) return 0;
    [encoder setLabel:metal_text(parts->labels + segment->label)];
    encode_launches(encoder, parts, segment, repeat);
    [encoder endEncoding];
    return 1;
}

int metal_encode_blits(id<MTLCommandBuffer> buffer, const metal_parts *parts, const metal_segment *segment) {
    id<MTLBlitCommandEncoder> encoder = [buffer blitCommandEncoder];
    if (!encoder) return 0;
    [encoder setLabel:metal_text(parts->labels + segment->label)];
    for (uint32_t i = 0; i < segment->count; i++) {
        const metal_blit *b = &parts->commands[segment->first + i].blit;
        if (b->from) {
            [encoder copyFromBuffer:buffer_of(b->from)
                       sourceOffset:(NSUInteger)b->from_offset
                           toBuffer:buffer_of(b->to)
                  destinationOffset:(NSUInteger)b->to_offset
                               size:(NSUInteger)b->bytes];
        } else {
            [encoder fillBuffer:buffer_of(b->to)
                          range:NSMakeRange((NSUInteger)b->to_offset, (NSUInteger)b->bytes)
                          value:(uint8_t)b->value];
        }
    }
    [encoder endEncoding];
    return 1;
}
