//go:build (darwin || metalsim) && cgo

// Buffers.

#include "internal.h"

static metal_buffer_result buffer_result(id<MTLBuffer> buffer, const char *label) {
    metal_buffer_result result = {(metal_buffer *)buffer, NULL, metal_no_error()};
    if (!buffer) {
        result.error = metal_error_of(nil, @"allocation failed");
        return result;
    }
    [buffer setLabel:metal_text(label)];
    if ([buffer storageMode] == MTLStorageModeShared) result.contents = [buffer contents];
    return result;
}

metal_buffer_result metal_buffer_new(metal_device *device, uint64_t bytes, int is_private, const char *label) {
    metal_buffer_result result;
    @autoreleasepool {
        MTLResourceOptions options = is_private ? MTLResourceStorageModePrivate : MTLResourceStorageModeShared;
        result = buffer_result([device_of(device) newBufferWithLength:(NSUInteger)bytes options:options], label);
    }
    return result;
}

metal_buffer_result metal_buffer_wrap(metal_device *device, void *pages, uint64_t bytes, uintptr_t ticket,
                                      const char *label) {
    metal_buffer_result result;
    @autoreleasepool {
        result = buffer_result([device_of(device) newBufferWithBytesNoCopy:pages
                                                                    length:(NSUInteger)bytes
                                                                   options:MTLResourceStorageModeShared
                                                               deallocator:^(void *p, NSUInteger n) {
                                                                 (void)p, (void)n;
                                                                 metal_gave_back(ticket);
                                                               }],
                               label);
    }
    return result;
}

void metal_buffer_release(metal_buffer *buffer) {
    @autoreleasepool {
        [buffer_of(buffer) release];
    }
}
