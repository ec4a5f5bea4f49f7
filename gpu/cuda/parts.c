//go:build linux && (amd64 || arm64)

// Launches in parts. CUDA's threadgroups all have the same size. If they do not divide the grid, those at its end are smaller and
// need separate launches: along each axis a launch has either the whole threadgroups or the partial one.

#include "driver.h"

enum { WAYS = 8 }; // whole or partial, along each axis

static int whole_only(const cuda_command *c) { return !c->grid[0] && !c->grid[1] && !c->grid[2]; }

// groups_along returns how many threadgroups along an axis are whole, or partial: 1 or none.
static uint32_t groups_along(const cuda_command *c, int axis, int partial) {
    return partial ? c->grid[axis] % c->threads[axis] > 0 : c->grid[axis] / c->threads[axis];
}

// exists reports whether there is such a part: each axis has a bit in way that selects the partial threadgroups.
static int exists(const cuda_command *c, unsigned way) {
    for (int i = 0; i < 3; i++)
        if (!groups_along(c, i, way >> i & 1)) return 0;
    return 1;
}

int cuda_parts(const cuda_command *c) {
    int parts = 0;
    if (c->kind != COMMAND_LAUNCH || whole_only(c)) return 1;
    for (unsigned way = 0; way < WAYS; way++) parts += exists(c, way);
    return parts;
}

static int launch(const cuda_driver *call, const cuda_command *c, const uint32_t *groups, const uint32_t *threads, msl_part *part,
                  CUstream stream) {
    void *parameters[] = {(void *)&c->argument, part}; // the driver reads as many as the kernel has
    return call->launch(c->function, groups[0], groups[1], groups[2], threads[0], threads[1], threads[2], c->shared, stream, parameters,
                        NULL);
}

static int launch_part(const cuda_driver *call, const cuda_command *c, unsigned way, CUstream stream) {
    uint32_t groups[3], threads[3];
    msl_part part;
    for (int i = 0; i < 3; i++) {
        int partial = way >> i & 1;
        groups[i] = groups_along(c, i, partial);
        threads[i] = partial ? c->grid[i] % c->threads[i] : c->threads[i];
        part.first[i] = partial ? c->grid[i] / c->threads[i] : 0;
        part.threads[i] = c->threads[i];
        part.groups[i] = c->groups[i];
        part.grid[i] = c->grid[i];
    }
    return launch(call, c, groups, threads, &part, stream);
}

static int launch_whole(const cuda_driver *call, const cuda_command *c, CUstream stream) {
    msl_part part = {{0}, {0}, {0}, {0}};
    for (int i = 0; i < 3; i++) {
        part.threads[i] = c->threads[i];
        part.groups[i] = c->groups[i];
        part.grid[i] = c->groups[i] * c->threads[i];
    }
    return launch(call, c, c->groups, c->threads, &part, stream);
}

int cuda_launch_parts(const cuda_driver *call, const cuda_command *c, CUstream stream) {
    if (whole_only(c)) return launch_whole(call, c, stream);
    int code = CUDA_OK;
    for (unsigned way = 0; way < WAYS && !code; way++)
        if (exists(c, way)) code = launch_part(call, c, way, stream);
    return code;
}
