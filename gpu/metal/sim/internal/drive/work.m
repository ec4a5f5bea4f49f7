//go:build metalsim && cgo

// Correct uses: their results are checked, and the ledger must stay empty.

#include "stage.h"

static float first(id<MTLBuffer> buffer) { return ((const float *)[buffer contents])[0]; }

static void add(drive_result *r) {
    id<MTLBuffer> buffer = stage_buffer(4000);
    id<MTLCommandBuffer> commands = stage_commands(stage_queue());
    id<MTLComputeCommandEncoder> encoder = stage_encoder(commands);
    for (int i = 0; i < 3; i++) stage_add(encoder, buffer);
    [encoder endEncoding];
    stage_finish(commands, r);
    for (int i = 0; i < 1000; i++) r->value += ((const float *)[buffer contents])[i];
}

static void edges(drive_result *r) {
    id<MTLBuffer> buffer = stage_buffer(400);
    id<MTLCommandBuffer> commands = stage_commands(stage_queue());
    id<MTLComputeCommandEncoder> encoder = stage_encoder(commands);
    uint32_t n = 100;
    [encoder setComputePipelineState:stage_pipeline(@"add", NULL)];
    [encoder setBuffers:(id<MTLBuffer>[]){buffer} offsets:(NSUInteger[]){0} withRange:NSMakeRange(0, 1)];
    [encoder setBytes:&n length:sizeof n atIndex:1];
    [encoder dispatchThreads:MTLSizeMake(70, 1, 1) threadsPerThreadgroup:MTLSizeMake(32, 1, 1)];
    [encoder endEncoding];
    stage_finish(commands, r);
    for (int i = 0; i < 100; i++) r->value += ((const float *)[buffer contents])[i];
}

static void threadgroup_memory(drive_result *r) {
    id<MTLBuffer> buffer = stage_buffer(128);
    for (int i = 0; i < 32; i++) ((float *)[buffer contents])[i] = (float)(i + 1);
    id<MTLCommandBuffer> commands = stage_commands(stage_queue());
    id<MTLComputeCommandEncoder> encoder = stage_encoder(commands);
    [encoder setComputePipelineState:stage_pipeline(@"shared_sum", NULL)];
    [encoder setBuffer:buffer offset:0 atIndex:0];
    [encoder setThreadgroupMemoryLength:128 atIndex:0];
    [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(32, 1, 1)];
    [encoder endEncoding];
    stage_finish(commands, r);
    r->value = first(buffer);
}

static void blit(drive_result *r) {
    id<MTLBuffer> from = stage_buffer(64), to = stage_buffer(64);
    id<MTLBuffer> private = [[stage_device() newBufferWithLength:64 options:MTLResourceStorageModePrivate] autorelease];
    [private setLabel:@"private"];
    ((float *)[from contents])[3] = 7;
    id<MTLCommandBuffer> commands = stage_commands(stage_queue());
    id<MTLBlitCommandEncoder> encoder = [commands blitCommandEncoder];
    [encoder setLabel:@"copies"];
    [encoder fillBuffer:to range:NSMakeRange(0, 64) value:0];
    [encoder copyFromBuffer:from sourceOffset:0 toBuffer:private destinationOffset:0 size:64];
    [encoder copyFromBuffer:private sourceOffset:12 toBuffer:to destinationOffset:0 size:4];
    [encoder endEncoding];
    stage_finish(commands, r);
    r->value = first(to);
}

// A concurrent pass runs backward between barriers, so the order of fill and add shows whether a barrier was present.
static void concurrent(drive_result *r, int barrier) {
    id<MTLBuffer> buffer = stage_buffer(256);
    id<MTLCommandBuffer> commands = stage_commands(stage_queue());
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoderWithDispatchType:MTLDispatchTypeConcurrent];
    [encoder setLabel:@"side by side"];
    stage_add(encoder, buffer);
    if (barrier) [encoder memoryBarrierWithScope:MTLBarrierScopeBuffers];
    [encoder setComputePipelineState:stage_pipeline(@"shared_sum", NULL)];
    [encoder setThreadgroupMemoryLength:256 atIndex:0];
    [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(64, 1, 1)];
    [encoder endEncoding];
    stage_finish(commands, r);
    r->value = first(buffer);
}

