// Launches: kernels are found among the rows of all families.
#include <string.h>

#include "isa.h"

static const cpu_kernel *const families[] = {
#define FAMILY(name) name##_kernels,
#include "families.h"
#undef FAMILY
};

const cpu_kernel *cpu_find(const char *op, const char *impl, int type) {
    if (type < 0 || type >= CPU_TYPES) return NULL;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        for (const cpu_kernel *k = families[i]; k->op; k++)
            if (k->types >> type & 1 && strcmp(k->op, op) == 0 && strcmp(k->impl, impl) == 0) return k;
    }
    return NULL;
}

int run_launch(cpu_stream *s, const cpu_dispatch *d, const uint32_t *words, void *const *arg) {
    const cpu_args a = {d->kernel, words + d->params, (const int32_t *)words + d->constants, arg + d->arg, d->type};
    return d->kernel->run(s, &a);
}
