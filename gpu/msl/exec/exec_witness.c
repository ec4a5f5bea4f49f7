//go:build linux || darwin

// Finding accesses that race: in checking mode, each byte remembers its last accesses, and an access that is not ordered after
// another is a conflict. The executor runs one thread at a time, so the conflicts of a dispatch do not depend on luck, only on
// its data.
#include "exec_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An access to a byte. Group 0: no access.
typedef struct trace {
    uint32_t group, pc; // pc is an offset into the object
    uint32_t epoch;     // barriers of the group so far
    uint16_t thread, simd_epoch;
} trace;

// The last write to a byte, and the last reads of two threads.
typedef struct cell {
    trace write, read[2];
} cell;

// The cells of a region.
typedef struct shadow {
    cell *cells;
    uint64_t bytes;
} shadow;

enum { WIDEST = 128 }; // bytes of the widest access for which it is known whether they change

// An announced write: the next access shows whether it changes anything.
typedef struct pending {
    witness_place at;
    cell *cells;
    trace now;
    uint64_t offset, bytes; // 0: none
    unsigned char before[WIDEST];
} pending;

struct witness {
    shadow buffers[MSL_BUFFERS], variables[EXEC_MAX_VARIABLES];
    uint64_t taken;                    // bytes of cells
    uint64_t seen[EXEC_MAX_CONFLICTS]; // pairs of places that are listed
    pending write;
};

// The maximum bytes of cells: memory without cells has no conflicts.
static const uint64_t MOST = (uint64_t)512 << 20;

struct witness *witness_new(void) { return calloc(1, sizeof(struct witness)); }

// cells_of gives a region its cells, if they fit.
static cell *cells_of(struct witness *x, const witness_place *at) {
    shadow *s = at->buffers ? &x->buffers[at->index] : &x->variables[at->index];
    if (s->bytes) return s->cells;
    s->bytes = at->bytes;
    uint64_t size = at->bytes * sizeof(cell);
    if (size > MOST || x->taken + size > MOST) return NULL;
    x->taken += size;
    return s->cells = calloc(at->bytes, sizeof(cell));
}

// ordered reports whether an access precedes another in every order of threads: by program order, a barrier, or an exchange of
// the SIMD group. Each group has its own threadgroup memory.
static int ordered(const trace *a, const trace *b, int buffers) {
    if (a->group == 0) return 1;
    if (a->group != b->group) return !buffers;
    if (a->thread == b->thread || a->epoch != b->epoch) return 1;
    return a->thread / MSL_SIMD == b->thread / MSL_SIMD && a->simd_epoch != b->simd_epoch;
}

// list adds a conflict, once for each pair of places.
static void list(dispatch *d, const trace *a, const trace *b, int a_write, int b_write, const witness_place *at, uint64_t offset) {
    exec_conflicts *all = d->launch->conflicts;
    uint64_t pair = (uint64_t)a->pc << 32 | b->pc;
    int focus = at->at + offset == d->focus;
    for (uint32_t i = 0; i < all->count; i++) {
        if (d->witness->seen[i] != pair) continue;
        all->list[i].focus |= focus;
        return;
    }
    if (all->count == EXEC_MAX_CONFLICTS) return;
    d->witness->seen[all->count] = pair;
    exec_conflict *c = &all->list[all->count++];
    *c = (exec_conflict){.pc = {a->pc, b->pc}, .write = {a_write, b_write}, .group = {a->group - 1, b->group - 1},
                         .thread = {a->thread, b->thread}, .offset = offset, .focus = focus};
    snprintf(c->memory, sizeof c->memory, "%s%s", at->kind, at->name);
}

static void read_byte(dispatch *d, cell *c, const trace *now, const witness_place *at, uint64_t offset) {
    if (!ordered(&c->write, now, at->buffers)) list(d, &c->write, now, 1, 0, at, offset);
    int other = c->read[0].group == now->group && c->read[0].epoch == now->epoch && c->read[0].thread != now->thread;
    c->read[other] = *now;
}

// write_byte lists no conflict for a write that changes nothing, such as those of threads that set the same flag.
static void write_byte(dispatch *d, cell *c, const trace *now, int changed, const witness_place *at, uint64_t offset) {
    if (changed && !ordered(&c->write, now, at->buffers)) list(d, &c->write, now, 1, 1, at, offset);
    for (int i = 0; changed && i < 2; i++)
        if (!ordered(&c->read[i], now, at->buffers)) list(d, &c->read[i], now, 0, 1, at, offset);
    c->write = *now;
}

void witness_settle(dispatch *d) {
    pending *p = &d->witness->write;
    const unsigned char *after = (const unsigned char *)p->at.at + p->offset;
    for (uint64_t i = 0; i < p->bytes; i++)
        write_byte(d, &p->cells[i], &p->now, i >= WIDEST || p->before[i] != after[i], &p->at, p->offset + i);
    p->bytes = 0;
}

void witness_access(worker *w, uintptr_t address, uint64_t bytes, uint32_t write, uintptr_t pc, const witness_place *at) {
    dispatch *d = w->d;
    witness_settle(d);
    cell *cells = cells_of(d->witness, at);
    if (!cells) return;
    uint32_t thread = w->running->thread;
    trace now = {(uint32_t)w->group, (uint32_t)(pc - d->module->base), w->epoch, (uint16_t)thread, (uint16_t)w->simds[thread / MSL_SIMD].epoch};
    uint64_t offset = address - at->at;
    if (write) {
        pending *p = &d->witness->write;
        *p = (pending){.at = *at, .cells = cells + offset, .now = now, .offset = offset, .bytes = bytes};
        memcpy(p->before, (const void *)address, bytes < WIDEST ? bytes : WIDEST);
        return;
    }
    for (uint64_t i = 0; i < bytes; i++) read_byte(d, &cells[offset + i], &now, at, offset + i);
}

void witness_close(dispatch *d) {
    struct witness *x = d->witness;
    if (x->write.at.buffers) witness_settle(d); // threadgroup memory was freed with its worker
    for (int i = 0; i < MSL_BUFFERS; i++) free(x->buffers[i].cells);
    for (int i = 0; i < EXEC_MAX_VARIABLES; i++) free(x->variables[i].cells);
    free(x);
}
