// The loader, simulated by io.c: a private library may be missing, or lack a symbol.

#pragma once

#define RTLD_LAZY 1
#define RTLD_LOCAL 4
#define RTLD_DEFAULT ((void *)-2)

void *sim_open(const char *path, int mode);
void *sim_symbol(void *library, const char *name);

#define dlopen sim_open
#define dlsym sim_symbol
