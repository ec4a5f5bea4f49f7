//go:build (darwin || metalsim) && cgo

// Captures for Xcode: a .gputrace document of a device's work between start and stop.

#include "internal.h"

metal_error metal_capture_supported(void) {
    metal_error result = metal_no_error();
    @autoreleasepool {
        if (![[MTLCaptureManager sharedCaptureManager] supportsDestination:MTLCaptureDestinationGPUTraceDocument]) {
            result = metal_error_of(nil, @"captures are not enabled for this process");
            result.code = METAL_UNSUPPORTED;
        }
    }
    return result;
}

metal_error metal_capture_start(metal_device *device, const char *path) {
    metal_error result = metal_no_error();
    @autoreleasepool {
        MTLCaptureManager *manager = [MTLCaptureManager sharedCaptureManager];
        MTLCaptureDescriptor *descriptor = [[[MTLCaptureDescriptor alloc] init] autorelease];
        [descriptor setCaptureObject:device_of(device)];
        [descriptor setDestination:MTLCaptureDestinationGPUTraceDocument];
        [descriptor setOutputURL:[NSURL fileURLWithPath:metal_text(path)]];
        NSError *error = nil;
        if (![manager startCaptureWithDescriptor:descriptor error:&error]) {
            result = metal_error_of(error, @"cannot start the capture");
        }
    }
    return result;
}

void metal_capture_stop(void) {
    @autoreleasepool {
        [[MTLCaptureManager sharedCaptureManager] stopCapture];
    }
}
