#include "smc_darwin.h"

#import <IOKit/IOKitLib.h>
#include <string.h>

// choose returns the service to open: on Apple silicon the controller has several, and one of them has the keys.
static io_service_t choose(io_iterator_t services) {
	io_service_t chosen = 0;
	for (io_service_t s; (s = IOIteratorNext(services)) != 0;) {
		io_name_t name;
		int keys = IORegistryEntryGetName(s, name) == KERN_SUCCESS && strcmp(name, "AppleSMCKeysEndpoint") == 0;
		if (chosen != 0 && !keys) {
			IOObjectRelease(s);
			continue;
		}
		if (chosen != 0)
			IOObjectRelease(chosen);
		chosen = s;
		if (keys)
			break;
	}
	return chosen;
}

uint32_t assay_smc_open(int *error) {
	@autoreleasepool {
		io_iterator_t services;
		*error = IOServiceGetMatchingServices(0, IOServiceMatching("AppleSMC"), &services);
		if (*error != KERN_SUCCESS)
			return 0;
		io_service_t service = choose(services);
		IOObjectRelease(services);
		if (service == 0)
			return 0;
		io_connect_t connection = 0;
		*error = IOServiceOpen(service, mach_task_self(), 0, &connection);
		IOObjectRelease(service);
		return *error == KERN_SUCCESS ? connection : 0;
	}
}

int assay_smc_call(uint32_t connection, const void *request, void *answer) {
	const uint32_t method = 2; // takes and returns a message
	size_t size = assay_smc_message;
	return IOConnectCallStructMethod(connection, method, request, assay_smc_message, answer, &size);
}

void assay_smc_close(uint32_t connection) { IOServiceClose(connection); }
