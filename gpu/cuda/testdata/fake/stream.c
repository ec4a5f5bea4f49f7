// Streams and events of the fake driver: each stream is a thread that works through a list.
#include "fake.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct event {
    uint64_t recorded, passed; // how often
    double at;                 // seconds
};

enum work { LAUNCH, COPY, FILL8, FILL32, CALL, RECORD, AWAIT };

typedef struct op {
    enum work work;
    struct cuda_function *function;
    uint32_t groups[3], threads[3], shared;
    CUdeviceptr to, from;
    uint64_t bytes, nth;
    unsigned value;
    struct event *event;
    void (*call)(void *);
    struct op *next;
    size_t size; // of the argument
    _Alignas(16) unsigned char argument[];
} op;

typedef struct list {
    op *first, *last;
} list;

struct stream {
    pthread_t thread;
    list work;
    list *captured; // NULL: nothing is being captured
    int ended;
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// hang never returns.
static void hang(void) {
    for (;;) {
        struct timespec t = {3600, 0};
        nanosleep(&t, NULL);
    }
}

static void fault(int code) {
    if (code == -1) hang();
    pthread_mutex_lock(&fake_lock);
    fake_fault = code;
    pthread_cond_broadcast(&fake_changed);
    pthread_mutex_unlock(&fake_lock);
}

// meet waits until as many launches as the setting "meet" says have begun that did not run yet: they must be in several streams. A
// launch timeout if they are not.
static int meet(void) {
    static uint64_t begun;
    uint64_t together = (uint64_t)setting("meet", 1), all;
    double end = now() + (double)setting("timeout", 10);
    pthread_mutex_lock(&fake_lock);
    for (all = (begun++ / together + 1) * together; begun < all && now() < end;) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_sec++; // at the latest, to look at the time
        pthread_cond_timedwait(&fake_changed, &fake_lock, &t);
    }
    int met = begun >= all;
    pthread_cond_broadcast(&fake_changed);
    pthread_mutex_unlock(&fake_lock);
    return met ? OK : 702;
}

static void do_work(op *o) {
    int code = OK;
    switch (o->work) {
    case LAUNCH:
        code = meet();
        if (!code) code = run_kernel(o->function, o->groups, o->threads, o->shared, o->argument);
        break;
    case COPY: memcpy((void *)(uintptr_t)o->to, (void *)(uintptr_t)o->from, o->bytes); break;
    case FILL8: memset((void *)(uintptr_t)o->to, (int)o->value, o->bytes); break;
    case FILL32:
        for (uint64_t i = 0; i < o->bytes / 4; i++) ((uint32_t *)(uintptr_t)o->to)[i] = o->value;
        break;
    case CALL: o->call(o->argument); break;
    default: break;
    }
    if (code) fault(code);
}

// wait_or_pass does what concerns events. The lock is held.
static void wait_or_pass(op *o) {
    if (o->work == RECORD) {
        if (o->event->passed < o->nth) o->event->passed = o->nth;
        o->event->at = now();
        pthread_cond_broadcast(&fake_changed);
    }
    while (o->work == AWAIT && o->event->passed < o->nth && !fake_fault) pthread_cond_wait(&fake_changed, &fake_lock);
}

static void *serve(void *argument) {
    struct stream *s = argument;
    pthread_mutex_lock(&fake_lock);
    for (;;) {
        while (!s->work.first && !s->ended) pthread_cond_wait(&fake_changed, &fake_lock);
        op *o = s->work.first;
        if (!o) break;
        if (fake_fault && o->work != AWAIT) goto done; // nothing runs any more
        if (o->work == RECORD || o->work == AWAIT) wait_or_pass(o);
        else {
            pthread_mutex_unlock(&fake_lock);
            do_work(o);
            pthread_mutex_lock(&fake_lock);
        }
    done:
        s->work.first = o->next;
        free(o);
    }
    pthread_mutex_unlock(&fake_lock);
    free(s);
    return NULL;
}

