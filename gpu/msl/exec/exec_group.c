//go:build linux || darwin

// One threadgroup: its threads run one after the other until they wait; waiting threads continue when all have arrived.
#include "exec_internal.h"

#include <stdio.h>
#include <string.h>

static uint64_t random_next(worker *w) {
    uint64_t z = w->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void shuffle(worker *w, uint16_t *list, uint32_t count) {
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = (uint32_t)(random_next(w) % i);
        uint16_t t = list[i - 1];
        list[i - 1] = list[j];
        list[j] = t;
    }
}

// release lets a list of threads, given in ascending order, continue in the order of the dispatch: before or after those that are
// already ready.
static void release(worker *w, uint16_t *list, uint32_t count, int before) {
    if (w->d->launch->order == EXEC_SHUFFLED) shuffle(w, list, count);
    uint32_t at = w->ready_head + (before ? EXEC_MAX_THREADS - count : w->ready_count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t t = list[w->d->launch->order == EXEC_REVERSE ? count - 1 - i : i];
        w->threads[t].state = RUNNING;
        w->simds[t / MSL_SIMD].waiting--;
        w->ready[(at + i) % EXEC_MAX_THREADS] = (uint16_t)t;
    }
    w->ready_count += count;
    if (before) w->ready_head = at % EXEC_MAX_THREADS;
}

// runs_ahead reports whether a SIMD group continues before the others after an exchange. Only barriers keep SIMD groups together
// on a GPU, so one gets as far as it can, in some orders the first and in some the last: this exposes a missing barrier. But not
// forever, since it may wait for what another one writes.
static int runs_ahead(worker *w, simd *s) {
    if (w->d->launch->order == EXEC_SHUFFLED) return random_next(w) & 1;
    return ++s->ahead % EXEC_AHEAD != 0;
}

static void release_barrier(worker *w) {
    uint16_t list[EXEC_MAX_THREADS];
    for (uint32_t t = 0; t < w->total; t++) {
        if (w->threads[t].site != w->threads[0].site) return; // examined when nothing can continue
        list[t] = (uint16_t)t;
    }
    w->at_barrier = 0;
    w->epoch++;
    release(w, list, w->total, 0);
}

// resolve lets lanes of a SIMD group exchange once all its live lanes wait. If they wait at several sites, the first in the text
// is served, so that lanes that left a loop early wait for the others where they meet again.
static void resolve(worker *w, simd *s) {
    if (s->waiting < s->live || s->live == 0) return;
    uint32_t end = s->first + MSL_SIMD < w->total ? s->first + MSL_SIMD : w->total;
    const thread *least = NULL;
    for (uint32_t t = s->first; t < end; t++) {
        const thread *x = &w->threads[t];
        if (x->state == AT_EXCHANGE && (!least || x->site < least->site)) least = x;
    }
    if (!least) return;
    uint32_t site = least->site, bytes = least->bytes, mask = 0, count = 0;
    uint16_t list[MSL_SIMD];
    for (uint32_t t = s->first; t < end; t++) {
        const thread *x = &w->threads[t];
        if (x->state != AT_EXCHANGE || x->site != site || x->bytes != bytes) continue;
        uint32_t lane = t - s->first;
        mask |= 1u << lane;
        list[count++] = (uint16_t)t;
        if (bytes == 4)
            memcpy(s->lanes.value + lane * 4, x->value, 4);
        else
            memcpy(s->lanes.value + lane * bytes, x->value, bytes);
    }
    if (bytes == 0 && count < end - s->first)
        exec_stop(w, site, 0, "simdgroup_barrier reached by %u of the SIMD group's %u lanes", count, end - s->first);
    s->epoch++;
    for (uint32_t i = 0; i < count; i++) w->threads[list[i]].mask = mask;
    release(w, list, count, runs_ahead(w, s));
}

// stuck reports why no thread can continue: a barrier that some do not reach.
static void stuck(worker *w) {
    uint32_t site = 0, here = 0, elsewhere = 0, ended = w->total - w->live;
    for (uint32_t t = 0; t < w->total; t++) {
        const thread *x = &w->threads[t];
        if (x->state != AT_BARRIER) continue;
        if (here == 0) site = x->site;
        if (x->site == site) here++;
        else elsewhere++;
    }
    char others[64] = "the others wait at another";
    if (elsewhere && ended) snprintf(others, sizeof others, "%u wait at another, %u ended", elsewhere, ended);
    else if (ended) snprintf(others, sizeof others, "%u ended", ended);
    exec_stop(w, site, 0, "threadgroup_barrier reached by %u of %u threads; %s", here, w->total, others);
}

// go_on leaves a fiber that waits or is idle, for one that can run.
static void go_on(worker *w) {
    if (w->ready_count) {
        uint32_t t = w->ready[w->ready_head];
        w->ready_head = (w->ready_head + 1) % EXEC_MAX_THREADS;
        w->ready_count--;
        fiber_enter(w, w->threads[t].fiber);
    } else if (w->started < w->total) {
        fiber *f = fiber_take(w);
        if (!f) exec_abandon(w);
        fiber_enter(w, f);
    } else if (w->live == 0) {
        fiber_leave(w);
    } else {
        stuck(w);
    }
}

static thread *wait_at(worker *w, enum thread_state state, uint32_t site) {
    thread *t = &w->threads[w->running->thread];
    if (atomic_load_explicit(&w->d->stop, memory_order_relaxed)) exec_abandon(w);
    t->state = state;
    t->site = site;
    t->fiber = w->running;
    w->simds[w->running->thread / MSL_SIMD].waiting++;
    return t;
}

void group_barrier(worker *w, uint32_t site) {
    thread *t = wait_at(w, AT_BARRIER, site);
    if (++w->at_barrier == w->total) release_barrier(w);
    else resolve(w, &w->simds[(t - w->threads) / MSL_SIMD]);
    go_on(w);
}

