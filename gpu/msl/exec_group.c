// One threadgroup: its threads run one after the other until they wait; those that wait go on when all have arrived.
#include "exec.h"

#include <stdio.h>
#include <string.h>

static uint64_t random_next(exec_worker *w) {
    uint64_t z = w->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void shuffle(exec_worker *w, uint16_t *list, uint32_t count) {
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = (uint32_t)(random_next(w) % i);
        uint16_t t = list[i - 1];
        list[i - 1] = list[j];
        list[j] = t;
    }
}

static void push_ready(exec_worker *w, uint32_t thread) {
    w->ready[(w->ready_head + w->ready_count++) % EXEC_THREADS] = (uint16_t)thread;
}

// release lets a list of threads, given in ascending order, go on in the order of the dispatch.
static void release(exec_worker *w, uint16_t *list, uint32_t count) {
    if (w->d->order == EXEC_SHUFFLED) shuffle(w, list, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t t = list[w->d->order == EXEC_REVERSE ? count - 1 - i : i];
        w->threads[t].state = THREAD_RUNS;
        w->simds[t / MSL_SIMD].waiting--;
        push_ready(w, t);
    }
}

static void release_barrier(exec_worker *w) {
    uint16_t list[EXEC_THREADS];
    for (uint32_t t = 0; t < w->total; t++) {
        if (w->threads[t].site != w->threads[0].site) return; // told apart when nothing can go on
        list[t] = (uint16_t)t;
    }
    w->at_barrier = 0;
    release(w, list, w->total);
}

// resolve lets lanes of a SIMD group exchange once all its live lanes wait. Of several sites the one that comes first in
// the text is served, so that lanes that left a loop early wait for the others where they meet again.
static void resolve(exec_worker *w, exec_simd *s) {
    if (s->waiting < s->live || s->live == 0) return;
    uint32_t end = s->first + MSL_SIMD < w->total ? s->first + MSL_SIMD : w->total;
    const exec_thread *least = NULL;
    for (uint32_t t = s->first; t < end; t++) {
        const exec_thread *x = &w->threads[t];
        if (x->state == THREAD_EXCHANGE && (!least || x->site < least->site)) least = x;
    }
    if (!least) return;
    uint32_t site = least->site, bytes = least->bytes, mask = 0, count = 0;
    uint16_t list[MSL_SIMD];
    for (uint32_t t = s->first; t < end; t++) {
        const exec_thread *x = &w->threads[t];
        if (x->state != THREAD_EXCHANGE || x->site != site || x->bytes != bytes) continue;
        uint32_t lane = t - s->first;
        mask |= 1u << lane;
        list[count++] = (uint16_t)t;
        if (bytes == 4)
            memcpy(s->lanes.value + lane * 4, x->value, 4);
        else
            memcpy(s->lanes.value + lane * bytes, x->value, bytes);
    }
    for (uint32_t i = 0; i < count; i++) w->threads[list[i]].mask = mask;
    release(w, list, count);
}

static const char *place(uint32_t site, char *text, size_t size) {
    snprintf(text, size, "line %u, column %u", site >> 12, site & 4095);
    return text;
}

// stuck says why no thread can go on: a barrier that some do not reach.
static void stuck(exec_worker *w) {
    uint32_t site = 0, here = 0, elsewhere = 0, other = 0, ended = w->total - w->live;
    for (uint32_t t = 0; t < w->total; t++) {
        const exec_thread *x = &w->threads[t];
        if (x->state != THREAD_BARRIER) continue;
        if (here == 0) site = x->site;
        if (x->site == site)
            here++;
        else
            elsewhere++, other = x->site;
    }
    char text[128] = "";
    if (elsewhere) snprintf(text, sizeof text, "%u wait at another barrier (site %u)", elsewhere, other);
    if (ended) snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u ended", elsewhere ? ", " : "", ended);
    exec_note(w, site, 0, "threadgroup_barrier reached by %u of %u threads; the others: %s", here, w->total, text);
    exec_leave(w);
}

static uint32_t idle_fiber(exec_worker *w) {
    if (w->idle_count) return w->idle[--w->idle_count];
    return w->fiber_count++;
}

static void enter(exec_worker *w, uint32_t fiber) {
    if (fiber == w->current) return;
    void **save = &w->fibers[w->current].sp;
    if (!w->fibers[fiber].begun) exec_fiber_begin(w, fiber);
    w->current = fiber;
    exec_switch(save, w->fibers[fiber].sp);
}

// go_on leaves a fiber that waits or has nothing to do, for one that can run.
static void go_on(exec_worker *w) {
    if (w->ready_count) {
        uint32_t t = w->ready[w->ready_head];
        w->ready_head = (w->ready_head + 1) % EXEC_THREADS;
        w->ready_count--;
        enter(w, w->threads[t].fiber);
    } else if (w->started < w->total) {
        enter(w, idle_fiber(w));
    } else if (w->live == 0) {
        exec_switch(&w->fibers[w->current].sp, w->main_sp);
    } else {
        stuck(w);
    }
}

static void check_stop(exec_worker *w) {
    if (atomic_load_explicit(&w->d->stop, memory_order_relaxed) != EXEC_RUN) exec_leave(w);
}

static exec_thread *wait_at(exec_worker *w, uint32_t state, uint32_t site) {
    exec_fiber *f = &w->fibers[w->current];
    exec_thread *t = &w->threads[f->thread];
    check_stop(w);
    t->state = (uint8_t)state;
    t->site = site;
    t->fiber = (uint16_t)w->current;
    w->simds[f->thread / MSL_SIMD].waiting++;
    return t;
}

