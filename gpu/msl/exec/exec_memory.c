//go:build linux || darwin

// Memory as kernels see it. In checking mode every buffer and threadgroup variable is alone in a wide gap of address space, so
// that a runaway index hits nothing, and each access is checked against the exact bounds.
#include "exec_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// A gap covers any 32-bit index of 4-byte elements, in both directions: the region begins in its middle.
static const uint64_t GAP = (uint64_t)16 << 30;

enum {
    POISON = 0xFF, // NaN in every floating-point format
    VECTOR = 32,   // alignment of the largest vectors, also for buffers
};

// pages rounds up to the largest pages that a system has.
static uint64_t pages(uint64_t bytes) { return (bytes + 65535) & ~(uint64_t)65535; }

_Static_assert((int)MSL_BUFFERS <= (int)EXEC_MAX_VARIABLES, "an area has room for all buffers");

// Areas of dispatches that have ended, for the next: new page tables for regions so far apart are much of the cost of a small one.
static struct {
    pthread_mutex_t lock;
    int count;
    area all[AREAS_KEPT];
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

// reserve reserves address space for that many regions. −1: there is none.
static int reserve(area *a, int regions) {
    void *at = mmap(NULL, GAP * (uint64_t)regions, PROT_NONE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return -1;
    memset(a, 0, sizeof *a);
    a->base = at;
    a->regions = regions;
    return 0;
}

static void give_up(area *a) {
    if (a->base) munmap(a->base, GAP * (uint64_t)a->regions);
    a->base = NULL;
}

static int area_take(area *a, int regions) {
    pthread_mutex_lock(&kept.lock);
    int found = kept.count > 0;
    if (found) *a = kept.all[--kept.count];
    pthread_mutex_unlock(&kept.lock);
    return found ? 0 : reserve(a, regions);
}

// area_keep keeps an area for the next dispatch, unless it holds much memory.
static void area_keep(area *a) {
    enum { MUCH = 4 << 20 };
    uint64_t bytes = 0;
    for (int i = 0; i < a->regions; i++) bytes += a->open[i];
    pthread_mutex_lock(&kept.lock);
    int room = a->base && bytes <= MUCH && kept.count < AREAS_KEPT;
    if (room) kept.all[kept.count++] = *a;
    pthread_mutex_unlock(&kept.lock);
    if (!room) give_up(a);
    a->base = NULL;
}

void memory_trim(void) {
    pthread_mutex_lock(&kept.lock);
    while (kept.count) give_up(&kept.all[--kept.count]);
    pthread_mutex_unlock(&kept.lock);
}

// open_region makes exactly the pages of `bytes` from the middle of gap i accessible. NULL: no memory.
static unsigned char *open_region(area *a, int i, uint64_t bytes) {
    unsigned char *at = a->base + GAP * (uint64_t)i + GAP / 2;
    uint64_t now = a->open[i], want = pages(bytes);
    if (want > now && mprotect(at + now, want - now, PROT_READ | PROT_WRITE)) return NULL;
    if (want < now && mmap(at + want, now - want, PROT_NONE, MAP_FIXED | MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0) == MAP_FAILED) return NULL;
    a->open[i] = want;
    return at;
}

// gather lists the spans of the caller's memory: buffers that overlap share one, so that they stay the same memory.
static void gather(dispatch *d) {
    const exec_launch *l = d->launch;
    for (int i = 0; i < MSL_BUFFERS; i++) {
        if (!l->buffers[i]) continue;
        unsigned char *lo = l->buffers[i], *hi = lo + l->lengths[i];
        for (int k = 0; k < d->span_count;) {
            span *s = &d->spans[k];
            if (s->at >= hi || s->at + s->bytes <= lo) {
                k++;
                continue;
            }
            if (s->at < lo) lo = s->at;
            if (s->at + s->bytes > hi) hi = s->at + s->bytes;
            *s = d->spans[--d->span_count];
            k = 0; // the larger span may overlap others
        }
        d->spans[d->span_count++] = (span){.at = lo, .bytes = (uint64_t)(hi - lo)};
    }
}

// duplicate copies a span: into its own gap in checking mode, otherwise to an aligned place. −1: no memory.
static int duplicate(dispatch *d, int i) {
    span *s = &d->spans[i];
    void *at = NULL;
    if (d->area.base) at = open_region(&d->area, i, s->bytes);
    else if (posix_memalign(&at, VECTOR, s->bytes)) at = NULL;
    if (!at) return -1;
    s->copy = at;
    s->before = malloc(s->bytes ? s->bytes : 1);
    if (!s->before) return -1;
    memcpy(s->before, s->at, s->bytes);
    memcpy(at, s->before, s->bytes);
    return 0;
}

// bind points the buffers into the copies, and in checking mode names their regions.
static void bind(dispatch *d, int i) {
    const span *s = &d->spans[i];
    region *r = d->guard_lo ? &d->regions[d->region_count++] : NULL;
    for (int b = 0; b < MSL_BUFFERS; b++) {
        unsigned char *p = d->launch->buffers[b];
        if (!p || p < s->at || p >= s->at + s->bytes) continue;
        d->buffers[b] = s->copy + (p - s->at);
        if (!r) continue;
        size_t used = strlen(r->name);
        snprintf(r->name + used, sizeof r->name - used, "%sbuffer(%d)", used ? ", " : "", b);
    }
    if (!r) return;
    r->at = (uintptr_t)s->copy;
    r->bytes = s->bytes;
}

// guard prepares an area for the copies of the buffers, with no other region open. −1: no memory.
static int guard(dispatch *d) {
    if (area_take(&d->area, MSL_BUFFERS)) return -1;
    d->guard_lo = (uintptr_t)d->area.base;
    d->guard_hi = d->guard_lo + GAP * MSL_BUFFERS;
    for (int i = d->span_count; i < MSL_BUFFERS; i++)
        if (!open_region(&d->area, i, 0)) return -1;
    return 0;
}

// memory_open sets the dispatch's buffers: the caller's own, or copies. −1: no memory.
int memory_open(dispatch *d) {
    memcpy(d->buffers, d->launch->buffers, sizeof d->buffers);
    gather(d);
    if (d->module->checked && guard(d)) return -1;
    for (int i = 0; i < d->span_count; i++) {
        if (!d->guard_lo && (uintptr_t)d->spans[i].at % VECTOR == 0) continue;
        if (duplicate(d, i)) return -1;
        bind(d, i);
    }
    d->opened = d->guard_lo != 0;
    return 0;
}

// give_back copies only the bytes that the kernel changed: the caller or another dispatch may be accessing other parts of the
// same memory meanwhile. A kernel that stores the previous value changes nothing.
static void give_back(const span *s) {
    enum { BLOCK = 4096 };
    for (uint64_t i = 0; i < s->bytes; i += BLOCK) {
        uint64_t n = s->bytes - i < BLOCK ? s->bytes - i : BLOCK;
        if (!memcmp(s->before + i, s->copy + i, n)) continue;
        for (uint64_t k = i; k < i + n; k++)
            if (s->copy[k] != s->before[k]) s->at[k] = s->copy[k];
    }
}

void memory_close(dispatch *d) {
    for (int i = 0; i < d->span_count; i++) {
        span *s = &d->spans[i];
        if (s->before) give_back(s);
        free(s->before);
        if (!d->guard_lo) free(s->copy);
    }
    if (d->opened) area_keep(&d->area);
    else give_up(&d->area);
}

int memory_worker(worker *w) {
    if (w->d->module->checked) {
        if (!w->area.base && reserve(&w->area, EXEC_MAX_VARIABLES)) return -1;
        w->guarded = w->area.base;
        return 0;
    }
    if (!w->arena && posix_memalign((void **)&w->arena, 128, EXEC_THREADGROUP_BYTES)) return -1;
    return 0;
}

// memory_worker_forget gives up the area of a stopped worker: it may have been interrupted while it opened a region.
void memory_worker_forget(worker *w) { give_up(&w->area); }

void memory_worker_free(worker *w) {
    free(w->arena);
    give_up(&w->area);
}

static variable *find(worker *w, uint32_t site, const char *name) {
    for (int i = 0; i < w->variable_count; i++)
        if (w->variables[i].site == site && w->variables[i].name == name) return &w->variables[i];
    return NULL;
}

static int poisons(const worker *w) { return w->guarded || w->d->launch->poison; }

// place allocates a new variable.
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
    v->at = w->guarded ? open_region(&w->area, w->variable_count, bytes) : w->arena + at;
    if (!v->at) exec_stop(w, site, 0, "no memory for the threadgroup variable %s", name);
    if (poisons(w)) memset(v->at, POISON, bytes);
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

// memory_group places the arguments before the first group, and poisons the last group's memory in checking mode.
void memory_group(worker *w) {
    const exec_launch *l = w->d->launch;
    if (w->d->witness) witness_settle(w->d);
    if (!w->variable_count)
        for (int i = 0; i < MSL_BUFFERS; i++)
            if (l->threadgroup[i]) w->arguments[i] = memory_variable(w, 0, argument_names[i], l->threadgroup[i], 16);
    for (int i = 0; poisons(w) && i < w->variable_count; i++) memset(w->variables[i].at, POISON, w->variables[i].bytes);
}

static int inside(uintptr_t address, uint64_t bytes, uintptr_t at, uint64_t size) {
    return address >= at && bytes <= size && address - at <= size - bytes;
}

// A found region: every access looks one up, so its name is only composed for messages.
typedef struct found {
    uintptr_t at;
    uint64_t bytes;
    const char *kind, *name;
    int buffers, index; // see witness_place
} found;

// nearest is the region in whose gap the address lies: that with the gap's number.
static int nearest(const worker *w, uintptr_t address, found *out) {
    const dispatch *d = w->d;
    uintptr_t mine = (uintptr_t)w->guarded;
    if (address >= d->guard_lo && address < d->guard_hi) {
        uint64_t i = (address - d->guard_lo) / GAP;
        if (i >= (uint64_t)d->region_count) return 0;
        const region *r = &d->regions[i];
        *out = (found){r->at, r->bytes, "", r->name, 1, (int)i};
        return 1;
    }
    if (!mine || address < mine || (address - mine) / GAP >= (uint64_t)w->variable_count) return 0;
    int i = (int)((address - mine) / GAP);
    const variable *v = &w->variables[i];
    *out = (found){(uintptr_t)v->at, v->bytes, v->site ? "threadgroup variable " : "", v->name, 0, i};
    return 1;
}

static int guarded(const worker *w, uintptr_t address) {
    uintptr_t mine = (uintptr_t)w->guarded;
    return (address >= w->d->guard_lo && address < w->d->guard_hi) ||
           (mine && address >= mine && address < mine + GAP * EXEC_MAX_VARIABLES);
}

void memory_access(worker *w, uintptr_t address, uint64_t bytes, uint32_t write, uintptr_t pc) {
    found r;
    if (!guarded(w, address)) return; // a thread's own variables, and constants
    const char *what = write ? "write" : "read";
    if (!nearest(w, address, &r)) exec_stop(w, 0, pc, "%s of %llu bytes far outside of any buffer", what, (unsigned long long)bytes);
    if (inside(address, bytes, r.at, r.bytes)) {
        if (w->d->witness) witness_access(w, address, bytes, write, pc, &(witness_place){r.buffers, r.index, r.kind, r.name, r.at, r.bytes});
        return;
    }
    exec_stop(w, 0, pc, "%s of %llu bytes at offset %lld of %s%s, which has %llu bytes", what, (unsigned long long)bytes,
              (long long)(address - r.at), r.kind, r.name, (unsigned long long)r.bytes);
}

// memory_where describes what is at an address that cannot be accessed.
void memory_where(worker *w, uintptr_t address, uintptr_t sp, char *out, size_t size) {
    found r;
    uintptr_t low = (uintptr_t)w->running->low;
    if (address < 4096) snprintf(out, size, "access through a null pointer (address 0x%llx)", (unsigned long long)address);
    else if (sp < low || low - address <= STACK_GUARD) snprintf(out, size, "stack overflow: a thread's variables do not fit its stack");
    else if (guarded(w, address) && nearest(w, address, &r))
        snprintf(out, size, "access at offset %lld of %s%s, which has %llu bytes", (long long)(address - r.at), r.kind, r.name,
                 (unsigned long long)r.bytes);
    else snprintf(out, size, "access to memory that is not the kernel's (address 0x%llx)", (unsigned long long)address);
}
