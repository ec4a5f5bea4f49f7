// NVIDIA's management library (NVML), opened at run time: our own declarations for what is called, according to the documented ABI.
#ifndef ASSAY_NVML_LINUX_H
#define ASSAY_NVML_LINUX_H

#include <stdint.h>

// assay_nvml_field is the value of one field; the layout is that of nvmlFieldValue_t.
typedef struct {
    uint32_t id, scope;
    int64_t stamp, latency; // µs
    int32_t type;           // 0 double, 1 uint, 2 ulong, 3 uint64, 4 int64, 5 int, 6 ushort
    int32_t status;
    union {
        double real;
        int32_t i32;
        uint32_t u32;
        uint64_t u64;
        int64_t i64;
        uint16_t u16;
    } value;
} assay_nvml_field;

// assay_nvml_use is a process's recent usage; the layout is that of nvmlProcessUtilizationSample_t.
typedef struct {
    uint32_t pid;
    uint64_t stamp;                              // µs
    uint32_t percent, memory, encoder, decoder; // of the multiprocessors' time, …
} assay_nvml_use;

// assay_nvml_metric is one of the GPU's performance monitoring counters; the layout is that of nvmlGpmMetric_t.
typedef struct {
    uint32_t id;
    int32_t code;  // as functions return
    double value;  // valid if code is 0
    char *names[3]; // short, long, unit
} assay_nvml_metric;

// assay_nvml_process is a process that has a context; the layout is that of nvmlProcessInfo_v2_t.
typedef struct {
    uint32_t pid;
    uint64_t memory;
    uint32_t gpu_instance, compute_instance;
} assay_nvml_process;

// assay_nvml_load opens a library; NULL: why holds the reason.
void *assay_nvml_load(const char *library, char *why, int size);
void assay_nvml_unload(void *library);
// assay_nvml_symbol returns a function of the library; NULL if it has none with that name.
void *assay_nvml_symbol(void *library, const char *name);

// The functions below call a symbol. They return NVML's code: 0 for success.
int assay_nvml_plain(void *f);                               // nvmlInit_v2, nvmlShutdown
int assay_nvml_version(void *f, char *text, uint32_t size);  // nvmlSystemGetDriverVersion
const char *assay_nvml_error(void *f, int code);             // nvmlErrorString
int assay_nvml_count(void *f, uint32_t *count);              // nvmlDeviceGetCount_v2
int assay_nvml_at(void *f, uint32_t index, void **card);     // nvmlDeviceGetHandleByIndex_v2
int assay_nvml_by_id(void *f, const char *id, void **card);  // nvmlDeviceGetHandleByUUID
int assay_nvml_text(void *f, void *card, char *text, uint32_t size);              // nvmlDeviceGetName, nvmlDeviceGetUUID
int assay_nvml_u32(void *f, void *card, uint64_t *value);                         // one unsigned int
int assay_nvml_u64(void *f, void *card, uint64_t *value);                         // one unsigned long long
int assay_nvml_chosen(void *f, void *card, uint32_t which, uint64_t *value);      // one of several of a kind
int assay_nvml_pair(void *f, void *card, uint32_t which, uint64_t *value);        // of nvmlUtilization_t, 0 or 1
int assay_nvml_memory(void *f, void *card, int version, uint64_t *used, uint64_t *total);
int assay_nvml_fields(void *f, void *card, assay_nvml_field *fields, int count);
int assay_nvml_gpm_support(void *f, void *card, uint32_t *has); // nvmlGpmQueryDeviceSupport
int assay_nvml_gpm_alloc(void *f, void **sample);
int assay_nvml_gpm_free(void *f, void *sample);
int assay_nvml_gpm_take(void *f, void *card, void *sample); // nvmlGpmSampleGet
int assay_nvml_gpm_metrics(void *f, void *older, void *newer, uint32_t count, const uint32_t *ids, int32_t *codes, double *values);
int assay_nvml_uses(void *f, void *card, assay_nvml_use *uses, uint32_t *count, uint64_t since);
int assay_nvml_processes(void *f, void *card, assay_nvml_process *list, uint32_t *count);

#endif
