//go:build metalsim && cgo

// Matrix products as Metal Performance Shaders has them, computed plainly: sums in float, elements in float or half.

#import <MetalPerformanceShaders/MetalPerformanceShaders.h>

#include <stdlib.h>

#include "sim.h"

BOOL MPSSupportsMTLDevice(id<MTLDevice> device) { return device != nil; }

static NSUInteger element_bytes(MPSDataType type) { return (type & 0xffff) / 8; }

@implementation MPSMatrixDescriptor
@synthesize rows = _rows, columns = _columns, matrices = _matrices, dataType = _dataType, rowBytes = _rowBytes;
@synthesize matrixBytes = _matrixBytes;

+ (instancetype)matrixDescriptorWithRows:(NSUInteger)rows
                                 columns:(NSUInteger)columns
                                rowBytes:(NSUInteger)rowBytes
                                dataType:(MPSDataType)dataType {
    MPSMatrixDescriptor *d = [[[self alloc] init] autorelease];
    d->_rows = rows;
    d->_columns = columns;
    d->_rowBytes = rowBytes;
    d->_dataType = dataType;
    d->_matrices = 1;
    d->_matrixBytes = rows * rowBytes;
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
    NSUInteger end = offset + [descriptor rows] * [descriptor rowBytes];
    BOOL fits = sim_usable(buffer, "MPSMatrix") && end <= [buffer length];
    if (!fits || !end) {
        sim_violation(buffer, "MPSMatrix of %lu rows of %lu B at offset %lu does not fit into %lu B",
                      (unsigned long)[descriptor rows], (unsigned long)[descriptor rowBytes], (unsigned long)offset,
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

- (MPSDataType)dataType {
    return [_descriptor dataType];
}

- (NSUInteger)rowBytes {
    return [_descriptor rowBytes];
}

@end

@implementation MPSKernel
@synthesize label = _label, device = _device;

- (void)dealloc {
    [_device release];
    [_label release];
    [super dealloc];
}

@end

// An operand where the product finds it: element (row, column) at base + row · step[0] + column · step[1].
typedef struct operand {
    SimBuffer *buffer; // of the command buffer
    NSUInteger offset, step[2];
    BOOL half;
} operand;

static operand operand_of(MPSMatrix *matrix, BOOL transposed) {
    NSUInteger element = element_bytes([matrix dataType]);
    operand o = {(SimBuffer *)[matrix data], [matrix offset], {[matrix rowBytes], element},
                 [matrix dataType] == MPSDataTypeFloat16};
    if (transposed) {
        o.step[0] = element;
        o.step[1] = [matrix rowBytes];
    }
    return o;
}

static float load(const operand *o, NSUInteger row, NSUInteger column) {
    const unsigned char *at = o->buffer->_bytes + o->offset + row * o->step[0] + column * o->step[1];
    return o->half ? (float)*(const _Float16 *)at : *(const float *)at;
}

static void store(const operand *o, NSUInteger row, NSUInteger column, float value) {
    unsigned char *at = o->buffer->_bytes + o->offset + row * o->step[0] + column * o->step[1];
    if (o->half) *(_Float16 *)at = (_Float16)value;
    else *(float *)at = value;
}

@interface SimProduct : NSObject <SimCommand> {
@public
    operand _left, _right, _result;
    NSUInteger _rows, _columns, _interior;
    double _alpha, _beta;
}
@end

@implementation SimProduct

- (BOOL)isBarrier {
    return NO;
}

- (NSError *)run {
    if (!sim_usable(_left.buffer, "used by a product") || !sim_usable(_right.buffer, "used by a product") ||
        !sim_usable(_result.buffer, "used by a product")) {
        return sim_error(MTLCommandBufferErrorDomain, MTLCommandBufferErrorInvalidResource, @"Invalid Resource");
    }
    // Operands are copied to floats first, so that the innermost loop runs along both.
    float *a = malloc((_interior ? _interior : 1) * sizeof *a), *b = malloc((_columns * _interior + 1) * sizeof *b);
    if (!a || !b) {
        free(a);
        free(b);
        return sim_error(MTLCommandBufferErrorDomain, MTLCommandBufferErrorOutOfMemory, @"Insufficient Memory");
    }
    for (NSUInteger c = 0; c < _columns; c++) {
        for (NSUInteger k = 0; k < _interior; k++) b[c * _interior + k] = load(&_right, k, c);
    }
    for (NSUInteger r = 0; r < _rows; r++) {
        for (NSUInteger k = 0; k < _interior; k++) a[k] = load(&_left, r, k);
        for (NSUInteger c = 0; c < _columns; c++) [self element:r column:c of:a by:b + c * _interior];
    }
    free(a);
    free(b);
    return nil;
}

// element sums in 8 lanes, as a vector unit would.
- (void)element:(NSUInteger)row column:(NSUInteger)column of:(const float *)a by:(const float *)b {
    float lanes[8] = {0};
    NSUInteger k = 0;
    for (; k + 8 <= _interior; k += 8) {
        for (int i = 0; i < 8; i++) lanes[i] += a[k + (NSUInteger)i] * b[k + (NSUInteger)i];
    }
    float sum = 0;
    for (; k < _interior; k++) sum += a[k] * b[k];
    for (int i = 0; i < 8; i++) sum += lanes[i];
    float value = (float)_alpha * sum;
    if (_beta != 0) value += (float)_beta * load(&_result, row, column);
    store(&_result, row, column, value);
}

@end

@implementation MPSMatrixMultiplication

- (instancetype)initWithDevice:(id<MTLDevice>)device
                    resultRows:(NSUInteger)resultRows
                 resultColumns:(NSUInteger)resultColumns
               interiorColumns:(NSUInteger)interiorColumns {
    return [self initWithDevice:device
                  transposeLeft:NO
                 transposeRight:NO
                     resultRows:resultRows
                  resultColumns:resultColumns
                interiorColumns:interiorColumns
                          alpha:1
                           beta:0];
}

- (instancetype)initWithDevice:(id<MTLDevice>)device
                 transposeLeft:(BOOL)transposeLeft
                transposeRight:(BOOL)transposeRight
                    resultRows:(NSUInteger)resultRows
                 resultColumns:(NSUInteger)resultColumns
               interiorColumns:(NSUInteger)interiorColumns
                         alpha:(double)alpha
                          beta:(double)beta {
    if (!(self = [super init])) return nil;
    if (!resultRows || !resultColumns || !interiorColumns) {
        sim_violation(device, "MPSMatrixMultiplication of %lu×%lu×%lu", (unsigned long)resultRows,
                      (unsigned long)resultColumns, (unsigned long)interiorColumns);
        [self release];
        return nil;
    }
    _device = [device retain];
    _transposeLeft = transposeLeft;
    _transposeRight = transposeRight;
    _rows = resultRows;
    _columns = resultColumns;
    _interior = interiorColumns;
    _alpha = alpha;
    _beta = beta;
    return self;
}

// holds is whether a matrix, as it is to be read, has at least that many rows and columns.
static BOOL holds(MPSMatrix *matrix, BOOL transposed, NSUInteger rows, NSUInteger columns) {
    return matrix && (transposed ? [matrix columns] : [matrix rows]) >= rows &&
           (transposed ? [matrix rows] : [matrix columns]) >= columns;
}

- (void)encodeToCommandBuffer:(id<MTLCommandBuffer>)commandBuffer
                   leftMatrix:(MPSMatrix *)left
                  rightMatrix:(MPSMatrix *)right
                 resultMatrix:(MPSMatrix *)result {
    if (!holds(left, _transposeLeft, _rows, _interior) || !holds(right, _transposeRight, _interior, _columns) ||
        !holds(result, NO, _rows, _columns)) {
        sim_violation(commandBuffer, "MPSMatrixMultiplication \"%s\": a matrix is too small", [_label UTF8String] ?: "");
        return;
    }
    SimCommandBuffer *buffer = (SimCommandBuffer *)commandBuffer;
    SimPass *pass = [buffer beginPass:"MPSMatrixMultiplication"];
    if (!pass) return;
    SimProduct *product = [[[SimProduct alloc] init] autorelease];
    product->_left = operand_of(left, _transposeLeft);
    product->_right = operand_of(right, _transposeRight);
    product->_result = operand_of(result, NO);
    product->_rows = _rows;
    product->_columns = _columns;
    product->_interior = _interior;
    product->_alpha = _alpha;
    product->_beta = _beta;
    for (MPSMatrix *m in [NSArray arrayWithObjects:left, right, result, nil]) [buffer use:(SimObject *)[m data]];
    pass->_label = [_label copy];
    [pass->_commands addObject:product];
    pass->_ended = YES;
}

@end
