//go:build metalsim && cgo

// Wrong uses: each breaks one rule.

#include "stage.h"

static void commit_twice(drive_result *r) {
    id<MTLCommandBuffer> commands = stage_commands(stage_queue());
    stage_finish(commands, r);
    [commands commit];
}

static void encoder_after_commit(drive_result *r) {
    id<MTLCommandBuffer> commands = stage_commands(stage_queue());
    stage_finish(commands, r);
    r->made = [commands computeCommandEncoder] != nil;
}

static void dispatch_after_end(drive_result *r) {
    id<MTLCommandBuffer> commands = stage_commands(stage_queue());
    id<MTLComputeCommandEncoder> encoder = stage_encoder(commands);
    [encoder endEncoding];
    [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
    stage_finish(commands, r);
}

static void commit_before_end(drive_result *r) {
    id<MTLCommandBuffer> commands = stage_commands(stage_queue());
    stage_encoder(commands);
    stage_finish(commands, r);
}

static void two_encoders(drive_result *r) {
    id<MTLCommandBuffer> commands = stage_commands(stage_queue());
    id<MTLComputeCommandEncoder> encoder = stage_encoder(commands);
    id<MTLBlitCommandEncoder> second = [commands blitCommandEncoder];
    [second setLabel:@"second"];
    [encoder endEncoding];
    [second endEncoding];
    stage_finish(commands, r);
}

static void encoder_dropped(drive_result *r) {
    (void)r;
    @autoreleasepool {
        stage_encoder(stage_commands(stage_queue()));
    }
}

// A dispatch of one pipeline (nil: none) on a buffer at an offset.
static void dispatch(drive_result *r, NSString *entry, id<MTLBuffer> buffer, NSUInteger offset, NSUInteger threads,
                     NSUInteger memory) {
    id<MTLCommandBuffer> commands = stage_commands(stage_queue());
    id<MTLComputeCommandEncoder> encoder = stage_encoder(commands);
    if (entry) [encoder setComputePipelineState:stage_pipeline(entry, NULL)];
    if (buffer) [encoder setBuffer:buffer offset:offset atIndex:0];
    if (memory) [encoder setThreadgroupMemoryLength:memory atIndex:0];
    [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(threads, 1, 1)];
    [encoder endEncoding];
    stage_finish(commands, r);
}

static void no_pipeline(drive_result *r) { dispatch(r, nil, nil, 0, 1, 0); }
static void unbound_buffer(drive_result *r) { dispatch(r, @"stray", nil, 0, 1, 0); }
static void unbound_memory(drive_result *r) { dispatch(r, @"shared_sum", stage_buffer(64), 0, 1, 0); }
static void offset_past_end(drive_result *r) { dispatch(r, @"stray", stage_buffer(64), 64, 1, 0); }
static void too_many_threads(drive_result *r) { dispatch(r, @"shared_sum", stage_buffer(64), 0, 1025, 64); }
static void too_much_memory(drive_result *r) { dispatch(r, @"shared_sum", stage_buffer(64), 0, 1, 32784); }
static void odd_memory(drive_result *r) { dispatch(r, @"shared_sum", stage_buffer(256), 0, 32, 130); }
static void no_threads(drive_result *r) { dispatch(r, @"stray", stage_buffer(64), 0, 0, 0); }
static void stray_write(drive_result *r) { dispatch(r, @"stray", stage_buffer(64), 0, 1, 0); }

static void long_bytes(drive_result *r) {
    static const char bytes[4100];
    id<MTLCommandBuffer> commands = stage_commands(stage_queue());
    id<MTLComputeCommandEncoder> encoder = stage_encoder(commands);
    [encoder setBytes:bytes length:sizeof bytes atIndex:0];
    [encoder setBytes:bytes length:4 atIndex:31];
    [encoder endEncoding];
    stage_finish(commands, r);
}

static void no_labels(drive_result *r) {
    id<MTLCommandQueue> queue = [[stage_device() newCommandQueue] autorelease];
    id<MTLBuffer> buffer = [[stage_device() newBufferWithLength:64 options:0] autorelease];
    id<MTLFunction> function = [[stage_library(NULL) newFunctionWithName:@"stray"] autorelease];
    id<MTLComputePipelineState> pipeline =
        [[stage_device() newComputePipelineStateWithFunction:function error:NULL] autorelease];
    id<MTLCommandBuffer> commands = [queue commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    [encoder setComputePipelineState:pipeline];
    [encoder setBuffer:buffer offset:0 atIndex:0];
    [encoder endEncoding];
    stage_finish(commands, r);
}

static void released_while_used(drive_result *r) {
    id<MTLCommandBuffer> commands = [stage_queue() commandBufferWithUnretainedReferences];
    [commands setLabel:@"unretained"];
    id<MTLBuffer> buffer = [stage_device() newBufferWithLength:64 options:0];
    [buffer setLabel:@"short-lived"];
    stage_adder(commands, buffer);
    [buffer release];
    stage_finish(commands, r);
}

static void over_release(drive_result *r) {
    (void)r;
    id<MTLBuffer> buffer = [stage_device() newBufferWithLength:64 options:0];
    [buffer setLabel:@"once"];
    [buffer release];
    [buffer release];
}

static void message_after_release(drive_result *r) {
    id<MTLBuffer> buffer = [stage_device() newBufferWithLength:64 options:0];
    [buffer setLabel:@"gone"];
    [buffer release];
    r->value = (double)[buffer length];
}

static void bind_after_release(drive_result *r) {
    id<MTLBuffer> buffer = [stage_device() newBufferWithLength:64 options:0];
    [buffer setLabel:@"gone"];
    [buffer release];
    id<MTLCommandBuffer> commands = stage_commands(stage_queue());
    id<MTLComputeCommandEncoder> encoder = stage_encoder(commands);
    [encoder setBuffer:buffer offset:0 atIndex:0];
    [encoder endEncoding];
    stage_finish(commands, r);
}

static void leak(drive_result *r) {
    id<MTLBuffer> buffer = [stage_device() newBufferWithLength:64 options:0];
    [buffer setLabel:@"leaked"];
    r->made = buffer != nil;
}

static void long_copy(drive_result *r) {
    id<MTLBuffer> buffer = stage_buffer(64);
    id<MTLCommandBuffer> commands = stage_commands(stage_queue());
    id<MTLBlitCommandEncoder> encoder = [commands blitCommandEncoder];
    [encoder setLabel:@"copies"];
    [encoder copyFromBuffer:buffer sourceOffset:32 toBuffer:stage_buffer(64) destinationOffset:0 size:36];
    [encoder fillBuffer:buffer range:NSMakeRange(1, 4) value:0];
    [encoder copyFromBuffer:buffer sourceOffset:0 toBuffer:buffer destinationOffset:4 size:8];
    [encoder endEncoding];
    stage_finish(commands, r);
}

static void early_wait(drive_result *r) {
    id<MTLCommandBuffer> commands = stage_commands(stage_queue());
    [commands waitUntilCompleted];
    stage_finish(commands, r);
    [commands addCompletedHandler:^(id<MTLCommandBuffer> done) {
      (void)done;
    }];
}

static void unbalanced_groups(drive_result *r) {
    id<MTLCommandBuffer> commands = stage_commands(stage_queue());
    id<MTLComputeCommandEncoder> encoder = stage_encoder(commands);
    [encoder popDebugGroup];
    [encoder pushDebugGroup:@"open"];
    [encoder endEncoding];
    stage_finish(commands, r);
}

static void private_contents(drive_result *r) {
    id<MTLBuffer> buffer = [[stage_device() newBufferWithLength:64 options:MTLResourceStorageModePrivate] autorelease];
    [buffer setLabel:@"private"];
    r->made = [buffer contents] != NULL;
}

static void odd_pages(drive_result *r) {
    static char bytes[64];
    r->made = [[stage_device() newBufferWithBytesNoCopy:bytes + 1 length:32 options:0 deallocator:nil] autorelease] != nil;
}

static void uncommitted_set(drive_result *r) {
    (void)r;
    MTLResidencySetDescriptor *descriptor = [[[MTLResidencySetDescriptor alloc] init] autorelease];
    [descriptor setLabel:@"resident"];
    id<MTLResidencySet> set = [stage_device() newResidencySetWithDescriptor:descriptor error:NULL];
    id<MTLBuffer> buffer = stage_buffer(4096);
    [set addAllocation:buffer];
    [set commit];
    [set removeAllocation:buffer];
    [set release];
}

static MPSMatrix *matrix(NSUInteger rows, NSUInteger columns, MPSDataType type) {
    NSUInteger row_bytes = columns * (type == MPSDataTypeFloat16 ? 2 : 4);
    MPSMatrixDescriptor *descriptor = [MPSMatrixDescriptor matrixDescriptorWithRows:rows columns:columns
                                                                           rowBytes:row_bytes dataType:type];
    return [[[MPSMatrix alloc] initWithBuffer:stage_buffer(rows * row_bytes) descriptor:descriptor] autorelease];
}

static void bad_softmax(drive_result *r) {
    MPSMatrixSoftMax *kernel = [[[MPSMatrixSoftMax alloc] initWithDevice:stage_device()] autorelease];
    [kernel setLabel:@"softmax"];
    id<MTLCommandBuffer> commands = stage_commands(stage_queue());
    matrix(3, 5, (MPSDataType)(MPSDataTypeFloatBit | 64));
    MPSMatrix *input = matrix(3, 5, MPSDataTypeFloat32);
    [kernel encodeToCommandBuffer:commands inputMatrix:input resultMatrix:matrix(3, 4, MPSDataTypeFloat32)];
    [kernel encodeToCommandBuffer:commands inputMatrix:input resultMatrix:matrix(3, 5, MPSDataTypeFloat16)];
    [kernel setLabel:nil];
    [kernel encodeToCommandBuffer:commands inputMatrix:input resultMatrix:matrix(3, 5, MPSDataTypeFloat32)];
    stage_finish(commands, r);
}

const drive_named drive_misuse[] = {
    {"commit twice", commit_twice},
    {"encoder after commit", encoder_after_commit},
    {"dispatch after end", dispatch_after_end},
    {"commit before end", commit_before_end},
    {"two encoders", two_encoders},
    {"encoder dropped", encoder_dropped},
    {"no pipeline", no_pipeline},
    {"unbound buffer", unbound_buffer},
    {"unbound memory", unbound_memory},
    {"offset past end", offset_past_end},
    {"too many threads", too_many_threads},
    {"too much memory", too_much_memory},
    {"odd memory", odd_memory},
    {"no threads", no_threads},
    {"stray write", stray_write},
    {"long bytes", long_bytes},
    {"no labels", no_labels},
    {"released while used", released_while_used},
    {"over-release", over_release},
    {"message after release", message_after_release},
    {"bind after release", bind_after_release},
    {"leak", leak},
    {"long copy", long_copy},
    {"early wait", early_wait},
    {"unbalanced groups", unbalanced_groups},
    {"private contents", private_contents},
    {"odd pages", odd_pages},
    {"uncommitted set", uncommitted_set},
    {"bad softmax", bad_softmax},
    {NULL, NULL},
};
