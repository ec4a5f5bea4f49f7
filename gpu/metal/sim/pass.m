//go:build metalsim && cgo

// Passes and the encoders that fill them.

#include "sim.h"

@implementation SimPass

- (instancetype)init {
    if ((self = [super init])) {
        _commands = [[NSMutableArray alloc] init];
        _first_sample = _last_sample = MTLCounterDontSample;
        _state = MTLCommandEncoderErrorStatePending;
    }
    return self;
}

- (void)dealloc {
    [_label release];
    [_commands release];
    [super dealloc];
}

// run executes the commands. Commands between two barriers of a concurrent pass may run in any order; here they run
// last to first, to expose a missing barrier. An empty pass takes no samples, as on Apple GPUs.
- (NSError *)run {
    if ([_commands count] == 0) {
        _state = MTLCommandEncoderErrorStateCompleted;
        return nil;
    }
    [_samples sampleAt:_first_sample];
    NSError *error = _concurrent ? [self runConcurrent] : [self runFrom:0 to:[_commands count] backward:NO];
    [_samples sampleAt:_last_sample];
    _state = error ? MTLCommandEncoderErrorStateFaulted : MTLCommandEncoderErrorStateCompleted;
    return error;
}

- (NSError *)runConcurrent {
    NSUInteger begin = 0, count = [_commands count];
    for (NSUInteger i = 0; i <= count; i++) {
        if (i < count && ![[_commands objectAtIndex:i] isBarrier]) continue;
        NSError *error = [self runFrom:begin to:i backward:YES];
        if (error) return error;
        begin = i + 1;
    }
    return nil;
}

- (NSError *)runFrom:(NSUInteger)begin to:(NSUInteger)end backward:(BOOL)backward {
    NSError *error = nil;
    for (NSUInteger i = begin; i < end && !error; i++) {
        @autoreleasepool {
            error = [[(id<SimCommand>)[_commands objectAtIndex:backward ? begin + end - 1 - i : i] run] retain];
        }
    }
    return [error autorelease];
}

@end

@implementation SimBarrier

- (NSError *)run {
    return nil;
}

- (BOOL)isBarrier {
    return YES;
}

@end

@implementation SimEncoder

- (instancetype)initWithBuffer:(SimCommandBuffer *)buffer pass:(SimPass *)pass kind:(const char *)kind {
    if ((self = [super initWithDevice:buffer->_device kind:kind])) {
        _buffer = [buffer retain];
        _pass = [pass retain];
    }
    return self;
}

- (void)dealloc {
    if (_pass && !_pass->_ended) sim_violation(self, "released before endEncoding");
    [_pass release];
    [_buffer release];
    [super dealloc];
}

- (void)setLabel:(NSString *)label {
    [super setLabel:label];
    NSString *copy = [label copy];
    [_pass->_label release];
    _pass->_label = copy;
}

- (BOOL)mayEncode:(const char *)what {
    if (_pass->_ended) sim_violation(self, "%s after endEncoding", what);
    return !_pass->_ended;
}

- (void)sampleWith:(MTLComputePassSampleBufferAttachmentDescriptor *)attachment {
    SimSamples *samples = (SimSamples *)[attachment sampleBuffer];
    if (!sim_usable(samples, "a sample buffer")) return;
    [_buffer->_resources addObject:samples];
    _pass->_samples = samples;
    _pass->_first_sample = [attachment startOfEncoderSampleIndex];
    _pass->_last_sample = [attachment endOfEncoderSampleIndex];
}

- (void)endEncoding {
    if (![self mayEncode:"endEncoding"]) return;
    sim_want_label(self);
    if (_groups != 0) sim_violation(self, "%d debug groups were pushed and not popped", _groups);
    _pass->_ended = YES;
}

- (void)insertDebugSignpost:(NSString *)string {
    (void)string;
    [self mayEncode:"insertDebugSignpost:"];
}

- (void)pushDebugGroup:(NSString *)string {
    (void)string;
    if ([self mayEncode:"pushDebugGroup:"]) _groups++;
}

- (void)popDebugGroup {
    if (![self mayEncode:"popDebugGroup"]) return;
    if (_groups == 0) sim_violation(self, "popDebugGroup without a group");
    if (_groups > 0) _groups--;
}

@end
