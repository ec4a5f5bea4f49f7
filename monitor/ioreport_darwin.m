#include "ioreport_darwin.h"

#import <CoreFoundation/CoreFoundation.h>
#include <dlfcn.h>
#include <mach/mach_time.h>
#include <stdio.h>
#include <stdlib.h>

#include "cf_darwin.h"

#define ENERGY_GROUP "Energy Model"

// The part of the private library that is used.
typedef struct {
	CFMutableDictionaryRef (*copy_channels)(CFStringRef group, CFStringRef subgroup, uint64_t, uint64_t, uint64_t);
	void *(*subscribe)(void *, CFMutableDictionaryRef wanted, CFMutableDictionaryRef *got, uint64_t, CFTypeRef);
	CFDictionaryRef (*sample)(void *subscription, CFMutableDictionaryRef channels, CFTypeRef);
	CFStringRef (*group)(CFDictionaryRef);
	CFStringRef (*subgroup)(CFDictionaryRef);
	CFStringRef (*name)(CFDictionaryRef);
	CFStringRef (*unit)(CFDictionaryRef);
	int64_t (*value)(CFDictionaryRef, int32_t);
	int32_t (*state_count)(CFDictionaryRef);
	CFStringRef (*state_name)(CFDictionaryRef, int32_t);
	int64_t (*residency)(CFDictionaryRef, int32_t);
} report_calls;

struct assay_report {
	void *library;
	report_calls call;
	CFMutableArrayRef all; // channels of the groups
	CFMutableDictionaryRef wanted;
	void *subscription; // a CoreFoundation object
};

static int load(assay_report *r, char *why, int why_size) {
	r->library = dlopen("/usr/lib/libIOReport.dylib", RTLD_LAZY | RTLD_LOCAL);
	if (r->library == NULL) {
		snprintf(why, (size_t)why_size, "this macOS has no libIOReport");
		return 0;
	}
	struct {
		const char *name;
		void *to;
	} symbols[] = {
	    {"IOReportCopyChannelsInGroup", &r->call.copy_channels},
	    {"IOReportCreateSubscription", &r->call.subscribe},
	    {"IOReportCreateSamples", &r->call.sample},
	    {"IOReportChannelGetGroup", &r->call.group},
	    {"IOReportChannelGetSubGroup", &r->call.subgroup},
	    {"IOReportChannelGetChannelName", &r->call.name},
	    {"IOReportChannelGetUnitLabel", &r->call.unit},
	    {"IOReportSimpleGetIntegerValue", &r->call.value},
	    {"IOReportStateGetCount", &r->call.state_count},
	    {"IOReportStateGetNameForIndex", &r->call.state_name},
	    {"IOReportStateGetResidency", &r->call.residency},
	};
	for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
		void *found = dlsym(r->library, symbols[i].name);
		if (found == NULL) {
			snprintf(why, (size_t)why_size, "this macOS’s libIOReport has no %s", symbols[i].name);
			return 0;
		}
		memcpy(symbols[i].to, &found, sizeof found);
	}
	return 1;
}

// channels_of is the array in a dictionary of channels or of a sample, or NULL.
static CFArrayRef channels_of(CFDictionaryRef d) {
	CFTypeRef a = d == NULL ? NULL : CFDictionaryGetValue(d, CFSTR("IOReportChannels"));
	return a != NULL && CFGetTypeID(a) == CFArrayGetTypeID() ? (CFArrayRef)a : NULL;
}

// The dictionary of the first group that exists is used to subscribe: it contains more than channels.
static void list_group(assay_report *r, CFStringRef group, CFStringRef subgroup) {
	CFMutableDictionaryRef d = r->call.copy_channels(group, subgroup, 0, 0, 0);
	if (d == NULL)
		return;
	CFArrayRef a = channels_of(d);
	if (a != NULL)
		CFArrayAppendArray(r->all, a, CFRangeMake(0, CFArrayGetCount(a)));
	if (a != NULL && r->wanted == NULL)
		r->wanted = CFDictionaryCreateMutableCopy(NULL, 0, d);
	CFRelease(d);
}

assay_report *assay_report_open(char *why, int why_size) {
	@autoreleasepool {
		assay_report *r = calloc(1, sizeof *r);
		if (r == NULL) {
			snprintf(why, (size_t)why_size, "no memory for IOReport");
			return NULL;
		}
		if (!load(r, why, why_size)) {
			assay_report_close(r);
			return NULL;
		}
		r->all = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
		list_group(r, CFSTR(ENERGY_GROUP), NULL);
		list_group(r, CFSTR("GPU Stats"), CFSTR("GPU Performance States"));
		if (r->wanted == NULL) {
			snprintf(why, (size_t)why_size, "this machine’s drivers publish neither energy nor GPU states");
			assay_report_close(r);
			return NULL;
		}
		return r;
	}
}

