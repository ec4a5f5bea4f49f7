// The part of IOKit that the readers use, simulated by io.c for tests on Linux.

#pragma once

#include <CoreFoundation/CoreFoundation.h>
#include <mach/mach.h>

typedef uint32_t io_object_t, io_service_t, io_iterator_t, io_connect_t, task_port_t;
typedef char io_name_t[128];
#define kIOServicePlane "IOService"

CFMutableDictionaryRef IOServiceMatching(const char *name);
kern_return_t IOServiceGetMatchingServices(mach_port_t, CFDictionaryRef matching, io_iterator_t *out);
io_object_t IOIteratorNext(io_iterator_t);
kern_return_t IOObjectRelease(io_object_t);
kern_return_t IORegistryEntryGetName(io_object_t, io_name_t);
kern_return_t IORegistryEntryGetRegistryEntryID(io_object_t, uint64_t *id);
kern_return_t IORegistryEntryGetChildIterator(io_object_t, const char *plane, io_iterator_t *out);
CFTypeRef IORegistryEntryCreateCFProperty(io_object_t, CFStringRef key, CFAllocatorRef, uint32_t);
kern_return_t IORegistryEntryCreateCFProperties(io_object_t, CFMutableDictionaryRef *out, CFAllocatorRef, uint32_t);
kern_return_t IOServiceOpen(io_service_t, task_port_t, uint32_t, io_connect_t *out);
kern_return_t IOServiceClose(io_connect_t);
kern_return_t IOConnectCallStructMethod(mach_port_t, uint32_t, const void *, size_t, void *, size_t *);
