// Modules of the fake driver. Its PTX is a comment that names a shared object: "// object PATH" in a line of its own, and
// "// entry NAME".
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../msl/shim/cuda/abi.h"

struct cuda_function {
    char name[128];
    struct kernel *kernel;
    uint32_t allowed; // bytes of dynamic memory
    pthread_mutex_t lock; // a kernel runs one launch at a time
};

enum { PLAIN_SHARED = 49152, MOST_SHARED = 232448 };

// line copies what follows a mark up to the end of the line; 0 if there is none.
static int line(const char *text, const char *mark, char *out, size_t size) {
    const char *at = strstr(text, mark);
    if (!at) return 0;
    at += strlen(mark);
    snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
    return 1;
}

CUresult cuModuleLoadDataEx(struct cuda_function **module, const void *image, unsigned count, int *options, void **values) {
    char *log = NULL, path[4096], ignored[256];
    size_t size = 0;
    for (unsigned i = 0; i < count; i++) {
        if (options[i] == 5) log = values[i];
        if (options[i] == 6) size = (size_t)(uintptr_t)values[i];
    }
    CUresult code = current();
    if (!code) code = scripted("cuModuleLoadDataEx", OK);
    if (code) {
        if (log) snprintf(log, size, "%s", code == 218 ? "ptxas fatal: line 3; syntax error near 'nonsense'" : "");
        return code;
    }
    struct cuda_function *f = calloc(1, sizeof *f);
    if (!line(image, "// object ", path, sizeof path) || !line(image, "// entry ", f->name, sizeof f->name)) code = 218;
    if (!code && !(f->kernel = kernel_load(path, log ? log : ignored, log ? size : sizeof ignored))) code = 200;
    if (code) {
        free(f);
        return code;
    }
    pthread_mutex_init(&f->lock, NULL);
    pthread_mutex_lock(&fake_lock);
    fake_live[MODULE]++;
    pthread_mutex_unlock(&fake_lock);
    *module = f;
    return OK;
}

CUresult cuModuleUnload(struct cuda_function *module) {
    CUresult code = current();
    if (code) return code;
    kernel_unload(module->kernel);
    free(module);
    pthread_mutex_lock(&fake_lock);
    fake_live[MODULE]--;
    pthread_mutex_unlock(&fake_lock);
    return OK;
}

CUresult cuModuleGetFunction(struct cuda_function **function, struct cuda_function *module, const char *name) {
    *function = module;
    return strcmp(name, module->name) == 0 ? scripted("cuModuleGetFunction", OK) : NOT_FOUND;
}

CUresult cuFuncGetAttribute(int *value, int attribute, struct cuda_function *function) {
    (void)function;
    *value = attribute == 0 ? (int)setting("threads", 1024) : attribute == 4 ? 40 : attribute == 3 ? (int)setting("local", 0) : 0;
    return scripted("cuFuncGetAttribute", OK);
}

CUresult cuFuncSetAttribute(struct cuda_function *function, int attribute, int value) {
    if (attribute != 8 || value > MOST_SHARED) return INVALID_VALUE;
    function->allowed = (uint32_t)value;
    return scripted("cuFuncSetAttribute", OK);
}

CUresult check_launch(const struct cuda_function *function, const uint32_t groups[3], const uint32_t threads[3], uint32_t shared) {
    uint64_t all = (uint64_t)threads[0] * threads[1] * threads[2];
    if (!groups[0] || !groups[1] || !groups[2] || groups[1] > 65535 || groups[2] > 65535) return INVALID_VALUE;
    if (!all || all > 1024 || threads[2] > 64) return INVALID_VALUE;
    return shared <= PLAIN_SHARED || shared <= function->allowed ? OK : INVALID_VALUE;
}

typedef struct arguments {
    msl_launch launch;
    msl_part part;
} arguments;

size_t argument_bytes(void) { return sizeof(arguments); }

void copy_arguments(void *to, void **parameters) {
    memcpy(to, parameters[0], sizeof(msl_launch));
    memcpy((char *)to + offsetof(arguments, part), parameters[1], sizeof(msl_part));
}

// part_fits reports whether the threadgroups of a launch have the size that they have in the grid.
static int part_fits(const msl_part *p, const uint32_t groups[3], const uint32_t threads[3]) {
    for (int i = 0; i < 3; i++) {
        uint32_t left = p->grid[i] - p->first[i] * p->threads[i];
        uint32_t size = left < p->threads[i] ? left : p->threads[i];
        if (threads[i] != size || p->first[i] + groups[i] > p->groups[i] || (uint64_t)groups[i] * size > left) return 0;
    }
    return 1;
}

int run_kernel(struct cuda_function *f, const uint32_t groups[3], const uint32_t threads[3], uint32_t shared, const void *argument) {
    const msl_launch *l = &((const arguments *)argument)->launch;
    const msl_part *part = &((const arguments *)argument)->part;
    if (!part_fits(part, groups, threads)) return 700;
    uint64_t lengths[MSL_BUFFERS];
    uint32_t sizes[MSL_BUFFERS];
    char name[160], why[512];
    for (int i = 0; i < MSL_BUFFERS; i++) {
        lengths[i] = l->buffers[i] ? room(l->buffers[i]) : 0;
        if (l->buffers[i] && !lengths[i]) return 700;
        uint32_t end = shared; // arguments lie one behind the other; those but the first that start at 0 do not exist
        for (int k = i + 1; k < MSL_BUFFERS; k++)
            if (l->threadgroups[k] > l->threadgroups[i] && l->threadgroups[k] < end) end = l->threadgroups[k];
        sizes[i] = i == 0 || l->threadgroups[i] ? end - l->threadgroups[i] : 0;
    }
    snprintf(name, sizeof name, "run:%s", f->name);
    int code = scripted(name, OK);
    if (code) return code;
    pthread_mutex_lock(&f->lock);
    int failed = kernel_run(f->kernel, groups, part, l->buffers, lengths, sizes, MSL_BUFFERS, why, sizeof why);
    pthread_mutex_unlock(&f->lock);
    if (failed) fprintf(stderr, "fake CUDA: kernel %s: %s\n", f->name, why);
    return failed ? 700 : OK;
}
