//go:build (darwin || metalsim) && cgo

// Compute encoders.

#include "internal.h"

// sampled_encoder samples the device's clock where the encoder's work starts and ends: Apple GPUs sample nowhere else.
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

static void encode_dispatch(id<MTLComputeCommandEncoder> encoder, const metal_dispatch *d, const metal_batch *batch) {
    for (uint32_t i = 0; i < d->count; i++) {
        const metal_binding *b = &batch->bindings[d->first + i];
        if (b->buffer) [encoder setBuffer:buffer_of(b->buffer) offset:(NSUInteger)b->offset atIndex:i];
    }
    [encoder setBytes:batch->params + d->params length:d->param_bytes atIndex:d->count];
    if (d->barrier) [encoder memoryBarrierWithScope:MTLBarrierScopeBuffers];
    [encoder dispatchThreadgroups:MTLSizeMake(d->groups[0], d->groups[1], d->groups[2])
            threadsPerThreadgroup:MTLSizeMake(d->threads[0], d->threads[1], d->threads[2])];
}

// encode_dispatches puts neighbours of one pipeline into a debug group that bears its label.
static void encode_dispatches(id<MTLComputeCommandEncoder> encoder, const metal_batch *batch,
                              const metal_segment *segment) {
    metal_pipeline *current = NULL;
    for (uint32_t i = 0; i < segment->count; i++) {
        const metal_dispatch *d = &batch->dispatches[segment->first + i];
        if (d->pipeline != current) {
            if (current) [encoder popDebugGroup];
            current = d->pipeline;
            NSString *label = [pipeline_of(current) label];
            [encoder pushDebugGroup:label ? label : @"kernel"];
            [encoder setComputePipelineState:pipeline_of(current)];
        }
        encode_dispatch(encoder, d, batch);
    }
    if (current) [encoder popDebugGroup];
}

int metal_encode(id<MTLCommandBuffer> buffer, const metal_batch *batch, const metal_segment *segment, int at) {
    if (segment->kind == METAL_PRODUCT) return metal_encode_products(buffer, batch, segment);
    MTLDispatchType type = segment->kind == METAL_CONCURRENT ? MTLDispatchTypeConcurrent : MTLDispatchTypeSerial;
    id<MTLComputeCommandEncoder> encoder = batch->samples ? sampled_encoder(buffer, batch->samples, at, type)
                                                          : [buffer computeCommandEncoderWithDispatchType:type];
    if (!encoder) return 0;
    [encoder setLabel:metal_text(batch->labels + segment->label)];
    encode_dispatches(encoder, batch, segment);
    [encoder endEncoding];
    return 1;
}
