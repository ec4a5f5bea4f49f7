// What both halves of the simulation answer together: the loader and sysctl. Each half may be left out of a program.

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysctl.h>

#include "sim.h"

const char *sim_scenario;

int sim_has(const char *word) {
	if (sim_scenario == NULL)
		sim_scenario = getenv("MACSIM") == NULL ? "" : getenv("MACSIM");
	return strstr(sim_scenario, word) != NULL;
}

void *sim_io_symbol(const char *name) __attribute__((weak));
void *sim_foundation_symbol(const char *name) __attribute__((weak));

void *sim_open(const char *path, int mode) {
	(void)mode;
	return strcmp(path, "/usr/lib/libIOReport.dylib") == 0 && !sim_has("library") ? &sim_scenario : NULL;
}

void *sim_symbol(void *library, const char *name) {
	if (library != RTLD_DEFAULT && library != &sim_scenario)
		return NULL;
	void *found = sim_io_symbol == NULL ? NULL : sim_io_symbol(name);
	return found == NULL && sim_foundation_symbol != NULL ? sim_foundation_symbol(name) : found;
}

int sim_io_sysctl(const char *name, void *out, size_t size) __attribute__((weak));
int sim_foundation_sysctl(const char *name, void *out, size_t size) __attribute__((weak));

int sysctlbyname(const char *name, void *out, size_t *size, void *in, size_t in_size) {
	if (in == NULL && in_size == 0) {
		if (sim_io_sysctl != NULL && sim_io_sysctl(name, out, *size))
			return 0;
		if (sim_foundation_sysctl != NULL && sim_foundation_sysctl(name, out, *size))
			return 0;
	}
	errno = ENOENT;
	return -1;
}
