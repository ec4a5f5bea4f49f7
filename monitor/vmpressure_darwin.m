#include "vmpressure_darwin.h"

#import <dispatch/dispatch.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/sysctl.h>

struct assay_vm_pressure {
	dispatch_source_t source; // NULL if the system refused it: polling continues
	atomic_int told;          // levels of the notifications since the previous read, one bit each
};

// The block runs on the source's queue, at utility priority. It only records the level: walking through memory would add to the
// pressure.
assay_vm_pressure *assay_vm_pressure_open(void) {
	@autoreleasepool {
		assay_vm_pressure *p = calloc(1, sizeof *p);
		if (p == NULL)
			return NULL;
		atomic_init(&p->told, 0);
		dispatch_source_t source = dispatch_source_create(
		    DISPATCH_SOURCE_TYPE_MEMORYPRESSURE, 0,
		    DISPATCH_MEMORYPRESSURE_NORMAL | DISPATCH_MEMORYPRESSURE_WARN | DISPATCH_MEMORYPRESSURE_CRITICAL,
		    dispatch_get_global_queue(QOS_CLASS_UTILITY, 0));
		if (source == NULL)
			return p;
		p->source = source;
		dispatch_source_set_event_handler(source, ^{
			atomic_fetch_or(&p->told, (int)dispatch_source_get_data(source));
		});
		dispatch_source_set_cancel_handler(source, ^{
			free(p); // no event handler is running anymore
		});
		dispatch_activate(source);
		return p;
	}
}

static int read_int(const char *name, int *out) {
	size_t size = sizeof *out;
	return sysctlbyname(name, out, &size, NULL, 0) == 0 ? 0 : errno;
}

void assay_vm_pressure_read(assay_vm_pressure *p, assay_vm_pressure_levels *out) {
	out->level = out->free = 0;
	out->level_error = read_int("kern.memorystatus_vm_pressure_level", &out->level);
	out->free_error = read_int("kern.memorystatus_level", &out->free);
	out->told = atomic_exchange(&p->told, 0);
}

void assay_vm_pressure_close(assay_vm_pressure *p) {
	if (p->source == NULL) {
		free(p);
		return;
	}
	@autoreleasepool {
		dispatch_source_t source = p->source;
		dispatch_source_cancel(source); // frees p when the handlers are done
		dispatch_release(source);
	}
}
