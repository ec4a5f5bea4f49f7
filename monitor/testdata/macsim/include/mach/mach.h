// The kernel's counts of memory, simulated by io.c for tests on Linux.

#pragma once

#include <stdint.h>

typedef uint32_t mach_port_t, mach_msg_type_number_t;
typedef int kern_return_t;
typedef int *host_info64_t, *task_info_t;

enum { KERN_SUCCESS = 0, KERN_NOT_SUPPORTED = 46, HOST_VM_INFO64 = 4, TASK_VM_INFO = 22 };

typedef struct {
	uint32_t wire_count, purgeable_count, compressor_page_count, internal_page_count;
	uint64_t swapins, swapouts, total_uncompressed_pages_in_compressor;
} vm_statistics64_data_t;

typedef struct {
	uint64_t resident_size, phys_footprint;
} task_vm_info_data_t;

#define HOST_VM_INFO64_COUNT (sizeof(vm_statistics64_data_t) / sizeof(int))
#define TASK_VM_INFO_COUNT (sizeof(task_vm_info_data_t) / sizeof(int))
#define TASK_VM_INFO_REV1_COUNT TASK_VM_INFO_COUNT

mach_port_t mach_task_self(void);
mach_port_t mach_host_self(void);
kern_return_t mach_port_deallocate(mach_port_t task, mach_port_t name);
kern_return_t host_statistics64(mach_port_t host, int flavor, host_info64_t out, mach_msg_type_number_t *count);
kern_return_t task_info(mach_port_t task, int flavor, task_info_t out, mach_msg_type_number_t *count);
