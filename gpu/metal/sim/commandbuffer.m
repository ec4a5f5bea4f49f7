//go:build metalsim && cgo

// Command buffers: their passes, status and errors.

#include <Block.h>

#include "sim.h"

NSString *const MTLCommandBufferErrorDomain = @"MTLCommandBufferErrorDomain";
NSString *const MTLCommandBufferEncoderInfoErrorKey = @"MTLCommandBufferEncoderInfoErrorKey";

// SimHandler wraps a block, which gcc's runtime does not treat as an object.
@interface SimHandler : NSObject {
@public
    MTLCommandBufferHandler _block;
}
@end

@implementation SimHandler
- (void)dealloc {
    Block_release(_block);
    [super dealloc];
}
@end

static SimHandler *handler(MTLCommandBufferHandler block) {
    SimHandler *h = [[[SimHandler alloc] init] autorelease];
    h->_block = Block_copy(block);
    return h;
}

@interface SimEncoderInfo : NSObject <MTLCommandBufferEncoderInfo> {
@public
    NSString *_label;
    MTLCommandEncoderErrorState _state;
}
@end

@implementation SimEncoderInfo
- (NSString *)label {
    return _label;
}
- (NSArray *)debugSignposts {
    return [NSArray array];
}
- (MTLCommandEncoderErrorState)errorState {
    return _state;
}
- (void)dealloc {
    [_label release];
    [super dealloc];
}
@end

@implementation SimCommandBuffer

- (instancetype)initWithQueue:(SimQueue *)queue descriptor:(MTLCommandBufferDescriptor *)descriptor {
    if (!(self = [super initWithDevice:queue->_device kind:"MTLCommandBuffer"])) return nil;
    _queue = [queue retain];
    _retainsReferences = [descriptor retainedReferences];
    _errorOptions = [descriptor errorOptions];
    _passes = [[NSMutableArray alloc] init];
    _resources = [[NSMutableArray alloc] init];
    _scheduled = [[NSMutableArray alloc] init];
    _completed = [[NSMutableArray alloc] init];
    pthread_mutex_init(&_lock, NULL);
    pthread_cond_init(&_changed, NULL);
    return self;
}

- (void)dealloc {
    if (!_handed_over) sim_lane_give_back(_queue->_lane);
    [_passes release];
    [_resources release];
    [_scheduled release];
    [_completed release];
    [_error release];
    pthread_cond_destroy(&_changed);
    pthread_mutex_destroy(&_lock);
    [_queue release];
    [super dealloc];
}

- (id<MTLCommandQueue>)commandQueue {
    return _queue;
}

- (BOOL)retainedReferences {
    return _retainsReferences;
}

- (MTLCommandBufferErrorOption)errorOptions {
    return _errorOptions;
}

- (MTLCommandBufferStatus)status {
    pthread_mutex_lock(&_lock);
    MTLCommandBufferStatus status = _status;
    pthread_mutex_unlock(&_lock);
    return status;
}

- (NSError *)error {
    pthread_mutex_lock(&_lock);
    NSError *error = [[_error retain] autorelease];
    pthread_mutex_unlock(&_lock);
    return error;
}

- (double)time:(double *)time {
    pthread_mutex_lock(&_lock);
    double t = _status >= MTLCommandBufferStatusCompleted && !sim_zero_times() ? *time : 0;
    pthread_mutex_unlock(&_lock);
    return t;
}

- (CFTimeInterval)GPUStartTime {
    return [self time:&_started_at];
}

- (CFTimeInterval)GPUEndTime {
    return [self time:&_ended_at];
}

- (CFTimeInterval)kernelStartTime {
    return [self time:&_committed_at];
}

- (CFTimeInterval)kernelEndTime {
    return [self time:&_scheduled_at];
}

- (void)reach:(MTLCommandBufferStatus)status {
    pthread_mutex_lock(&_lock);
    _status = status;
    pthread_cond_broadcast(&_changed);
    pthread_mutex_unlock(&_lock);
}

- (void)waitFor:(MTLCommandBufferStatus)status {
    if ([self status] < MTLCommandBufferStatusCommitted) {
        sim_violation(self, "waited for before its commit");
        return;
    }
    pthread_mutex_lock(&_lock);
    while (_status < status) pthread_cond_wait(&_changed, &_lock);
    pthread_mutex_unlock(&_lock);
}

