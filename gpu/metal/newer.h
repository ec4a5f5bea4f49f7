// API from Apple's documentation that is newer than the oldest supported headers. Its messages are only sent to objects that
// respond to them.
#ifndef ASSAY_METAL_NEWER_H
#define ASSAY_METAL_NEWER_H

#import <Metal/Metal.h>

// Families as arguments of supportsFamily:.
enum { FAMILY_APPLE = 1000, FAMILY_MAC = 2000, FAMILY_METAL = 4998 }; // AppleN, MacN, MetalN (3: 5001)

// MTLCompileOptions since macOS 15, which replaces fastMathEnabled.
enum { MATH_MODE_SAFE = 0, MATH_FUNCTIONS_PRECISE = 1 };

// MTLDataType: 64-bit integers since macOS 12, bfloat since macOS 14.
enum { DATA_TYPE_LONG = 81, DATA_TYPE_ULONG = 85, DATA_TYPE_BFLOAT = 121 };

@protocol AssayMathMode
- (void)setMathMode:(NSInteger)mode;
- (void)setMathFloatingPointFunctions:(NSInteger)functions;
@end

// MTLDevice: name of the GPU's architecture, since macOS 14.
@protocol AssayArchitecture
- (NSString *)name;
@end

@protocol AssayNewerDevice
- (id<AssayArchitecture>)architecture;
- (id)newResidencySetWithDescriptor:(id)descriptor error:(NSError **)error;
@end

// MTLResidencySet and its descriptor, since macOS 15.
@protocol AssayResidencySetDescriptor
- (void)setLabel:(NSString *)label;
@end

@protocol AssayResidencySet <NSObject>
- (void)addAllocation:(id)allocation;
- (void)removeAllocation:(id)allocation;
- (void)commit;
- (void)requestResidency;
- (void)endResidency;
@end

@protocol AssayResidentQueue
- (void)addResidencySet:(id)set;
@end

// Only the simulator's device responds to this.
@protocol AssaySimulated
- (BOOL)assaySimulated;
@end

#endif
