#include "nvml_linux.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(assay_nvml_field) == 40 && offsetof(assay_nvml_field, value) == 32, "nvmlFieldValue_t");
_Static_assert(sizeof(assay_nvml_use) == 32 && offsetof(assay_nvml_use, percent) == 16, "nvmlProcessUtilizationSample_t");
_Static_assert(sizeof(assay_nvml_metric) == 40 && offsetof(assay_nvml_metric, value) == 8, "nvmlGpmMetric_t");
_Static_assert(sizeof(assay_nvml_process) == 24, "nvmlProcessInfo_v2_t");

void *assay_nvml_load(const char *library, char *why, int size) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) snprintf(why, (size_t)size, "%s", dlerror());
    return handle;
}

void assay_nvml_unload(void *library) { dlclose(library); }

void *assay_nvml_symbol(void *library, const char *name) { return dlsym(library, name); }

// A data pointer is converted to a function pointer through an integer: ISO C has no cast between them.
#define AS(type, f) ((type)(uintptr_t)(f))

int assay_nvml_plain(void *f) { return AS(int (*)(void), f)(); }

int assay_nvml_version(void *f, char *text, uint32_t size) { return AS(int (*)(char *, unsigned), f)(text, size); }

const char *assay_nvml_error(void *f, int code) { return AS(const char *(*)(int), f)(code); }

int assay_nvml_count(void *f, uint32_t *count) { return AS(int (*)(unsigned *), f)(count); }

int assay_nvml_at(void *f, uint32_t index, void **card) { return AS(int (*)(unsigned, void **), f)(index, card); }

int assay_nvml_by_id(void *f, const char *id, void **card) { return AS(int (*)(const char *, void **), f)(id, card); }

int assay_nvml_text(void *f, void *card, char *text, uint32_t size) {
    return AS(int (*)(void *, char *, unsigned), f)(card, text, size);
}

int assay_nvml_u32(void *f, void *card, uint64_t *value) {
    unsigned v = 0;
    int code = AS(int (*)(void *, unsigned *), f)(card, &v);
    *value = v;
    return code;
}

int assay_nvml_u64(void *f, void *card, uint64_t *value) {
    unsigned long long v = 0;
    int code = AS(int (*)(void *, unsigned long long *), f)(card, &v);
    *value = v;
    return code;
}

int assay_nvml_chosen(void *f, void *card, uint32_t which, uint64_t *value) {
    unsigned v = 0;
    int code = AS(int (*)(void *, unsigned, unsigned *), f)(card, which, &v);
    *value = v;
    return code;
}

int assay_nvml_pair(void *f, void *card, uint32_t which, uint64_t *value) {
    struct { unsigned part[2]; } v = {{0, 0}};
    int code = AS(int (*)(void *, void *), f)(card, &v);
    *value = v.part[which & 1];
    return code;
}

// The second version counts the driver's reserved memory separately; the first counts it as used.
int assay_nvml_memory(void *f, void *card, int version, uint64_t *used, uint64_t *total) {
    struct { unsigned version; unsigned long long total, reserved, free, used; } v2 = {0};
    struct { unsigned long long total, free, used; } v1 = {0};
    v2.version = (unsigned)(sizeof v2 | 2u << 24);
    int code = AS(int (*)(void *, void *), f)(card, version == 2 ? (void *)&v2 : (void *)&v1);
    *used = version == 2 ? v2.used : v1.used;
    *total = version == 2 ? v2.total : v1.total;
    return code;
}

int assay_nvml_fields(void *f, void *card, assay_nvml_field *fields, int count) {
    return AS(int (*)(void *, int, assay_nvml_field *), f)(card, count, fields);
}

int assay_nvml_gpm_support(void *f, void *card, uint32_t *has) {
    struct { unsigned version, has; } v = {1, 0};
    int code = AS(int (*)(void *, void *), f)(card, &v);
    *has = v.has;
    return code;
}

// A sample is a structure of one pointer, and is passed as that pointer.
int assay_nvml_gpm_alloc(void *f, void **sample) { return AS(int (*)(void **), f)(sample); }

int assay_nvml_gpm_free(void *f, void *sample) { return AS(int (*)(void *), f)(sample); }

int assay_nvml_gpm_take(void *f, void *card, void *sample) { return AS(int (*)(void *, void *), f)(card, sample); }

// Newer drivers support more metrics, so their structure is longer with the same version: this has more room than any declares.
int assay_nvml_gpm_metrics(void *f, void *older, void *newer, uint32_t count, const uint32_t *ids, int32_t *codes, double *values) {
    struct {
        unsigned version, count;
        void *older, *newer;
        assay_nvml_metric metrics[512];
    } v = {.version = 1, .count = count, .older = older, .newer = newer};
    for (uint32_t i = 0; i < count; i++) v.metrics[i].id = ids[i];
    int code = AS(int (*)(void *), f)(&v);
    for (uint32_t i = 0; i < count; i++) codes[i] = v.metrics[i].code, values[i] = v.metrics[i].value;
    return code;
}

int assay_nvml_uses(void *f, void *card, assay_nvml_use *uses, uint32_t *count, uint64_t since) {
    return AS(int (*)(void *, assay_nvml_use *, unsigned *, unsigned long long), f)(card, uses, count, since);
}

int assay_nvml_processes(void *f, void *card, assay_nvml_process *list, uint32_t *count) {
    return AS(int (*)(void *, unsigned *, assay_nvml_process *), f)(card, count, list);
}
