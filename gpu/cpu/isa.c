// The instruction sets that this machine supports.
#include "isa.h"

#if defined(__x86_64__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

// The register states that the system saves for threads: bits 1 and 2 are SSE and AVX, 5 to 7 are AVX-512.
static uint32_t saved_states(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static int all_set(uint32_t word, uint32_t bits) { return (word & bits) == bits; }

// The vector extensions available, each with its instructions for byte products.
struct vectors {
    int avx2, avxvnni, avx512, vnni, bf16;
};

// Intel's processors are no faster with bfloat16 products in vectors than with float products.
static int is_amd(void) {
    uint32_t a, b, c, d;
    return __get_cpuid(0, &a, &b, &c, &d) && b == signature_AMD_ebx;
}

int stores_in_order(void) { return is_amd(); }

#define CLUSTER_CACHE ((size_t)32 << 20) // of most AMD clusters; outputs would not use more of larger ones

size_t cluster_cache(void) {
    uint32_t a, b, c, d;
    if (!is_amd()) return 0;
    if (!__get_cpuid_count(0x8000001d, 3, &a, &b, &c, &d) || (a >> 5 & 7) != 3) return CLUSTER_CACHE; // its LLC is of level 3
    const size_t line = (b & 4095) + 1, partitions = (b >> 12 & 1023) + 1, ways = (b >> 22) + 1, sets = (size_t)c + 1;
    return min_size(line * partitions * ways * sets, CLUSTER_CACHE);
}

// Executes CPUID directly, since the compilers' builtin needs a runtime library that not every linker has.
static struct vectors find_vectors(void) {
    struct vectors v = {0};
    uint32_t a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return v;
    if (!all_set(c, 1u << 12 | 1u << 27 | 1u << 28 | 1u << 29)) return v; // FMA, OSXSAVE, AVX, F16C
    if (!all_set(saved_states(), 0x06) || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return v;
    v.avx2 = all_set(b, 1u << 5);
    v.avx512 = v.avx2 && all_set(saved_states(), 0xe6) && all_set(b, 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31); // F DQ BW VL
    v.vnni = v.avx512 && all_set(c, 1u << 11);
    const int more = v.avx2 && __get_cpuid_count(7, 1, &a, &b, &c, &d);
    v.avxvnni = more && all_set(a, 1u << 4);
    v.bf16 = more && v.vnni && all_set(a, 1u << 5) && is_amd();
    return v;
}

// Reports whether AMX supports bfloat16 and int8, and the system lets this process use it, which requires a request.
static int find_amx(void) {
#if defined(__linux__)
    const long request = 0x1023, tile_data = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    uint32_t a, b, c, d;
    if (!all_set(saved_states(), 0x600e6) || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
    if (!all_set(d, 1u << 22 | 1u << 24 | 1u << 25)) return 0; // AMX-BF16, AMX-TILE, AMX-INT8
    if (!__get_cpuid_count(7, 1, &a, &b, &c, &d) || !all_set(a, 1u << 5)) return 0; // AVX-512 BF16
    return syscall(SYS_arch_prctl, request, tile_data) == 0;
#else
    return 0;
#endif
}

static const struct isa *found(int i) {
    const struct isa *list[8] = {NULL};
    int n = 0;
    const struct vectors v = find_vectors();
    if (v.vnni && find_amx()) list[n++] = &isa_amx;
    if (v.bf16) list[n++] = &isa_bf16;
    if (v.vnni) list[n++] = &isa_vnni;
    if (v.avx512) list[n++] = &isa_avx512;
    if (v.avxvnni) list[n++] = &isa_avxvnni;
    if (v.avx2) list[n++] = &isa_avx2;
    list[n++] = &isa_plain;
    return list[i];
}

#elif defined(__aarch64__)

int stores_in_order(void) { return 0; }

size_t cluster_cache(void) { return 0; }

static const struct isa *found(int i) {
    const struct isa *const list[3] = {&isa_neon, &isa_plain, NULL};
    return list[i];
}

#else

int stores_in_order(void) { return 0; }

size_t cluster_cache(void) { return 0; }

static const struct isa *found(int i) { return i == 0 ? &isa_plain : NULL; }

#endif

const struct isa *cpu_isa_at(int i) { return found(i); }

const char *cpu_isa_name(const struct isa *isa) { return isa->name; }
