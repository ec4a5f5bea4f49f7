//go:build metalsim && cgo

// Buffers and residency sets. Additions and removals take effect at the next commit; until then the set retains the
// buffers.

#include <Block.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim.h"

// Uninitialized float memory reads as NaN, up to this many bytes.
enum { POISONED = 1 << 20, POISON = 0xff, ALIGNMENT = 16384 };

// refused reports whether the device cannot allocate that length.
static BOOL refused(SimDevice *device, NSUInteger length) {
    if (sim_refuse_allocation() || atomic_load(&device->_removed)) return YES;
    if (length == 0) {
        sim_violation(device, "a buffer of 0 bytes is asked for");
        return YES;
    }
    return length > [device maxBufferLength] ||
           atomic_load(&device->_allocated) + length > [device recommendedMaxWorkingSetSize];
}

@implementation SimBuffer

- (instancetype)initWithDevice:(SimDevice *)device length:(NSUInteger)length options:(MTLResourceOptions)options {
    if (!(self = [super initWithDevice:device kind:"MTLBuffer"])) return nil;
    void *bytes = NULL;
    if (refused(device, length) || posix_memalign(&bytes, ALIGNMENT, length)) {
        [self release];
        return nil;
    }
    memset(bytes, POISON, length < POISONED ? length : POISONED);
    _bytes = bytes;
    _length = length;
    _options = options;
    atomic_fetch_add(&device->_allocated, length);
    return self;
}

- (instancetype)initWithDevice:(SimDevice *)device
                         bytes:(void *)bytes
                        length:(NSUInteger)length
                       options:(MTLResourceOptions)options
                   deallocator:(void (^)(void *, NSUInteger))deallocator {
    if (!(self = [super initWithDevice:device kind:"MTLBuffer"])) return nil;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    BOOL aligned = (uintptr_t)bytes % page == 0 && length % page == 0;
    if (!aligned) sim_violation(device, "memory without copy is not whole pages: %p, %lu B", bytes, (unsigned long)length);
    if (!aligned || refused(device, length)) {
        [self release];
        return nil;
    }
    _bytes = bytes;
    _length = length;
    _options = options;
    _borrowed = YES;
    _deallocator = deallocator ? Block_copy(deallocator) : NULL;
    atomic_fetch_add(&device->_allocated, length);
    return self;
}

- (void)dealloc {
    if (_bytes) atomic_fetch_sub(&_device->_allocated, _length);
    if (_deallocator) {
        _deallocator(_bytes, _length);
        Block_release(_deallocator);
    }
    if (!_borrowed) free(_bytes);
    _bytes = NULL;
    [super dealloc];
}

- (NSUInteger)length {
    return _length;
}

- (NSUInteger)allocatedSize {
    return _length;
}

- (uint64_t)gpuAddress {
    return (uint64_t)(uintptr_t)_bytes;
}

- (void *)contents {
    if ([self storageMode] != MTLStorageModePrivate) return _bytes;
    sim_violation(self, "contents of a private buffer");
    return NULL;
}

- (MTLResourceOptions)resourceOptions {
    return _options;
}

- (MTLStorageMode)storageMode {
    return (_options & MTLResourceStorageModeMask) >> MTLResourceStorageModeShift;
}

- (MTLCPUCacheMode)cpuCacheMode {
    return (_options & MTLResourceCPUCacheModeMask) >> MTLResourceCPUCacheModeShift;
}

- (MTLHazardTrackingMode)hazardTrackingMode {
    NSUInteger mode = (_options & MTLResourceHazardTrackingModeMask) >> MTLResourceHazardTrackingModeShift;
    return mode == MTLHazardTrackingModeDefault ? MTLHazardTrackingModeTracked : mode;
}

- (MTLPurgeableState)setPurgeableState:(MTLPurgeableState)state {
    (void)state;
    return MTLPurgeableStateNonVolatile;
}

- (void)didModifyRange:(NSRange)range {
    if ([self storageMode] != MTLStorageModeManaged) sim_violation(self, "didModifyRange: of a buffer that is not managed");
    if (NSMaxRange(range) > _length) sim_violation(self, "didModifyRange: past the buffer's end");
}

- (void)addDebugMarker:(NSString *)marker range:(NSRange)range {
    (void)marker;
    if (NSMaxRange(range) > _length) sim_violation(self, "addDebugMarker: past the buffer's end");
}

- (void)removeAllDebugMarkers {
}

@end

@implementation MTLResidencySetDescriptor
@synthesize label = _label, initialCapacity = _initialCapacity;

- (id)copyWithZone:(NSZone *)zone {
    MTLResidencySetDescriptor *copy = [[[self class] allocWithZone:zone] init];
    [copy setLabel:_label];
    [copy setInitialCapacity:_initialCapacity];
    return copy;
}

- (void)dealloc {
    [_label release];
    [super dealloc];
}

@end

@implementation SimResidencySet

- (instancetype)initWithDevice:(SimDevice *)device descriptor:(MTLResidencySetDescriptor *)descriptor {
    if ((self = [super initWithDevice:device kind:"MTLResidencySet"])) {
        _members = [[NSMutableArray alloc] init];
        [self setLabel:[descriptor label]];
        sim_want_label(self);
    }
    return self;
}

- (void)dealloc {
    if (_staged) sim_violation(self, "released with changes that were never committed");
    [_members release];
    [_committed release];
    [super dealloc];
}

- (uint64_t)allocatedSize {
    uint64_t bytes = 0;
    @synchronized(self) {
        for (id<MTLAllocation> member in _committed) bytes += [member allocatedSize];
    }
    return bytes;
}

- (NSUInteger)allocationCount {
    @synchronized(self) {
        return [_members count];
    }
}

- (BOOL)containsAllocation:(id<MTLAllocation>)allocation {
    @synchronized(self) {
        return [_members indexOfObjectIdenticalTo:allocation] != NSNotFound;
    }
}

- (void)addAllocation:(id<MTLAllocation>)allocation {
    if (!sim_usable(allocation, "addAllocation:")) return;
    @synchronized(self) {
        if ([self containsAllocation:allocation]) return;
        [_members addObject:allocation];
        _staged = YES;
    }
}

- (void)removeAllocation:(id<MTLAllocation>)allocation {
    @synchronized(self) {
        if (![self containsAllocation:allocation]) sim_violation(self, "removeAllocation: of what is not in the set");
        [_members removeObjectIdenticalTo:allocation];
        _staged = YES;
    }
}

- (void)removeAllAllocations {
    @synchronized(self) {
        [_members removeAllObjects];
        _staged = YES;
    }
}

// commit applies the staged changes. Removed buffers are released outside the lock: it may be the last reference.
- (void)commit {
    NSArray *before;
    @synchronized(self) {
        before = _committed;
        _committed = [_members copy];
        _staged = NO;
    }
    [before release];
}

- (void)requestResidency {
}

- (void)endResidency {
}

@end
