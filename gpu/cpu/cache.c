// The size from which on output stores bypass the caches.
#include <unistd.h>
#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

#include "isa.h"

#define MB ((size_t)1 << 20)

// Bytes of the last cache that cores share; 0: unknown.
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

// Caching an output for the pass that reads it next pays if the operands of both passes fit beside it: four arrays. The limit
// is 8 MB: a virtual machine reports the whole cache of a host that it shares with others, and on one with 480 MB
// non-temporal stores were faster from 12 MB on, in one pass and in two.
size_t cpu_cached_bytes(size_t cache) { return cache == 0 ? 4 * MB : max_size(2 * MB, min_size(cache / 4, 8 * MB)); }

size_t find_cached_bytes(void) { return cpu_cached_bytes(last_cache()); }