void exec_wait_barrier(exec_worker *w, uint32_t site) {
    exec_thread *t = wait_at(w, THREAD_BARRIER, site);
    if (++w->at_barrier == w->total)
        release_barrier(w);
    else
        resolve(w, &w->simds[(t - w->threads) / MSL_SIMD]);
    go_on(w);
}

void exec_wait_exchange(exec_worker *w, uint32_t site, const void *value, uint32_t bytes) {
    exec_thread *t = wait_at(w, THREAD_EXCHANGE, site);
    t->value = value;
    t->bytes = bytes;
    resolve(w, &w->simds[(t - w->threads) / MSL_SIMD]);
    go_on(w);
}

// stand writes where a thread is into its fiber's record.
static void stand(exec_worker *w, exec_fiber *f, uint32_t thread) {
    if (f->group != w->group) {
        f->where = w->where;
        f->group = w->group;
    }
    msl_thread *p = &f->where;
    const uint32_t *size = p->threads_per_threadgroup;
    uint32_t at[3] = {thread % size[0], thread / size[0] % size[1], thread / size[0] / size[1]};
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

static void ended(exec_worker *w, uint32_t thread) {
    exec_simd *s = &w->simds[thread / MSL_SIMD];
    w->threads[thread].state = THREAD_ENDED;
    w->live--;
    s->live--;
    resolve(w, s);
}

// exec_fiber_main runs threads that have not begun, one after the other, as long as none that waited can go on.
void exec_fiber_main(void) {
    exec_worker *w = exec_this();
    for (;;) {
        exec_fiber *f = &w->fibers[w->current];
        while (w->started < w->total && w->ready_count == 0) {
            uint32_t t = w->order[w->started++];
            stand(w, f, t);
            w->threads[t].state = THREAD_RUNS;
            msl_call call = w->call;
            call.thread = &f->where;
            w->d->entry(&call);
            ended(w, t);
        }
        w->idle[w->idle_count++] = (uint16_t)w->current;
        if (w->ready_count == 0 && w->live == 0)
            exec_switch(&f->sp, w->main_sp);
        else
            go_on(w);
    }
}

// describe fills in what the threads of a group have in common; false for a group outside the grid.
static void describe(exec_worker *w, uint64_t index) {
    const exec_dispatch *d = w->d;
    msl_thread *p = &w->where;
    memset(p, 0, sizeof *p);
    uint32_t at[3] = {(uint32_t)(index % d->groups[0]), (uint32_t)(index / d->groups[0] % d->groups[1]),
                      (uint32_t)(index / d->groups[0] / d->groups[1])};
    uint32_t full = 1;
    w->total = 1;
    for (int i = 0; i < 3; i++) {
        uint32_t left = d->grid[i] - at[i] * d->threads[i];
        uint32_t size = d->grid[i] && left < d->threads[i] ? left : d->threads[i];
        p->threadgroup_position_in_grid[i] = at[i];
        p->threads_per_threadgroup[i] = size;
        p->dispatch_threads_per_threadgroup[i] = d->threads[i];
        p->threadgroups_per_grid[i] = d->groups[i];
        p->threads_per_grid[i] = p->grid_size[i] = d->grid[i] ? d->grid[i] : d->groups[i] * d->threads[i];
        full *= d->threads[i];
        w->total *= size;
    }
    p->threads_per_simdgroup = MSL_SIMD;
    p->simdgroups_per_threadgroup = (w->total + MSL_SIMD - 1) / MSL_SIMD;
    p->quadgroups_per_threadgroup = (w->total + MSL_QUAD - 1) / MSL_QUAD;
    p->dispatch_simdgroups_per_threadgroup = (full + MSL_SIMD - 1) / MSL_SIMD;
    p->dispatch_quadgroups_per_threadgroup = (full + MSL_QUAD - 1) / MSL_QUAD;
}

static void line_up(exec_worker *w) {
    for (uint32_t t = 0; t < w->total; t++) {
        w->threads[t].state = THREAD_FRESH;
        w->order[t] = (uint16_t)(w->d->order == EXEC_REVERSE ? w->total - 1 - t : t);
    }
    if (w->d->order == EXEC_SHUFFLED) shuffle(w, w->order, w->total);
    for (uint32_t s = 0; s * MSL_SIMD < w->total; s++) {
        uint32_t first = s * MSL_SIMD, left = w->total - first;
        w->simds[s].first = first;
        w->simds[s].live = left < MSL_SIMD ? left : MSL_SIMD;
        w->simds[s].waiting = 0;
    }
    w->live = w->total;
    w->started = w->at_barrier = w->ready_head = w->ready_count = 0;
}

// exec_run_group returns when all threads have ended, or when one left the dispatch.
void exec_run_group(exec_worker *w, uint64_t index) {
    w->group++;
    w->random = w->d->seed ^ index * 0xd1342543de82ef95u;
    describe(w, index);
    line_up(w);
    exec_poison(w);
    uint32_t f = idle_fiber(w);
    if (!w->fibers[f].begun) exec_fiber_begin(w, f);
    w->current = f;
    atomic_store_explicit(&w->in_kernel, true, memory_order_relaxed);
    exec_switch(&w->main_sp, w->fibers[f].sp);
    atomic_store_explicit(&w->in_kernel, false, memory_order_relaxed);
}
