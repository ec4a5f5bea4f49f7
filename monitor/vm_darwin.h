// Memory of the host and of this process, as the kernel counts it.

#pragma once

#include <stdint.h>

typedef struct {
	uint64_t page_size, internal, purgeable, wired, compressor; // in pages, except page_size
	uint64_t swapped;                                           // pages to and from swap since boot
	uint64_t total;                                             // bytes
	uint64_t swap_total, swap_used;                             // bytes
	int pages_error;                                            // kern_return_t
	int total_error, swap_error;                                // errno
} assay_vm;

void assay_vm_read(assay_vm *out);

typedef struct {
	uint64_t footprint, resident; // bytes
} assay_task;

// assay_task_read returns a kern_return_t.
int assay_task_read(assay_task *out);
