// The round trip of an empty kernel by the driver alone, which the engine's is compared with: cc -O2 -o bare bare.c -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char ptx[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                          ".visible .entry nothing(.param .align 16 .b8 argument[640])\n{\nret;\n}\n";

static void *driver;

static void *function(const char *name) {
    void *f = dlsym(driver, name);
    if (!f) {
        fprintf(stderr, "no %s\n", name);
        exit(1);
    }
    return f;
}

#define CALL(name, types, ...)                                                              \
    do {                                                                                    \
        static int(*f) types;                                                               \
        if (!f) f = (int(*) types)function(name);                                           \
        int code = f(__VA_ARGS__);                                                          \
        if (code) {                                                                         \
            fprintf(stderr, "%s: code %d\n", name, code);                                   \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double d = *(const double *)a - *(const double *)b;
    return d < 0 ? -1 : d > 0;
}

enum { ROUNDS = 2000 };

static void report(const char *what, double *took) {
    qsort(took, ROUNDS, sizeof *took, ascending);
    printf("%-46s %6.2f µs at best, %6.2f µs in the median\n", what, took[0], took[ROUNDS / 2]);
}

int main(void) {
    int device;
    void *context, *module, *kernel, *stream, *start, *end;
    unsigned char argument[640] = {0};
    void *parameters[] = {argument};
    double took[ROUNDS];
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    CALL("cuInit", (unsigned), 0);
    CALL("cuDeviceGet", (int *, int), &device, 0);
    CALL("cuDevicePrimaryCtxRetain", (void **, int), &context, device);
    CALL("cuCtxSetCurrent", (void *), context);
    CALL("cuModuleLoadDataEx", (void **, const void *, unsigned, int *, void **), &module, ptx, 0, NULL, NULL);
    CALL("cuModuleGetFunction", (void **, void *, const char *), &kernel, module, "nothing");
    CALL("cuStreamCreate", (void **, unsigned), &stream, 1);
    CALL("cuEventCreate", (void **, unsigned), &start, 0);
    CALL("cuEventCreate", (void **, unsigned), &end, 0);
#define LAUNCH                                                                                                             \
    CALL("cuLaunchKernel", (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, \
                            void **), kernel, 1, 1, 1, 32, 1, 1, 0, stream, parameters, NULL)
    for (int i = 0; i < ROUNDS; i++) {
        double t = now();
        LAUNCH;
        CALL("cuStreamSynchronize", (void *), stream);
        took[i] = now() - t;
    }
    report("launch, synchronize", took);
    for (int i = 0; i < ROUNDS; i++) {
        double t = now();
        CALL("cuEventRecord", (void *, void *), start, stream);
        LAUNCH;
        CALL("cuEventRecord", (void *, void *), end, stream);
        CALL("cuEventSynchronize", (void *), end);
        float milliseconds;
        CALL("cuEventElapsedTime", (float *, void *, void *), &milliseconds, start, end);
        took[i] = now() - t;
    }
    report("event, launch, event, synchronize, read time", took);
    for (int i = 0; i < ROUNDS; i++) {
        double t = now();
        for (int k = 0; k < 100; k++) LAUNCH;
        CALL("cuStreamSynchronize", (void *), stream);
        took[i] = (now() - t) / 100;
    }
    report("one of 100 launches", took);
    return 0;
}
