// A machine with a GPU, a power manager, an SMC, temperature sensors and IOReport's channels. Words of the scenario take
// something away: "library", "symbol", "groups", "subscription", "sample", "smc", "sensors", "kernel". "live" lets time pass,
// ten times as fast as outside, and has the SMC know keys.

#include "sim.h"

#include <IOKit/IOKitLib.h>
#include <mach/mach_time.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysctl.h>
#include <time.h>
#include <unistd.h>

// Of 24 MHz.
uint64_t mach_absolute_time(void) {
	struct timespec t;
	if (!sim_has("live"))
		return 24000000;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)(((double)t.tv_sec + (double)t.tv_nsec * 1e-9) * 240e6);
}

int mach_timebase_info(mach_timebase_info_data_t *out) {
	*out = (mach_timebase_info_data_t){125, 3};
	return 0;
}

// ---- the kernel

mach_port_t mach_host_self(void) {
	sim_live++;
	return 9;
}

kern_return_t mach_port_deallocate(mach_port_t task, mach_port_t name) {
	sim_live -= task == 1 && name == 9;
	return KERN_SUCCESS;
}

kern_return_t host_statistics64(mach_port_t host, int flavor, host_info64_t out, mach_msg_type_number_t *count) {
	if (host != 9 || flavor != HOST_VM_INFO64 || *count != HOST_VM_INFO64_COUNT || sim_has("kernel"))
		return 5;
	*(vm_statistics64_data_t *)out = (vm_statistics64_data_t){150, 20, 90, 400, 30, 12, 999};
	return KERN_SUCCESS;
}

kern_return_t task_info(mach_port_t task, int flavor, task_info_t out, mach_msg_type_number_t *count) {
	if (task != 1 || flavor != TASK_VM_INFO)
		return 5;
	*(task_vm_info_data_t *)out = (task_vm_info_data_t){3000, 7000};
	*count = sim_has("kernel") ? 2 : TASK_VM_INFO_COUNT; // an old kernel fills in less
	return KERN_SUCCESS;
}

int sim_io_sysctl(const char *name, void *out, size_t size) {
	if (sim_has("kernel"))
		return 0;
	if (strcmp(name, "hw.memsize") == 0 && size == sizeof(uint64_t)) {
		*(uint64_t *)out = 17179869184;
		return 1;
	}
	if (strcmp(name, "vm.swapusage") == 0 && size == sizeof(struct xsw_usage)) {
		*(struct xsw_usage *)out = (struct xsw_usage){2048, 1536, 512, 4096, 1};
		return 1;
	}
	return 0;
}

// ---- services

enum { iterator = 100, child_iterator = 101, connection = 200 };

typedef struct {
	const char *class, *name;
	_Atomic int refs;
} service;

static service services[] = {
    {"IOAccelerator", "AGXAcceleratorG14X", 0}, {"IOAccelerator", "bare", 0},     {"AppleARMIODevice", "uart0", 0},
    {"AppleARMIODevice", "pmgr", 0},            {"AppleSMC", "AppleSMCBridge", 0}, {"AppleSMC", "AppleSMCKeysEndpoint", 0},
    {"AppleSMC", "AppleSMCOther", 0},        {"client", "own", 0},           {"client", "window", 0},
    {"client", "intel", 0},                  {"client", "uncounted", 0},
};
enum { service_count = sizeof services / sizeof services[0] };

// Iterators are of the thread that made them: sources read side by side.
static _Thread_local char wanted_class[64];
static _Thread_local int next_service, next_child;

mach_port_t mach_task_self(void) { return 1; }

CFMutableDictionaryRef IOServiceMatching(const char *name) {
	CFMutableDictionaryRef d = sim_dictionary();
	sim_put(d, "IOProviderClass", sim_string(name));
	return d;
}

