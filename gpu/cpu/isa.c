// Which instruction sets this machine runs.
#include "isa.h"

#if defined(__x86_64__)

static const struct isa *found(int i) {
    const struct isa *list[4] = {NULL};
    int n = 0;
    __builtin_cpu_init();
    const int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const int avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (avx512) list[n++] = &isa_avx512;
    if (avx2) list[n++] = &isa_avx2; // every processor with AVX2 has F16C
    list[n++] = &isa_plain;
    return list[i];
}

#elif defined(__aarch64__)

static const struct isa *found(int i) {
    const struct isa *const list[3] = {&isa_neon, &isa_plain, NULL};
    return list[i];
}

#else

static const struct isa *found(int i) { return i == 0 ? &isa_plain : NULL; }

#endif

const struct isa *cpu_isa_at(int i) { return found(i); }

const char *cpu_isa_name(const struct isa *isa) { return isa->name; }
