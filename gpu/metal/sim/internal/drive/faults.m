//go:build metalsim && cgo

// Correct uses, under a script that makes them fail.

#include "stage.h"

static void allocate(drive_result *r) {
    for (int i = 0; i < 4; i++) r->value = 10 * r->value + (stage_buffer(64) != nil);
}

static void commits(drive_result *r) {
    id<MTLCommandQueue> queue = stage_queue();
    for (int i = 0; i < 4; i++) {
        drive_result one = {0};
        id<MTLCommandBuffer> commands = stage_commands(queue);
        stage_adder(commands, stage_buffer(64));
        stage_finish(commands, &one);
        r->value = 10 * r->value + (one.status == MTLCommandBufferStatusCompleted);
        if (!one.code) continue;
        one.value = r->value;
        *r = one;
    }
}

static void removal(drive_result *r) {
    id<MTLDevice> before = stage_device();
    id<MTLCommandQueue> queue = stage_queue();
    id<MTLBuffer> buffer = stage_buffer(64);
    for (int i = 0; i < 3; i++) {
        id<MTLCommandBuffer> commands = stage_commands(queue);
        stage_adder(commands, buffer);
        stage_finish(commands, r);
        r->value = 10 * r->value + (r->code == 0);
    }
    r->made = [before newBufferWithLength:64 options:0] != nil || [before newCommandQueue] != nil;
    id<MTLDevice> after = stage_device();
    r->start = (double)([after registryID] - [before registryID]);
    drive_result again = {0};
    id<MTLCommandBuffer> commands = stage_commands(stage_queue());
    stage_adder(commands, stage_buffer(64));
    stage_finish(commands, &again);
    r->end = again.status;
}

static void compile(drive_result *r) {
    NSError *error = nil;
    r->made = stage_library(&error) != nil;
    stage_note(error, r);
}

static void bad_source(drive_result *r) {
    NSError *error = nil;
    NSString *source = @"#include <metal_stdlib>\nkernel void broken(device float *x [[buffer(0)]]) {\n    x[0] = y;\n}\n";
    r->made = [[stage_device() newLibraryWithSource:source options:nil error:&error] autorelease] != nil;
    stage_note(error, r);
}

static void missing_function(drive_result *r) {
    NSError *error = nil;
    MTLFunctionConstantValues *none = [[[MTLFunctionConstantValues alloc] init] autorelease];
    r->made = [[stage_library(&error) newFunctionWithName:@"nowhere" constantValues:none error:&error] autorelease] != nil;
    stage_note(error, r);
}

static void pipeline(drive_result *r) {
    NSError *error = nil;
    r->made = stage_pipeline(@"add", &error) != nil;
    stage_note(error, r);
}

static void queue(drive_result *r) { r->made = stage_queue() != nil; }

static id<MTLCommandBuffer> hanging;
static id<MTLCommandQueue> hanging_queue;

// hang commits a command buffer and does not wait, while another queue continues; hang_end waits after the hang is
// released.
static void hang(drive_result *r) {
    hanging_queue = [stage_queue() retain];
    hanging = [stage_commands(hanging_queue) retain];
    id<MTLBuffer> buffer = stage_buffer(64);
    stage_adder(hanging, buffer);
    [hanging commit];
    id<MTLCommandBuffer> other = stage_commands(stage_queue());
    stage_adder(other, stage_buffer(64));
    stage_finish(other, r);
    r->value = (double)[hanging status];
}

static void hang_end(drive_result *r) {
    [hanging waitUntilCompleted];
    r->status = (int)[hanging status];
    [hanging release];
    [hanging_queue release];
    hanging = nil;
    hanging_queue = nil;
}

const drive_named drive_faults[] = {
    {"allocate", allocate},
    {"commits", commits},
    {"removal", removal},
    {"compile", compile},
    {"bad source", bad_source},
    {"missing function", missing_function},
    {"pipeline", pipeline},
    {"queue", queue},
    {"hang", hang},
    {"hang end", hang_end},
    {NULL, NULL},
};
