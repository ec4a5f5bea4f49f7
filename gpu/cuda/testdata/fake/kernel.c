// Kernels of the fake driver, run by the executor of gpu/msl/exec.
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>

#include "../../../msl/exec/exec.h"

struct kernel {
    exec_module module;
};

struct kernel *kernel_load(const char *path, char *why, size_t size) {
    struct kernel *k = calloc(1, sizeof *k);
    if (exec_load(&k->module, path, why, size) == 0) return k;
    free(k);
    return NULL;
}

void kernel_unload(struct kernel *k) {
    exec_unload(&k->module);
    free(k);
}

int kernel_run(struct kernel *k, const uint32_t groups[3], const msl_part *part, const uint64_t *buffers, const uint64_t *lengths,
               const uint32_t *sizes, int count, char *why, size_t size) {
    volatile int32_t cancel = 0;
    exec_launch l = {.workers = 1, .cancel = &cancel};
    exec_trap trap = {0};
    for (int i = 0; i < 3; i++) {
        l.threads[i] = part->threads[i];
        l.grid[i] = part->grid[i];
        l.first[i] = part->first[i];
        l.count[i] = groups[i];
    }
    for (int i = 0; i < count; i++) {
        l.buffers[i] = (void *)(uintptr_t)buffers[i];
        l.lengths[i] = lengths[i];
        l.threadgroup[i] = sizes[i];
    }
    if (exec_run(&k->module, &l, &trap) == 0) return 0;
    snprintf(why, size, "%s", trap.message);
    return -1;
}