// Takes the caller's hold on matching, as IOKit does.
kern_return_t IOServiceGetMatchingServices(mach_port_t port, CFDictionaryRef matching, io_iterator_t *out) {
	CFStringGetCString(CFDictionaryGetValue(matching, CFSTR("IOProviderClass")), wanted_class, sizeof wanted_class, kCFStringEncodingUTF8);
	CFRelease(matching);
	if (port != 0)
		return 5;
	next_service = 0;
	sim_live++;
	*out = iterator;
	return KERN_SUCCESS;
}

io_object_t IOIteratorNext(io_iterator_t it) {
	if (it != iterator && it != child_iterator)
		abort();
	int *next = it == iterator ? &next_service : &next_child;
	while (*next < service_count) {
		service *s = &services[(*next)++];
		if (strcmp(s->class, it == iterator ? wanted_class : "client") != 0 || (sim_has("smc") && strcmp(s->class, "AppleSMC") == 0))
			continue;
		s->refs++;
		sim_live++;
		return (io_object_t)(s - services) + 1;
	}
	return 0;
}

static service *service_of(io_object_t o) {
	if (o == 0 || o > service_count || services[o - 1].refs <= 0) {
		fprintf(stderr, "object %u is not held\n", o);
		abort();
	}
	return &services[o - 1];
}

kern_return_t IOObjectRelease(io_object_t o) {
	if (o != iterator && o != child_iterator)
		service_of(o)->refs--;
	sim_live--;
	return KERN_SUCCESS;
}

kern_return_t IORegistryEntryGetName(io_object_t o, io_name_t name) {
	strcpy(name, service_of(o)->name);
	return KERN_SUCCESS;
}

kern_return_t IORegistryEntryGetRegistryEntryID(io_object_t o, uint64_t *id) {
	*id = 4294967296 + (uint64_t)(service_of(o) - services);
	return KERN_SUCCESS;
}

// Only the first GPU has clients.
kern_return_t IORegistryEntryGetChildIterator(io_object_t o, const char *plane, io_iterator_t *out) {
	if (strcmp(plane, kIOServicePlane) != 0)
		return 5;
	next_child = strcmp(service_of(o)->name, "AGXAcceleratorG14X") == 0 ? 0 : service_count;
	sim_live++;
	*out = child_iterator;
	return KERN_SUCCESS;
}

// In the time since the start the GPU works a quarter for this process, a fifth for the window server, and a twentieth for a
// program that uses it through another driver.
static CFTypeRef client_property(const char *name, CFStringRef key) {
	double ns = (double)mach_absolute_time() / (sim_has("live") ? 240e6 : 24e6) * 1e9;
	char creator[64];
	if (key == CFSTR("IOUserClientCreator")) {
		if (strcmp(name, "own") != 0)
			return sim_string("pid 533, WindowServer");
		snprintf(creator, sizeof creator, "pid %d, assay", (int)getpid());
		return sim_string(creator);
	}
	if (strcmp(name, "intel") == 0)
		return key == CFSTR("accumulatedGPUTime") ? sim_number(ns / 20) : NULL;
	if (key != CFSTR("AppUsage"))
		return NULL;
	CFMutableArrayRef uses = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
	for (int i = 0; i < 2; i++) {
		CFMutableDictionaryRef use = sim_dictionary();
		sim_put(use, "API", sim_string("Metal"));
		if (strcmp(name, "uncounted") != 0)
			sim_put(use, "accumulatedGPUTime", sim_number(strcmp(name, "own") == 0 ? ns / 8 : ns / 10));
		sim_append(uses, use);
	}
	sim_append(uses, sim_string("not a dictionary"));
	return uses;
}

CFTypeRef IORegistryEntryCreateCFProperty(io_object_t o, CFStringRef key, CFAllocatorRef a, uint32_t options) {
	(void)a, (void)options;
	if (strcmp(service_of(o)->class, "client") == 0)
		return client_property(service_of(o)->name, key);
	if (strcmp(service_of(o)->name, "AGXAcceleratorG14X") != 0 ||
	    key != CFSTR("PerformanceStatistics"))
		return NULL;
	CFMutableDictionaryRef d = sim_dictionary();
	sim_put(d, "Device Utilization %", sim_number(21));
	sim_put(d, "In use system memory", sim_number(351141888));
	sim_put(d, "lastRecoveryName", sim_string("none"));
	return d;
}