// group_exchange shows a value to the lanes that reach the site together; with no bytes, it is a barrier for them.
const msl_lanes *group_exchange(worker *w, uint32_t site, const void *value, uint32_t bytes) {
    thread *t = wait_at(w, AT_EXCHANGE, site);
    uint32_t index = (uint32_t)(t - w->threads);
    simd *s = &w->simds[index / MSL_SIMD];
    t->value = value;
    t->bytes = bytes;
    resolve(w, s);
    go_on(w);
    s->lanes.active = t->mask;
    s->lanes.self = index % MSL_SIMD;
    return &s->lanes;
}

// stand writes a thread's position into its fiber's record.
static void stand(worker *w, fiber *f, uint32_t thread) {
    if (f->group != w->group) {
        f->position = w->position;
        f->group = w->group;
    }
    msl_thread *p = &f->position;
    const uint32_t *size = p->threads_per_threadgroup;
    uint32_t at[3] = {thread, 0, 0};
    if (size[0] != w->total) { // divisions are most of the cost of a small thread
        at[0] = thread % size[0];
        at[1] = thread / size[0] % size[1];
        at[2] = thread / size[0] / size[1];
    }
    for (int i = 0; i < 3; i++) {
        p->thread_position_in_threadgroup[i] = at[i];
        p->thread_position_in_grid[i] =
            p->threadgroup_position_in_grid[i] * p->dispatch_threads_per_threadgroup[i] + at[i];
    }
    p->thread_index_in_threadgroup = thread;
    p->thread_index_in_simdgroup = thread % MSL_SIMD;
    p->thread_index_in_quadgroup = thread % MSL_QUAD;
    p->simdgroup_index_in_threadgroup = thread / MSL_SIMD;
    p->quadgroup_index_in_threadgroup = thread / MSL_QUAD;
    f->thread = thread;
}

static void ended(worker *w, uint32_t thread) {
    simd *s = &w->simds[thread / MSL_SIMD];
    w->threads[thread].state = ENDED;
    w->live--;
    s->live--;
    resolve(w, s);
}

// group_threads runs threads that have not begun, one after the other, as long as no waiting thread can continue. Then the fiber
// is idle; it returns when it is taken again.
void group_threads(worker *w, fiber *f) {
    if (w->started == 0) memory_group(w);
    while (w->started < w->total && w->ready_count == 0) {
        uint32_t t = w->order[w->started++];
        stand(w, f, t);
        w->threads[t].state = RUNNING;
        msl_call call = {&f->position, w->d->buffers, w->d->launch->lengths, w->arguments};
        w->d->module->entry(&call);
        ended(w, t);
    }
    f->next = w->idle;
    w->idle = f;
    go_on(w);
}

// describe fills in what the threads of a group have in common.
static void describe(worker *w, uint64_t index) {
    const dispatch *d = w->d;
    msl_thread *p = &w->position;
    memset(p, 0, sizeof *p);
    uint32_t at[3] = {d->first[0] + (uint32_t)(index % d->count[0]), d->first[1] + (uint32_t)(index / d->count[0] % d->count[1]),
                      d->first[2] + (uint32_t)(index / d->count[0] / d->count[1])};
    uint32_t full = 1;
    w->total = 1;
    for (int i = 0; i < 3; i++) {
        uint32_t grid = d->launch->grid[i], size = d->launch->threads[i], left = grid - at[i] * size;
        if (grid && left < size) size = left;
        p->threadgroup_position_in_grid[i] = at[i];
        p->threads_per_threadgroup[i] = size;
        p->dispatch_threads_per_threadgroup[i] = d->launch->threads[i];
        p->threadgroups_per_grid[i] = d->groups[i];
        p->threads_per_grid[i] = p->grid_size[i] = grid ? grid : d->groups[i] * d->launch->threads[i];
        full *= d->launch->threads[i];
        w->total *= size;
    }
    p->threads_per_simdgroup = MSL_SIMD;
    p->simdgroups_per_threadgroup = (w->total + MSL_SIMD - 1) / MSL_SIMD;
    p->quadgroups_per_threadgroup = (w->total + MSL_QUAD - 1) / MSL_QUAD;
    p->dispatch_simdgroups_per_threadgroup = (full + MSL_SIMD - 1) / MSL_SIMD;
    p->dispatch_quadgroups_per_threadgroup = (full + MSL_QUAD - 1) / MSL_QUAD;
}

static void line_up(worker *w) {
    for (uint32_t t = 0; t < w->total; t++) {
        w->threads[t].state = FRESH;
        w->order[t] = (uint16_t)(w->d->launch->order == EXEC_REVERSE ? w->total - 1 - t : t);
    }
    if (w->d->launch->order == EXEC_SHUFFLED) shuffle(w, w->order, w->total);
    for (uint32_t s = 0; s * MSL_SIMD < w->total; s++) {
        uint32_t first = s * MSL_SIMD, left = w->total - first;
        w->simds[s].first = first;
        w->simds[s].live = left < MSL_SIMD ? left : MSL_SIMD;
        w->simds[s].waiting = w->simds[s].ahead = 0;
    }
    w->live = w->total;
    w->started = w->at_barrier = w->ready_head = w->ready_count = 0;
}

// group_run returns when all threads have ended, or when one stopped the dispatch.
void group_run(worker *w, uint64_t index) {
    w->group++;
    w->random = w->d->launch->seed ^ index * 0xd1342543de82ef95u;
    describe(w, index);
    line_up(w);
    fiber *f = fiber_take(w);
    if (!f) {
        w->stopped = 1;
        return;
    }
    fiber_enter(w, f);
    w->running = NULL;
}
