// sysctl(3) of macOS, simulated by foundation.m for tests on Linux.

#pragma once

#include <stddef.h>

int sysctlbyname(const char *name, void *out, size_t *size, void *in, size_t in_size);
