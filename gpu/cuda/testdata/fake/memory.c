// Devices, contexts and memory of the fake driver.
#define _GNU_SOURCE
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fake_live[KINDS];

static const char *const names[KINDS] = {"device allocations", "host allocations", "wrapped pages", "streams", "events", "modules", "contexts", "graphs"};

void fake_ledger(void) {
    const char *path = getenv("FAKE_CUDA_LEDGER");
    FILE *f = path ? fopen(path, "w") : NULL;
    if (!f) return;
    for (int i = 0; i < KINDS; i++)
        if (fake_live[i]) fprintf(f, "%s: %d\n", names[i], fake_live[i]);
    fclose(f);
}

CUresult cuInit(unsigned flags) { return scripted("cuInit", flags ? INVALID_VALUE : OK); }

CUresult cuDriverGetVersion(int *version) {
    *version = 13000;
    return OK;
}

CUresult cuGetErrorName(CUresult code, const char **text) {
    static _Thread_local char name[32];
    snprintf(name, sizeof name, "FAKE_ERROR_%d", code);
    *text = name;
    return OK;
}

CUresult cuGetErrorString(CUresult code, const char **text) {
    (void)code;
    *text = "as scripted";
    return OK;
}

CUresult cuDeviceGetCount(int *count) {
    *count = (int)setting("devices", 1);
    return scripted("cuDeviceGetCount", *count ? OK : 100);
}

CUresult cuDeviceGet(int *device, int ordinal) {
    *device = ordinal;
    return ordinal < setting("devices", 1) ? OK : 101;
}

CUresult cuDeviceGetName(char *name, int size, int device) {
    snprintf(name, (size_t)size, "Fake GPU %d", device);
    return OK;
}

CUresult cuDeviceGetUuid_v2(unsigned char uuid[16], int device) {
    for (int i = 0; i < 16; i++) uuid[i] = (unsigned char)(16 * device + i);
    return OK;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, int device) {
    (void)device;
    *bytes = (size_t)setting("memory", 1 << 30);
    return OK;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, int device) {
    static const struct {
        int attribute, value;
    } known[] = {{1, 1024}, {2, 1024}, {3, 1024}, {4, 64}, {5, 0x7fffffff}, {6, 65535}, {7, 65535}, {8, 49152}, {10, 32},
                 {16, 4}, {19, 1}, {32, 1}, {34, 7}, {36, 1000000}, {37, 512}, {38, 1 << 20}, {76, 0}, {97, 232448}};
    *value = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].attribute == attribute) *value = known[i].value;
    if (attribute == 33) *value = device + 1;
    if (attribute == 75) *value = (int)setting(device ? "second_major" : "major", 9);
    if (attribute == 18) *value = (int)setting("integrated", 0);
    if (attribute == 20) *value = (int)setting("compute_mode", 0);
    if (attribute == 10) *value = (int)setting("warp", 32);
    return scripted("cuDeviceGetAttribute", OK);
}

// The only context, how often it is retained, and whether it is current on a thread.
static int retained;
static _Thread_local int is_current;

CUresult cuDevicePrimaryCtxRetain(void **context, int device) {
    static int it;
    (void)device;
    int code = scripted("cuDevicePrimaryCtxRetain", OK);
    pthread_mutex_lock(&fake_lock);
    if (!code) retained++, fake_live[CONTEXT]++;
    pthread_mutex_unlock(&fake_lock);
    *context = &it;
    return code;
}

CUresult cuDevicePrimaryCtxRelease_v2(int device) {
    (void)device;
    pthread_mutex_lock(&fake_lock);
    retained--;
    fake_live[CONTEXT]--;
    if (!retained) fake_ledger();
    pthread_mutex_unlock(&fake_lock);
    return OK;
}

CUresult cuCtxSetCurrent(void *context) {
    is_current = context != NULL;
    return OK;
}

CUresult current(void) {
    if (!is_current || !retained) return INVALID_CONTEXT;
    return fake_fault;
}

