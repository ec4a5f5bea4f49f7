//go:build metalsim && cgo

// Values of function constants.

#include <string.h>

#include "sim.h"

// scalar_bytes is the size of one lane; 0 for an unknown type.
static unsigned scalar_bytes(MTLDataType type) {
    if (type >= MTLDataTypeFloat && type <= MTLDataTypeFloat4) return 4;
    if (type >= MTLDataTypeHalf && type <= MTLDataTypeHalf4) return 2;
    if (type >= MTLDataTypeInt && type <= MTLDataTypeUInt4) return 4;
    if (type >= MTLDataTypeShort && type < MTLDataTypeChar) return 2;
    if (type >= MTLDataTypeChar && type < MTLDataTypeBool + 4) return 1;
    if (type >= MTLDataTypeLong && type < MTLDataTypeULong + 4) return 8;
    if (type >= MTLDataTypeBFloat && type < MTLDataTypeBFloat + 4) return 2;
    return 0;
}

static unsigned lanes(MTLDataType type) {
    static const MTLDataType firsts[] = {MTLDataTypeFloat, MTLDataTypeHalf, MTLDataTypeInt,   MTLDataTypeUInt,
                                         MTLDataTypeShort, MTLDataTypeUShort, MTLDataTypeChar, MTLDataTypeUChar,
                                         MTLDataTypeBool,  MTLDataTypeLong, MTLDataTypeULong, MTLDataTypeBFloat};
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        if (type >= firsts[i] && type < firsts[i] + 4) return (unsigned)(type - firsts[i]) + 1;
    }
    return 0;
}

// value_bytes is the size of a value; three lanes are padded to four.
static unsigned value_bytes(MTLDataType type) {
    unsigned n = lanes(type);
    return scalar_bytes(type) * (n == 3 ? 4 : n);
}

@implementation MTLFunctionConstantValues

- (instancetype)init {
    if ((self = [super init])) _values = [[NSMutableArray alloc] init];
    return self;
}

- (void)dealloc {
    [_values release];
    [super dealloc];
}

- (void)set:(const void *)value type:(MTLDataType)type index:(int32_t)index name:(const char *)name {
    sim_constant constant = {.index = index, .bytes = value_bytes(type)};
    if (!constant.bytes || constant.bytes > sizeof constant.value) {
        sim_violation(nil, "function constant %d %s: type %lu is none", index, name, (unsigned long)type);
        return;
    }
    strncpy(constant.name, name, sizeof constant.name - 1);
    memcpy(constant.value, value, constant.bytes);
    [_values addObject:[NSData dataWithBytes:&constant length:sizeof constant]];
}

- (void)setConstantValue:(const void *)value type:(MTLDataType)type atIndex:(NSUInteger)index {
    [self set:value type:type index:(int32_t)index name:""];
}

- (void)setConstantValues:(const void *)values type:(MTLDataType)type withRange:(NSRange)range {
    for (NSUInteger i = 0; i < range.length; i++) {
        [self set:(const char *)values + i * value_bytes(type) type:type index:(int32_t)(range.location + i) name:""];
    }
}

- (void)setConstantValue:(const void *)value type:(MTLDataType)type withName:(NSString *)name {
    [self set:value type:type index:-1 name:[name UTF8String]];
}

- (void)reset {
    [_values removeAllObjects];
}

- (id)copyWithZone:(NSZone *)zone {
    MTLFunctionConstantValues *copy = [[[self class] allocWithZone:zone] init];
    [copy->_values addObjectsFromArray:_values];
    return copy;
}

- (NSData *)simConstants {
    NSMutableData *all = [NSMutableData data];
    for (NSData *value in _values) [all appendData:value];
    return all;
}

@end
