// What the engine uses of Metal Performance Shaders, by Apple's documentation. The classes are looked up by name, since
// the framework is opened at run time.
#ifndef ASSAY_METAL_MPS_DECL_H
#define ASSAY_METAL_MPS_DECL_H

#import <Metal/Metal.h>

// MPSDataType: a bit for floating point, and the element's size in bits.
enum { MPS_FLOAT32 = 0x10000000 | 32, MPS_FLOAT16 = 0x10000000 | 16 };

@protocol AssayMPSMatrixDescriptor
+ (id)matrixDescriptorWithRows:(NSUInteger)rows
                       columns:(NSUInteger)columns
                      rowBytes:(NSUInteger)rowBytes
                      dataType:(uint32_t)dataType;
@end

@protocol AssayMPSMatrix <NSObject>
- (id)initWithBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset descriptor:(id)descriptor;
@end

@protocol AssayMPSKernel <NSObject>
- (void)setLabel:(NSString *)label;
@end

@protocol AssayMPSMatrixMultiplication <AssayMPSKernel>
- (id)initWithDevice:(id<MTLDevice>)device
       transposeLeft:(BOOL)transposeLeft
      transposeRight:(BOOL)transposeRight
          resultRows:(NSUInteger)resultRows
       resultColumns:(NSUInteger)resultColumns
     interiorColumns:(NSUInteger)interiorColumns
               alpha:(double)alpha
                beta:(double)beta;
- (void)encodeToCommandBuffer:(id<MTLCommandBuffer>)commandBuffer
                   leftMatrix:(id)leftMatrix
                  rightMatrix:(id)rightMatrix
                 resultMatrix:(id)resultMatrix;
@end

@protocol AssayMPSMatrixSoftMax <AssayMPSKernel>
- (id)initWithDevice:(id<MTLDevice>)device;
- (void)encodeToCommandBuffer:(id<MTLCommandBuffer>)commandBuffer inputMatrix:(id)inputMatrix resultMatrix:(id)resultMatrix;
@end

#endif
