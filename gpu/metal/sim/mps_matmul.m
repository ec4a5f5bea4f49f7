//go:build metalsim && cgo

// Matmul as in Metal Performance Shaders, with a plain algorithm: sums in float, elements in float or half.

#include <stdlib.h>

#include "mps.h"

@interface SimProduct : NSObject <SimCommand> {
@public
    operand _left, _right, _result;
    NSUInteger _rows, _columns, _interior, _batch;
    NSUInteger _apart[3]; // bytes from a matrix of the batch to the next: left, right, result
    double _alpha, _beta;
}
@end

@implementation SimProduct

- (BOOL)isBarrier {
    return NO;
}

- (NSError *)run {
    NSError *gone = sim_operands_usable((operand[]){_left, _right, _result}, 3);
    if (gone) return gone;
    // Operands are copied to floats first, so that the innermost loop runs along both.
    float *a = malloc((_interior ? _interior : 1) * sizeof *a), *b = malloc((_columns * _interior + 1) * sizeof *b);
    if (!a || !b) {
        free(a);
        free(b);
        return sim_error(MTLCommandBufferErrorDomain, MTLCommandBufferErrorOutOfMemory, @"Insufficient Memory");
    }
    for (NSUInteger i = 0; i < _batch; i++) [self multiply:i with:a and:b];
    free(a);
    free(b);
    return nil;
}

// multiply makes one result of the batch, with memory for a row of the left matrix and for the right one.
- (void)multiply:(NSUInteger)i with:(float *)a and:(float *)b {
    operand left = _left, right = _right, result = _result;
    left.offset += i * _apart[0];
    right.offset += i * _apart[1];
    result.offset += i * _apart[2];
    for (NSUInteger c = 0; c < _columns; c++) {
        for (NSUInteger k = 0; k < _interior; k++) b[c * _interior + k] = sim_load(&right, k, c);
    }
    for (NSUInteger r = 0; r < _rows; r++) {
        for (NSUInteger k = 0; k < _interior; k++) a[k] = sim_load(&left, r, k);
        for (NSUInteger c = 0; c < _columns; c++) [self element:r column:c of:a by:b + c * _interior to:&result];
    }
}

// element accumulates in 8 lanes, as a vector unit would.
- (void)element:(NSUInteger)row
         column:(NSUInteger)column
             of:(const float *)a
             by:(const float *)b
             to:(const operand *)result {
    float lanes[8] = {0};
    NSUInteger k = 0;
    for (; k + 8 <= _interior; k += 8) {
        for (int i = 0; i < 8; i++) lanes[i] += a[k + (NSUInteger)i] * b[k + (NSUInteger)i];
    }
    float sum = 0;
    for (; k < _interior; k++) sum += a[k] * b[k];
    for (int i = 0; i < 8; i++) sum += lanes[i];
    float value = (float)_alpha * sum;
    if (_beta != 0) value += (float)_beta * sim_load(result, row, column);
    sim_store(result, row, column, value);
}

@end

@implementation MPSMatrixMultiplication
@synthesize batchStart = _batchStart, batchSize = _batchSize;

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
    if (!(self = [super initWithDevice:device])) return nil;
    if (!resultRows || !resultColumns || !interiorColumns) {
        sim_violation(device, "MPSMatrixMultiplication of %lu×%lu×%lu", (unsigned long)resultRows,
                      (unsigned long)resultColumns, (unsigned long)interiorColumns);
        [self release];
        return nil;
    }
    _transposeLeft = transposeLeft;
    _transposeRight = transposeRight;
    _rows = resultRows;
    _columns = resultColumns;
    _interior = interiorColumns;
    _batchSize = NSUIntegerMax;
    _alpha = alpha;
    _beta = beta;
    return self;
}

// holds reports whether a matrix, possibly transposed, has at least that many rows and columns.
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
        sim_violation(_entry, "a matrix is too small");
        return;
    }
    NSUInteger matrices = MIN(MIN([left matrices], [right matrices]), [result matrices]);
    if (_batchStart >= matrices || (_batchSize != NSUIntegerMax && _batchSize > matrices - _batchStart)) {
        sim_violation(_entry, "a batch of %lu from %lu on, of %lu matrices", (unsigned long)_batchSize,
                      (unsigned long)_batchStart, (unsigned long)matrices);
        return;
    }
    SimProduct *product = [[[SimProduct alloc] init] autorelease];
    product->_batch = _batchSize == NSUIntegerMax ? matrices - _batchStart : _batchSize;
    NSArray *operands = [NSArray arrayWithObjects:left, right, result, nil];
    for (NSUInteger i = 0; i < 3; i++) product->_apart[i] = [[operands objectAtIndex:i] matrixBytes];
    product->_left = sim_operand(left, _transposeLeft);
    product->_right = sim_operand(right, _transposeRight);
    product->_result = sim_operand(result, NO);
    product->_left.offset += _batchStart * product->_apart[0];
    product->_right.offset += _batchStart * product->_apart[1];
    product->_result.offset += _batchStart * product->_apart[2];
    product->_rows = _rows;
    product->_columns = _columns;
    product->_interior = _interior;
    product->_alpha = _alpha;
    product->_beta = _beta;
    [self encode:product to:commandBuffer of:operands];
}

@end
