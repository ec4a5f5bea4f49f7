//go:build metalsim && cgo

// Descriptors: parameters for creating objects.

#include "sim.h"

@implementation MTLCompileOptions
@synthesize preprocessorMacros = _preprocessorMacros, preserveInvariance = _preserveInvariance;
@synthesize languageVersion = _languageVersion, mathMode = _mathMode;
@synthesize mathFloatingPointFunctions = _mathFloatingPointFunctions;
@synthesize maxTotalThreadsPerThreadgroup = _maxTotalThreadsPerThreadgroup;

- (instancetype)init {
    if ((self = [super init])) _mathMode = MTLMathModeFast;
    return self;
}

- (BOOL)fastMathEnabled {
    return _mathMode == MTLMathModeFast;
}

- (void)setFastMathEnabled:(BOOL)enabled {
    _mathMode = enabled ? MTLMathModeFast : MTLMathModeSafe;
    _mathFloatingPointFunctions =
        enabled ? MTLMathFloatingPointFunctionsFast : MTLMathFloatingPointFunctionsPrecise;
}

- (id)copyWithZone:(NSZone *)zone {
    MTLCompileOptions *copy = [[[self class] allocWithZone:zone] init];
    [copy setPreprocessorMacros:_preprocessorMacros];
    copy->_preserveInvariance = _preserveInvariance;
    copy->_languageVersion = _languageVersion;
    copy->_mathMode = _mathMode;
    copy->_mathFloatingPointFunctions = _mathFloatingPointFunctions;
    copy->_maxTotalThreadsPerThreadgroup = _maxTotalThreadsPerThreadgroup;
    return copy;
}

- (void)dealloc {
    [_preprocessorMacros release];
    [super dealloc];
}

@end

@implementation MTLComputePipelineReflection
@end

@implementation MTLComputePipelineDescriptor
@synthesize label = _label, computeFunction = _computeFunction, binaryArchives = _binaryArchives;
@synthesize threadGroupSizeIsMultipleOfThreadExecutionWidth = _threadGroupSizeIsMultipleOfThreadExecutionWidth;
@synthesize maxTotalThreadsPerThreadgroup = _maxTotalThreadsPerThreadgroup;

- (void)reset {
    [self setLabel:nil];
    [self setComputeFunction:nil];
    [self setBinaryArchives:nil];
    _threadGroupSizeIsMultipleOfThreadExecutionWidth = NO;
    _maxTotalThreadsPerThreadgroup = 0;
}

- (id)copyWithZone:(NSZone *)zone {
    MTLComputePipelineDescriptor *copy = [[[self class] allocWithZone:zone] init];
    [copy setLabel:_label];
    [copy setComputeFunction:_computeFunction];
    [copy setBinaryArchives:_binaryArchives];
    copy->_threadGroupSizeIsMultipleOfThreadExecutionWidth = _threadGroupSizeIsMultipleOfThreadExecutionWidth;
    copy->_maxTotalThreadsPerThreadgroup = _maxTotalThreadsPerThreadgroup;
    return copy;
}

- (void)dealloc {
    [self reset];
    [super dealloc];
}

@end

@implementation MTLBinaryArchiveDescriptor
@synthesize url = _url;

- (id)copyWithZone:(NSZone *)zone {
    MTLBinaryArchiveDescriptor *copy = [[[self class] allocWithZone:zone] init];
    [copy setUrl:_url];
    return copy;
}

- (void)dealloc {
    [_url release];
    [super dealloc];
}

@end

@implementation MTLCommandBufferDescriptor
@synthesize retainedReferences = _retainedReferences, errorOptions = _errorOptions;

- (instancetype)init {
    if ((self = [super init])) _retainedReferences = YES;
    return self;
}

- (id)copyWithZone:(NSZone *)zone {
    MTLCommandBufferDescriptor *copy = [[[self class] allocWithZone:zone] init];
    copy->_retainedReferences = _retainedReferences;
    copy->_errorOptions = _errorOptions;
    return copy;
}

@end

@implementation MTLComputePassSampleBufferAttachmentDescriptor
@synthesize sampleBuffer = _sampleBuffer;
@synthesize startOfEncoderSampleIndex = _startOfEncoderSampleIndex;
@synthesize endOfEncoderSampleIndex = _endOfEncoderSampleIndex;