- (void)waitUntilScheduled {
    [self waitFor:MTLCommandBufferStatusScheduled];
}

- (void)waitUntilCompleted {
    [self waitFor:MTLCommandBufferStatusCompleted];
}

- (void)enqueue {
    if ([self status] == MTLCommandBufferStatusNotEnqueued) [self reach:MTLCommandBufferStatusEnqueued];
}

- (void)addHandler:(MTLCommandBufferHandler)block to:(NSMutableArray *)list {
    if ([self status] >= MTLCommandBufferStatusCommitted) {
        sim_violation(self, "a handler is added after its commit");
        return;
    }
    [list addObject:handler(block)];
}

- (void)addScheduledHandler:(MTLCommandBufferHandler)block {
    [self addHandler:block to:_scheduled];
}

- (void)addCompletedHandler:(MTLCommandBufferHandler)block {
    [self addHandler:block to:_completed];
}

- (void)useResidencySet:(id<MTLResidencySet>)set {
    sim_usable(set, "useResidencySet:");
}

- (void)pushDebugGroup:(NSString *)string {
    (void)string;
}

- (void)popDebugGroup {
}

- (void)use:(SimObject *)resource {
    if (_retainsReferences) [_resources addObject:resource];
}

- (SimPass *)beginPass:(const char *)kind {
    if ([self status] >= MTLCommandBufferStatusCommitted) {
        sim_violation(self, "%s after its commit", kind);
        return nil;
    }
    if (_active && !_active->_ended) {
        sim_violation(self, "%s while the encoder \"%s\" has not ended", kind, [_active->_label UTF8String] ?: "");
    }
    SimPass *pass = [[[SimPass alloc] init] autorelease];
    pass->_buffer = self;
    [_passes addObject:pass];
    _active = pass;
    return pass;
}

- (void)beginSampling:(SimEncoder *)encoder with:(id)attachment {
    if ([attachment sampleBuffer]) [encoder sampleWith:attachment];
}

- (id<MTLComputeCommandEncoder>)computeEncoder:(MTLDispatchType)type sampling:(id)attachment {
    SimPass *pass = [self beginPass:"a compute encoder"];
    if (!pass) return nil;
    pass->_concurrent = type == MTLDispatchTypeConcurrent;
    SimComputeEncoder *encoder = [[SimComputeEncoder alloc] initWithBuffer:self pass:pass kind:"MTLComputeCommandEncoder"];
    [self beginSampling:encoder with:attachment];
    return [encoder autorelease];
}

- (id<MTLComputeCommandEncoder>)computeCommandEncoder {
    return [self computeEncoder:MTLDispatchTypeSerial sampling:nil];
}

- (id<MTLComputeCommandEncoder>)computeCommandEncoderWithDispatchType:(MTLDispatchType)type {
    return [self computeEncoder:type sampling:nil];
}

- (id<MTLComputeCommandEncoder>)computeCommandEncoderWithDescriptor:(MTLComputePassDescriptor *)descriptor {
    return [self computeEncoder:[descriptor dispatchType]
                       sampling:[[descriptor sampleBufferAttachments] objectAtIndexedSubscript:0]];
}

- (id<MTLBlitCommandEncoder>)blitEncoder:(id)attachment {
    SimPass *pass = [self beginPass:"a blit encoder"];
    if (!pass) return nil;
    SimBlitEncoder *encoder = [[SimBlitEncoder alloc] initWithBuffer:self pass:pass kind:"MTLBlitCommandEncoder"];
    [self beginSampling:encoder with:attachment];
    return [encoder autorelease];
}

- (id<MTLBlitCommandEncoder>)blitCommandEncoder {
    return [self blitEncoder:nil];
}

- (id<MTLBlitCommandEncoder>)blitCommandEncoderWithDescriptor:(MTLBlitPassDescriptor *)descriptor {
    return [self blitEncoder:[[descriptor sampleBufferAttachments] objectAtIndexedSubscript:0]];
}

