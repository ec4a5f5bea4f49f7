//go:build linux && (amd64 || arm64)

// Memory: plain allocations, never managed ones. Memory of a lost device is never freed: the calls would not return.

#include "driver.h"

#include <malloc.h>

enum { PORTABLE = 1, MAPPED = 2 };

int cuda_allocate(cuda_device *device, uint64_t bytes, uint64_t *address) {
    return cuda_use(device)->alloc(address, bytes);
}

void cuda_free(cuda_device *device, uint64_t address) {
    if (!cuda_dead(device)) cuda_use(device)->free(address);
}

int cuda_allocate_host(cuda_device *device, uint64_t bytes, void **host, uint64_t *address) {
    const cuda_driver *call = cuda_use(device);
    int code = call->host_alloc(host, bytes, PORTABLE | MAPPED);
    if (code) return code;
    code = call->host_address(address, *host, 0);
    if (code) call->host_free(*host);
    return code;
}

void cuda_free_host(cuda_device *device, void *host) {
    if (!cuda_dead(device)) cuda_use(device)->host_free(host);
}

int cuda_wrap(cuda_device *device, void *pages, uint64_t bytes, uint64_t *address) {
    const cuda_driver *call = cuda_use(device);
    int code = call->host_register(pages, bytes, PORTABLE | MAPPED);
    if (code) return code;
    code = call->host_address(address, pages, 0);
    if (code) call->host_unregister(pages);
    return code;
}

void cuda_unwrap(cuda_device *device, void *pages) {
    if (!cuda_dead(device)) cuda_use(device)->host_unregister(pages);
}

// If the C library has no such call, freed memory may stay with the process.
void cuda_trim(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