// new_op makes an op; size is that of its argument.
static op *new_op(enum work work, const void *argument, size_t size) {
    op *o = calloc(1, sizeof *o + size);
    o->work = work;
    o->size = size;
    if (size) memcpy(o->argument, argument, size);
    return o;
}

static void append(list *l, op *o) {
    if (l->first) l->last->next = o;
    else l->first = o;
    l->last = o;
}

static CUresult push(struct stream *s, op *o) {
    pthread_mutex_lock(&fake_lock);
    append(s->captured ? s->captured : &s->work, o);
    pthread_cond_broadcast(&fake_changed);
    pthread_mutex_unlock(&fake_lock);
    return OK;
}

CUresult call_later(struct stream *s, void (*function)(void *argument), const void *argument, size_t size) {
    op *o = new_op(CALL, argument, size);
    o->call = function;
    return push(s, o);
}

// A graph is the list of what was captured; an executable one is a copy of it.
static void copy_list(list *to, const list *from) {
    for (op *o = from->first; o; o = o->next) {
        op *own = malloc(sizeof *o + o->size);
        memcpy(own, o, sizeof *o + o->size);
        own->next = NULL;
        append(to, own);
    }
}

static CUresult free_list(list *l) {
    for (op *o = l->first, *next; o; o = next) {
        next = o->next;
        free(o);
    }
    free(l);
    pthread_mutex_lock(&fake_lock);
    fake_live[GRAPH]--;
    pthread_mutex_unlock(&fake_lock);
    return OK;
}

static list *new_list(void) {
    pthread_mutex_lock(&fake_lock);
    fake_live[GRAPH]++;
    pthread_mutex_unlock(&fake_lock);
    return calloc(1, sizeof(list));
}

CUresult cuStreamBeginCapture_v2(struct stream *s, int mode) {
    CUresult code = current();
    if (!code) code = scripted("cuStreamBeginCapture", mode == 2 && !s->captured ? OK : INVALID_VALUE);
    if (!code) s->captured = new_list();
    return code;
}

CUresult cuStreamEndCapture(struct stream *s, list **graph) {
    CUresult code = current();
    if (!s->captured) return INVALID_VALUE;
    *graph = s->captured;
    s->captured = NULL;
    return code ? code : scripted("cuStreamEndCapture", OK);
}

CUresult cuGraphInstantiateWithFlags(list **made, list *graph, unsigned long long flags) {
    CUresult code = current();
    if (!code) code = scripted("cuGraphInstantiate", flags ? INVALID_VALUE : OK);
    if (code) return code;
    copy_list(*made = new_list(), graph);
    return OK;
}

CUresult cuGraphLaunch(list *made, struct stream *s) {
    CUresult code = current();
    if (!code) code = scripted("cuGraphLaunch", OK);
    if (code) return code;
    list again = {0};
    copy_list(&again, made);
    for (op *o = again.first, *next; o; o = next) {
        next = o->next;
        o->next = NULL;
        push(s, o);
    }
    return OK;
}

CUresult cuGraphDestroy(list *graph) { return free_list(graph); }
CUresult cuGraphExecDestroy(list *made) { return free_list(made); }

CUresult cuStreamCreate(struct stream **out, unsigned flags) {
    CUresult code = current();
    if (!code) code = scripted("cuStreamCreate", flags == 1 ? OK : INVALID_VALUE);
    if (code) return code;
    struct stream *s = calloc(1, sizeof *s);
    *out = s;
    pthread_mutex_lock(&fake_lock);
    fake_live[STREAM]++;
    pthread_mutex_unlock(&fake_lock);
    pthread_create(&s->thread, NULL, serve, s);
    pthread_detach(s->thread);
    return OK;
}

CUresult cuStreamDestroy_v2(struct stream *s) {
    CUresult code = current();
    if (code) return code;
    pthread_mutex_lock(&fake_lock);
    s->ended = 1;
    fake_live[STREAM]--;
    pthread_cond_broadcast(&fake_changed);
    pthread_mutex_unlock(&fake_lock);
    return OK;
}

