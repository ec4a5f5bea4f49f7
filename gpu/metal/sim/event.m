//go:build metalsim && cgo

// Shared events: monotonic values that command buffers signal and wait for.

#include "sim.h"

@implementation SimEvent

- (instancetype)initWithDevice:(SimDevice *)device kind:(const char *)kind {
    if ((self = [super initWithDevice:device kind:kind])) {
        pthread_mutex_init(&_lock, NULL);
        pthread_cond_init(&_changed, NULL);
    }
    return self;
}

- (void)dealloc {
    pthread_cond_destroy(&_changed);
    pthread_mutex_destroy(&_lock);
    [super dealloc];
}

- (uint64_t)signaledValue {
    pthread_mutex_lock(&_lock);
    uint64_t value = _value;
    pthread_mutex_unlock(&_lock);
    return value;
}

- (void)setSignaledValue:(uint64_t)value {
    pthread_mutex_lock(&_lock);
    if (value <= _value) {
        sim_violation(self, "signaled %llu after %llu", (unsigned long long)value, (unsigned long long)_value);
    } else {
        _value = value;
    }
    pthread_cond_broadcast(&_changed);
    pthread_mutex_unlock(&_lock);
}

- (void)waitFor:(uint64_t)value {
    pthread_mutex_lock(&_lock);
    while (_value < value) pthread_cond_wait(&_changed, &_lock);
    pthread_mutex_unlock(&_lock);
}

@end

@implementation SimMeeting

- (BOOL)isBarrier {
    return NO;
}

- (NSError *)run {
    if (!sim_usable(_event, "used by a command buffer")) {
        return sim_error(MTLCommandBufferErrorDomain, MTLCommandBufferErrorInvalidResource, @"Invalid Resource");
    }
    if (_signals) [_event setSignaledValue:_value];
    else [_event waitFor:_value];
    return nil;
}

@end
