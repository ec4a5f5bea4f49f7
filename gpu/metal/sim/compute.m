//go:build metalsim && cgo

// Compute encoders: state, and the checks that a dispatch must pass.

#include "sim.h"

@implementation SimComputeEncoder

- (void)dealloc {
    for (int i = 0; i < SIM_MAX_BUFFERS; i++) [_slots[i].bytes release];
    [super dealloc];
}

- (MTLDispatchType)dispatchType {
    return _pass->_concurrent ? MTLDispatchTypeConcurrent : MTLDispatchTypeSerial;
}

- (void)setComputePipelineState:(id<MTLComputePipelineState>)state {
    if (![self mayEncode:"setComputePipelineState:"] || !sim_usable(state, "setComputePipelineState:")) return;
    _pipeline = (SimPipeline *)state;
    sim_want_label(_pipeline);
    [_buffer use:_pipeline];
}

- (BOOL)slot:(NSUInteger)index what:(const char *)what {
    if (![self mayEncode:what]) return NO;
    if (index < SIM_MAX_BUFFERS) return YES;
    sim_violation(self, "%s at index %lu, the last is %d", what, (unsigned long)index, SIM_MAX_BUFFERS - 1);
    return NO;
}

- (void)setBytes:(const void *)bytes length:(NSUInteger)length atIndex:(NSUInteger)index {
    if (![self slot:index what:"setBytes"]) return;
    if (length == 0 || length > SIM_MAX_BYTES) {
        sim_violation(self, "setBytes of %lu B at index %lu, from 1 to %d are allowed", (unsigned long)length,
                      (unsigned long)index, SIM_MAX_BYTES);
        return;
    }
    [_slots[index].bytes release];
    _slots[index] = (sim_slot){nil, [[NSData alloc] initWithBytes:bytes length:length], 0};
}

- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index {
    if (![self slot:index what:"setBuffer"] || (buffer && !sim_usable(buffer, "setBuffer:offset:atIndex:"))) return;
    SimBuffer *b = (SimBuffer *)buffer;
    if (b && offset >= [b length]) {
        sim_violation(self, "offset %lu in buffer \"%s\" of %lu B", (unsigned long)offset, [[b label] UTF8String] ?: "",
                      (unsigned long)[b length]);
        return;
    }
    [_slots[index].bytes release];
    _slots[index] = (sim_slot){b, nil, offset};
    if (!b) return;
    sim_want_label(b);
    [_buffer use:b];
}

- (void)setBufferOffset:(NSUInteger)offset atIndex:(NSUInteger)index {
    if (![self slot:index what:"setBufferOffset"]) return;
    if (!_slots[index].buffer) sim_violation(self, "setBufferOffset: at index %lu without a buffer", (unsigned long)index);
    if (_slots[index].buffer) [self setBuffer:_slots[index].buffer offset:offset atIndex:index];
}

- (void)setBuffers:(const id<MTLBuffer>[])buffers offsets:(const NSUInteger[])offsets withRange:(NSRange)range {
    for (NSUInteger i = 0; i < range.length; i++) {
        [self setBuffer:buffers[i] offset:offsets[i] atIndex:range.location + i];
    }
}

- (void)setThreadgroupMemoryLength:(NSUInteger)length atIndex:(NSUInteger)index {
    if (![self slot:index what:"setThreadgroupMemoryLength"]) return;
    if (length % 16) sim_violation(self, "threadgroup memory of %lu B is not a multiple of 16", (unsigned long)length);
    _threadgroup[index] = length;
}

- (BOOL)checkSize:(MTLSize)size what:(const char *)what {
    if (size.width && size.height && size.depth) return YES;
    sim_violation(self, "%s %lu×%lu×%lu", what, (unsigned long)size.width, (unsigned long)size.height,
                  (unsigned long)size.depth);
    return NO;
}

- (BOOL)checkThreads:(MTLSize)threads {
    NSUInteger all = threads.width * threads.height * threads.depth, most = [_pipeline maxTotalThreadsPerThreadgroup];
    if (all > most) {
        sim_violation(self, "%lu threads in a threadgroup, %lu are allowed", (unsigned long)all, (unsigned long)most);
    }
    return all <= most;
}

