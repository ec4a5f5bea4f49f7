//go:build metalsim && cgo

// Matrices and kernels of the simulated Metal Performance Shaders.

#include <objc/runtime.h>
#include <sched.h>

#include "mps.h"

BOOL MPSSupportsMTLDevice(id<MTLDevice> device) { return device != nil; }

static NSUInteger element_bytes(MPSDataType type) { return (type & 0xffff) / 8; }

@implementation MPSMatrixDescriptor
@synthesize rows = _rows, columns = _columns, matrices = _matrices, dataType = _dataType, rowBytes = _rowBytes;
@synthesize matrixBytes = _matrixBytes;

+ (instancetype)matrixDescriptorWithRows:(NSUInteger)rows
                                 columns:(NSUInteger)columns
                                rowBytes:(NSUInteger)rowBytes
                                dataType:(MPSDataType)dataType {
    return [self matrixDescriptorWithRows:rows
                                  columns:columns
                                 matrices:1
                                 rowBytes:rowBytes
                              matrixBytes:rows * rowBytes
                                 dataType:dataType];
}

+ (instancetype)matrixDescriptorWithRows:(NSUInteger)rows
                                 columns:(NSUInteger)columns
                                matrices:(NSUInteger)matrices
                                rowBytes:(NSUInteger)rowBytes
                             matrixBytes:(NSUInteger)matrixBytes
                                dataType:(MPSDataType)dataType {
    MPSMatrixDescriptor *d = [[[self alloc] init] autorelease];
    d->_rows = rows;
    d->_columns = columns;
    d->_rowBytes = rowBytes;
    d->_dataType = dataType;
    d->_matrices = matrices;
    d->_matrixBytes = matrixBytes;
    return d;
}

+ (size_t)rowBytesForColumns:(NSUInteger)columns dataType:(MPSDataType)dataType {
    return (columns * element_bytes(dataType) + 15) / 16 * 16;
}

+ (size_t)rowBytesFromColumns:(NSUInteger)columns dataType:(MPSDataType)dataType {
    return [self rowBytesForColumns:columns dataType:dataType];
}

@end

@implementation MPSMatrix
@synthesize data = _data, offset = _offset;

- (instancetype)initWithBuffer:(id<MTLBuffer>)buffer descriptor:(MPSMatrixDescriptor *)descriptor {
    return [self initWithBuffer:buffer offset:0 descriptor:descriptor];
}

- (instancetype)initWithBuffer:(id<MTLBuffer>)buffer
                        offset:(NSUInteger)offset
                    descriptor:(MPSMatrixDescriptor *)descriptor {
    if (!(self = [super init])) return nil;
    MPSDataType type = [descriptor dataType];
    if (type != MPSDataTypeFloat32 && type != MPSDataTypeFloat16) {
        sim_violation(buffer, "MPSMatrix of data type 0x%x: want Float32 or Float16", (unsigned)type);
        [self release];
        return nil;
    }
    NSUInteger matrices = [descriptor matrices], bytes = [descriptor rows] * [descriptor rowBytes];
    NSUInteger end = matrices ? offset + (matrices - 1) * [descriptor matrixBytes] + bytes : 0;
    BOOL fits = sim_usable(buffer, "MPSMatrix") && end <= [buffer length];
    if (!fits || !end) {
        sim_violation(buffer, "%lu MPSMatrix of %lu rows of %lu B at offset %lu do not fit into %lu B",
                      (unsigned long)matrices, (unsigned long)[descriptor rows], (unsigned long)[descriptor rowBytes], (unsigned long)offset,
                      (unsigned long)[buffer length]);
        [self release];
        return nil;
    }
    _data = [buffer retain];
    _descriptor = [descriptor retain];
    _offset = offset;
    return self;
}

- (void)dealloc {
    [_data release];
    [_descriptor release];
    [super dealloc];
}

- (NSUInteger)rows {
    return [_descriptor rows];
}

- (NSUInteger)columns {
    return [_descriptor columns];
}

- (NSUInteger)matrices {
    return [_descriptor matrices];
}

- (NSUInteger)matrixBytes {
    return [_descriptor matrixBytes];
}

- (MPSDataType)dataType {
    return [_descriptor dataType];
}

- (NSUInteger)rowBytes {
    return [_descriptor rowBytes];
}

@end

@implementation MPSKernel
@synthesize device = _device;

- (instancetype)initWithDevice:(id<MTLDevice>)device {
    if (!(self = [super init])) return nil;
    _device = [device retain];
    _entry = [[SimResource alloc] initWithDevice:(SimDevice *)device kind:class_getName([self class])];
    return self;
}

- (NSString *)label {
    return [(SimObject *)_entry label];
}

- (void)setLabel:(NSString *)label {
    [(SimObject *)_entry setLabel:label];
}

- (void)dealloc {
    [(SimObject *)_entry release];
    [_device release];
    [super dealloc];
}

@end

@implementation MPSKernel (Simulated)

- (void)encode:(id<SimCommand>)command to:(id<MTLCommandBuffer>)commandBuffer of:(NSArray *)matrices {
    if (__atomic_exchange_n(&_encoding, 1, __ATOMIC_ACQ_REL)) sim_violation(_entry, "encoded by two threads at once");
    sched_yield(); // so that a second thread, if any, gets to run here
    sim_want_label((SimObject *)_entry);
    SimCommandBuffer *buffer = (SimCommandBuffer *)commandBuffer;
    SimPass *pass = [buffer beginPass:class_getName([self class])];
    for (MPSMatrix *m in matrices) [buffer use:(SimObject *)[m data]];
    if (pass) {
        pass->_label = [[self label] copy];
        [pass->_commands addObject:command];
        pass->_ended = YES;
    }
    __atomic_store_n(&_encoding, 0, __ATOMIC_RELEASE);
}

@end

operand sim_operand(MPSMatrix *matrix, BOOL transposed) {
    NSUInteger element = element_bytes([matrix dataType]);
    operand o = {(SimBuffer *)[matrix data], [matrix offset], {[matrix rowBytes], element},
                 [matrix dataType] == MPSDataTypeFloat16};
    if (transposed) {
        o.step[0] = element;
        o.step[1] = [matrix rowBytes];
    }
    return o;
}

NSError *sim_operands_usable(const operand *operands, int count) {
    for (int i = 0; i < count; i++) {
        if (!sim_usable(operands[i].buffer, "used by a library's operation")) {
            return sim_error(MTLCommandBufferErrorDomain, MTLCommandBufferErrorInvalidResource, @"Invalid Resource");
        }
    }
    return nil;
}
