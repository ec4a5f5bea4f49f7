//go:build (darwin || metalsim) && cgo

// Residency sets, which keep buffers wired between command buffers (macOS 15 and later).

#include "internal.h"
#include "newer.h"

static id<AssayResidencySet> set_of(metal_residency *set) { return (id<AssayResidencySet>)set; }

metal_residency_result metal_residency_new(metal_device *handle, const char *label) {
    metal_residency_result result = {NULL, metal_no_error()};
    @autoreleasepool {
        id device = device_of(handle);
        Class kind = NSClassFromString(@"MTLResidencySetDescriptor");
        if (!kind || ![device respondsToSelector:@selector(newResidencySetWithDescriptor:error:)]) return result;
        id descriptor = [[[kind alloc] init] autorelease];
        [(id<AssayResidencySetDescriptor>)descriptor setLabel:metal_text(label)];
        NSError *error = nil;
        id set = [(id<AssayNewerDevice>)device newResidencySetWithDescriptor:descriptor error:&error];
        if (!set) result.error = metal_error_of(error, @"cannot create a residency set");
        result.value = (metal_residency *)set;
    }
    return result;
}

void metal_residency_add(metal_residency *set, metal_buffer *buffer) {
    @autoreleasepool {
        [set_of(set) addAllocation:buffer_of(buffer)];
    }
}

void metal_residency_remove(metal_residency *set, metal_buffer *buffer) {
    @autoreleasepool {
        [set_of(set) removeAllocation:buffer_of(buffer)];
    }
}

void metal_residency_commit(metal_residency *set) {
    @autoreleasepool {
        [set_of(set) commit];
    }
}

void metal_residency_request(metal_residency *set) {
    @autoreleasepool {
        [set_of(set) requestResidency];
    }
}

void metal_residency_attach(metal_residency *set, metal_queue *queue) {
    @autoreleasepool {
        [(id<AssayResidentQueue>)queue->queue addResidencySet:set_of(set)];
    }
}

void metal_residency_release(metal_residency *set) {
    @autoreleasepool {
        [set_of(set) endResidency];
        [set_of(set) release];
    }
}
