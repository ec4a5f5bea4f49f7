// The interface between the simulator and its compiler, which is in Go.
#ifndef ASSAY_SIM_KERNEL_H
#define ASSAY_SIM_KERNEL_H

#include <stdint.h>

enum { SIM_SLOTS = 31 };

// A function constant, by name, or by index if the name is empty.
typedef struct sim_constant {
    int32_t index;
    char name[64];
    uint32_t bytes;
    unsigned char value[32];
} sim_constant;

// A compiled entry point. The names are those of arguments that must be bound; NULL if there is none.
typedef struct sim_kernel {
    uintptr_t handle;
    uint32_t max_threads; // 0: the device's
    char *buffers[SIM_SLOTS];
    char *threadgroups[SIM_SLOTS];
} sim_kernel;

typedef struct sim_launch {
    uint32_t groups[3], threads[3];
    uint32_t grid[3]; // 0 if threads fill the groups
    void *buffers[SIM_SLOTS];
    uint64_t lengths[SIM_SLOTS];
    uint64_t threadgroups[SIM_SLOTS];
} sim_launch;

enum { SIM_DONE = 0, SIM_FAULT = 1, SIM_FAILED = 2 };

#endif
