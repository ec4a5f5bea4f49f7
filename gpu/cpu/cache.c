// The output size from which non-temporal stores are used, and how much of an operand stays in a core's own cache.
#include <unistd.h>
#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

#include "isa.h"

#define MB ((size_t)1 << 20)

// Bytes of the LLC that cores share; 0: unknown.
static size_t last_cache(void) {
#if defined(__APPLE__)
    uint64_t bytes = 0;
    size_t size = sizeof bytes;
    return sysctlbyname("hw.l3cachesize", &bytes, &size, NULL, 0) == 0 ? (size_t)bytes : 0;
#elif defined(_SC_LEVEL3_CACHE_SIZE)
    const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return bytes > 0 ? (size_t)bytes : 0;
#else
    return 0;
#endif
}

// An output stays in the cache for its next reader if it fits there beside its inputs. On an EPYC with 32 MB, copying the same 8
// MB repeatedly was 1.4 times as fast through the caches with one thread and 3.3 times with two; with one thread non-temporal
// stores were as fast from 12 MB on, with two from 28 MB on. A virtual machine reports the whole cache of a host that it shares
// with others: where that is large, non-temporal stores were faster from a fortieth of it on, 12 MB with 480 MB, and 8 MB with
// 300 MB, where 16 threads rarely take the same rows again. AMD's processors may report the sum of the caches of all clusters of
// cores, of which a core uses one.
size_t cpu_cached_bytes(size_t cache, size_t cluster) {
    if (cluster > 0) cache = min_size(cache, cluster);
    if (cache == 0) return 4 * MB;
    if (cache > 64 * MB) return max_size(8 * MB, min_size(cache / 40, 12 * MB));
    return max_size(2 * MB, min_size(cache / 8 * 3, 12 * MB));
}

size_t find_cached_bytes(void) { return cpu_cached_bytes(last_cache(), cluster_cache()); }

// Bytes of L2; 0: unknown.
static size_t second_cache(void) {
#if defined(_SC_LEVEL2_CACHE_SIZE)
    const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? (size_t)bytes : 0;
#else
    return 0;
#endif
}

// Three quarters of it: streaming data needs room, too. With more than 800 KB GEMMs were no faster.
size_t cpu_kept_bytes(size_t cache) { return cache == 0 ? 800000 : max_size(MB / 8, min_size(cache / 4 * 3, 800000)); }

size_t find_kept_bytes(void) { return cpu_kept_bytes(second_cache()); }
