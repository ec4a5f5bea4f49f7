//go:build metalsim && cgo

// Running a dispatch.

#include <stdlib.h>

#include "_cgo_export.h"
#include "sim.h"

static void copy_size(uint32_t to[3], MTLSize size) {
    to[0] = (uint32_t)size.width;
    to[1] = (uint32_t)size.height;
    to[2] = (uint32_t)size.depth;
}

// has_room reports whether each dimension of the grid fits into 32 bits.
static int has_room(MTLSize size) {
    return size.width <= UINT32_MAX && size.height <= UINT32_MAX && size.depth <= UINT32_MAX;
}

@implementation SimDispatch

- (void)dealloc {
    for (int i = 0; i < SIM_MAX_BUFFERS; i++) [_slots[i].bytes release];
    [super dealloc];
}

- (BOOL)isBarrier {
    return NO;
}

- (NSError *)invalid {
    return sim_error(MTLCommandBufferErrorDomain, MTLCommandBufferErrorInvalidResource, @"Invalid Resource");
}

// bind sets the memory of argument i; NO if the buffer was released.
- (BOOL)bind:(int)i to:(sim_launch *)launch {
    const sim_slot *slot = &_slots[i];
    launch->threadgroups[i] = _threadgroup[i];
    if (slot->bytes) {
        launch->buffers[i] = (void *)[slot->bytes bytes];
        launch->lengths[i] = [slot->bytes length];
    }
    if (!slot->buffer) return YES;
    if (!sim_usable(slot->buffer, "used by a command buffer")) return NO;
    launch->buffers[i] = slot->buffer->_bytes + slot->offset;
    launch->lengths[i] = slot->buffer->_length - slot->offset;
    return YES;
}

- (NSError *)run {
    sim_launch launch = {0};
    if (!sim_usable(_pipeline, "used by a command buffer") || !has_room(_groups) || !has_room(_grid)) return [self invalid];
    copy_size(launch.groups, _groups);
    copy_size(launch.threads, _threads);
    copy_size(launch.grid, _grid);
    for (int i = 0; i < SIM_MAX_BUFFERS; i++) {
        if (![self bind:i to:&launch]) return [self invalid];
    }
    char *text = NULL;
    int result = simRun(_pipeline->_kernel.handle, &launch, &text);
    if (result == SIM_DONE) return nil;
    NSInteger code = result == SIM_FAULT ? MTLCommandBufferErrorPageFault : MTLCommandBufferErrorInternal;
    NSError *error = sim_error(MTLCommandBufferErrorDomain, code, text ? [NSString stringWithUTF8String:text] : nil);
    free(text);
    return error;
}

@end
