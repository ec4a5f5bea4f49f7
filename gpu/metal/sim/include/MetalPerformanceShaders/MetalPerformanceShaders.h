// Matrices, matmul and row softmax of the simulated Metal Performance Shaders.
#pragma once
#import <Metal/Metal.h>

NS_ASSUME_NONNULL_BEGIN

typedef NS_ENUM(uint32_t, MPSDataType) {
    MPSDataTypeInvalid = 0,
    MPSDataTypeFloatBit = 0x10000000,
    MPSDataTypeFloat32 = MPSDataTypeFloatBit | 32,
    MPSDataTypeFloat16 = MPSDataTypeFloatBit | 16,
};

extern BOOL MPSSupportsMTLDevice(id<MTLDevice> _Nullable device);

@interface MPSMatrixDescriptor : NSObject {
    NSUInteger _rows, _columns, _matrices, _rowBytes, _matrixBytes;
    MPSDataType _dataType;
}
@property(readwrite, nonatomic) NSUInteger rows;
@property(readwrite, nonatomic) NSUInteger columns;
@property(readonly, nonatomic) NSUInteger matrices;
@property(readwrite, nonatomic) MPSDataType dataType;
@property(readwrite, nonatomic) NSUInteger rowBytes;
@property(readonly, nonatomic) NSUInteger matrixBytes;
+ (instancetype)matrixDescriptorWithRows:(NSUInteger)rows
                                 columns:(NSUInteger)columns
                                rowBytes:(NSUInteger)rowBytes
                                dataType:(MPSDataType)dataType;
+ (instancetype)matrixDescriptorWithRows:(NSUInteger)rows
                                 columns:(NSUInteger)columns
                                matrices:(NSUInteger)matrices
                                rowBytes:(NSUInteger)rowBytes
                             matrixBytes:(NSUInteger)matrixBytes
                                dataType:(MPSDataType)dataType;
+ (size_t)rowBytesFromColumns:(NSUInteger)columns dataType:(MPSDataType)dataType;
+ (size_t)rowBytesForColumns:(NSUInteger)columns dataType:(MPSDataType)dataType;
@end

@interface MPSMatrix : NSObject {
    id<MTLBuffer> _data;
    MPSMatrixDescriptor *_descriptor;
    NSUInteger _offset;
}
@property(readonly, nonatomic) NSUInteger rows;
@property(readonly, nonatomic) NSUInteger columns;
@property(readonly, nonatomic) NSUInteger matrices;
@property(readonly, nonatomic) MPSDataType dataType;
@property(readonly, nonatomic) NSUInteger rowBytes;
@property(readonly, nonatomic) NSUInteger matrixBytes;
@property(readonly, nonatomic) NSUInteger offset;
@property(readonly, nonatomic) id<MTLBuffer> data;
- (instancetype)initWithBuffer:(id<MTLBuffer>)buffer descriptor:(MPSMatrixDescriptor *)descriptor;
- (instancetype)initWithBuffer:(id<MTLBuffer>)buffer
                        offset:(NSUInteger)offset
                    descriptor:(MPSMatrixDescriptor *)descriptor;
@end

@interface MPSKernel : NSObject {
    id<MTLDevice> _device;
    id _entry; // in the simulator's ledger
    int _encoding;
}
@property(nullable, copy, atomic) NSString *label;
@property(readonly) id<MTLDevice> device;
- (instancetype)initWithDevice:(id<MTLDevice>)device;
@end

@interface MPSMatrixMultiplication : MPSKernel {
    BOOL _transposeLeft, _transposeRight;
    NSUInteger _rows, _columns, _interior;
    NSUInteger _batchStart, _batchSize;
    double _alpha, _beta;
}
@property(readwrite, nonatomic) NSUInteger batchStart;
@property(readwrite, nonatomic) NSUInteger batchSize; // NSUIntegerMax: as many as the matrices have
- (instancetype)initWithDevice:(id<MTLDevice>)device
                 transposeLeft:(BOOL)transposeLeft
                transposeRight:(BOOL)transposeRight
                    resultRows:(NSUInteger)resultRows
                 resultColumns:(NSUInteger)resultColumns
               interiorColumns:(NSUInteger)interiorColumns
                         alpha:(double)alpha
                          beta:(double)beta;
- (instancetype)initWithDevice:(id<MTLDevice>)device
                    resultRows:(NSUInteger)resultRows
                 resultColumns:(NSUInteger)resultColumns
               interiorColumns:(NSUInteger)interiorColumns;
- (void)encodeToCommandBuffer:(id<MTLCommandBuffer>)commandBuffer
                   leftMatrix:(MPSMatrix *)left
                  rightMatrix:(MPSMatrix *)right
                 resultMatrix:(MPSMatrix *)result;
@end

@interface MPSMatrixUnaryKernel : MPSKernel
@end

@interface MPSMatrixSoftMax : MPSMatrixUnaryKernel {
    NSUInteger _sourceRows, _sourceColumns;
}
@property(readwrite, nonatomic) NSUInteger sourceRows;    // NSUIntegerMax: as many as the source has
@property(readwrite, nonatomic) NSUInteger sourceColumns; // likewise
- (void)encodeToCommandBuffer:(id<MTLCommandBuffer>)commandBuffer
                  inputMatrix:(MPSMatrix *)inputMatrix
                 resultMatrix:(MPSMatrix *)resultMatrix;
@end

NS_ASSUME_NONNULL_END
