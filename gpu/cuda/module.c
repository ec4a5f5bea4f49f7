//go:build linux && (amd64 || arm64)

// Kernels: PTX that the driver compiles for its device.

#include "driver.h"

// Numbers of CUjit_option and CUfunction_attribute.
enum { JIT_INFO_LOG = 3, JIT_INFO_LOG_BYTES = 4, JIT_ERROR_LOG = 5, JIT_ERROR_LOG_BYTES = 6 };
enum { FUNCTION_MAX_THREADS = 0, FUNCTION_SHARED = 1, FUNCTION_LOCAL = 3, FUNCTION_REGISTERS = 4, FUNCTION_MAX_DYNAMIC = 8 };

int cuda_module_load(cuda_device *device, const char *ptx, cuda_module **module, char *log, size_t size) {
    int options[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES};
    void *values[] = {log, (void *)(uintptr_t)(size - 1)};
    log[0] = 0;
    int code = cuda_use(device)->module_load(module, ptx, 2, options, values);
    log[size - 1] = 0;
    return code;
}

int cuda_module_function(cuda_device *device, cuda_module *module, const char *entry, cuda_function **function,
                         cuda_function_facts *facts) {
    const cuda_driver *call = cuda_use(device);
    int code = call->module_function(function, module, entry);
    if (!code) code = call->function_get(&facts->max_threads, FUNCTION_MAX_THREADS, *function);
    if (!code) code = call->function_get(&facts->shared, FUNCTION_SHARED, *function);
    if (!code) code = call->function_get(&facts->local, FUNCTION_LOCAL, *function);
    if (!code) code = call->function_get(&facts->registers, FUNCTION_REGISTERS, *function);
    return code;
}

int cuda_function_allow_shared(cuda_device *device, cuda_function *function, uint32_t bytes) {
    return cuda_use(device)->function_set(function, FUNCTION_MAX_DYNAMIC, (int)bytes);
}

void cuda_module_unload(cuda_device *device, cuda_module *module) {
    if (!cuda_dead(device)) cuda_use(device)->module_unload(module);
}
