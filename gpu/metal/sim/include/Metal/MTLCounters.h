// Counters: time stamps at the boundaries of encoders.
#pragma once
#import <Metal/MTLResource.h>

NS_ASSUME_NONNULL_BEGIN

#define MTLCounterErrorValue ((uint64_t)~0ULL)
#define MTLCounterDontSample ((NSUInteger)-1)

extern NSString *const MTLCommonCounterTimestamp;
extern NSString *const MTLCommonCounterSetTimestamp;
extern NSString *const MTLCounterErrorDomain;

typedef NS_ENUM(NSInteger, MTLCounterSampleBufferError) {
    MTLCounterSampleBufferErrorOutOfMemory,
    MTLCounterSampleBufferErrorInvalid,
    MTLCounterSampleBufferErrorInternal,
};

typedef struct {
    uint64_t timestamp;
} MTLCounterResultTimestamp;

typedef NS_ENUM(NSUInteger, MTLCounterSamplingPoint) {
    MTLCounterSamplingPointAtStageBoundary,
    MTLCounterSamplingPointAtDrawBoundary,
    MTLCounterSamplingPointAtDispatchBoundary,
    MTLCounterSamplingPointAtTileDispatchBoundary,
    MTLCounterSamplingPointAtBlitBoundary,
};

@protocol MTLCounter <NSObject>
@property(readonly, copy) NSString *name;
@end

@protocol MTLCounterSet <NSObject>
@property(readonly, copy) NSString *name;
@property(readonly, copy) NSArray<id<MTLCounter>> *counters;
@end

@interface MTLCounterSampleBufferDescriptor : NSObject <NSCopying> {
    id<MTLCounterSet> _counterSet;
    NSString *_label;
    MTLStorageMode _storageMode;
    NSUInteger _sampleCount;
}
@property(nullable, readwrite, retain) id<MTLCounterSet> counterSet;
@property(readwrite, copy) NSString *label;
@property(readwrite) MTLStorageMode storageMode;
@property(readwrite) NSUInteger sampleCount;
@end

@protocol MTLCounterSampleBuffer <NSObject>
@property(readonly) id<MTLDevice> device;
@property(readonly) NSString *label;
@property(readonly) NSUInteger sampleCount;
- (nullable NSData *)resolveCounterRange:(NSRange)range;
@end

NS_ASSUME_NONNULL_END
