// sysctl(3) of macOS, simulated for tests on Linux.

#pragma once

#include <stddef.h>
#include <stdint.h>

struct xsw_usage {
	uint64_t xsu_total, xsu_avail, xsu_used;
	uint32_t xsu_pagesize;
	int xsu_encrypted;
};

int sysctlbyname(const char *name, void *out, size_t *size, void *in, size_t in_size);
