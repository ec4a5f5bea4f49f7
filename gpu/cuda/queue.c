//go:build linux && (amd64 || arm64)

// Queues, and their submissions.

#include "driver.h"

#include <stdlib.h>

enum { STREAM_NON_BLOCKING = 1 }; // does not wait for the default stream, which is not used

int cuda_queue_new(cuda_device *device, cuda_queue **out) {
    const cuda_driver *call = cuda_use(device);
    cuda_queue *queue = calloc(1, sizeof *queue);
    if (!queue) return CUDA_NO_HOST_MEMORY;
    queue->device = device;
    cuda_events_open(&queue->events, EVENT_TIMED);
    int code = call->stream_new(&queue->stream, STREAM_NON_BLOCKING);
    for (int i = 0; i < PARTS && !code; i++) code = call->event_new(&queue->marks[i], EVENT_UNTIMED);
    if (code) {
        cuda_queue_free(queue);
        return code;
    }
    *out = queue;
    return CUDA_OK;
}

void cuda_queue_free(cuda_queue *queue) {
    if (!cuda_dead(queue->device)) {
        const cuda_driver *call = cuda_use(queue->device);
        cuda_blas_leave(queue);
        for (int i = 0; i < PARTS; i++)
            if (queue->marks[i]) call->event_free(queue->marks[i]);
        cuda_lanes_close(queue);
        if (queue->stream) call->stream_free(queue->stream);
    }
    cuda_events_close(&queue->events, queue->device);
    free(queue);
}

// fill sets whole words where possible, which is faster.
static int fill(const cuda_driver *call, CUdeviceptr to, uint64_t bytes, unsigned char value, CUstream stream) {
    uint64_t words = to % 4 ? 0 : bytes / 4;
    int code = words ? call->fill32(to, 0x01010101u * value, words, stream) : CUDA_OK;
    if (!code && bytes > 4 * words) code = call->fill8(to + 4 * words, value, bytes - 4 * words, stream);
    return code;
}

int cuda_encode(cuda_queue *queue, const cuda_command *c) {
    const cuda_driver *call = queue->device->call;
    CUstream stream;
    int code = cuda_lane(queue, c->order, &stream);
    if (code) return code;
    switch (c->kind) {
    case COMMAND_LAUNCH: return cuda_launch_parts(call, c, stream);
    case COMMAND_COPY: return call->copy(c->to, c->from, c->bytes, queue->stream);
    case COMMAND_FILL: return fill(call, c->to, c->bytes, c->value, queue->stream);
    case COMMAND_PRODUCT: return cuda_blas_product(queue, &c->product);
    case COMMAND_SIGNAL: return cuda_event_signal(c->event, queue->stream);
    case COMMAND_AWAIT: return cuda_event_await(c->event, queue->stream);
    }
    return CUDA_OK;
}

// make_room counts commands, and after each part of them waits until the stream holds at most PARTS parts.
static int make_room(cuda_queue *queue, int commands, double seconds) {
    uint64_t before = queue->commands / PART;
    queue->commands += (uint64_t)commands;
    uint64_t part = queue->commands / PART;
    if (part == before) return CUDA_OK;
    CUevent mark = queue->marks[part % PARTS];
    int code = part >= PARTS ? cuda_await(queue->device, mark, seconds, 1) : CUDA_OK;
    if (!code) code = cuda_lanes_join(queue);
    return code ? code : queue->device->call->event_record(mark, queue->stream);
}

// encode_graphs submits runs with a graph, if there is one, and reports how many.
static int encode_graphs(cuda_queue *queue, const cuda_graph *graph, int repeat, double seconds, int *runs) {
    int code = CUDA_OK;
    for (*runs = 0; graph && graph->exec && !code && *runs + graph->runs <= repeat; *runs += graph->runs) {
        code = queue->device->call->graph_launch(graph->exec, queue->stream);
        if (!code) code = make_room(queue, PART, seconds); // regardless of its size: a stream accepts many graphs
    }
    return code;
}

static int encode_runs(cuda_run *run, const cuda_program *program, int repeat, int staged, double seconds) {
    cuda_queue *queue = run->queue;
    int at = 0, r = 0, code = encode_graphs(queue, run->graph, repeat, seconds, &r);
    for (; !code && r < repeat; r++) {
        for (size_t i = 0; i < program->count; i++) {
            code = cuda_encode(queue, &program->commands[i]);
            if (!code && staged) code = queue->device->call->event_record(run->events[++at], queue->stream);
            if (!code) code = make_room(queue, cuda_parts(&program->commands[i]), seconds);
            if (code) return code;
        }
    }
    return code;
}

// run_new creates a run with that many events and records the first.
static int run_new(cuda_queue *queue, int events, cuda_run **out) {
    const cuda_driver *call = cuda_use(queue->device);
    cuda_run *run = calloc(1, sizeof *run + (size_t)events * sizeof run->events[0]);
    if (!run) return CUDA_NO_HOST_MEMORY;
    run->queue = queue;
    int code = CUDA_OK;
    while (run->count < events && !code) {
        code = cuda_events_take(&queue->events, call, &run->events[run->count]);
        if (!code) run->count++;
    }
    run->begun = cuda_now();
    if (!code) code = call->event_record(run->events[0], queue->stream);
    *out = run;
    if (code) cuda_run_free(run);
    return code;
}

// finish records the last event. After a failure it waits for what was already submitted.
static int finish(cuda_run *run, int code, double seconds, cuda_run **out) {
    CUevent last = run->events[run->count - 1];
    int recorded = cuda_lanes_join(run->queue);
    if (!recorded) recorded = run->queue->device->call->event_record(last, run->queue->stream);
    if (!code && !recorded) {
        *out = run;
        return CUDA_OK;
    }
    if (!recorded && cuda_await(run->queue->device, last, seconds, 1) == CUDA_STUCK) return CUDA_STUCK; // the run is leaked with its work
    cuda_run_free(run);
    return code ? code : recorded;
}

int cuda_submit(cuda_queue *queue, cuda_program *program, int repeat, int staged, double seconds, cuda_run **out) {
    cuda_graph *graph = staged ? NULL : cuda_graph_take(queue, program, repeat); // before the device's time starts
    cuda_run *run = NULL;
    int code = run_new(queue, staged ? (int)program->count * repeat + 1 : 2, &run);
    if (code) {
        cuda_graph_give(graph);
        return code;
    }
    run->graph = graph;
    code = encode_runs(run, program, repeat, staged, seconds);
    if (!code && staged) { // the event after the last command ends it
        *out = run;
        return CUDA_OK;
    }
    return finish(run, code, seconds, out);
}

int cuda_copy(cuda_queue *queue, uint64_t to, uint64_t from, uint64_t bytes, double seconds, cuda_run **out) {
    cuda_run *run = NULL;
    int code = run_new(queue, 2, &run);
    if (code) return code;
    return finish(run, queue->device->call->copy(to, from, bytes, queue->stream), seconds, out);
}

int cuda_fill(cuda_queue *queue, uint64_t to, uint64_t bytes, unsigned char value, double seconds, cuda_run **out) {
    cuda_run *run = NULL;
    int code = run_new(queue, 2, &run);
    if (code) return code;
    return finish(run, fill(queue->device->call, to, bytes, value, queue->stream), seconds, out);
}
