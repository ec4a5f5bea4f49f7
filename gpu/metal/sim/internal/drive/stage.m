//go:build metalsim && cgo

#include <string.h>

#include "stage.h"

const char *stage_path;

static NSString *const SOURCE =
    @"#include <metal_stdlib>\n"
     "using namespace metal;\n"
     "constant int increment [[function_constant(0)]];\n"
     "kernel void add(device float *x [[buffer(0)]], constant uint &n [[buffer(1)]],\n"
     "                uint i [[thread_position_in_grid]]) {\n"
     "    if (i < n) x[i] += float(increment);\n"
     "}\n"
     "kernel void stray(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"
     "    x[i + 1000000] = 1;\n"
     "}\n"
     "kernel void shared_sum(device float *x [[buffer(0)]], threadgroup float *t [[threadgroup(0)]],\n"
     "                       uint i [[thread_position_in_threadgroup]]) {\n"
     "    t[i] = x[i];\n"
     "    threadgroup_barrier(mem_flags::mem_threadgroup);\n"
     "    if (i == 0) x[0] = t[0] + t[1];\n"
     "}\n";

id<MTLDevice> stage_device(void) { return [MTLCreateSystemDefaultDevice() autorelease]; }

id<MTLCommandQueue> stage_queue(void) {
    id<MTLCommandQueue> queue = [[stage_device() newCommandQueue] autorelease];
    [queue setLabel:@"queue"];
    return queue;
}

id<MTLBuffer> stage_buffer(NSUInteger bytes) {
    id<MTLBuffer> buffer = [[stage_device() newBufferWithLength:bytes options:MTLResourceStorageModeShared] autorelease];
    if (buffer) memset([buffer contents], 0, bytes);
    [buffer setLabel:@"numbers"];
    return buffer;
}

id<MTLLibrary> stage_library(NSError **error) {
    MTLCompileOptions *options = [[[MTLCompileOptions alloc] init] autorelease];
    [options setMathMode:MTLMathModeSafe];
    id<MTLLibrary> library = [[stage_device() newLibraryWithSource:SOURCE options:options error:error] autorelease];
    [library setLabel:@"scenes"];
    return library;
}

id<MTLComputePipelineState> stage_pipeline(NSString *entry, NSError **error) {
    MTLFunctionConstantValues *values = [[[MTLFunctionConstantValues alloc] init] autorelease];
    int one = 1;
    [values setConstantValue:&one type:MTLDataTypeInt withName:@"increment"];
    id<MTLFunction> function =
        [[stage_library(error) newFunctionWithName:entry constantValues:values error:error] autorelease];
    if (!function) return nil;
    MTLComputePipelineDescriptor *descriptor = [[[MTLComputePipelineDescriptor alloc] init] autorelease];
    [descriptor setLabel:entry];
    [descriptor setComputeFunction:function];
    return [[stage_device() newComputePipelineStateWithDescriptor:descriptor options:0 reflection:NULL
                                                             error:error] autorelease];
}

id<MTLCommandBuffer> stage_commands(id<MTLCommandQueue> queue) {
    MTLCommandBufferDescriptor *descriptor = [[[MTLCommandBufferDescriptor alloc] init] autorelease];
    [descriptor setErrorOptions:MTLCommandBufferErrorOptionEncoderExecutionStatus];
    id<MTLCommandBuffer> commands = [queue commandBufferWithDescriptor:descriptor];
    [commands setLabel:@"commands"];
    return commands;
}

id<MTLComputeCommandEncoder> stage_encoder(id<MTLCommandBuffer> commands) {
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    [encoder setLabel:@"adder"];
    return encoder;
}

void stage_add(id<MTLComputeCommandEncoder> encoder, id<MTLBuffer> buffer) {
    uint32_t n = (uint32_t)([buffer length] / sizeof(float));
    [encoder setComputePipelineState:stage_pipeline(@"add", NULL)];
    [encoder setBuffer:buffer offset:0 atIndex:0];
    [encoder setBytes:&n length:sizeof n atIndex:1];
    [encoder dispatchThreadgroups:MTLSizeMake((n + 63) / 64, 1, 1) threadsPerThreadgroup:MTLSizeMake(64, 1, 1)];
}

void stage_adder(id<MTLCommandBuffer> commands, id<MTLBuffer> buffer) {
    id<MTLComputeCommandEncoder> encoder = stage_encoder(commands);
    stage_add(encoder, buffer);
    [encoder endEncoding];
}

void stage_note(NSError *error, drive_result *r) {
    r->code = [error code];
    const char *text = [[[error userInfo] objectForKey:NSLocalizedDescriptionKey] UTF8String];
    if (text) strncpy(r->text, text, sizeof r->text - 1);
    for (id<MTLCommandBufferEncoderInfo> info in [[error userInfo] objectForKey:MTLCommandBufferEncoderInfoErrorKey]) {
        if ([info errorState] == MTLCommandEncoderErrorStateFaulted) {
            strncpy(r->encoder, [[info label] UTF8String], sizeof r->encoder - 1);
        }
    }
}

void stage_finish(id<MTLCommandBuffer> commands, drive_result *r) {
    [commands commit];
    [commands waitUntilCompleted];
    r->status = (int)[commands status];
    r->start = [commands GPUStartTime];
    r->end = [commands GPUEndTime];
    stage_note([commands error], r);
}

static const drive_named *find(const drive_named *list, const char *name) {
    for (; list->name; list++) {
        if (!strcmp(list->name, name)) return list;
    }
    return NULL;
}

drive_result drive_play(const char *name, const char *path) {
    drive_result result = {0};
    const drive_named *scene = find(drive_work, name);
    if (!scene) scene = find(drive_misuse, name);
    if (!scene) scene = find(drive_faults, name);
    if (!scene) return result;
    stage_path = path;
    @autoreleasepool {
        scene->scene(&result);
    }
    result.found = 1;
    return result;
}