static void with_barrier(drive_result *r) { concurrent(r, 1); }
static void without_barrier(drive_result *r) { concurrent(r, 0); }

static void product(drive_result *r) {
    enum { M = 3, N = 4, K = 5 };
    id<MTLBuffer> a = stage_buffer(M * K * 4), b = stage_buffer(N * K * 4), c = stage_buffer(M * N * 4);
    for (int i = 0; i < M * K; i++) ((float *)[a contents])[i] = (float)i;
    for (int i = 0; i < N * K; i++) ((float *)[b contents])[i] = (float)(i % 7);
    MPSMatrixDescriptor *da = [MPSMatrixDescriptor matrixDescriptorWithRows:M columns:K rowBytes:K * 4
                                                                   dataType:MPSDataTypeFloat32];
    MPSMatrixDescriptor *db = [MPSMatrixDescriptor matrixDescriptorWithRows:N columns:K rowBytes:K * 4
                                                                   dataType:MPSDataTypeFloat32];
    MPSMatrixDescriptor *dc = [MPSMatrixDescriptor matrixDescriptorWithRows:M columns:N rowBytes:N * 4
                                                                   dataType:MPSDataTypeFloat32];
    MPSMatrixMultiplication *multiply = [[[MPSMatrixMultiplication alloc] initWithDevice:stage_device()
                                                                          transposeLeft:NO
                                                                         transposeRight:YES
                                                                             resultRows:M
                                                                          resultColumns:N
                                                                        interiorColumns:K
                                                                                  alpha:1
                                                                                   beta:0] autorelease];
    [multiply setLabel:@"product"];
    id<MTLCommandBuffer> commands = stage_commands(stage_queue());
    [multiply encodeToCommandBuffer:commands
                         leftMatrix:[[[MPSMatrix alloc] initWithBuffer:a descriptor:da] autorelease]
                        rightMatrix:[[[MPSMatrix alloc] initWithBuffer:b descriptor:db] autorelease]
                       resultMatrix:[[[MPSMatrix alloc] initWithBuffer:c descriptor:dc] autorelease]];
    stage_finish(commands, r);
    for (int i = 0; i < M; i++) { // the maximum difference from the definition
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < K; k++) sum += (float)(i * K + k) * (float)((j * K + k) % 7);
            float difference = sum - ((const float *)[c contents])[i * N + j];
            if (difference < 0) difference = -difference;
            if (difference > r->value) r->value = difference;
        }
    }
}

// The rows of a softmax sum to 1, and equal elements give equal results.
static void softmax(drive_result *r) {
    enum { ROWS = 3, COLUMNS = 5 };
    id<MTLBuffer> in = stage_buffer(ROWS * COLUMNS * 4), out = stage_buffer(ROWS * COLUMNS * 4);
    for (int i = 0; i < ROWS * COLUMNS; i++) ((float *)[in contents])[i] = i < COLUMNS ? 1000 : (float)(i % 4);
    MPSMatrixDescriptor *descriptor = [MPSMatrixDescriptor matrixDescriptorWithRows:ROWS columns:COLUMNS
                                                                           rowBytes:COLUMNS * 4
                                                                           dataType:MPSDataTypeFloat32];
    MPSMatrixSoftMax *kernel = [[[MPSMatrixSoftMax alloc] initWithDevice:stage_device()] autorelease];
    [kernel setLabel:@"softmax"];
    id<MTLCommandBuffer> commands = stage_commands(stage_queue());
    [kernel encodeToCommandBuffer:commands
                      inputMatrix:[[[MPSMatrix alloc] initWithBuffer:in descriptor:descriptor] autorelease]
                     resultMatrix:[[[MPSMatrix alloc] initWithBuffer:out descriptor:descriptor] autorelease]];
    stage_finish(commands, r);
    double sum = 0;
    for (int i = 0; i < ROWS * COLUMNS; i++) sum += ((const float *)[out contents])[i];
    r->value = sum > ROWS - 1e-6 && sum < ROWS + 1e-6 ? first(out) : -1;
}