- (BOOL)checkThreadgroupMemory {
    NSUInteger all = [_pipeline staticThreadgroupMemoryLength];
    for (int i = 0; i < SIM_MAX_BUFFERS; i++) all += _threadgroup[i];
    if (all > SIM_MAX_THREADGROUP_MEMORY) {
        sim_violation(self, "%lu B of threadgroup memory, %d are allowed", (unsigned long)all, SIM_MAX_THREADGROUP_MEMORY);
    }
    return all <= SIM_MAX_THREADGROUP_MEMORY;
}

// checkBound checks that every argument of the kernel is bound.
- (BOOL)checkBound {
    BOOL bound = YES;
    for (int i = 0; i < SIM_MAX_BUFFERS; i++) {
        const char *buffer = _pipeline->_kernel.buffers[i], *memory = _pipeline->_kernel.threadgroups[i];
        BOOL unbound = buffer && !_slots[i].buffer && !_slots[i].bytes;
        if (unbound) sim_violation(self, "argument %s at index %d is not bound", buffer, i);
        BOOL lacking = memory && !_threadgroup[i];
        if (lacking) sim_violation(self, "threadgroup argument %s at index %d has no length", memory, i);
        bound = bound && !unbound && !lacking;
    }
    return bound;
}

- (void)dispatchGroups:(MTLSize)groups threads:(MTLSize)threads grid:(MTLSize)grid {
    if (![self mayEncode:"a dispatch"]) return;
    if (!_pipeline) {
        sim_violation(self, "a dispatch without a pipeline");
        return;
    }
    if (![self checkSize:groups what:"a grid of"] || ![self checkSize:threads what:"a threadgroup of"]) return;
    if (![self checkThreads:threads] || ![self checkThreadgroupMemory] || ![self checkBound]) return;
    SimDispatch *dispatch = [[SimDispatch alloc] init];
    dispatch->_pipeline = _pipeline;
    for (int i = 0; i < SIM_MAX_BUFFERS; i++) {
        dispatch->_slots[i] = _slots[i];
        [dispatch->_slots[i].bytes retain];
        dispatch->_threadgroup[i] = _threadgroup[i];
    }
    dispatch->_groups = groups;
    dispatch->_threads = threads;
    dispatch->_grid = grid;
    [_pass->_commands addObject:dispatch];
    [dispatch release];
}

- (void)dispatchThreadgroups:(MTLSize)groups threadsPerThreadgroup:(MTLSize)threads {
    [self dispatchGroups:groups threads:threads grid:MTLSizeMake(0, 0, 0)];
}

static NSUInteger groups_for(NSUInteger all, NSUInteger each) { return each ? (all + each - 1) / each : 0; }

- (void)dispatchThreads:(MTLSize)grid threadsPerThreadgroup:(MTLSize)threads {
    MTLSize groups = MTLSizeMake(groups_for(grid.width, threads.width), groups_for(grid.height, threads.height),
                                 groups_for(grid.depth, threads.depth));
    [self dispatchGroups:groups threads:threads grid:grid];
}

- (void)useResource:(id<MTLResource>)resource usage:(MTLResourceUsage)usage {
    (void)usage;
    if ([self mayEncode:"useResource:usage:"] && sim_usable(resource, "useResource:usage:")) {
        [_buffer use:(SimObject *)resource];
    }
}

- (void)memoryBarrierWithScope:(MTLBarrierScope)scope {
    (void)scope;
    if ([self mayEncode:"memoryBarrierWithScope:"]) [_pass->_commands addObject:[[[SimBarrier alloc] init] autorelease]];
}

- (void)memoryBarrierWithResources:(const id<MTLResource>[])resources count:(NSUInteger)count {
    for (NSUInteger i = 0; i < count; i++) sim_usable(resources[i], "memoryBarrierWithResources:count:");
    [self memoryBarrierWithScope:MTLBarrierScopeBuffers];
}

- (void)sampleCountersInBuffer:(id<MTLCounterSampleBuffer>)samples
                 atSampleIndex:(NSUInteger)index
                   withBarrier:(BOOL)barrier {
    (void)samples, (void)index, (void)barrier;
    sim_violation(self, "sampleCountersInBuffer: the device samples at stage boundaries alone");
}

@end
