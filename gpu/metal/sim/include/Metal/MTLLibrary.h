// Libraries, functions, pipelines and archives of pipelines.
#pragma once
#import <Metal/MTLTypes.h>

NS_ASSUME_NONNULL_BEGIN

@protocol MTLDevice;
@protocol MTLBinaryArchive;

extern NSString *const MTLLibraryErrorDomain;
typedef NS_ENUM(NSUInteger, MTLLibraryError) {
    MTLLibraryErrorUnsupported = 1,
    MTLLibraryErrorInternal = 2,
    MTLLibraryErrorCompileFailure = 3,
    MTLLibraryErrorCompileWarning = 4,
    MTLLibraryErrorFunctionNotFound = 5,
    MTLLibraryErrorFileNotFound = 6,
};

typedef NS_ENUM(NSUInteger, MTLLanguageVersion) {
    MTLLanguageVersion1_1 = (1 << 16) + 1,
    MTLLanguageVersion1_2 = (1 << 16) + 2,
    MTLLanguageVersion2_0 = (2 << 16),
    MTLLanguageVersion2_1 = (2 << 16) + 1,
    MTLLanguageVersion2_2 = (2 << 16) + 2,
    MTLLanguageVersion2_3 = (2 << 16) + 3,
    MTLLanguageVersion2_4 = (2 << 16) + 4,
    MTLLanguageVersion3_0 = (3 << 16),
    MTLLanguageVersion3_1 = (3 << 16) + 1,
    MTLLanguageVersion3_2 = (3 << 16) + 2,
};

typedef NS_ENUM(NSInteger, MTLMathMode) {
    MTLMathModeSafe = 0,
    MTLMathModeRelaxed = 1,
    MTLMathModeFast = 2,
};

typedef NS_ENUM(NSInteger, MTLMathFloatingPointFunctions) {
    MTLMathFloatingPointFunctionsFast = 0,
    MTLMathFloatingPointFunctionsPrecise = 1,
};

@interface MTLCompileOptions : NSObject <NSCopying> {
    NSDictionary *_preprocessorMacros;
    BOOL _preserveInvariance;
    MTLLanguageVersion _languageVersion;
    MTLMathMode _mathMode;
    MTLMathFloatingPointFunctions _mathFloatingPointFunctions;
    NSUInteger _maxTotalThreadsPerThreadgroup;
}
@property(nullable, readwrite, copy, nonatomic) NSDictionary<NSString *, NSObject *> *preprocessorMacros;
@property(readwrite, nonatomic) BOOL fastMathEnabled;
@property(readwrite, nonatomic) BOOL preserveInvariance;
@property(readwrite, nonatomic) MTLLanguageVersion languageVersion;
@property(readwrite, nonatomic) MTLMathMode mathMode;
@property(readwrite, nonatomic) MTLMathFloatingPointFunctions mathFloatingPointFunctions;
@property(readwrite, nonatomic) NSUInteger maxTotalThreadsPerThreadgroup;
@end

@interface MTLFunctionConstantValues : NSObject <NSCopying> {
    NSMutableArray *_values;
}
- (void)setConstantValue:(const void *)value type:(MTLDataType)type atIndex:(NSUInteger)index;
- (void)setConstantValues:(const void *)values type:(MTLDataType)type withRange:(NSRange)range;
- (void)setConstantValue:(const void *)value type:(MTLDataType)type withName:(NSString *)name;
- (void)reset;
@end

typedef NS_ENUM(NSUInteger, MTLFunctionType) {
    MTLFunctionTypeKernel = 3,
};

@protocol MTLFunction <NSObject>
@property(nullable, copy, atomic) NSString *label;
@property(readonly) id<MTLDevice> device;
@property(readonly) MTLFunctionType functionType;
@property(readonly) NSString *name;
@end

@protocol MTLLibrary <NSObject>
@property(nullable, copy, atomic) NSString *label;
@property(readonly) id<MTLDevice> device;
@property(readonly) NSArray<NSString *> *functionNames;
- (nullable id<MTLFunction>)newFunctionWithName:(NSString *)name;
- (nullable id<MTLFunction>)newFunctionWithName:(NSString *)name
                                 constantValues:(MTLFunctionConstantValues *)values
                                          error:(NSError *_Nullable *_Nullable)error;
@end

typedef NS_OPTIONS(NSUInteger, MTLPipelineOption) {
    MTLPipelineOptionNone = 0,
    MTLPipelineOptionArgumentInfo = 1 << 0,
    MTLPipelineOptionBufferTypeInfo = 1 << 1,
    MTLPipelineOptionFailOnBinaryArchiveMiss = 1 << 2,
};

@interface MTLComputePipelineReflection : NSObject
@end
typedef MTLComputePipelineReflection *_Nullable MTLAutoreleasedComputePipelineReflection;

@interface MTLComputePipelineDescriptor : NSObject <NSCopying> {
    NSString *_label;
    id<MTLFunction> _computeFunction;
    BOOL _threadGroupSizeIsMultipleOfThreadExecutionWidth;
    NSUInteger _maxTotalThreadsPerThreadgroup;
    NSArray *_binaryArchives;
}
@property(nullable, copy, nonatomic) NSString *label;
@property(nullable, readwrite, nonatomic, retain) id<MTLFunction> computeFunction;
@property(readwrite, nonatomic) BOOL threadGroupSizeIsMultipleOfThreadExecutionWidth;
@property(readwrite, nonatomic) NSUInteger maxTotalThreadsPerThreadgroup;
@property(readwrite, nullable, nonatomic, copy) NSArray<id<MTLBinaryArchive>> *binaryArchives;
- (void)reset;
@end

@protocol MTLComputePipelineState <NSObject>
@property(nullable, readonly) NSString *label;
@property(readonly) id<MTLDevice> device;
@property(readonly) NSUInteger maxTotalThreadsPerThreadgroup;
@property(readonly) NSUInteger threadExecutionWidth;
@property(readonly) NSUInteger staticThreadgroupMemoryLength;
@end

extern NSString *const MTLBinaryArchiveDomain;
typedef NS_ENUM(NSUInteger, MTLBinaryArchiveError) {
    MTLBinaryArchiveErrorNone = 0,
    MTLBinaryArchiveErrorInvalidFile = 1,
    MTLBinaryArchiveErrorUnexpectedElement = 2,
    MTLBinaryArchiveErrorCompilationFailure = 3,
    MTLBinaryArchiveErrorInternalError = 4,
};

@interface MTLBinaryArchiveDescriptor : NSObject <NSCopying> {
    NSURL *_url;
}
@property(readwrite, nullable, nonatomic, copy) NSURL *url;
@end

@protocol MTLBinaryArchive <NSObject>
@property(nullable, copy, atomic) NSString *label;
@property(readonly) id<MTLDevice> device;
- (BOOL)addComputePipelineFunctionsWithDescriptor:(MTLComputePipelineDescriptor *)descriptor
                                            error:(NSError *_Nullable *_Nullable)error;
- (BOOL)serializeToURL:(NSURL *)url error:(NSError *_Nullable *_Nullable)error;
@end

NS_ASSUME_NONNULL_END
