// Shared by the simulated Metal Performance Shaders.
#ifndef ASSAY_SIM_MPS_H
#define ASSAY_SIM_MPS_H

#import <MetalPerformanceShaders/MetalPerformanceShaders.h>

#include "sim.h"

// An operand in memory: element (row, column) is at base + row · step[0] + column · step[1].
typedef struct operand {
    SimBuffer *buffer; // owned by the command buffer
    NSUInteger offset, step[2];
    BOOL half;
} operand;

operand sim_operand(MPSMatrix *matrix, BOOL transposed);

static inline float sim_load(const operand *o, NSUInteger row, NSUInteger column) {
    const unsigned char *at = o->buffer->_bytes + o->offset + row * o->step[0] + column * o->step[1];
    return o->half ? (float)*(const _Float16 *)at : *(const float *)at;
}

static inline void sim_store(const operand *o, NSUInteger row, NSUInteger column, float value) {
    unsigned char *at = o->buffer->_bytes + o->offset + row * o->step[0] + column * o->step[1];
    if (o->half) *(_Float16 *)at = (_Float16)value;
    else *(float *)at = value;
}

// sim_operands_usable returns nil if all count buffers are live, else the command buffer's error.
NSError *sim_operands_usable(const operand *operands, int count);

@interface MPSKernel (Simulated)
// encode: puts command, which uses matrices, into its own pass. Encoding from two threads at once is a violation.
- (void)encode:(id<SimCommand>)command to:(id<MTLCommandBuffer>)commandBuffer of:(NSArray *)matrices;
@end

#endif
