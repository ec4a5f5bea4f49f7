//go:build linux && (amd64 || arm64)

// Lanes: independent launches rotate through several streams, which start from the position of the queue's own stream and which
// it waits for before anything else.

#include "driver.h"

enum { STREAM_NON_BLOCKING = 1 };

static int lanes_open(cuda_queue *queue) {
    cuda_lanes *lanes = &queue->lanes;
    const cuda_driver *call = queue->device->call;
    if (lanes->open) return CUDA_OK;
    int code = lanes->forked ? CUDA_OK : call->event_new(&lanes->forked, EVENT_UNTIMED);
    for (int i = 0; i < LANES && !code; i++) {
        if (!lanes->joined[i]) code = call->event_new(&lanes->joined[i], EVENT_UNTIMED);
        if (!code && !lanes->streams[i]) code = call->stream_new(&lanes->streams[i], STREAM_NON_BLOCKING);
    }
    lanes->open = !code;
    return code;
}

void cuda_lanes_close(cuda_queue *queue) {
    cuda_lanes *lanes = &queue->lanes;
    const cuda_driver *call = queue->device->call;
    for (int i = 0; i < LANES; i++) {
        if (lanes->joined[i]) call->event_free(lanes->joined[i]);
        if (lanes->streams[i]) call->stream_free(lanes->streams[i]);
    }
    if (lanes->forked) call->event_free(lanes->forked);
}

int cuda_lanes_join(cuda_queue *queue) {
    cuda_lanes *lanes = &queue->lanes;
    const cuda_driver *call = queue->device->call;
    int code = CUDA_OK;
    for (int i = 0; i < LANES && !code; i++) {
        if (!(lanes->busy >> i & 1)) continue;
        code = call->event_record(lanes->joined[i], lanes->streams[i]);
        if (!code) code = call->stream_await(queue->stream, lanes->joined[i], 0);
        if (!code) lanes->busy &= ~(1u << i);
    }
    return code;
}

// fork_lanes lets the streams start from the position of the queue's own.
static int fork_lanes(cuda_queue *queue) {
    int code = lanes_open(queue);
    if (!code) code = queue->device->call->event_record(queue->lanes.forked, queue->stream);
    queue->lanes.next = 0;
    return code;
}

int cuda_lane(cuda_queue *queue, enum cuda_order order, CUstream *stream) {
    cuda_lanes *lanes = &queue->lanes;
    int code = CUDA_OK;
    *stream = queue->stream;
    if (order != CUDA_BESIDE_THOSE) code = cuda_lanes_join(queue);
    if (!code && order == CUDA_FIRST_OF_SEVERAL) code = fork_lanes(queue);
    if (code || order != CUDA_BESIDE_THOSE) return code;
    unsigned lane = ++lanes->next % (LANES + 1); // the first is on the queue's own stream
    if (lane == 0) return CUDA_OK;
    unsigned bit = 1u << (lane - 1);
    *stream = lanes->streams[lane - 1];
    if (!(lanes->busy & bit)) code = queue->device->call->stream_await(*stream, lanes->forked, 0);
    lanes->busy |= bit;
    return code;
}
