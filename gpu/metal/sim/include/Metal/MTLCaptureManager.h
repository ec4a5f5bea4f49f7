// Captures of what was submitted.
#pragma once
#import <Metal/MTLDevice.h>

NS_ASSUME_NONNULL_BEGIN

extern NSString *const MTLCaptureErrorDomain;
typedef NS_ENUM(NSInteger, MTLCaptureError) {
    MTLCaptureErrorNotSupported = 1,
    MTLCaptureErrorAlreadyCapturing,
    MTLCaptureErrorInvalidDescriptor,
};

typedef NS_ENUM(NSInteger, MTLCaptureDestination) {
    MTLCaptureDestinationDeveloperTools = 1,
    MTLCaptureDestinationGPUTraceDocument,
};

@interface MTLCaptureDescriptor : NSObject <NSCopying> {
    id _captureObject;
    MTLCaptureDestination _destination;
    NSURL *_outputURL;
}
@property(nonatomic, retain, nullable) id captureObject;
@property(nonatomic, assign) MTLCaptureDestination destination;
@property(nonatomic, copy, nullable) NSURL *outputURL;
@end

@interface MTLCaptureManager : NSObject
@property(readonly) BOOL isCapturing;
+ (MTLCaptureManager *)sharedCaptureManager;
- (BOOL)supportsDestination:(MTLCaptureDestination)destination;
- (BOOL)startCaptureWithDescriptor:(MTLCaptureDescriptor *)descriptor error:(NSError *_Nullable *_Nullable)error;
- (void)stopCapture;
@end

NS_ASSUME_NONNULL_END