- (void)meet:(id<MTLEvent>)event value:(uint64_t)value signals:(BOOL)signals what:(const char *)what {
    if (!sim_usable(event, what)) return;
    SimPass *pass = [self beginPass:what];
    if (!pass) return;
    SimMeeting *meeting = [[[SimMeeting alloc] init] autorelease];
    meeting->_event = (SimEvent *)event;
    meeting->_value = value;
    meeting->_signals = signals;
    sim_want_label((SimObject *)event);
    [self use:(SimObject *)event];
    pass->_label = [[event label] copy];
    [pass->_commands addObject:meeting];
    pass->_ended = YES;
}

- (void)encodeWaitForEvent:(id<MTLEvent>)event value:(uint64_t)value {
    [self meet:event value:value signals:NO what:"encodeWaitForEvent:"];
}

- (void)encodeSignalEvent:(id<MTLEvent>)event value:(uint64_t)value {
    [self meet:event value:value signals:YES what:"encodeSignalEvent:"];
}

- (void)commit {
    if ([self status] >= MTLCommandBufferStatusCommitted) {
        sim_violation(self, "committed twice");
        return;
    }
    if (_active && !_active->_ended) {
        sim_violation(self, "committed while the encoder \"%s\" has not ended", [_active->_label UTF8String] ?: "");
        _active->_ended = YES;
    }
    sim_want_label(self);
    _committed_at = sim_now();
    _fate = sim_next_commit();
    _handed_over = YES;
    [self reach:MTLCommandBufferStatusCommitted];
    sim_lane_push(_queue->_lane, self);
}

- (void)call:(NSArray *)handlers {
    for (SimHandler *h in handlers) h->_block(self);
}

- (NSError *)failure:(MTLCommandBufferError)code {
    NSString *text = code == MTLCommandBufferErrorDeviceRemoved ? @"The device was removed" : @"The script says so";
    return sim_error(MTLCommandBufferErrorDomain, (NSInteger)code, text);
}

// perform runs the passes, with the script's faults, and returns their error.
- (NSError *)perform {
    if (_fate.hangs) sim_hang(_fate.generation);
    if (_fate.removes) sim_remove(_device);
    if (atomic_load(&_device->_removed)) return [self failure:MTLCommandBufferErrorDeviceRemoved];
    if (_fate.error) {
        SimPass *first = [_passes count] ? [_passes objectAtIndex:0] : nil;
        if (first) first->_state = MTLCommandEncoderErrorStateFaulted;
        return [self failure:(MTLCommandBufferError)_fate.error];
    }
    for (SimPass *pass in _passes) {
        NSError *error = [pass run];
        if (error) return error;
    }
    return nil;
}

// told adds the execution status of each encoder, if the descriptor requests it.
- (NSError *)told:(NSError *)error {
    if (!error || !(_errorOptions & MTLCommandBufferErrorOptionEncoderExecutionStatus)) return error;
    NSMutableArray *all = [NSMutableArray array];
    for (SimPass *pass in _passes) {
        SimEncoderInfo *info = [[[SimEncoderInfo alloc] init] autorelease];
        info->_label = [pass->_label copy];
        info->_state = pass->_state;
        [all addObject:info];
    }
    NSMutableDictionary *facts = [NSMutableDictionary dictionaryWithDictionary:[error userInfo]];
    [facts setObject:all forKey:MTLCommandBufferEncoderInfoErrorKey];
    return [NSError errorWithDomain:[error domain] code:[error code] userInfo:facts];
}

- (void)execute {
    _scheduled_at = sim_now();
    [self reach:MTLCommandBufferStatusScheduled];
    [self call:_scheduled];
    _started_at = sim_now();
    NSError *error = [self told:[self perform]];
    pthread_mutex_lock(&_lock);
    _ended_at = sim_now();
    _error = [error retain];
    pthread_mutex_unlock(&_lock);
    [_resources removeAllObjects];
    // Handlers see the final status; waiting threads wake after them.
    pthread_mutex_lock(&_lock);
    _status = error ? MTLCommandBufferStatusError : MTLCommandBufferStatusCompleted;
    pthread_mutex_unlock(&_lock);
    sim_lane_give_back(_queue->_lane);
    [self call:_completed];
    [_completed removeAllObjects];
    [_scheduled removeAllObjects];
    [self reach:_status];
}

@end
