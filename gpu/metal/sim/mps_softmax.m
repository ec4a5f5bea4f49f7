//go:build metalsim && cgo

// Row softmax as in Metal Performance Shaders, with a plain algorithm: in float, elements in float or half.

#include <math.h>

#include "mps.h"

@interface SimSoftMax : NSObject <SimCommand> {
@public
    operand _input, _result;
    NSUInteger _rows, _columns;
}
@end

@implementation SimSoftMax

- (BOOL)isBarrier {
    return NO;
}

- (NSError *)run {
    NSError *gone = sim_operands_usable((operand[]){_input, _result}, 2);
    for (NSUInteger r = 0; r < _rows && !gone; r++) [self row:r];
    return gone;
}

// row subtracts the largest element first, so that exp does not overflow.
- (void)row:(NSUInteger)r {
    float largest = -INFINITY, sum = 0;
    for (NSUInteger c = 0; c < _columns; c++) largest = fmaxf(largest, sim_load(&_input, r, c));
    for (NSUInteger c = 0; c < _columns; c++) sum += expf(sim_load(&_input, r, c) - largest);
    for (NSUInteger c = 0; c < _columns; c++) sim_store(&_result, r, c, expf(sim_load(&_input, r, c) - largest) / sum);
}

@end

@implementation MPSMatrixUnaryKernel
@end

@implementation MPSMatrixSoftMax
@synthesize sourceRows = _sourceRows, sourceColumns = _sourceColumns;

- (instancetype)initWithDevice:(id<MTLDevice>)device {
    if ((self = [super initWithDevice:device])) _sourceRows = _sourceColumns = NSUIntegerMax;
    return self;
}

static NSUInteger least(NSUInteger a, NSUInteger b) { return a < b ? a : b; }

- (void)encodeToCommandBuffer:(id<MTLCommandBuffer>)commandBuffer
                  inputMatrix:(MPSMatrix *)input
                 resultMatrix:(MPSMatrix *)result {
    NSUInteger rows = least(_sourceRows, [input rows]), columns = least(_sourceColumns, [input columns]);
    if (!input || !result || [result rows] < rows || [result columns] < columns) {
        sim_violation(_entry, "a result of %lu×%lu is too small for %lu×%lu", (unsigned long)[result rows],
                      (unsigned long)[result columns], (unsigned long)rows, (unsigned long)columns);
        return;
    }
    if ([input dataType] != [result dataType]) {
        sim_violation(_entry, "input and result have different element types");
        return;
    }
    SimSoftMax *command = [[[SimSoftMax alloc] init] autorelease];
    command->_input = sim_operand(input, NO);
    command->_result = sim_operand(result, NO);
    command->_rows = rows;
    command->_columns = columns;
    [self encode:command to:commandBuffer of:[NSArray arrayWithObjects:input, result, nil]];
}

@end