CUresult cuEventCreate(struct event **event, unsigned flags) {
    CUresult code = current();
    (void)flags;
    if (!code) code = scripted("cuEventCreate", OK);
    if (code) return code;
    *event = calloc(1, sizeof **event);
    pthread_mutex_lock(&fake_lock);
    fake_live[EVENT]++;
    pthread_mutex_unlock(&fake_lock);
    return OK;
}

// An event that was destroyed may still be recorded by a stream: its memory stays.
CUresult cuEventDestroy_v2(struct event *event) {
    CUresult code = current();
    if (code || !event) return code ? code : INVALID_VALUE;
    pthread_mutex_lock(&fake_lock);
    fake_live[EVENT]--;
    pthread_mutex_unlock(&fake_lock);
    return OK;
}

CUresult cuEventRecord(struct event *event, struct stream *s) {
    CUresult code = current();
    if (!code) code = scripted("cuEventRecord", s->captured ? INVALID_VALUE : OK); // the engine records none in a graph
    if (code) return code;
    op *o = new_op(RECORD, NULL, 0);
    pthread_mutex_lock(&fake_lock);
    o->nth = ++event->recorded;
    pthread_mutex_unlock(&fake_lock);
    o->event = event;
    return push(s, o);
}

CUresult cuEventQuery(struct event *event) {
    CUresult code = current();
    if (code) return code;
    pthread_mutex_lock(&fake_lock);
    code = event->passed < event->recorded ? NOT_READY : OK;
    pthread_mutex_unlock(&fake_lock);
    return code;
}

CUresult cuEventElapsedTime(float *milliseconds, struct event *start, struct event *end) {
    CUresult code = current();
    if (!code) code = scripted("cuEventElapsedTime", OK);
    *milliseconds = (float)(1e3 * (end->at - start->at) * (double)setting("clock", 1));
    return code;
}

CUresult cuStreamWaitEvent(struct stream *s, struct event *event, unsigned flags) {
    CUresult code = current();
    if (code || flags) return code ? code : INVALID_VALUE;
    op *o = new_op(AWAIT, NULL, 0);
    pthread_mutex_lock(&fake_lock);
    o->nth = event->recorded;
    pthread_mutex_unlock(&fake_lock);
    o->event = event;
    return push(s, o);
}

static CUresult move(struct stream *s, enum work work, CUdeviceptr to, CUdeviceptr from, uint64_t bytes, unsigned value) {
    if (room(to) < bytes || (work == COPY && room(from) < bytes)) return INVALID_VALUE;
    op *o = new_op(work, NULL, 0);
    o->to = to;
    o->from = from;
    o->bytes = bytes;
    o->value = value;
    return push(s, o);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, struct stream *s) {
    CUresult code = current();
    if (!code) code = scripted("cuMemcpyAsync", OK);
    return code ? code : move(s, COPY, to, from, bytes, 0);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, struct stream *s) {
    CUresult code = current();
    return code ? code : move(s, FILL8, to, 0, count, value);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, struct stream *s) {
    CUresult code = current();
    if (!code && to % 4) code = INVALID_VALUE;
    return code ? code : move(s, FILL32, to, 0, 4 * count, value);
}

CUresult cuLaunchKernel(struct cuda_function *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, struct stream *s, void **parameters, void **extra) {
    const uint32_t groups[3] = {gx, gy, gz}, threads[3] = {bx, by, bz};
    CUresult code = current();
    if (!code && extra) code = INVALID_VALUE;
    if (!code) code = scripted("cuLaunchKernel", OK);
    if (!code) code = check_launch(function, groups, threads, shared);
    if (code) return code;
    unsigned char all[argument_bytes()];
    copy_arguments(all, parameters);
    op *o = new_op(LAUNCH, all, sizeof all);
    o->function = function;
    memcpy(o->groups, groups, sizeof groups);
    memcpy(o->threads, threads, sizeof threads);
    o->shared = shared;
    return push(s, o);
}
