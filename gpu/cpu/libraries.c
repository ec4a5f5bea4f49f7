// Platform libraries with a GEMM in the BLAS interface.
#include "libraries.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROW_MAJOR = 101, AS_IS = 111, TRANSPOSED = 112 }; // of cblas.h

typedef void sgemm_fn(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float *a, int lda,
                      const float *b, int ldb, float beta, float *c, int ldc);

struct blas {
    const char *impl, *title, *file;
    sgemm_fn *sgemm;
    void (*set_threads)(int); // NULL: it has none
    int (*threads)(void);     // that it uses
    char *(*config)(void), *(*core)(void);
    char why[256]; // why it cannot be opened
};

static struct blas libraries[] = {
    {"openblas", "OpenBLAS", "libopenblas.so.0"},
#if defined(__APPLE__)
    {"accelerate", "Accelerate", "/System/Library/Frameworks/Accelerate.framework/Accelerate"},
#else
    {"accelerate", "Accelerate", .why = "not available: Accelerate is part of macOS"},
#endif
};
enum { LIBRARIES = sizeof libraries / sizeof libraries[0] };

// A library stays loaded: its threads cannot be stopped. One lock is held while a library is opened, the other from setting its
// number of threads to the end of a GEMM.
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER, multiplying = PTHREAD_MUTEX_INITIALIZER;

// Makes the threads of a library sleep soon after they become idle. Otherwise they spin, and slow down the next measurement.
static void sleep_when_idle(void) {
    setenv("OPENBLAS_THREAD_TIMEOUT", "4", 0); // a power of 2 of clock cycles; 26 if unset
    setenv("OMP_WAIT_POLICY", "passive", 0);
}

// A core that OpenBLAS knows and that has the instructions of this one; NULL: none newer than its fallback.
static const char *core_like_this(void) {
#if defined(__x86_64__)
    for (int i = 0; cpu_isa_at(i); i++) {
        if (cpu_isa_at(i) == &isa_avx512) return "SkylakeX";
        if (cpu_isa_at(i) == &isa_avx2) return "Haswell";
    }
#endif
    return NULL;
}

// OpenBLAS takes a processor newer than itself for one with SSE3, and then runs at a fifth to a third of its speed. It chooses
// its code when it is loaded, so it is loaded again with the name of a similar core, unless the user has named one.
static void *open_for_this_core(const char *file) {
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    char *(*core)(void) = handle ? (char *(*)(void))dlsym(handle, "openblas_get_corename") : NULL;
    const char *like = core_like_this();
    if (!core || strcmp(core(), "Prescott") != 0 || !like || getenv("OPENBLAS_CORETYPE")) return handle;
    setenv("OPENBLAS_CORETYPE", like, 1);
    dlclose(handle);
    return dlopen(file, RTLD_NOW | RTLD_LOCAL);
}

static void open_blas(struct blas *l) {
    sleep_when_idle();
    void *handle = open_for_this_core(l->file);
    if (!handle) {
        snprintf(l->why, sizeof l->why, "not available: %s cannot be opened: %s", l->title, dlerror());
        return;
    }
    l->set_threads = (void (*)(int))dlsym(handle, "openblas_set_num_threads");
    l->threads = (int (*)(void))dlsym(handle, "openblas_get_num_threads");
    l->config = (char *(*)(void))dlsym(handle, "openblas_get_config");
    l->core = (char *(*)(void))dlsym(handle, "openblas_get_corename");
    if (l->config && strstr(l->config(), "USE64BITINT")) {
        snprintf(l->why, sizeof l->why, "not available: %s takes sizes of 64 bits, and not the usual 32", l->file);
        return;
    }
    l->sgemm = (sgemm_fn *)dlsym(handle, "cblas_sgemm");
    if (!l->sgemm) snprintf(l->why, sizeof l->why, "not available: %s has no cblas_sgemm", l->file);
}

// The library of an implementation, opened if possible; NULL if no library has that name.
static struct blas *blas_of(const char *impl) {
    for (int i = 0; i < LIBRARIES; i++) {
        struct blas *l = &libraries[i];
        if (strcmp(l->impl, impl) != 0) continue;
        pthread_mutex_lock(&opening);
        if (!l->sgemm && !l->why[0]) open_blas(l);
        pthread_mutex_unlock(&opening);
        return l;
    }
    return NULL;
}

const char *cpu_library_lacks(const char *impl, int threads) {
    const struct blas *l = blas_of(impl);
    if (!l) return "";
    if (!l->sgemm) return l->why;
    if (!l->set_threads && threads != sysconf(_SC_NPROCESSORS_ONLN)) return "not available: the library’s number of threads cannot be set";
    return NULL;
}

// Makes the library use as many threads as the engine, if it can, and returns how many it uses. The caller holds the lock.
static int use_threads(const struct blas *l, int threads) {
    if (l->set_threads && (!l->threads || l->threads() != threads)) l->set_threads(threads);
    return l->threads ? l->threads() : threads; // it may have been built for fewer
}

void cpu_library_name(const char *impl, int threads, char *name, size_t size) {
    const struct blas *l = blas_of(impl);
    name[0] = 0;
    if (!l || !l->sgemm) return;
    int version = 0; // "OpenBLAS 0.3.21 NO_LAPACKE …": up to the second space
    const char *config = l->config ? l->config() : l->title;
    for (int spaces = 0; config[version]; version++) {
        if (config[version] == ' ' && ++spaces == 2) break;
    }
    const char *core = l->core ? l->core() : "unknown core";
    pthread_mutex_lock(&multiplying);
    const int used = use_threads(l, threads);
    pthread_mutex_unlock(&multiplying);
    if (l->set_threads) snprintf(name, size, "%.*s, %s, %d threads", version, config, core, used);
    else snprintf(name, size, "%.*s, as many threads as it chooses", version, config);
}

int run_library(cpu_stream *s, const struct gemm *g, const char *impl) {
    struct blas *l = blas_of(impl);
    if (!l || !l->sgemm) return 0;
    if (g->m == 0 || g->n == 0) return 1;
    const int m = (int)g->m, n = (int)g->n, k = (int)g->k, at_least = k > 0 ? k : 1;
    pthread_mutex_lock(&multiplying); // the number of threads is global, and must not change during the call
    if (use_threads(l, pool_threads(stream_pool(s))) > 1) pool_elsewhere(stream_pool(s));
    l->sgemm(ROW_MAJOR, g->a_cols ? TRANSPOSED : AS_IS, g->b_rows ? TRANSPOSED : AS_IS, m, n, k, 1, g->a, g->a_cols ? m : at_least,
             g->b, g->b_rows ? at_least : n, 0, g->out, n);
    pthread_mutex_unlock(&multiplying);
    return 1;
}
