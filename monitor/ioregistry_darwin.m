#include "ioregistry_darwin.h"

#import <CoreFoundation/CoreFoundation.h>
#import <IOKit/IOKitLib.h>

#include <stdbool.h>

#include "cf_darwin.h"

// 0 stands for the default port: its name changed with macOS 12.
static const mach_port_t default_port = 0;

typedef struct {
	assay_statistic *out;
	int limit, count, device;
} statistics;

static void add_statistic(const void *key, const void *value, void *context) {
	statistics *s = context;
	double number;
	if (s->count == s->limit || CFGetTypeID(value) != CFNumberGetTypeID())
		return;
	assay_statistic *to = &s->out[s->count];
	assay_copy_string(key, to->name, sizeof to->name);
	if (to->name[0] == 0 || !CFNumberGetValue((CFNumberRef)value, kCFNumberDoubleType, &number))
		return;
	to->device = s->device;
	to->value = number;
	s->count++;
}

int assay_accelerator_read(assay_statistic *out, int limit, int *error) {
	@autoreleasepool {
		io_iterator_t services;
		*error = IOServiceGetMatchingServices(default_port, IOServiceMatching("IOAccelerator"), &services);
		if (*error != KERN_SUCCESS)
			return -1;
		statistics s = {out, limit, 0, 0};
		for (io_object_t gpu; (gpu = IOIteratorNext(services)) != 0; s.device++) {
			CFTypeRef d = IORegistryEntryCreateCFProperty(gpu, CFSTR("PerformanceStatistics"), NULL, 0);
			IOObjectRelease(gpu);
			if (d == NULL)
				continue;
			if (CFGetTypeID(d) == CFDictionaryGetTypeID())
				CFDictionaryApplyFunction((CFDictionaryRef)d, add_statistic, &s);
			CFRelease(d);
		}
		IOObjectRelease(services);
		return s.count;
	}
}

static bool add_time(CFTypeRef time, double *sum) {
	double ns;
	if (time == NULL || CFGetTypeID(time) != CFNumberGetTypeID() || !CFNumberGetValue((CFNumberRef)time, kCFNumberDoubleType, &ns))
		return false;
	*sum += ns;
	return true;
}

// An Apple GPU counts time per interface that a client uses; drivers of Intel Macs count it per client.
static bool client_time(io_object_t client, double *ns) {
	bool counted = false;
	*ns = 0;
	CFTypeRef uses = IORegistryEntryCreateCFProperty(client, CFSTR("AppUsage"), NULL, 0);
	if (uses != NULL && CFGetTypeID(uses) == CFArrayGetTypeID()) {
		for (CFIndex i = 0; i < CFArrayGetCount((CFArrayRef)uses); i++) {
			CFTypeRef use = CFArrayGetValueAtIndex((CFArrayRef)uses, i);
			if (CFGetTypeID(use) == CFDictionaryGetTypeID() &&
			    add_time(CFDictionaryGetValue((CFDictionaryRef)use, CFSTR("accumulatedGPUTime")), ns))
				counted = true;
		}
	}
	if (uses != NULL)
		CFRelease(uses);
	if (counted)
		return true;
	CFTypeRef whole = IORegistryEntryCreateCFProperty(client, CFSTR("accumulatedGPUTime"), NULL, 0);
	counted = add_time(whole, ns);
	if (whole != NULL)
		CFRelease(whole);
	return counted;
}

// add_client writes one client; false if it does not count.
static bool add_client(io_object_t client, assay_gpu_client *to) {
	if (!client_time(client, &to->nanoseconds) || IORegistryEntryGetRegistryEntryID(client, &to->id) != KERN_SUCCESS)
		return false;
	CFTypeRef creator = IORegistryEntryCreateCFProperty(client, CFSTR("IOUserClientCreator"), NULL, 0);
	assay_copy_string(creator, to->creator, sizeof to->creator);
	if (creator != NULL)
		CFRelease(creator);
	return true;
}

// Clients are not registered as services: they are found only as children of the GPU's driver.
int assay_gpu_clients(assay_gpu_client *out, int limit, int *error) {
	@autoreleasepool {
		io_iterator_t services, clients;
		*error = IOServiceGetMatchingServices(default_port, IOServiceMatching("IOAccelerator"), &services);
		if (*error != KERN_SUCCESS)
			return -1;
		int count = 0;
		for (io_object_t gpu; (gpu = IOIteratorNext(services)) != 0;) {
			if (IORegistryEntryGetChildIterator(gpu, kIOServicePlane, &clients) == KERN_SUCCESS) {
				for (io_object_t client; (client = IOIteratorNext(clients)) != 0;) {
					if (count < limit && add_client(client, &out[count]))
						count++;
					IOObjectRelease(client);
				}
				IOObjectRelease(clients);
			}
			IOObjectRelease(gpu);
		}
		IOObjectRelease(services);
		return count;
	}
}

typedef struct {
	assay_voltage_table *out;
	int limit, count;
} tables;

static void add_table(const void *key, const void *value, void *context) {
	tables *t = context;
	if (t->count == t->limit || CFGetTypeID(value) != CFDataGetTypeID())
		return;
	assay_voltage_table *to = &t->out[t->count];
	assay_copy_string(key, to->name, sizeof to->name);
	CFIndex size = CFDataGetLength((CFDataRef)value);
	if (strncmp(to->name, "voltage-states", strlen("voltage-states")) != 0 || size > (CFIndex)sizeof to->data)
		return;
	CFDataGetBytes((CFDataRef)value, CFRangeMake(0, size), to->data);
	to->size = (int)size;
	t->count++;
}

int assay_voltage_tables(assay_voltage_table *out, int limit, int *error) {
	@autoreleasepool {
		io_iterator_t services;
		*error = IOServiceGetMatchingServices(default_port, IOServiceMatching("AppleARMIODevice"), &services);
		if (*error != KERN_SUCCESS)
			return -1;
		tables t = {out, limit, 0};
		for (io_object_t device; (device = IOIteratorNext(services)) != 0;) {
			io_name_t name;
			CFMutableDictionaryRef all = NULL;
			if (IORegistryEntryGetName(device, name) == KERN_SUCCESS && strcmp(name, "pmgr") == 0 &&
			    IORegistryEntryCreateCFProperties(device, &all, NULL, 0) == KERN_SUCCESS && all != NULL) {
				CFDictionaryApplyFunction(all, add_table, &t);
				CFRelease(all);
			}
			IOObjectRelease(device);
		}
		IOObjectRelease(services);
		return t.count;
	}
}
