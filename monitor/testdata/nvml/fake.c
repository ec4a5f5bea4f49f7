// A libnvidia-ml.so.1 without a GPU, for tests. What its functions answer stands in the file that NVML_FAKE names, one a line:
// the function, which value of several is asked, the code it returns, and the value.
//
//     nvmlDeviceGetPowerUsage 0 0 451320
//     nvmlDeviceGetFieldValues 82 3 0
//
// A function that is not in the file is not supported. With -DOLD the library lacks what older drivers lack.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long u64;

static int answer(const char *function, unsigned which, u64 *value) {
    const char *path = getenv("NVML_FAKE");
    FILE *f = path ? fopen(path, "r") : NULL;
    char line[256], name[96];
    int code = 3, status;
    unsigned selector;
    u64 v;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "%95s %u %d %llu", name, &selector, &status, &v) == 4 && !strcmp(name, function) && selector == which) {
            code = status;
            *value = v;
            break;
        }
    if (f) fclose(f);
    return code;
}

#define U32(name)                                  \
    int name(void *card, unsigned *value) {        \
        (void)card;                                \
        u64 v = 0;                                 \
        int code = answer(#name, 0, &v);           \
        *value = (unsigned)v;                      \
        return code;                               \
    }
#define U64(name)                                                                  \
    int name(void *card, u64 *value) { return (void)card, answer(#name, 0, value); }
#define CHOSEN(name)                                          \
    int name(void *card, unsigned which, unsigned *value) {   \
        (void)card;                                           \
        u64 v = 0;                                            \
        int code = answer(#name, which, &v);                  \
        *value = (unsigned)v;                                 \
        return code;                                          \
    }

U32(nvmlDeviceGetPowerUsage)
U32(nvmlDeviceGetEnforcedPowerLimit)
U64(nvmlDeviceGetTotalEnergyConsumption)
U64(nvmlDeviceGetCurrentClocksThrottleReasons)
CHOSEN(nvmlDeviceGetTemperature)
CHOSEN(nvmlDeviceGetTemperatureThreshold)
CHOSEN(nvmlDeviceGetClockInfo)
CHOSEN(nvmlDeviceGetMaxClockInfo)
CHOSEN(nvmlDeviceGetPcieThroughput)

int nvmlInit_v2(void) {
    u64 v = 0;
    int code = answer("nvmlInit_v2", 0, &v);
    return code == 3 ? 0 : code;
}

int nvmlShutdown(void) { return 0; }

const char *nvmlErrorString(int code) { return code == 15 ? "GPU is lost" : code == 999 ? "Unknown Error" : "another error"; }

int nvmlSystemGetDriverVersion(char *text, unsigned size) { return snprintf(text, size, "580.65.06"), 0; }

int nvmlDeviceGetCount_v2(unsigned *count) {
    u64 v = 1;
    int code = answer("nvmlDeviceGetCount_v2", 0, &v);
    *count = (unsigned)v;
    return code == 3 ? 0 : code;
}

// The cards are numbers from 1 on, named GPU-fake-1, GPU-fake-2.
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **card) { return *card = (void *)(size_t)(index + 1), 0; }

int nvmlDeviceGetHandleByUUID(const char *id, void **card) {
    unsigned n = 0, count = 0;
    nvmlDeviceGetCount_v2(&count);
    if (sscanf(id, "GPU-fake-%u", &n) != 1 || n < 1 || n > count) return 6;
    return *card = (void *)(size_t)n, 0;
}

int nvmlDeviceGetName(void *card, char *text, unsigned size) { return (void)card, snprintf(text, size, "NVIDIA H200"), 0; }

int nvmlDeviceGetUUID(void *card, char *text, unsigned size) {
    return snprintf(text, size, "GPU-fake-%u", (unsigned)(size_t)card), 0;
}

int nvmlDeviceGetUtilizationRates(void *card, unsigned *parts) {
    (void)card;
    u64 gpu = 0, memory = 0;
    int code = answer("nvmlDeviceGetUtilizationRates", 0, &gpu);
    answer("nvmlDeviceGetUtilizationRates", 1, &memory);
    parts[0] = (unsigned)gpu, parts[1] = (unsigned)memory;
    return code;
}

int nvmlDeviceGetMemoryInfo(void *card, u64 *memory) {
    (void)card;
    int code = answer("nvmlDeviceGetMemoryInfo", 1, &memory[0]);
    answer("nvmlDeviceGetMemoryInfo", 0, &memory[2]);
    memory[1] = memory[0] - memory[2];
    return code;
}

#ifndef OLD
U64(nvmlDeviceGetCurrentClocksEventReasons)

int nvmlDeviceGetMemoryInfo_v2(void *card, u64 *memory) {
    (void)card;
    if ((unsigned)memory[0] != (40u | 2u << 24)) return 25; // the version of the structure
    int code = answer("nvmlDeviceGetMemoryInfo_v2", 1, &memory[1]);
    answer("nvmlDeviceGetMemoryInfo_v2", 0, &memory[4]);
    memory[2] = 600 << 20, memory[3] = memory[1] - memory[2] - memory[4];
    return code;
}

struct field {
    unsigned id, scope;
    long long stamp, latency;
    int type, status;
    u64 value;
};

// All values have 64 bits; the line "type" of a field gives it another type.
int nvmlDeviceGetFieldValues(void *card, int count, struct field *fields) {
    (void)card;
    for (int i = 0; i < count; i++) {
        u64 type = 3;
        answer("type", fields[i].id, &type);
        fields[i].value = 0, fields[i].type = (int)type;
        fields[i].status = answer("nvmlDeviceGetFieldValues", fields[i].id, &fields[i].value);
    }
    return 0;
}

struct process {
    unsigned pid;
    u64 memory;
    unsigned gpu, compute;
};

// The processes are those of 1 to 9 that the file gives bytes; the line of 0 says only how many there are.
static int processes(const char *function, unsigned *count, struct process *list) {
    u64 v = 0;
    int code = answer(function, 0, &v);
    unsigned room = *count, n = 0;
    for (unsigned pid = 1; pid < 10; pid++) {
        u64 bytes = 0;
        if (answer(function, pid, &bytes)) continue;
        if (n < room && list) list[n] = (struct process){.pid = pid, .memory = bytes};
        n++, code = 0;
    }
    *count = n ? n : (unsigned)v;
    return code == 0 && room < *count ? 7 : code;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *card, unsigned *count, struct process *list) {
    return (void)card, processes("nvmlDeviceGetComputeRunningProcesses_v3", count, list);
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(void *card, unsigned *count, struct process *list) {
    return (void)card, processes("nvmlDeviceGetGraphicsRunningProcesses_v3", count, list);
}

struct use {
    unsigned pid;
    u64 stamp;
    unsigned percent, memory, encoder, decoder;
};

// The processes are those of 1 to 9 that the file gives a percentage; each has an older average, too.
int nvmlDeviceGetProcessUtilization(void *card, struct use *uses, unsigned *count, u64 since) {
    (void)card;
    unsigned room = *count, n = 0;
    for (unsigned pid = 1; pid < 10 && n + 2 <= room; pid++) {
        u64 percent = 0;
        if (answer("nvmlDeviceGetProcessUtilization", pid, &percent)) continue;
        uses[n++] = (struct use){.pid = pid, .stamp = since + 2, .percent = (unsigned)percent};
        uses[n++] = (struct use){.pid = pid, .stamp = since + 1, .percent = 99};
    }
    *count = n;
    return n ? 0 : 6;
}

struct sample {
    void *card;
    unsigned n; // which sample it is, from 1
};

// The card has counters if the file says so of nvmlGpmQueryDeviceSupport.
int nvmlGpmQueryDeviceSupport(void *card, unsigned *support) {
    (void)card;
    u64 has = 0;
    if (support[0] != 1) return 25;
    int code = answer("nvmlGpmQueryDeviceSupport", 0, &has);
    support[1] = (unsigned)has;
    return code == 3 ? 0 : code;
}

int nvmlGpmSampleAlloc(struct sample **s) { return *s = calloc(1, sizeof **s), *s ? 0 : 20; }

int nvmlGpmSampleFree(struct sample *s) { return free(s), 0; }

int nvmlGpmSampleGet(void *card, struct sample *s) {
    static unsigned taken;
    u64 v = 0;
    int code = answer("nvmlGpmSampleGet", 0, &v);
    s->card = card, s->n = ++taken;
    return code == 3 ? 0 : code;
}

struct counters {
    unsigned version, count;
    struct sample *older, *newer;
    struct { unsigned id; int code; double value; const char *names[3]; } list[98];
};

// The values are in thousandths of a percent. Samples in the wrong order, of another card or of none are invalid arguments.
int nvmlGpmMetricsGet(struct counters *c) {
    if (c->version != 1) return 25;
    if (!c->older->n || c->older->n >= c->newer->n || c->older->card != c->newer->card) return 2;
    for (unsigned i = 0; i < c->count; i++) {
        u64 v = 0;
        c->list[i].code = answer("nvmlGpmMetricsGet", c->list[i].id, &v);
        c->list[i].value = (double)v / 1000;
    }
    return 0;
}
#endif
