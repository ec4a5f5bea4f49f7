// What the scenes share.
#ifndef ASSAY_DRIVE_STAGE_H
#define ASSAY_DRIVE_STAGE_H

#import <Metal/Metal.h>
#import <MetalPerformanceShaders/MetalPerformanceShaders.h>

#include "drive.h"

extern const char *stage_path; // a file that a scene may write

// All but the device are autoreleased.
id<MTLDevice> stage_device(void); // autoreleased too
id<MTLCommandQueue> stage_queue(void);
id<MTLBuffer> stage_buffer(NSUInteger bytes); // zeros, labeled
id<MTLLibrary> stage_library(NSError **error);
id<MTLComputePipelineState> stage_pipeline(NSString *entry, NSError **error);
id<MTLCommandBuffer> stage_commands(id<MTLCommandQueue> queue);
id<MTLComputeCommandEncoder> stage_encoder(id<MTLCommandBuffer> commands);
// stage_add encodes a dispatch that adds 1 to each of the buffer's floats.
void stage_add(id<MTLComputeCommandEncoder> encoder, id<MTLBuffer> buffer);
// stage_adder encodes a pass of one such dispatch.
void stage_adder(id<MTLCommandBuffer> commands, id<MTLBuffer> buffer);
void stage_finish(id<MTLCommandBuffer> commands, drive_result *r); // commits, waits, records the outcome
void stage_note(NSError *error, drive_result *r);

#endif