kern_return_t IORegistryEntryCreateCFProperties(io_object_t o, CFMutableDictionaryRef *out, CFAllocatorRef a, uint32_t options) {
	(void)a, (void)options;
	const unsigned char table[] = {0, 0, 0, 0, 0x90, 1, 0, 0, 0, 0xf2, 0x76, 0x1a, 0x6a, 2, 0, 0};
	char big[2048] = {0};
	if (strcmp(service_of(o)->name, "pmgr") != 0)
		return 5;
	*out = sim_dictionary();
	sim_put(*out, "voltage-states9", sim_data(table, sizeof table));
	sim_put(*out, "voltage-states-big", sim_data(big, sizeof big));
	sim_put(*out, "voltage-states-count", sim_number(2));
	sim_put(*out, "clock-gates", sim_data(table, sizeof table));
	return KERN_SUCCESS;
}

kern_return_t IOServiceOpen(io_service_t s, task_port_t task, uint32_t type, io_connect_t *out) {
	if (task != 1 || type != 0 || strcmp(service_of(s)->name, "AppleSMCKeysEndpoint") != 0)
		return 5;
	sim_live++;
	*out = connection;
	return KERN_SUCCESS;
}

kern_return_t IOServiceClose(io_connect_t c) {
	if (c != connection)
		abort();
	sim_live--;
	return KERN_SUCCESS;
}

// answer_smc answers as the controller does: how many keys, the key of an index, what a key is, and its value.
static void answer_smc(const unsigned char *in, unsigned char *out) {
	static const struct {
		uint32_t key, type;
		float value;
	} keys[] = {{'#KEY', 'ui32', 0}, {'PSTR', 'flt ', 38.25f}, {'Tg0f', 'flt ', 44.5f}, {'Tp01', 'flt ', 58.75f}};
	const uint32_t count = sizeof keys / sizeof keys[0], four = 4;
	uint32_t key, index;
	memcpy(&key, in, 4);
	memcpy(&index, in + 44, 4);
	if (in[42] == 8) {
		if (index < count)
			memcpy(out, &keys[index].key, 4);
		out[40] = index < count ? 0 : 0x84;
		return;
	}
	out[40] = 0x84;
	for (uint32_t i = 0; i < count; i++) {
		if (keys[i].key != key)
			continue;
		out[40] = 0;
		memcpy(out + 28, &four, 4);
		memcpy(out + 32, &keys[i].type, 4);
		memcpy(out + 48, &keys[i].value, 4);
		if (i == 0)
			memcpy(out + 48, (unsigned char[]){0, 0, 0, (unsigned char)count}, 4);
	}
}

kern_return_t IOConnectCallStructMethod(mach_port_t c, uint32_t method, const void *in, size_t in_size, void *out, size_t *out_size) {
	if (c != connection || method != 2 || in_size != 80 || *out_size != 80)
		return 0x10000003;
	if (sim_has("live")) {
		answer_smc(in, out);
		return KERN_SUCCESS;
	}
	for (size_t i = 0; i < in_size; i++)
		((unsigned char *)out)[i] = (unsigned char)(((const unsigned char *)in)[i] + 1);
	return KERN_SUCCESS;
}

// ---- the HID system

static CFTypeRef hid_create(CFAllocatorRef a) {
	(void)a;
	return sim_opaque();
}

static int hid_match(CFTypeRef client, CFDictionaryRef d) {
	double page = 0, usage = 0;
	(void)client;
	CFNumberGetValue(CFDictionaryGetValue(d, CFSTR("PrimaryUsagePage")), kCFNumberDoubleType, &page);
	CFNumberGetValue(CFDictionaryGetValue(d, CFSTR("PrimaryUsage")), kCFNumberDoubleType, &usage);
	if (page != 0xff00 || usage != 5)
		abort();
	return 0;
}

