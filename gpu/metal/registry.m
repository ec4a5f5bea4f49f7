//go:build (darwin || metalsim) && cgo

// The IORegistry, the only source for the number of GPU cores.

#include "bridge.h"

#ifdef __APPLE__

#include <CoreFoundation/CoreFoundation.h>
#include <IOKit/IOKitLib.h>

// A device's registry ID is that of its accelerator. The count is a property of that entry or of one of its parents.
int metal_device_cores(uint64_t registry_id) {
    io_service_t service = IOServiceGetMatchingService(MACH_PORT_NULL, IORegistryEntryIDMatching(registry_id));
    if (!service) return 0;
    CFTypeRef found = IORegistryEntrySearchCFProperty(service, kIOServicePlane, CFSTR("gpu-core-count"), NULL,
                                                      kIORegistryIterateRecursively | kIORegistryIterateParents);
    IOObjectRelease(service);
    if (!found) return 0;
    int cores = 0;
    if (CFGetTypeID(found) != CFNumberGetTypeID() || !CFNumberGetValue(found, kCFNumberIntType, &cores)) cores = 0;
    CFRelease(found);
    return cores > 0 ? cores : 0;
}

#else

int metal_device_cores(uint64_t registry_id) {
    (void)registry_id;
    return 0;
}

#endif
