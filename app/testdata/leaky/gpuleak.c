// A program that leaks memory of an NVIDIA GPU on purpose at a known rate, through the driver's own interface, to test the
// watch of other programs.
//
//   gpuleak WHAT RATE SECONDS    RATE in bytes a second; WHAT is leak, cache (fills with a time constant of a sixth of
//                                SECONDS), teeth (freed every tenth of SECONDS), none
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// call is a function of the driver by its name; the program ends without it.
static void *call(void *library, const char *name) {
    void *f = dlsym(library, name);
    if (!f) {
        fprintf(stderr, "gpuleak: libcuda has no %s\n", name);
        exit(3);
    }
    return f;
}

static void must(const char *what, int code) {
    if (code) {
        fprintf(stderr, "gpuleak: %s: CUDA error %d\n", what, code);
        exit(3);
    }
}

enum { block = 2 << 20 }; // what the driver takes at once

static uint64_t kept[1 << 16];

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
    if (!cuda) {
        fprintf(stderr, "gpuleak: %s\n", dlerror());
        return 3;
    }
    int (*init)(unsigned) = (int (*)(unsigned))(uintptr_t)call(cuda, "cuInit");
    int (*device)(int *, int) = (int (*)(int *, int))(uintptr_t)call(cuda, "cuDeviceGet");
    int (*retain)(void **, int) = (int (*)(void **, int))(uintptr_t)call(cuda, "cuDevicePrimaryCtxRetain");
    int (*current)(void *) = (int (*)(void *))(uintptr_t)call(cuda, "cuCtxSetCurrent");
    int (*take)(uint64_t *, size_t) = (int (*)(uint64_t *, size_t))(uintptr_t)call(cuda, "cuMemAlloc_v2");
    int (*give)(uint64_t) = (int (*)(uint64_t))(uintptr_t)call(cuda, "cuMemFree_v2");
    int card = 0;
    void *context = NULL;
    must("cuInit", init(0));
    must("cuDeviceGet", device(&card, 0));
    must("cuDevicePrimaryCtxRetain", retain(&context, card));
    must("cuCtxSetCurrent", current(context));

    const char *what = argv[1];
    double rate = atof(argv[2]), seconds = atof(argv[3]), start = now(), done = 0;
    int teeth = !strcmp(what, "teeth"), cache = !strcmp(what, "cache"), none = !strcmp(what, "none");
    unsigned n = 0, epoch = 0;
    for (double at = 0; at < seconds; at = now() - start) {
        double want = none ? 0 : cache ? rate * seconds / 6 * (1 - exp(-at / (seconds / 6))) : rate * at;
        for (; done + block <= want; done += block) {
            uint64_t p = 0;
            must("cuMemAlloc", take(&p, block));
            if (teeth && n < sizeof kept / sizeof *kept) kept[n++] = p;
        }
        if (at > (epoch + 1) * seconds / 10) {
            printf("epoch %u\n", ++epoch);
            fflush(stdout);
            while (teeth && n) must("cuMemFree", give(kept[--n]));
        }
        usleep(5000);
    }
    return 0;
}
