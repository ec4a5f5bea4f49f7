//go:build metalsim && cgo

// SimObject: reference counts, labels, and the shells of released objects.

#include <stdlib.h>

#include "sim.h"

SimObject *sim_close(SimObject *object);
void sim_name(SimObject *object, const char *name);
char *sim_name_of(SimObject *object);

// A released object becomes a SimShell. It records every message as a violation and does nothing.
@interface SimShell : SimObject
@end

@implementation SimObject

- (instancetype)retain {
    atomic_fetch_add(&_retains, 1);
    return self;
}

- (oneway void)release {
    int before = atomic_fetch_sub(&_retains, 1);
    if (before == 1) [self dealloc];
}

- (NSUInteger)retainCount {
    return (NSUInteger)atomic_load(&_retains);
}

- (NSString *)label {
    char *name = sim_name_of(self);
    NSString *label = name ? [NSString stringWithUTF8String:name] : nil;
    free(name);
    return label;
}

- (void)setLabel:(NSString *)label {
    sim_name(self, [label UTF8String]);
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wobjc-missing-super-calls"
// dealloc does not free the object: it becomes a shell, and the oldest shell is freed.
- (void)dealloc {
    _was = object_getClass(self);
    atomic_store(&_released, true);
    object_setClass(self, [SimShell class]);
    SimObject *oldest = sim_close(self);
    if (!oldest) return;
    sim_name(oldest, NULL);
    NSDeallocateObject(oldest);
}
#pragma clang diagnostic pop

@end

@implementation SimShell

- (instancetype)retain {
    sim_violation(self, "retained after its release");
    return self;
}

- (oneway void)release {
    sim_violation(self, "released more often than retained");
}

- (instancetype)autorelease {
    sim_violation(self, "autoreleased after its release");
    return self;
}

- (void)setLabel:(NSString *)label {
    sim_violation(self, "setLabel: after its release");
    (void)label;
}

- (BOOL)respondsToSelector:(SEL)selector {
    return [_was instancesRespondToSelector:selector];
}

- (NSMethodSignature *)methodSignatureForSelector:(SEL)selector {
    return [_was instanceMethodSignatureForSelector:selector];
}

- (void)forwardInvocation:(NSInvocation *)invocation {
    sim_violation(self, "%s after its release", sel_getName([invocation selector]));
    char nothing[64] = {0};
    if ([[invocation methodSignature] methodReturnLength] <= sizeof nothing) [invocation setReturnValue:nothing];
}

@end

@implementation SimResource

- (instancetype)initWithDevice:(SimDevice *)device kind:(const char *)kind {
    if ((self = [super init])) {
        sim_open(self, kind);
        _device = [device retain];
    }
    return self;
}

- (id<MTLDevice>)device {
    return _device;
}

- (void)dealloc {
    [_device release];
    [super dealloc];
}

@end
