// Heat, in the two forms that macOS reports.

#pragma once

#include <stdint.h>

typedef struct assay_thermal assay_thermal;

typedef struct {
	int state; // NSProcessInfoThermalState
	int worst; // of the notifications since the previous read
	uint64_t pressure;
	uint32_t pressure_error; // notify(3) status
} assay_thermal_levels;

// Returns NULL when there is no memory.
assay_thermal *assay_thermal_open(void);
void assay_thermal_read(assay_thermal *t, assay_thermal_levels *out);
void assay_thermal_close(assay_thermal *t);