static CFArrayRef hid_services(CFTypeRef client) {
	const char *names[] = {"GPU MTR Temp Sensor1", "silent", "pACC MTR Temp Sensor0"};
	(void)client;
	CFMutableArrayRef all = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
	for (int i = 0; i < 3 && !sim_has("sensors"); i++) {
		CFMutableDictionaryRef sensor = sim_dictionary();
		sim_put(sensor, "Product", sim_string(names[i]));
		sim_append(all, sensor);
	}
	return all;
}

static CFTypeRef hid_property(CFTypeRef sensor, CFStringRef key) { return CFRetain(CFDictionaryGetValue(sensor, key)); }

static CFTypeRef hid_event(CFTypeRef sensor, int64_t type, int32_t options, int64_t timestamp) {
	char name[64];
	(void)options, (void)timestamp;
	CFStringGetCString(CFDictionaryGetValue(sensor, CFSTR("Product")), name, sizeof name, kCFStringEncodingUTF8);
	return type == 15 && strcmp(name, "silent") != 0 ? sim_number(40 + name[0] % 8) : NULL;
}

static double hid_value(CFTypeRef event, int32_t field) {
	double v = 0;
	CFNumberGetValue(event, kCFNumberDoubleType, &v);
	return field == 15 << 16 ? v : -1;
}

// ---- IOReport

static CFDictionaryRef channel(const char *group, const char *subgroup, const char *name, const char *unit) {
	CFMutableDictionaryRef d = sim_dictionary();
	sim_put(d, "group", sim_string(group));
	if (subgroup != NULL)
		sim_put(d, "subgroup", sim_string(subgroup));
	sim_put(d, "name", sim_string(name));
	sim_put(d, "unit", sim_string(unit));
	return d;
}

static CFMutableDictionaryRef report_channels(CFStringRef group, CFStringRef subgroup, uint64_t a, uint64_t b, uint64_t c) {
	(void)a, (void)b, (void)c;
	if (sim_has("groups"))
		return NULL;
	CFMutableArrayRef all = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
	if (group == CFSTR("Energy Model") && subgroup == NULL) {
		sim_append(all, channel("Energy Model", NULL, "CPU Energy", "mJ   "));
		sim_append(all, channel("Energy Model", NULL, "ISP", "mJ   "));
		sim_append(all, channel("Energy Model", NULL, "GPU Energy", "nJ"));
	} else if (group == CFSTR("GPU Stats") && subgroup == CFSTR("GPU Performance States")) {
		sim_append(all, channel("GPU Stats", "GPU Performance States", "GPUPH", "24Mticks"));
	}
	CFMutableDictionaryRef d = sim_dictionary();
	sim_put(d, "QueryOpts", sim_number(0));
	sim_put(d, "IOReportChannels", all);
	return d;
}

static void *report_subscribe(void *a, CFMutableDictionaryRef wanted, CFMutableDictionaryRef *got, uint64_t b, CFTypeRef c) {
	(void)a, (void)b, (void)c;
	if (sim_has("subscription") || CFDictionaryGetValue(wanted, CFSTR("QueryOpts")) == NULL)
		return NULL;
	*got = wanted;
	return (void *)sim_opaque();
}

