//go:build metalsim && cgo

// The device. There is one at a time; after a removal, the next request creates a new one.

#include <unistd.h>

#include "sim.h"

@implementation MTLArchitecture
- (NSString *)name {
    return @"simulated";
}
- (id)copyWithZone:(NSZone *)zone {
    (void)zone;
    return [self retain];
}
@end

static struct {
    pthread_mutex_t lock;
    SimDevice *current;
    uint64_t made;
} devices = {.lock = PTHREAD_MUTEX_INITIALIZER};

// The simulator's own reference does not make the current device live.
int sim_device_in_use(SimObject *object) {
    if (object->_was || ![object isKindOfClass:[SimDevice class]]) return 1;
    return atomic_load(&object->_retains) > (((SimDevice *)object)->_held ? 1 : 0);
}

static uint64_t physical_memory(void) {
    return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

@implementation SimDevice

- (instancetype)initWithNumber:(uint64_t)number {
    if ((self = [super init])) {
        sim_open(self, "MTLDevice");
        _registryID = 0x510000 + number;
        _held = YES;
        [self setLabel:[self name]];
    }
    return self;
}

- (BOOL)assaySimulated {
    return YES;
}

- (NSString *)name {
    return @"Simulated Metal (CPU, no GPU)";
}

- (uint64_t)registryID {
    return _registryID;
}

- (MTLArchitecture *)architecture {
    return [[[MTLArchitecture alloc] init] autorelease];
}

- (MTLSize)maxThreadsPerThreadgroup {
    return MTLSizeMake(SIM_MAX_THREADS, SIM_MAX_THREADS, SIM_MAX_THREADS);
}

- (BOOL)isLowPower {
    return NO;
}

- (BOOL)isHeadless {
    return YES;
}

- (BOOL)isRemovable {
    return NO;
}

- (BOOL)hasUnifiedMemory {
    return YES;
}

- (uint64_t)recommendedMaxWorkingSetSize {
    return physical_memory() / 4 * 3;
}

- (MTLDeviceLocation)location {
    return MTLDeviceLocationUnspecified;
}

- (NSUInteger)locationNumber {
    return 0;
}

- (uint64_t)maxTransferRate {
    return 0;
}

- (NSUInteger)currentAllocatedSize {
    return (NSUInteger)atomic_load(&_allocated);
}

- (NSUInteger)maxThreadgroupMemoryLength {
    return SIM_MAX_THREADGROUP_MEMORY;
}

- (NSUInteger)maxBufferLength {
    return (NSUInteger)(physical_memory() / 2);
}

- (NSArray *)counterSets {
    return sim_counter_sets();
}

- (BOOL)supportsCounterSampling:(MTLCounterSamplingPoint)point {
    return point == MTLCounterSamplingPointAtStageBoundary;
}

- (void)sampleTimestamps:(MTLTimestamp *)cpuTimestamp gpuTimestamp:(MTLTimestamp *)gpuTimestamp {
    *gpuTimestamp = sim_device_clock();
    *cpuTimestamp = *gpuTimestamp / 2;
}

- (id<MTLSharedEvent>)newSharedEvent {
    return [[SimEvent alloc] initWithDevice:self kind:"MTLSharedEvent"];
}

- (BOOL)supportsFamily:(MTLGPUFamily)family {
    return (family >= MTLGPUFamilyApple1 && family <= MTLGPUFamilyApple9) || family == MTLGPUFamilyMac2 ||
           (family >= MTLGPUFamilyCommon1 && family <= MTLGPUFamilyCommon3) || family == MTLGPUFamilyMetal3;
}

- (id<MTLCommandQueue>)newCommandQueue {
    return [self newCommandQueueWithMaxCommandBufferCount:64];
}

- (id<MTLCommandQueue>)newCommandQueueWithMaxCommandBufferCount:(NSUInteger)count {
    if (atomic_load(&_removed) || sim_refuse_queue()) return nil;
    return [[SimQueue alloc] initWithDevice:self depth:count];
}

- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options {
    return [[SimBuffer alloc] initWithDevice:self length:length options:options];
}

- (id<MTLBuffer>)newBufferWithBytes:(const void *)bytes length:(NSUInteger)length options:(MTLResourceOptions)options {
    SimBuffer *buffer = [[SimBuffer alloc] initWithDevice:self length:length options:options];
    if (buffer) memcpy(buffer->_bytes, bytes, length);
    return buffer;
}

- (id<MTLBuffer>)newBufferWithBytesNoCopy:(void *)bytes
                                   length:(NSUInteger)length
                                  options:(MTLResourceOptions)options
                              deallocator:(void (^)(void *, NSUInteger))deallocator {
    return [[SimBuffer alloc] initWithDevice:self bytes:bytes length:length options:options deallocator:deallocator];
}

- (id<MTLLibrary>)newLibraryWithSource:(NSString *)source options:(MTLCompileOptions *)options error:(NSError **)error {
    return [[SimLibrary alloc] initWithDevice:self source:source options:options error:error];
}

- (id<MTLComputePipelineState>)newComputePipelineStateWithFunction:(id<MTLFunction>)function error:(NSError **)error {
    MTLComputePipelineDescriptor *descriptor = [[[MTLComputePipelineDescriptor alloc] init] autorelease];
    [descriptor setComputeFunction:function];
    return [self newComputePipelineStateWithDescriptor:descriptor options:0 reflection:NULL error:error];
}

- (id<MTLComputePipelineState>)newComputePipelineStateWithDescriptor:(MTLComputePipelineDescriptor *)descriptor
                                                             options:(MTLPipelineOption)options
                                                          reflection:(MTLAutoreleasedComputePipelineReflection *)reflection
                                                               error:(NSError **)error {
    if (reflection) *reflection = nil;
    return [[SimPipeline alloc] initWithDevice:self descriptor:descriptor options:options error:error];
}

- (id<MTLBinaryArchive>)newBinaryArchiveWithDescriptor:(MTLBinaryArchiveDescriptor *)descriptor error:(NSError **)error {
    return [[SimArchive alloc] initWithDevice:self descriptor:descriptor error:error];
}

- (id<MTLCounterSampleBuffer>)newCounterSampleBufferWithDescriptor:(MTLCounterSampleBufferDescriptor *)descriptor
                                                             error:(NSError **)error {
    return [[SimSamples alloc] initWithDevice:self descriptor:descriptor error:error];
}

- (id<MTLResidencySet>)newResidencySetWithDescriptor:(MTLResidencySetDescriptor *)descriptor error:(NSError **)error {
    (void)error;
    return [[SimResidencySet alloc] initWithDevice:self descriptor:descriptor];
}

@end

id<MTLDevice> MTLCreateSystemDefaultDevice(void) {
    pthread_mutex_lock(&devices.lock);
    if (!devices.current) devices.current = [[SimDevice alloc] initWithNumber:++devices.made];
    SimDevice *device = [devices.current retain];
    pthread_mutex_unlock(&devices.lock);
    return device;
}

NSArray *MTLCopyAllDevices(void) {
    id<MTLDevice> device = MTLCreateSystemDefaultDevice();
    NSArray *all = [[NSArray alloc] initWithObjects:device, nil];
    [device release];
    return all;
}

void sim_remove(SimDevice *device) {
    if (atomic_exchange(&device->_removed, true)) return;
    pthread_mutex_lock(&devices.lock);
    BOOL was_current = devices.current == device;
    if (was_current) devices.current = nil;
    pthread_mutex_unlock(&devices.lock);
    if (!was_current) return;
    device->_held = NO;
    [device release];
}