int assay_report_channels(assay_report *r) { return (int)CFArrayGetCount(r->all); }

static void names(assay_report *r, CFDictionaryRef channel, assay_report_row *out) {
	assay_copy_string(r->call.group(channel), out->group, sizeof out->group);
	assay_copy_string(r->call.subgroup(channel), out->subgroup, sizeof out->subgroup);
	assay_copy_string(r->call.name(channel), out->channel, sizeof out->channel);
	assay_copy_string(r->call.unit(channel), out->unit, sizeof out->unit);
}

void assay_report_channel(assay_report *r, int index, assay_report_row *out) {
	@autoreleasepool {
		memset(out, 0, sizeof *out);
		names(r, CFArrayGetValueAtIndex(r->all, index), out);
	}
}

int assay_report_subscribe(assay_report *r, const int *indices, int count) {
	@autoreleasepool {
		CFMutableArrayRef some = CFArrayCreateMutable(NULL, count, &kCFTypeArrayCallBacks);
		for (int i = 0; i < count; i++)
			CFArrayAppendValue(some, CFArrayGetValueAtIndex(r->all, indices[i]));
		CFDictionarySetValue(r->wanted, CFSTR("IOReportChannels"), some);
		CFRelease(some);
		CFMutableDictionaryRef got = NULL; // ownership is undocumented: it is not released
		r->subscription = r->call.subscribe(NULL, r->wanted, &got, 0, NULL);
		return r->subscription != NULL;
	}
}

// element copies the driver's record, whose layout is defined in XNU's IOReportTypes.h.
static void element(CFDictionaryRef channel, assay_report_row *out) {
	CFTypeRef raw = CFDictionaryGetValue(channel, CFSTR("RawElements"));
	if (raw == NULL || CFGetTypeID(raw) != CFDataGetTypeID())
		return;
	if (CFDataGetLength((CFDataRef)raw) != assay_report_element)
		return;
	CFDataGetBytes((CFDataRef)raw, CFRangeMake(0, assay_report_element), out->element);
	out->element_size = assay_report_element;
}

// Energy is a simple value; in the other group only the times of states are listed.
static void values(assay_report *r, CFDictionaryRef channel, assay_report_row *out) {
	if (strcmp(out->group, ENERGY_GROUP) == 0) {
		out->value = r->call.value(channel, 0);
		element(channel, out);
		return;
	}
	int32_t states = r->call.state_count(channel);
	out->states = states < 0 ? 0 : states < assay_report_states ? states : assay_report_states;
	for (int i = 0; i < out->states; i++) {
		assay_copy_string(r->call.state_name(channel, i), out->state[i], sizeof out->state[i]);
		out->residency[i] = r->call.residency(channel, i);
	}
}

int assay_report_sample(assay_report *r, assay_report_row *out, int limit, uint64_t *ticks) {
	@autoreleasepool {
		CFDictionaryRef sample = r->call.sample(r->subscription, r->wanted, NULL);
		*ticks = mach_absolute_time();
		CFArrayRef rows = channels_of(sample);
		if (rows == NULL) {
			if (sample != NULL)
				CFRelease(sample);
			return -1;
		}
		int count = (int)CFArrayGetCount(rows);
		count = count < limit ? count : limit;
		for (int i = 0; i < count; i++) {
			CFDictionaryRef channel = CFArrayGetValueAtIndex(rows, i);
			memset(&out[i], 0, sizeof out[i]);
			names(r, channel, &out[i]);
			values(r, channel, &out[i]);
		}
		CFRelease(sample);
		return count;
	}
}

void assay_report_tick(uint32_t *numer, uint32_t *denom) {
	mach_timebase_info_data_t info = {0, 0};
	mach_timebase_info(&info);
	*numer = info.numer;
	*denom = info.denom;
}

static void drop(CFTypeRef object) {
	if (object != NULL)
		CFRelease(object);
}

// The library stays open: its objects may outlive the reader.
void assay_report_close(assay_report *r) {
	@autoreleasepool {
		drop(r->subscription);
		drop(r->wanted);
		drop(r->all);
		free(r);
	}
}