// A sample is a dictionary of copies of the channels, with records: 20 W of the processor and 30 W of the GPU.
static CFDictionaryRef report_sample(void *subscription, CFMutableDictionaryRef wanted, CFTypeRef a) {
	(void)a;
	if (subscription == NULL || sim_has("sample"))
		return NULL;
	unsigned char record[192] = {[16] = 1};
	uint64_t stamp = mach_absolute_time();
	CFArrayRef channels = CFDictionaryGetValue(wanted, CFSTR("IOReportChannels"));
	CFMutableArrayRef rows = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
	for (CFIndex i = 0; i < CFArrayGetCount(channels); i++) {
		CFMutableDictionaryRef row = CFDictionaryCreateMutableCopy(NULL, 0, CFArrayGetValueAtIndex(channels, i));
		int64_t energy = !sim_has("live") ? 42 : i == 0 ? (int64_t)(stamp / 24e6 * 20e3) : (int64_t)(stamp / 24e6 * 30e9);
		memcpy(record + 24, &stamp, sizeof stamp);
		memcpy(record + 32, &energy, sizeof energy);
		sim_put(row, "RawElements", sim_data(record, i == 0 || sim_has("live") ? 64 : sizeof record));
		sim_append(rows, row);
	}
	CFMutableDictionaryRef d = sim_dictionary();
	sim_put(d, "IOReportChannels", rows);
	return d;
}

static CFStringRef report_group(CFDictionaryRef c) { return CFDictionaryGetValue(c, CFSTR("group")); }
static CFStringRef report_subgroup(CFDictionaryRef c) { return CFDictionaryGetValue(c, CFSTR("subgroup")); }
static CFStringRef report_name(CFDictionaryRef c) { return CFDictionaryGetValue(c, CFSTR("name")); }
static CFStringRef report_unit(CFDictionaryRef c) { return CFDictionaryGetValue(c, CFSTR("unit")); }

static int64_t report_value(CFDictionaryRef c, int32_t index) {
	if (report_subgroup(c) != NULL)
		abort(); // not a simple channel
	unsigned char record[192];
	int64_t value;
	CFDataRef raw = CFDictionaryGetValue(c, CFSTR("RawElements"));
	CFDataGetBytes(raw, CFRangeMake(0, CFDataGetLength(raw)), record);
	memcpy(&value, record + 32, sizeof value);
	return index == 0 ? value : INT64_MIN;
}

static int32_t report_states(CFDictionaryRef c) {
	if (report_subgroup(c) == NULL)
		abort(); // not a channel of states
	return 40;
}

static CFStringRef report_state(CFDictionaryRef c, int32_t i) {
	(void)c;
	return i == 0 ? CFSTR("OFF") : i == 1 ? CFSTR("P1") : CFSTR("a name that is far too long");
}

static int64_t report_residency(CFDictionaryRef c, int32_t i) {
	(void)c;
	if (sim_has("live"))
		return i == 0 ? (int64_t)mach_absolute_time() / 4 : i == 1 ? (int64_t)mach_absolute_time() / 4 * 3 : 0;
	return 1000 + i;
}

// ---- the symbols

static const struct {
	const char *name;
	void *call;
} symbols[] = {
    {"IOHIDEventSystemClientCreate", hid_create},
    {"IOHIDEventSystemClientSetMatching", hid_match},
    {"IOHIDEventSystemClientCopyServices", hid_services},
    {"IOHIDServiceClientCopyProperty", hid_property},
    {"IOHIDServiceClientCopyEvent", hid_event},
    {"IOHIDEventGetFloatValue", hid_value},
    {"IOReportCopyChannelsInGroup", report_channels},
    {"IOReportCreateSubscription", report_subscribe},
    {"IOReportCreateSamples", report_sample},
    {"IOReportChannelGetGroup", report_group},
    {"IOReportChannelGetSubGroup", report_subgroup},
    {"IOReportChannelGetChannelName", report_name},
    {"IOReportChannelGetUnitLabel", report_unit},
    {"IOReportSimpleGetIntegerValue", report_value},
    {"IOReportStateGetCount", report_states},
    {"IOReportStateGetNameForIndex", report_state},
    {"IOReportStateGetResidency", report_residency},
};

void *sim_io_symbol(const char *name) {
	if (sim_has("symbol") && (strstr(name, "Float") != NULL || strstr(name, "Residency") != NULL))
		return NULL;
	for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
		if (strcmp(symbols[i].name, name) == 0)
			return symbols[i].call;
	return NULL;
}
