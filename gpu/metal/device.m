//go:build (darwin || metalsim) && cgo

// Devices: finding them and querying their properties.

#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "newer.h"

void metal_free(void *memory) { free(memory); }

NSString *metal_text(const char *utf8) {
    NSString *text = [NSString stringWithUTF8String:utf8];
    return text ? text : @"?";
}

char *metal_copy_text(NSString *text) {
    const char *utf8 = [text UTF8String];
    return utf8 ? strdup(utf8) : NULL;
}

metal_error metal_no_error(void) { return (metal_error){NULL, 0}; }

metal_error metal_error_of(NSError *error, NSString *otherwise) {
    NSString *text = [error localizedDescription];
    return (metal_error){metal_copy_text(text ? text : otherwise), error ? (int64_t)[error code] : 0};
}

// all_devices requests the default device only if the list is empty, because doing so may switch a display to another GPU.
static NSArray *all_devices(void) {
    NSArray *all = [MTLCopyAllDevices() autorelease];
    if ([all count] > 0) return all;
    id<MTLDevice> device = [MTLCreateSystemDefaultDevice() autorelease];
    return device ? [NSArray arrayWithObject:device] : nil;
}

metal_device_list metal_devices(void) {
    metal_device_list list = {NULL, 0};
    @autoreleasepool {
        NSArray *all = all_devices();
        if ([all count] == 0) return list;
        list.items = calloc([all count], sizeof *list.items);
        if (!list.items) return list;
        for (id<MTLDevice> device in all) {
            list.items[list.count++] = (metal_device *)[device retain];
        }
    }
    return list;
}

void metal_device_release(metal_device *device) {
    @autoreleasepool {
        [device_of(device) release];
    }
}

// highest_family is the highest n ≤ max for which the device supports the family base + n; 0 if there is none.
static int highest_family(id<MTLDevice> device, int base, int max) {
    for (int n = max; n > 0; n--) {
        if ([device supportsFamily:(MTLGPUFamily)(base + n)]) return n;
    }
    return 0;
}

static void copy_name(char *to, size_t size, NSString *name) {
    const char *utf8 = [name UTF8String];
    if (utf8) strncpy(to, utf8, size - 1);
}

static void describe_families(metal_device_facts *facts, id<MTLDevice> device) {
    facts->apple_family = highest_family(device, FAMILY_APPLE, 19);
    facts->mac_family = highest_family(device, FAMILY_MAC, 2);
    int metal = highest_family(device, FAMILY_METAL, 9);
    facts->metal_family = metal >= 3 ? metal : 0;
}

static int location_of(id<MTLDevice> device) {
    MTLDeviceLocation at = [device location];
    return at == MTLDeviceLocationUnspecified ? -1 : (int)at;
}

metal_device_facts metal_device_describe(metal_device *handle) {
    metal_device_facts facts = {0};
    @autoreleasepool {
        id<MTLDevice> device = device_of(handle);
        id newer = device;
        copy_name(facts.name, sizeof facts.name, [device name]);
        if ([newer respondsToSelector:@selector(architecture)]) {
            copy_name(facts.architecture, sizeof facts.architecture, [[(id<AssayNewerDevice>)newer architecture] name]);
        }
        facts.registry_id = [device registryID];
        facts.working_set = [device recommendedMaxWorkingSetSize];
        facts.max_buffer = [device maxBufferLength];
        facts.max_threads = (uint32_t)[device maxThreadsPerThreadgroup].width;
        facts.max_threadgroup_memory = (uint32_t)[device maxThreadgroupMemoryLength];
        facts.location = location_of(device);
        facts.low_power = [device isLowPower];
        facts.headless = [device isHeadless];
        facts.removable = [device isRemovable];
        facts.unified = [device hasUnifiedMemory];
        facts.simulated = [newer respondsToSelector:@selector(assaySimulated)];
        facts.stage_counters = [device supportsCounterSampling:MTLCounterSamplingPointAtStageBoundary];
        describe_families(&facts, device);
    }
    return facts;
}

uint64_t metal_device_allocated(metal_device *device) {
    uint64_t bytes;
    @autoreleasepool {
        bytes = [device_of(device) currentAllocatedSize];
    }
    return bytes;
}
