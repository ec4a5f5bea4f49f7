//go:build metalsim && cgo

// Queues. Each has its own thread, which runs command buffers in commit order.

#include <stdlib.h>

#include "sim.h"

typedef struct sim_waiting {
    struct sim_waiting *next;
    SimCommandBuffer *buffer;
} sim_waiting;

// A lane is a queue's thread and its pending command buffers. The thread frees it after the queue is released.
struct sim_lane {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    sim_waiting *first, **last;
    NSUInteger room; // for command buffers in flight
    int closed;
};

void sim_lane_take(struct sim_lane *lane) {
    pthread_mutex_lock(&lane->lock);
    while (lane->room == 0) pthread_cond_wait(&lane->changed, &lane->lock);
    lane->room--;
    pthread_mutex_unlock(&lane->lock);
}

void sim_lane_give_back(struct sim_lane *lane) {
    pthread_mutex_lock(&lane->lock);
    lane->room++;
    pthread_cond_broadcast(&lane->changed);
    pthread_mutex_unlock(&lane->lock);
}

void sim_lane_push(struct sim_lane *lane, SimCommandBuffer *buffer) {
    sim_waiting *waiting = calloc(1, sizeof *waiting);
    if (!waiting) abort();
    waiting->buffer = [buffer retain];
    pthread_mutex_lock(&lane->lock);
    *lane->last = waiting;
    lane->last = &waiting->next;
    pthread_cond_broadcast(&lane->changed);
    pthread_mutex_unlock(&lane->lock);
}

// next returns the command buffer to run; nil after the queue is released.
static SimCommandBuffer *next(struct sim_lane *lane) {
    SimCommandBuffer *buffer = nil;
    pthread_mutex_lock(&lane->lock);
    while (!lane->first && !lane->closed) pthread_cond_wait(&lane->changed, &lane->lock);
    sim_waiting *waiting = lane->first;
    if (waiting) {
        buffer = waiting->buffer;
        lane->first = waiting->next;
        if (!lane->first) lane->last = &lane->first;
    }
    pthread_mutex_unlock(&lane->lock);
    free(waiting);
    return buffer;
}

// work is the thread's function. The release needs an autorelease pool: it may be the last one and free the queue.
static void *work(void *argument) {
    struct sim_lane *lane = argument;
    for (SimCommandBuffer *buffer; (buffer = next(lane));) {
        @autoreleasepool {
            [buffer execute];
            [buffer release];
        }
    }
    pthread_cond_destroy(&lane->changed);
    pthread_mutex_destroy(&lane->lock);
    free(lane);
    return NULL;
}

static struct sim_lane *lane_new(NSUInteger depth) {
    struct sim_lane *lane = calloc(1, sizeof *lane);
    if (!lane) return NULL;
    pthread_mutex_init(&lane->lock, NULL);
    pthread_cond_init(&lane->changed, NULL);
    lane->last = &lane->first;
    lane->room = depth;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    int failed = pthread_create(&thread, &attributes, work, lane);
    pthread_attr_destroy(&attributes);
    if (!failed) return lane;
    free(lane);
    return NULL;
}

@implementation SimQueue

- (instancetype)initWithDevice:(SimDevice *)device depth:(NSUInteger)depth {
    if (!(self = [super initWithDevice:device kind:"MTLCommandQueue"])) return nil;
    _lane = depth > 0 ? lane_new(depth) : NULL;
    if (_lane) return self;
    [self release];
    return nil;
}

// Command buffers retain their queue, so none is pending here.
- (void)dealloc {
    if (_lane) {
        pthread_mutex_lock(&_lane->lock);
        _lane->closed = 1;
        pthread_cond_broadcast(&_lane->changed);
        pthread_mutex_unlock(&_lane->lock);
    }
    [super dealloc];
}

- (id<MTLCommandBuffer>)commandBuffer {
    return [self commandBufferWithDescriptor:[[[MTLCommandBufferDescriptor alloc] init] autorelease]];
}

- (id<MTLCommandBuffer>)commandBufferWithUnretainedReferences {
    MTLCommandBufferDescriptor *descriptor = [[[MTLCommandBufferDescriptor alloc] init] autorelease];
    [descriptor setRetainedReferences:NO];
    return [self commandBufferWithDescriptor:descriptor];
}

- (id<MTLCommandBuffer>)commandBufferWithDescriptor:(MTLCommandBufferDescriptor *)descriptor {
    sim_want_label(self);
    sim_lane_take(_lane);
    return [[[SimCommandBuffer alloc] initWithQueue:self descriptor:descriptor] autorelease];
}

- (void)addResidencySet:(id<MTLResidencySet>)set {
    sim_usable(set, "addResidencySet:");
}

- (void)removeResidencySet:(id<MTLResidencySet>)set {
    sim_usable(set, "removeResidencySet:");
}

@end