static id<MTLCounterSampleBuffer> sample_buffer(NSUInteger count) {
    MTLCounterSampleBufferDescriptor *descriptor = [[[MTLCounterSampleBufferDescriptor alloc] init] autorelease];
    [descriptor setCounterSet:[[stage_device() counterSets] objectAtIndex:0]];
    [descriptor setLabel:@"times"];
    [descriptor setSampleCount:count];
    return [[stage_device() newCounterSampleBufferWithDescriptor:descriptor error:NULL] autorelease];
}

static void counters(drive_result *r) {
    id<MTLCounterSampleBuffer> samples = sample_buffer(2);
    MTLComputePassDescriptor *pass = [MTLComputePassDescriptor computePassDescriptor];
    MTLComputePassSampleBufferAttachmentDescriptor *attachment = [[pass sampleBufferAttachments] objectAtIndexedSubscript:0];
    [attachment setSampleBuffer:samples];
    [attachment setStartOfEncoderSampleIndex:0];
    [attachment setEndOfEncoderSampleIndex:1];
    id<MTLCommandBuffer> commands = stage_commands(stage_queue());
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoderWithDescriptor:pass];
    [encoder setLabel:@"timed"];
    stage_add(encoder, stage_buffer(4000));
    [encoder endEncoding];
    stage_finish(commands, r);
    [[samples resolveCounterRange:NSMakeRange(0, 2)] getBytes:r->samples length:sizeof r->samples];
}

static void many_counters(drive_result *r) {
    for (int i = 0; i < 40; i++) r->value += sample_buffer(2) != nil;
}

static void archive(drive_result *r) {
    NSError *error = nil;
    MTLBinaryArchiveDescriptor *descriptor = [[[MTLBinaryArchiveDescriptor alloc] init] autorelease];
    id<MTLBinaryArchive> written = [[stage_device() newBinaryArchiveWithDescriptor:descriptor error:&error] autorelease];
    id<MTLFunction> function = [[stage_library(&error) newFunctionWithName:@"stray"] autorelease];
    MTLComputePipelineDescriptor *pipeline = [[[MTLComputePipelineDescriptor alloc] init] autorelease];
    [pipeline setLabel:@"archived"];
    [pipeline setComputeFunction:function];
    NSURL *url = [NSURL fileURLWithPath:[NSString stringWithUTF8String:stage_path]];
    [written addComputePipelineFunctionsWithDescriptor:pipeline error:&error];
    [written serializeToURL:url error:&error];
    [descriptor setUrl:url];
    id<MTLBinaryArchive> read = [[stage_device() newBinaryArchiveWithDescriptor:descriptor error:&error] autorelease];
    r->made = read != nil;
    [pipeline setBinaryArchives:read ? [NSArray arrayWithObject:read] : nil];
    id<MTLComputePipelineState> state =
        [[stage_device() newComputePipelineStateWithDescriptor:pipeline options:MTLPipelineOptionFailOnBinaryArchiveMiss
                                                    reflection:NULL error:&error] autorelease];
    r->value = state != nil;
    stage_note(error, r);
}

static void residency(drive_result *r) {
    id<MTLResidencySet> set;
    MTLResidencySetDescriptor *descriptor = [[[MTLResidencySetDescriptor alloc] init] autorelease];
    [descriptor setLabel:@"resident"];
    set = [[stage_device() newResidencySetWithDescriptor:descriptor error:NULL] autorelease];
    id<MTLBuffer> buffer = stage_buffer(4096);
    [set addAllocation:buffer];
    [set commit];
    r->value = (double)[set allocatedSize];
    [set removeAllocation:buffer];
    [set commit];
}

const drive_named drive_work[] = {
    {"add", add},
    {"edges", edges},
    {"threadgroup memory", threadgroup_memory},
    {"blit", blit},
    {"with barrier", with_barrier},
    {"without barrier", without_barrier},
    {"product", product},
    {"softmax", softmax},
    {"counters", counters},
    {"many counters", many_counters},
    {"archive", archive},
    {"residency", residency},
    {NULL, NULL},
};
