// Memory pressure: the kernel's level, and the notifications of its changes.

#pragma once

typedef struct assay_vm_pressure assay_vm_pressure;

typedef struct {
	int level, level_error; // 1, 2 or 4; errno
	int told;               // levels of the notifications since the previous read, one bit each
	int free, free_error;   // percent; errno
} assay_vm_pressure_levels;

// Returns NULL when there is no memory.
assay_vm_pressure *assay_vm_pressure_open(void);
void assay_vm_pressure_read(assay_vm_pressure *p, assay_vm_pressure_levels *out);
void assay_vm_pressure_close(assay_vm_pressure *p);
