//go:build linux && (amd64 || arm64)

// Runs: waiting for submissions, and their times. The driver has no wait with a timeout, so events are polled: busily for as long
// as a short dispatch takes, then between sleeps that grow with the time already waited, so that they add little to it.

#include "driver.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

static const double BUSY = 100e-6, SLEEP = 10e-6, LONGEST = 1e-3, SHARE = 1.0 / 64; // seconds; of the time waited

// doze sleeps precisely: by default the system lets a thread sleep 50 µs longer, to wake several at once.
static void doze(double waited) {
    static _Thread_local int exact;
    if (!exact) exact = 1 + prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL); // ns; if this fails, sleeps are longer
    double seconds = waited * SHARE;
    if (seconds < SLEEP) seconds = SLEEP;
    if (seconds > LONGEST) seconds = LONGEST;
    struct timespec t = {0, (long)(1e9 * seconds)};
    nanosleep(&t, NULL);
}

int cuda_await(cuda_device *device, CUevent event, double seconds, int stoppable) {
    double start = cuda_now();
    for (;;) {
        int code = device->call->event_query(event);
        if (code != CUDA_NOT_READY) return code;
        double waited = cuda_now() - start;
        if (waited >= seconds || (stoppable && atomic_load(&device->stopped))) return CUDA_STUCK;
        if (waited > BUSY) doze(waited);
    }
}

static double elapsed(const cuda_run *run, int from, int to, int *code) {
    float milliseconds = 0;
    if (!*code) *code = run->queue->device->call->event_elapsed(&milliseconds, run->events[from], run->events[to]);
    return 1e-3 * (double)milliseconds;
}

cuda_outcome cuda_run_wait(cuda_run *run, double seconds) {
    cuda_use(run->queue->device);
    int code = cuda_await(run->queue->device, run->events[run->count - 1], seconds, 0);
    if (code == CUDA_STUCK) return (cuda_outcome){.code = code};
    cuda_outcome outcome = {.ended = 1, .wall = cuda_now() - run->begun};
    outcome.device = elapsed(run, 0, run->count - 1, &code);
    outcome.code = code;
    return outcome;
}

int cuda_run_stages(cuda_run *run, double *seconds, int count) {
    int code = CUDA_OK;
    cuda_use(run->queue->device);
    for (int i = 0; i < count && i + 1 < run->count; i++) seconds[i] = elapsed(run, i, i + 1, &code);
    return code;
}

void cuda_run_free(cuda_run *run) {
    cuda_queue *queue = run->queue;
    cuda_use(queue->device);
    cuda_graph_give(run->graph);
    for (int i = 0; i < run->count; i++) cuda_events_give(&queue->events, queue->device->call, run->events[i]);
    free(run);
}
