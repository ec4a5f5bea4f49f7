#include "hid_darwin.h"

#import <CoreFoundation/CoreFoundation.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cf_darwin.h"

// The vendor's page and usage of a temperature sensor, and the event and field that it sends.
enum { vendor_page = 0xff00, temperature_usage = 5, temperature_event = 15, temperature_field = 15 << 16 };

typedef struct {
	CFTypeRef (*create)(CFAllocatorRef);
	int (*match)(CFTypeRef client, CFDictionaryRef);
	CFArrayRef (*services)(CFTypeRef client);
	CFTypeRef (*property)(CFTypeRef service, CFStringRef);
	CFTypeRef (*event)(CFTypeRef service, int64_t type, int32_t options, int64_t);
	double (*value)(CFTypeRef event, int32_t field);
} hid_calls;

struct assay_hid {
	hid_calls call;
	CFTypeRef client;
	CFArrayRef services;
};

static int load(hid_calls *call, char *why, int why_size) {
	struct {
		const char *name;
		void *to;
	} symbols[] = {
	    {"IOHIDEventSystemClientCreate", &call->create},
	    {"IOHIDEventSystemClientSetMatching", &call->match},
	    {"IOHIDEventSystemClientCopyServices", &call->services},
	    {"IOHIDServiceClientCopyProperty", &call->property},
	    {"IOHIDServiceClientCopyEvent", &call->event},
	    {"IOHIDEventGetFloatValue", &call->value},
	};
	for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
		void *found = dlsym(RTLD_DEFAULT, symbols[i].name);
		if (found == NULL) {
			snprintf(why, (size_t)why_size, "this macOS’s IOKit has no %s", symbols[i].name);
			return 0;
		}
		memcpy(symbols[i].to, &found, sizeof found);
	}
	return 1;
}

// match_temperatures narrows the client to temperature sensors.
static void match_temperatures(assay_hid *h) {
	int page = vendor_page, usage = temperature_usage;
	CFNumberRef numbers[] = {
	    CFNumberCreate(NULL, kCFNumberIntType, &page),
	    CFNumberCreate(NULL, kCFNumberIntType, &usage),
	};
	CFStringRef names[] = {CFSTR("PrimaryUsagePage"), CFSTR("PrimaryUsage")};
	CFDictionaryRef sensors = CFDictionaryCreate(NULL, (const void **)names, (const void **)numbers, 2,
	                                             &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
	h->call.match(h->client, sensors);
	CFRelease(sensors);
	CFRelease(numbers[0]);
	CFRelease(numbers[1]);
}

assay_hid *assay_hid_open(char *why, int why_size) {
	@autoreleasepool {
		assay_hid *h = calloc(1, sizeof *h);
		if (h == NULL) {
			snprintf(why, (size_t)why_size, "no memory for the HID system");
			return NULL;
		}
		if (!load(&h->call, why, why_size)) {
			assay_hid_close(h);
			return NULL;
		}
		h->client = h->call.create(NULL);
		if (h->client != NULL) {
			match_temperatures(h);
			h->services = h->call.services(h->client);
		}
		if (h->services == NULL || CFArrayGetCount(h->services) == 0) {
			snprintf(why, (size_t)why_size, "neither the SMC nor the HID system of this machine has a temperature sensor");
			assay_hid_close(h);
			return NULL;
		}
		return h;
	}
}

int assay_hid_sensors(assay_hid *h) { return (int)CFArrayGetCount(h->services); }

int assay_hid_read(assay_hid *h, assay_hid_temperature *out, int limit) {
	@autoreleasepool {
		int count = 0;
		for (CFIndex i = 0; i < CFArrayGetCount(h->services) && count < limit; i++) {
			CFTypeRef service = CFArrayGetValueAtIndex(h->services, i);
			CFTypeRef event = h->call.event(service, temperature_event, 0, 0);
			if (event == NULL)
				continue;
			CFTypeRef name = h->call.property(service, CFSTR("Product"));
			assay_copy_string(name, out[count].name, sizeof out[count].name);
			out[count++].celsius = h->call.value(event, temperature_field);
			if (name != NULL)
				CFRelease(name);
			CFRelease(event);
		}
		return count;
	}
}

void assay_hid_close(assay_hid *h) {
	@autoreleasepool {
		if (h->services != NULL)
			CFRelease(h->services);
		if (h->client != NULL)
			CFRelease(h->client);
		free(h);
	}
}
