//go:build linux && (amd64 || arm64)

// Opening the driver's library, and querying its devices.

#define _GNU_SOURCE
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double cuda_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const struct {
    const char *symbol;
    size_t at; // in cuda_driver
    int needed;
} functions[] = {
#define X(member, symbol, needed, arguments) {symbol, offsetof(cuda_driver, member), needed},
    CUDA_FUNCTIONS(X)
#undef X
};

// load fills in the functions; 0, with the reason in why, if the library lacks a required one.
static int load(cuda_driver *driver, void *library, const char *path, char *why, size_t size) {
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(library, functions[i].symbol);
        if (!function && functions[i].needed) {
            snprintf(why, size, "%s has no %s: NVIDIA’s driver is too old", path, functions[i].symbol);
            return 0;
        }
        memcpy((char *)driver + functions[i].at, &function, sizeof function);
    }
    return 1;
}

// The opened libraries, which stay loaded: a driver cannot be unloaded safely, and its state belongs to the process.
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static cuda_driver *opened;

static cuda_driver *open_new(const char *path, char *why, size_t size) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *text = dlerror();
        snprintf(why, size, "%s", text ? text : path);
        return NULL;
    }
    cuda_driver *driver = calloc(1, sizeof *driver);
    char *name = strdup(path);
    if (!driver || !name || !load(driver, library, path, why, size)) {
        free(driver);
        free(name);
        return NULL;
    }
    driver->path = name;
    driver->status = driver->init(0);
    driver->next = opened;
    return opened = driver;
}

cuda_driver *cuda_driver_open(const char *path, int *code, char *why, size_t size) {
    pthread_mutex_lock(&opening);
    cuda_driver *driver = opened;
    while (driver && strcmp(driver->path, path) != 0) driver = driver->next;
    if (!driver) driver = open_new(path, why, size);
    if (driver) *code = driver->status;
    pthread_mutex_unlock(&opening);
    return driver;
}

const char *cuda_code_name(const cuda_driver *driver, int code) {
    const char *text = NULL;
    return driver->error_name(code, &text) == CUDA_OK && text ? text : "an unknown error";
}

const char *cuda_code_text(const cuda_driver *driver, int code) {
    const char *text = NULL;
    return driver->error_text(code, &text) == CUDA_OK && text ? text : "no description";
}

int cuda_driver_lost(const cuda_driver *driver) { return atomic_load(&((cuda_driver *)driver)->lost); }

void cuda_driver_lose(cuda_driver *driver, int code) {
    int none = 0;
    atomic_compare_exchange_strong(&driver->lost, &none, code);
}

int cuda_driver_count(const cuda_driver *driver, int *count) { return driver->device_count(count); }

// Numbers of CUdevice_attribute, and where their values go.
static const struct {
    int attribute;
    size_t at; // in cuda_facts
} attributes[] = {
    {1, offsetof(cuda_facts, max_threads)},     {2, offsetof(cuda_facts, max_block[0])},
    {3, offsetof(cuda_facts, max_block[1])},    {4, offsetof(cuda_facts, max_block[2])},
    {5, offsetof(cuda_facts, max_grid[0])},     {6, offsetof(cuda_facts, max_grid[1])},
    {7, offsetof(cuda_facts, max_grid[2])},     {8, offsetof(cuda_facts, shared)},
    {10, offsetof(cuda_facts, warp)},           {16, offsetof(cuda_facts, multiprocessors)},
    {18, offsetof(cuda_facts, integrated)},     {19, offsetof(cuda_facts, maps_host)},
    {20, offsetof(cuda_facts, compute_mode)},
    {32, offsetof(cuda_facts, ecc)},            {33, offsetof(cuda_facts, pci_bus)},
    {34, offsetof(cuda_facts, pci_device)},     {38, offsetof(cuda_facts, l2)},
    {50, offsetof(cuda_facts, pci_domain)},     {75, offsetof(cuda_facts, major)},
    {76, offsetof(cuda_facts, minor)},          {97, offsetof(cuda_facts, shared_optin)},
};

int cuda_describe(const cuda_driver *driver, int ordinal, cuda_facts *facts) {
    CUdevice device;
    size_t memory = 0;
    memset(facts, 0, sizeof *facts);
    int code = driver->device_get(&device, ordinal);
    if (!code) code = driver->device_name(facts->name, sizeof facts->name, device);
    if (!code) code = driver->device_memory(&memory, device);
    if (!code) code = driver->version(&facts->version);
    facts->memory = memory;
    for (size_t i = 0; !code && i < sizeof attributes / sizeof attributes[0]; i++) {
        int value = 0;
        code = driver->device_attribute(&value, attributes[i].attribute, device);
        memcpy((char *)facts + attributes[i].at, &value, sizeof value);
    }
    if (!code && (driver->device_attribute(&facts->memory_clock, 36, device) || driver->device_attribute(&facts->memory_bus, 37, device)))
        facts->memory_clock = 0; // only required for the share of peak bandwidth
    CUuuid uuid;
    if (!code && driver->device_uuid && driver->device_uuid(&uuid, device) == CUDA_OK) {
        memcpy(facts->uuid, uuid.bytes, sizeof facts->uuid);
        facts->has_uuid = 1;
    }
    return code;
}

int cuda_device_open(cuda_driver *driver, int ordinal, cuda_device **out) {
    cuda_device *device = calloc(1, sizeof *device);
    if (!device) return CUDA_NO_HOST_MEMORY;
    device->driver = driver;
    device->call = driver;
    int code = driver->device_get(&device->device, ordinal);
    if (!code) code = driver->retain_context(&device->context, device->device);
    if (code) {
        free(device);
        return code;
    }
    *out = device;
    return CUDA_OK;
}

// A closed device keeps its few bytes: events and the like may be released later.
void cuda_device_close(cuda_device *device) {
    if (!cuda_dead(device)) device->call->release_context(device->device);
    atomic_store(&device->closed, 1);
}

void cuda_device_stop(cuda_device *device) { atomic_store(&device->stopped, 1); }

int cuda_device_memory(cuda_device *device, uint64_t *free_bytes, uint64_t *total) {
    size_t left = 0, all = 0;
    int code = cuda_use(device)->memory_info(&left, &all);
    *free_bytes = left;
    *total = all;
    return code;
}