// Allocations, in no order.
typedef struct block {
    char *at;
    size_t bytes;
    enum kind kind;
    struct block *next;
} block;

static block *blocks;
static size_t taken; // bytes of the device

static void add(char *at, size_t bytes, enum kind kind) {
    block *b = malloc(sizeof *b);
    *b = (block){at, bytes, kind, blocks};
    blocks = b;
    fake_live[kind]++;
    if (kind == DEVICE) taken += bytes;
}

static CUresult drop(char *at, enum kind kind) {
    CUresult code = current();
    if (code) return code;
    code = INVALID_VALUE;
    pthread_mutex_lock(&fake_lock);
    for (block **p = &blocks; *p; p = &(*p)->next) {
        block *b = *p;
        if (b->at != at || b->kind != kind) continue;
        *p = b->next;
        fake_live[kind]--;
        if (kind == DEVICE) taken -= b->bytes;
        if (kind != WRAPPED) free(b->at);
        free(b);
        code = OK;
        break;
    }
    pthread_mutex_unlock(&fake_lock);
    return code;
}

uint64_t room(CUdeviceptr address) {
    uint64_t left = 0;
    pthread_mutex_lock(&fake_lock);
    for (block *b = blocks; b && !left; b = b->next) {
        uint64_t start = (uint64_t)(uintptr_t)b->at;
        if (address >= start && address < start + b->bytes) left = start + b->bytes - address;
    }
    pthread_mutex_unlock(&fake_lock);
    return left;
}

static CUresult allocate(char **at, size_t bytes, enum kind kind) {
    size_t limit = (size_t)setting("memory", 1 << 30);
    void *memory = NULL;
    pthread_mutex_lock(&fake_lock);
    int fits = bytes && (kind != DEVICE || (bytes <= limit && taken <= limit - bytes));
    if (fits && !posix_memalign(&memory, 4096, bytes)) add(memory, bytes, kind);
    pthread_mutex_unlock(&fake_lock);
    if (!memory) return bytes ? NO_MEMORY : INVALID_VALUE;
    memset(memory, 0xFF, bytes);
    *at = memory;
    return OK;
}

CUresult cuMemGetInfo_v2(size_t *left, size_t *total) {
    CUresult code = current();
    *total = (size_t)setting("memory", 1 << 30);
    *left = *total - taken;
    return code ? code : scripted("cuMemGetInfo_v2", OK);
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
    char *at = NULL;
    CUresult code = current();
    if (!code) code = scripted("cuMemAlloc_v2", OK);
    if (!code) code = allocate(&at, bytes, DEVICE);
    *address = (CUdeviceptr)(uintptr_t)at;
    return code;
}

CUresult cuMemFree_v2(CUdeviceptr address) { return drop((char *)(uintptr_t)address, DEVICE); }

CUresult cuMemHostAlloc(void **host, size_t bytes, unsigned flags) {
    CUresult code = current();
    if (!code && !(flags & 2)) code = INVALID_VALUE; // not mapped
    if (!code) code = scripted("cuMemHostAlloc", OK);
    return code ? code : allocate((char **)host, bytes, HOST);
}

CUresult cuMemFreeHost(void *host) { return drop(host, HOST); }

CUresult cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags) {
    CUresult code = current();
    if (!code && !(flags & 2)) code = INVALID_VALUE;
    if (!code) code = scripted("cuMemHostRegister_v2", OK);
    if (code) return code;
    pthread_mutex_lock(&fake_lock);
    add(host, bytes, WRAPPED);
    pthread_mutex_unlock(&fake_lock);
    return OK;
}

CUresult cuMemHostUnregister(void *host) { return drop(host, WRAPPED); }

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *host, unsigned flags) {
    (void)flags;
    *address = (CUdeviceptr)(uintptr_t)host;
    return room(*address) ? scripted("cuMemHostGetDevicePointer_v2", OK) : INVALID_VALUE;
}
