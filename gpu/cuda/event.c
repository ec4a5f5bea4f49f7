//go:build linux && (amd64 || arm64)

// Events between queues, and the pool of the driver's events.

#include "driver.h"

#include <stdlib.h>

void cuda_events_open(cuda_events *events, unsigned flags) {
    *events = (cuda_events){.flags = flags};
    pthread_mutex_init(&events->lock, NULL);
}

int cuda_events_take(cuda_events *events, const cuda_driver *driver, CUevent *event) {
    *event = NULL;
    pthread_mutex_lock(&events->lock);
    if (events->count) *event = events->idle[--events->count];
    pthread_mutex_unlock(&events->lock);
    return *event ? CUDA_OK : driver->event_new(event, events->flags);
}

void cuda_events_give(cuda_events *events, const cuda_driver *driver, CUevent event) {
    int kept = 0;
    pthread_mutex_lock(&events->lock);
    if (events->count == events->room) {
        size_t room = events->room ? 2 * events->room : 16;
        CUevent *idle = realloc(events->idle, room * sizeof *idle);
        if (idle) {
            events->idle = idle;
            events->room = room;
        }
    }
    if (events->count < events->room) {
        events->idle[events->count++] = event;
        kept = 1;
    }
    pthread_mutex_unlock(&events->lock);
    if (!kept) driver->event_free(event);
}

void cuda_events_close(cuda_events *events, const cuda_device *device) {
    for (size_t i = 0; i < events->count && !cuda_dead(device); i++) cuda_use(device)->event_free(events->idle[i]);
    free(events->idle);
    pthread_mutex_destroy(&events->lock);
}

// A signal records a driver event, and the matching await takes the oldest: the n-th await takes the n-th signal. An await is
// submitted after its signal, so the event has been recorded.
struct cuda_event {
    cuda_device *device;
    cuda_events events;
    pthread_mutex_t lock;
    CUevent *signals; // that no await took, a ring
    size_t first, count, room;
};

cuda_event *cuda_event_new(cuda_device *device) {
    cuda_event *event = calloc(1, sizeof *event);
    if (!event) return NULL;
    event->device = device;
    cuda_events_open(&event->events, EVENT_UNTIMED);
    pthread_mutex_init(&event->lock, NULL);
    return event;
}

void cuda_event_free(cuda_event *event) {
    for (size_t i = 0; i < event->count && !cuda_dead(event->device); i++)
        cuda_events_give(&event->events, cuda_use(event->device), event->signals[(event->first + i) % event->room]);
    cuda_events_close(&event->events, event->device);
    pthread_mutex_destroy(&event->lock);
    free(event->signals);
    free(event);
}

// push adds a recorded event; 0 if there is no memory.
static int push(cuda_event *event, CUevent recorded) {
    if (event->count == event->room) {
        size_t room = event->room ? 2 * event->room : 8;
        CUevent *signals = malloc(room * sizeof *signals);
        if (!signals) return 0;
        for (size_t i = 0; i < event->count; i++) signals[i] = event->signals[(event->first + i) % event->room];
        free(event->signals);
        event->signals = signals;
        event->first = 0;
        event->room = room;
    }
    event->signals[(event->first + event->count++) % event->room] = recorded;
    return 1;
}

int cuda_event_signal(cuda_event *event, CUstream stream) {
    const cuda_driver *call = event->device->call;
    CUevent made;
    int code = cuda_events_take(&event->events, call, &made);
    if (code) return code;
    pthread_mutex_lock(&event->lock);
    code = call->event_record(made, stream);
    if (!code && !push(event, made)) code = CUDA_NO_HOST_MEMORY;
    pthread_mutex_unlock(&event->lock);
    if (code) cuda_events_give(&event->events, call, made);
    return code;
}

// cuda_event_await finds no event only if the submission with its signal failed: then there is nothing to wait for.
int cuda_event_await(cuda_event *event, CUstream stream) {
    const cuda_driver *call = event->device->call;
    CUevent oldest = NULL;
    pthread_mutex_lock(&event->lock);
    if (event->count) {
        oldest = event->signals[event->first];
        event->first = (event->first + 1) % event->room;
        event->count--;
    }
    pthread_mutex_unlock(&event->lock);
    if (!oldest) return CUDA_OK;
    int code = call->stream_await(stream, oldest, 0); // refers to the recorded state: the event may be recorded again
    cuda_events_give(&event->events, call, oldest);
    return code;
}