- (id)copyWithZone:(NSZone *)zone {
    MTLComputePassSampleBufferAttachmentDescriptor *copy = [[[self class] allocWithZone:zone] init];
    [copy setSampleBuffer:_sampleBuffer];
    copy->_startOfEncoderSampleIndex = _startOfEncoderSampleIndex;
    copy->_endOfEncoderSampleIndex = _endOfEncoderSampleIndex;
    return copy;
}

- (void)dealloc {
    [_sampleBuffer release];
    [super dealloc];
}

@end

@implementation MTLBlitPassSampleBufferAttachmentDescriptor
@end

enum { MAX_ATTACHMENTS = 4 };

static id attachment_at(NSMutableArray *items, NSUInteger index, Class kind) {
    if (index >= MAX_ATTACHMENTS) {
        sim_violation(nil, "sample buffer attachment %lu, there are %d", (unsigned long)index, MAX_ATTACHMENTS);
        return nil;
    }
    while ([items count] <= index) [items addObject:[[[kind alloc] init] autorelease]];
    return [items objectAtIndex:index];
}

@implementation MTLComputePassSampleBufferAttachmentDescriptorArray

- (instancetype)init {
    if ((self = [super init])) _items = [[NSMutableArray alloc] init];
    return self;
}

- (MTLComputePassSampleBufferAttachmentDescriptor *)objectAtIndexedSubscript:(NSUInteger)index {
    return attachment_at(_items, index, [MTLComputePassSampleBufferAttachmentDescriptor class]);
}

- (void)setObject:(MTLComputePassSampleBufferAttachmentDescriptor *)attachment atIndexedSubscript:(NSUInteger)index {
    if (![self objectAtIndexedSubscript:index]) return;
    id item = attachment ? [[attachment copy] autorelease]
                         : [[[MTLComputePassSampleBufferAttachmentDescriptor alloc] init] autorelease];
    [_items replaceObjectAtIndex:index withObject:item];
}

- (void)dealloc {
    [_items release];
    [super dealloc];
}

@end

@implementation MTLBlitPassSampleBufferAttachmentDescriptorArray

- (instancetype)init {
    if ((self = [super init])) _items = [[NSMutableArray alloc] init];
    return self;
}

- (MTLBlitPassSampleBufferAttachmentDescriptor *)objectAtIndexedSubscript:(NSUInteger)index {
    return attachment_at(_items, index, [MTLBlitPassSampleBufferAttachmentDescriptor class]);
}

- (void)dealloc {
    [_items release];
    [super dealloc];
}

@end

@implementation MTLComputePassDescriptor
@synthesize dispatchType = _dispatchType;

+ (MTLComputePassDescriptor *)computePassDescriptor {
    return [[[self alloc] init] autorelease];
}

- (MTLComputePassSampleBufferAttachmentDescriptorArray *)sampleBufferAttachments {
    if (!_sampleBufferAttachments) {
        _sampleBufferAttachments = [[MTLComputePassSampleBufferAttachmentDescriptorArray alloc] init];
    }
    return _sampleBufferAttachments;
}

- (id)copyWithZone:(NSZone *)zone {
    MTLComputePassDescriptor *copy = [[[self class] allocWithZone:zone] init];
    copy->_dispatchType = _dispatchType;
    [[copy sampleBufferAttachments] setObject:[[self sampleBufferAttachments] objectAtIndexedSubscript:0]
                           atIndexedSubscript:0];
    return copy;
}

- (void)dealloc {
    [_sampleBufferAttachments release];
    [super dealloc];
}

@end

@implementation MTLBlitPassDescriptor

+ (MTLBlitPassDescriptor *)blitPassDescriptor {
    return [[[self alloc] init] autorelease];
}

- (MTLBlitPassSampleBufferAttachmentDescriptorArray *)sampleBufferAttachments {
    if (!_sampleBufferAttachments) {
        _sampleBufferAttachments = [[MTLBlitPassSampleBufferAttachmentDescriptorArray alloc] init];
    }
    return _sampleBufferAttachments;
}

- (id)copyWithZone:(NSZone *)zone {
    return [[[self class] allocWithZone:zone] init];
}

- (void)dealloc {
    [_sampleBufferAttachments release];
    [super dealloc];
}

@end
