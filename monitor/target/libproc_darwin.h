// What macOS reports about the processes of this machine.

#pragma once

#include <stdint.h>

typedef struct {
	int pid, parent, group, threads, ended;
	uint32_t user;
	uint64_t start;       // µs since 1970
	uint64_t nanoseconds; // of processor time; 0 if not reported
	char name[64];
} assay_process;

typedef struct {
	uint64_t footprint, resident; // bytes
} assay_memory;

// assay_processes lists process IDs and returns how many there are; room for none asks for their number.
int assay_processes(int *pids, int room);
// assay_process_read returns 0, or an errno.
int assay_process_read(int pid, assay_process *out);
// assay_memory_read returns 0, or an errno.
int assay_memory_read(int pid, assay_memory *out);
// assay_handles counts open descriptors; -1 if they are not reported.
int assay_handles(int pid);
