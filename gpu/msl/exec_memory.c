//go:build linux || darwin

// Memory as kernels see it. In checking mode every buffer and threadgroup variable lies alone in a wide gap of address
// space, so that an index that runs away lands in nothing, and each access is held against the exact bounds.
#include "exec_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// A gap takes any 32-bit index of 4-byte elements, in both directions: the region begins in its middle.
static const uint64_t GAP = (uint64_t)16 << 30;

enum { POISON = 0xFF }; // NaN in every floating-point format

static uint64_t pages(uint64_t bytes) { return (bytes + 16383) & ~(uint64_t)16383; }

// reserve takes address space for so many regions.
static unsigned char *reserve(int regions) {
    void *at = mmap(NULL, GAP * (uint64_t)regions, PROT_NONE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

// open_region makes `bytes` from the middle of gap i accessible.
static unsigned char *open_region(unsigned char *base, int i, uint64_t bytes) {
    unsigned char *at = base + GAP * (uint64_t)i + GAP / 2;
    if (bytes && mprotect(at, pages(bytes), PROT_READ | PROT_WRITE)) return NULL;
    return at;
}

// memory_open gives the dispatch its buffers: the caller's own, or guarded copies. −1: no memory.
int memory_open(dispatch *d) {
    const exec_launch *l = d->launch;
    memcpy(d->buffers, l->buffers, sizeof d->buffers);
    if (!d->module->checked) return 0;
    unsigned char *base = reserve(MSL_BUFFERS);
    if (!base) return -1;
    d->guard_lo = (uintptr_t)base;
    d->guard_hi = d->guard_lo + GAP * MSL_BUFFERS;
    for (int i = 0; i < MSL_BUFFERS; i++) {
        if (!l->buffers[i]) continue;
        unsigned char *at = open_region(base, i, l->lengths[i]);
        if (!at) return -1;
        memcpy(at, l->buffers[i], l->lengths[i]);
        d->buffers[i] = at;
        region *r = &d->regions[d->region_count++];
        r->at = (uintptr_t)at;
        r->bytes = l->lengths[i];
        snprintf(r->name, sizeof r->name, "buffer(%d)", i);
    }
    return 0;
}

// memory_close gives the guarded copies back to the caller. Two bindings of one memory do not see each other in checking
// mode; of those, what the kernel changed is kept.
void memory_close(dispatch *d) {
    if (!d->guard_lo) return;
    for (int i = 0; i < MSL_BUFFERS; i++)
        if (d->buffers[i] && d->launch->buffers[i]) memcpy(d->launch->buffers[i], d->buffers[i], d->launch->lengths[i]);
    munmap((void *)d->guard_lo, GAP * MSL_BUFFERS);
}

int memory_worker(worker *w) {
    if (w->d->module->checked) {
        w->guarded = reserve(EXEC_MAX_VARIABLES);
        return w->guarded ? 0 : -1;
    }
    return posix_memalign((void **)&w->arena, 128, EXEC_THREADGROUP_BYTES) ? -1 : 0;
}

void memory_worker_free(worker *w) {
    free(w->arena);
    if (w->guarded) munmap(w->guarded, GAP * EXEC_MAX_VARIABLES);
}

static variable *find(worker *w, uint32_t site, const char *name) {
    for (int i = 0; i < w->variable_count; i++)
        if (w->variables[i].site == site && w->variables[i].name == name) return &w->variables[i];
    return NULL;
}

// place gives a new variable its memory.
static variable *place(worker *w, uint32_t site, const char *name, uint64_t bytes, uint64_t align) {
    uint64_t at = align ? (w->threadgroup_bytes + align - 1) / align * align : w->threadgroup_bytes;
    if (bytes > EXEC_THREADGROUP_BYTES || at + bytes > EXEC_THREADGROUP_BYTES)
        exec_stop(w, site, 0, "threadgroup memory: %s takes %llu bytes, with what is before it %llu; the limit is %d", name,
                  (unsigned long long)bytes, (unsigned long long)(at + bytes), EXEC_THREADGROUP_BYTES);
    if (w->variable_count == EXEC_MAX_VARIABLES)
        exec_stop(w, site, 0, "more than %d threadgroup variables", EXEC_MAX_VARIABLES);
    variable *v = &w->variables[w->variable_count];
    v->site = site;
    v->name = name;
    v->bytes = bytes;
    v->at = w->guarded ? open_region(w->guarded, w->variable_count, bytes) : w->arena + at;
    if (!v->at) exec_stop(w, site, 0, "no memory for the threadgroup variable %s", name);
    if (w->guarded) memset(v->at, POISON, bytes);
    w->threadgroup_bytes = at + bytes;
    w->variable_count++;
    return v;
}

void *memory_variable(worker *w, uint32_t site, const char *name, uint64_t bytes, uint64_t align) {
    variable *v = find(w, site, name);
    if (!v) v = place(w, site, name, bytes, align);
    return v->at;
}

static const char *const argument_names[MSL_BUFFERS] = {
    "threadgroup(0)",  "threadgroup(1)",  "threadgroup(2)",  "threadgroup(3)",  "threadgroup(4)",  "threadgroup(5)",
    "threadgroup(6)",  "threadgroup(7)",  "threadgroup(8)",  "threadgroup(9)",  "threadgroup(10)", "threadgroup(11)",
    "threadgroup(12)", "threadgroup(13)", "threadgroup(14)", "threadgroup(15)", "threadgroup(16)", "threadgroup(17)",
    "threadgroup(18)", "threadgroup(19)", "threadgroup(20)", "threadgroup(21)", "threadgroup(22)", "threadgroup(23)",
    "threadgroup(24)", "threadgroup(25)", "threadgroup(26)", "threadgroup(27)", "threadgroup(28)", "threadgroup(29)",
    "threadgroup(30)",
};

// memory_group places the arguments before the first group, and poisons what the last group left where that is checked.
void memory_group(worker *w) {
    const exec_launch *l = w->d->launch;
    if (!w->variable_count)
        for (int i = 0; i < MSL_BUFFERS; i++)
            if (l->threadgroup[i]) w->arguments[i] = memory_variable(w, 0, argument_names[i], l->threadgroup[i], 16);
    for (int i = 0; w->guarded && i < w->variable_count; i++) memset(w->variables[i].at, POISON, w->variables[i].bytes);
}

static int inside(uintptr_t address, uint64_t bytes, uintptr_t at, uint64_t size) {
    return address >= at && bytes <= size && address - at <= size - bytes;
}

// nearest is the region in whose gap the address lies.
static int nearest(worker *w, uintptr_t address, region *out) {
    for (int i = 0; i < w->d->region_count; i++)
        if (address - (w->d->regions[i].at - GAP / 2) < GAP) {
            *out = w->d->regions[i];
            return 1;
        }
    for (int i = 0; w->guarded && i < w->variable_count; i++) {
        variable *v = &w->variables[i];
        if (address - ((uintptr_t)v->at - GAP / 2) >= GAP) continue;
        out->at = (uintptr_t)v->at;
        out->bytes = v->bytes;
        snprintf(out->name, sizeof out->name, "%s%s", v->site ? "threadgroup variable " : "", v->name);
        return 1;
    }
    return 0;
}

static int guarded(worker *w, uintptr_t address) {
    uintptr_t mine = (uintptr_t)w->guarded;
    return (address >= w->d->guard_lo && address < w->d->guard_hi) ||
           (mine && address >= mine && address < mine + GAP * EXEC_MAX_VARIABLES);
}

void memory_access(worker *w, uintptr_t address, uint64_t bytes, uint32_t write, uintptr_t pc) {
    region r;
    if (!guarded(w, address)) return; // a thread's own variables, and constants
    const char *what = write ? "write" : "read";
    if (!nearest(w, address, &r)) exec_stop(w, 0, pc, "%s of %llu bytes far outside of any buffer", what, (unsigned long long)bytes);
    if (inside(address, bytes, r.at, r.bytes)) return;
    exec_stop(w, 0, pc, "%s of %llu bytes at offset %lld of %s, which has %llu bytes", what, (unsigned long long)bytes,
              (long long)(address - r.at), r.name, (unsigned long long)r.bytes);
}

// memory_where says in words what lies at an address that cannot be touched.
void memory_where(worker *w, uintptr_t address, uintptr_t sp, char *out, size_t size) {
    region r;
    uintptr_t low = (uintptr_t)w->running->top - STACK_BYTES;
    if (address < 4096) snprintf(out, size, "access through a null pointer (address 0x%llx)", (unsigned long long)address);
    else if (sp < low || low - address <= STACK_GUARD) snprintf(out, size, "stack overflow: a thread's variables do not fit its stack");
    else if (guarded(w, address) && nearest(w, address, &r))
        snprintf(out, size, "access at offset %lld of %s, which has %llu bytes", (long long)(address - r.at), r.name,
                 (unsigned long long)r.bytes);
    else snprintf(out, size, "access to memory that is not the kernel's (address 0x%llx)", (unsigned long long)address);
}
