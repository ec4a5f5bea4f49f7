// Memory for buffers and scratch. Large blocks are mapped and unmapped individually: malloc caches freed blocks of up to
// 32 MB, and the process would then use tens of megabytes that belong to no buffer.
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "isa.h"

#define MAPPED ((size_t)128 << 10) // minimum size of mapped blocks
#define HUGE_PAGE ((size_t)2 << 20)

static size_t whole_pages(size_t bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return ceil_div(bytes, page) * page;
}

static char *map_pages(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

// Maps more than requested, so that the block can begin at a huge page, and unmaps the rest.
static void *map_huge(size_t bytes) {
    char *all = map_pages(bytes + HUGE_PAGE);
    if (!all) return NULL;
    const size_t head = (HUGE_PAGE - (uintptr_t)all % HUGE_PAGE) % HUGE_PAGE;
    if (head > 0) munmap(all, head);
    munmap(all + head + bytes, HUGE_PAGE - head);
#if defined(__linux__)
    madvise(all + head, bytes, MADV_HUGEPAGE); // only for speed, so it may fail
#endif
    return all + head;
}

void *cpu_alloc(size_t bytes) {
    if (bytes < MAPPED) {
        void *p = NULL;
        return posix_memalign(&p, bytes >= MAPPED / 2 ? 4096 : 64, bytes) == 0 ? p : NULL;
    }
    if (bytes > SIZE_MAX / 2) return NULL;
    bytes = whole_pages(bytes);
    return bytes < 2 * HUGE_PAGE ? map_pages(bytes) : map_huge(bytes);
}

void cpu_free(void *p, size_t bytes) {
    if (bytes < MAPPED) free(p);
    else if (p) munmap(p, whole_pages(bytes));
}
