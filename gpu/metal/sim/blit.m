//go:build metalsim && cgo

// Blit encoders: copies and fills.

#include <string.h>

#include "sim.h"

// SimCopy copies bytes, or fills them if there is no source.
@interface SimCopy : NSObject <SimCommand> {
@public
    SimBuffer *_from, *_to; // owned by the command buffer
    NSUInteger _from_offset, _to_offset, _size;
    uint8_t _value;
}
@end

@implementation SimCopy

- (BOOL)isBarrier {
    return NO;
}

- (NSError *)run {
    if (!sim_usable(_to, "used by a command buffer") || (_from && !sim_usable(_from, "used by a command buffer"))) {
        return sim_error(MTLCommandBufferErrorDomain, MTLCommandBufferErrorInvalidResource, @"Invalid Resource");
    }
    if (_from) memmove(_to->_bytes + _to_offset, _from->_bytes + _from_offset, _size);
    else memset(_to->_bytes + _to_offset, _value, _size);
    return nil;
}

@end

@implementation SimBlitEncoder

// takes checks that the range is inside the buffer.
- (BOOL)takes:(id<MTLBuffer>)buffer offset:(NSUInteger)offset size:(NSUInteger)size what:(const char *)what {
    if (![self mayEncode:what] || !sim_usable(buffer, what)) return NO;
    NSUInteger length = [buffer length];
    if (size == 0 || offset > length || size > length - offset) {
        sim_violation(self, "%s: %lu B at offset %lu of buffer \"%s\" of %lu B", what, (unsigned long)size,
                      (unsigned long)offset, [[buffer label] UTF8String] ?: "", (unsigned long)length);
        return NO;
    }
    if (offset % 4 || size % 4) {
        // macOS requires multiples of 4 for both.
        sim_violation(self, "%s: %lu B at offset %lu, multiples of 4 are allowed", what, (unsigned long)size,
                      (unsigned long)offset);
    }
    sim_want_label((SimObject *)buffer);
    [_buffer use:(SimObject *)buffer];
    return YES;
}

- (void)synchronizeResource:(id<MTLResource>)resource {
    if (![self mayEncode:"synchronizeResource:"] || !sim_usable(resource, "synchronizeResource:")) return;
    if ([resource storageMode] != MTLStorageModeManaged) {
        sim_violation(self, "synchronizeResource: of a buffer that is not managed");
    }
}

- (void)fillBuffer:(id<MTLBuffer>)buffer range:(NSRange)range value:(uint8_t)value {
    if (![self takes:buffer offset:range.location size:range.length what:"fillBuffer"]) return;
    SimCopy *fill = [[[SimCopy alloc] init] autorelease];
    fill->_to = (SimBuffer *)buffer;
    fill->_to_offset = range.location;
    fill->_size = range.length;
    fill->_value = value;
    [_pass->_commands addObject:fill];
}

- (void)copyFromBuffer:(id<MTLBuffer>)from
          sourceOffset:(NSUInteger)fromOffset
              toBuffer:(id<MTLBuffer>)to
     destinationOffset:(NSUInteger)toOffset
                  size:(NSUInteger)size {
    if (![self takes:from offset:fromOffset size:size what:"copyFromBuffer"]) return;
    if (![self takes:to offset:toOffset size:size what:"copyFromBuffer"]) return;
    BOOL overlaps = from == to && fromOffset < toOffset + size && toOffset < fromOffset + size;
    if (overlaps) sim_violation(self, "copyFromBuffer: source and destination overlap");
    SimCopy *copy = [[[SimCopy alloc] init] autorelease];
    copy->_from = (SimBuffer *)from;
    copy->_to = (SimBuffer *)to;
    copy->_from_offset = fromOffset;
    copy->_to_offset = toOffset;
    copy->_size = size;
    [_pass->_commands addObject:copy];
}

- (void)sampleCountersInBuffer:(id<MTLCounterSampleBuffer>)samples
                 atSampleIndex:(NSUInteger)index
                   withBarrier:(BOOL)barrier {
    (void)samples, (void)index, (void)barrier;
    sim_violation(self, "sampleCountersInBuffer: the device samples at stage boundaries alone");
}

@end
