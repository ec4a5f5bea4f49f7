// Runs the readers that need Foundation and prints what they give, and what they left behind.

#include "activity_darwin.h"
#include "thermalstate_darwin.h"
#include "vmpressure_darwin.h"

#include <stdio.h>

#include "sim.h"

static void show_heat(assay_thermal *t) {
	assay_thermal_levels l;
	assay_thermal_read(t, &l);
	printf("state %d, worst %d, pressure %d, error %u\n", l.state, l.worst, (int)l.pressure, l.pressure_error);
}

static void heat(void) {
	assay_thermal *t = assay_thermal_open();
	show_heat(t);
	sim_heat(3, 0, 1);
	sim_heat(2, 0, 1);
	sim_heat(1, 2, 0);
	show_heat(t);
	show_heat(t);
	assay_thermal_close(t);
	sim_heat(2, 2, 1); // nobody hears it
}

static void show_pressure(assay_vm_pressure *p) {
	assay_vm_pressure_levels l;
	assay_vm_pressure_read(p, &l);
	printf("level %d, error %d, told %d, free %d, error %d\n", l.level, l.level_error, l.told, l.free, l.free_error);
}

static void pressure(void) {
	assay_vm_pressure *p = assay_vm_pressure_open();
	sim_press(2);
	sim_press(1 | 4); // several come at once
	show_pressure(p);
	show_pressure(p);
	assay_vm_pressure_close(p);
	sim_press(4);
}

static void activity(void) {
	void *a = assay_activity_begin("measuring");
	void *unnamed = assay_activity_begin("");
	printf("held %d\n", sim_held());
	assay_activity_end(a);
	assay_activity_end(unnamed);
}

int main(int argc, char **argv) {
	if (argc > 1)
		sim_scenario = argv[1];
	heat();
	printf("left %d\n", sim_held());
	pressure();
	printf("left %d\n", sim_held());
	activity();
	printf("left %d\n", sim_held());
	return 0;
}
