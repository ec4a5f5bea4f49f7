#include "vm_darwin.h"

#include <errno.h>
#include <mach/mach.h>
#include <mach/mach_host.h>
#include <string.h>
#include <sys/sysctl.h>
#include <unistd.h>

static int read_pages(assay_vm *out) {
	vm_statistics64_data_t stats;
	mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
	mach_port_t host = mach_host_self();
	kern_return_t status = host_statistics64(host, HOST_VM_INFO64, (host_info64_t)&stats, &count);
	mach_port_deallocate(mach_task_self(), host);
	if (status != KERN_SUCCESS)
		return status;
	out->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	out->internal = stats.internal_page_count;
	out->purgeable = stats.purgeable_count;
	out->wired = stats.wire_count;
	out->compressor = stats.compressor_page_count;
	out->swapped = stats.swapins + stats.swapouts;
	return KERN_SUCCESS;
}

void assay_vm_read(assay_vm *out) {
	memset(out, 0, sizeof *out);
	out->pages_error = read_pages(out);

	size_t size = sizeof out->total;
	if (sysctlbyname("hw.memsize", &out->total, &size, NULL, 0) != 0)
		out->total_error = errno;

	struct xsw_usage swap;
	size = sizeof swap;
	if (sysctlbyname("vm.swapusage", &swap, &size, NULL, 0) != 0) {
		out->swap_error = errno;
		return;
	}
	out->swap_total = swap.xsu_total;
	out->swap_used = swap.xsu_used;
}

int assay_task_read(assay_task *out) {
	task_vm_info_data_t info;
	mach_msg_type_number_t count = TASK_VM_INFO_COUNT;
	kern_return_t status = task_info(mach_task_self(), TASK_VM_INFO, (task_info_t)&info, &count);
	if (status != KERN_SUCCESS)
		return status;
	if (count < TASK_VM_INFO_REV1_COUNT)
		return KERN_NOT_SUPPORTED; // no phys_footprint
	out->footprint = info.phys_footprint;
	out->resident = info.resident_size;
	return KERN_SUCCESS;
}
