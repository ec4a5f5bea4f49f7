//go:build metalsim && cgo

// Counters: the device's clock, sampled when an encoder's work starts and ends.

#include <stdlib.h>
#include <string.h>

#include "sim.h"

NSString *const MTLCommonCounterTimestamp = @"GPUTimestamp";
NSString *const MTLCommonCounterSetTimestamp = @"timestamp";
NSString *const MTLCounterErrorDomain = @"MTLCounterErrorDomain";

// The maximum per process on Apple GPUs.
enum { MAX_SAMPLE_BUFFERS = 32, MAX_SAMPLE_BYTES = 32768 };

static atomic_int sample_buffers;

@interface SimCounter : NSObject <MTLCounter>
@end

@implementation SimCounter
- (NSString *)name {
    return MTLCommonCounterTimestamp;
}
@end

@interface SimCounterSet : NSObject <MTLCounterSet>
@end

@implementation SimCounterSet
- (NSString *)name {
    return MTLCommonCounterSetTimestamp;
}
- (NSArray *)counters {
    return [NSArray arrayWithObject:[[[SimCounter alloc] init] autorelease]];
}
@end

NSArray *sim_counter_sets(void) { return [NSArray arrayWithObject:[[[SimCounterSet alloc] init] autorelease]]; }

@implementation MTLCounterSampleBufferDescriptor
@synthesize counterSet = _counterSet, label = _label, storageMode = _storageMode, sampleCount = _sampleCount;

- (id)copyWithZone:(NSZone *)zone {
    MTLCounterSampleBufferDescriptor *copy = [[[self class] allocWithZone:zone] init];
    [copy setCounterSet:_counterSet];
    [copy setLabel:_label];
    copy->_storageMode = _storageMode;
    copy->_sampleCount = _sampleCount;
    return copy;
}

- (void)dealloc {
    [_counterSet release];
    [_label release];
    [super dealloc];
}

@end

@implementation SimSamples

- (instancetype)initWithDevice:(SimDevice *)device
                    descriptor:(MTLCounterSampleBufferDescriptor *)descriptor
                         error:(NSError **)error {
    if (!(self = [super initWithDevice:device kind:"MTLCounterSampleBuffer"])) return nil;
    int before = atomic_fetch_add(&sample_buffers, 1);
    NSUInteger count = [descriptor sampleCount];
    BOOL fits = [descriptor counterSet] && count > 0 && count * sizeof *_samples <= MAX_SAMPLE_BYTES;
    if (fits && before < MAX_SAMPLE_BUFFERS) _samples = calloc(count, sizeof *_samples);
    if (!_samples) {
        NSInteger code = fits ? MTLCounterSampleBufferErrorOutOfMemory : MTLCounterSampleBufferErrorInvalid;
        sim_give_error(error, sim_error(MTLCounterErrorDomain, code, @"Cannot allocate sample buffer"));
        [self release];
        return nil;
    }
    _count = count;
    [self setLabel:[descriptor label]];
    sim_want_label(self);
    return self;
}

- (void)dealloc {
    atomic_fetch_sub(&sample_buffers, 1);
    free(_samples);
    [super dealloc];
}

- (NSUInteger)sampleCount {
    return _count;
}

- (void)sampleAt:(NSUInteger)index {
    if (index == MTLCounterDontSample) return;
    if (index >= _count) {
        sim_violation(self, "sample %lu, the buffer holds %lu", (unsigned long)index, (unsigned long)_count);
        return;
    }
    int mode = sim_counters();
    uint64_t value = mode == SIM_COUNTERS_ZERO ? 0 : mode == SIM_COUNTERS_ERROR ? MTLCounterErrorValue : sim_device_clock();
    __atomic_store_n(&_samples[index], value, __ATOMIC_RELEASE);
}

- (NSData *)resolveCounterRange:(NSRange)range {
    if (range.location > _count || range.length > _count - range.location) {
        sim_violation(self, "resolveCounterRange: past the end");
        return nil;
    }
    return [NSData dataWithBytes:_samples + range.location length:range.length * sizeof *_samples];
}

@end
