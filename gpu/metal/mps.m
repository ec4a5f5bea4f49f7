//go:build (darwin || metalsim) && cgo

// Matrix products of Metal Performance Shaders.

#include <string.h>

#include "internal.h"
#include "mps_decl.h"

#ifdef __APPLE__
#include <dlfcn.h>

// open_library loads the framework, and asks it whether it runs on the device.
static int open_library(id<MTLDevice> device) {
    const char *path = "/System/Library/Frameworks/MetalPerformanceShaders.framework/MetalPerformanceShaders";
    void *library = dlopen(path, RTLD_LAZY); // stays loaded: its classes cannot be unloaded
    BOOL (*supports)(id<MTLDevice>) = library ? (BOOL(*)(id<MTLDevice>))dlsym(library, "MPSSupportsMTLDevice") : NULL;
    return supports && supports(device);
}
#else
static int open_library(id<MTLDevice> device) {
    (void)device;
    return 1;
}
#endif

int metal_has_products(metal_device *device) {
    int has;
    @autoreleasepool {
        has = open_library(device_of(device)) && NSClassFromString(@"MPSMatrixMultiplication") &&
              NSClassFromString(@"MPSMatrix") && NSClassFromString(@"MPSMatrixDescriptor");
    }
    return has;
}

// matrix is an autoreleased row-major matrix without padding.
static id matrix(id<MTLBuffer> buffer, uint64_t offset, uint32_t rows, uint32_t columns, int is_half) {
    Class<AssayMPSMatrixDescriptor> kind = NSClassFromString(@"MPSMatrixDescriptor");
    id descriptor = [kind matrixDescriptorWithRows:rows
                                           columns:columns
                                          rowBytes:(NSUInteger)columns * (is_half ? 2 : 4)
                                          dataType:is_half ? MPS_FLOAT16 : MPS_FLOAT32];
    id<AssayMPSMatrix> empty = [NSClassFromString(@"MPSMatrix") alloc];
    return [[empty initWithBuffer:buffer offset:(NSUInteger)offset descriptor:descriptor] autorelease];
}

static id multiplication(id<MTLDevice> device, const metal_product *p) {
    id<AssayMPSMatrixMultiplication> empty = [NSClassFromString(@"MPSMatrixMultiplication") alloc];
    return [[empty initWithDevice:device
                    transposeLeft:NO
                   transposeRight:p->transpose_b != 0
                       resultRows:p->m
                    resultColumns:p->n
                  interiorColumns:p->k
                            alpha:1
                             beta:0] autorelease];
}

// zeros is an autoreleased buffer of zeros.
static id<MTLBuffer> zeros(id<MTLDevice> device, uint64_t bytes) {
    id<MTLBuffer> buffer = [device newBufferWithLength:(NSUInteger)bytes options:MTLResourceStorageModeShared];
    if (!buffer) return nil;
    memset([buffer contents], 0, (size_t)bytes);
    [buffer setLabel:@"zeros of an empty sum"];
    return [buffer autorelease];
}

// encode_product multiplies. The library takes no empty sums: those become sums of one zero.
static int encode_product(id<MTLCommandBuffer> buffer, const metal_product *p, const metal_binding *b, NSString *label) {
    metal_product q = *p;
    metal_binding left = b[0], right = b[1];
    if (q.k == 0) {
        id<MTLBuffer> nothing = zeros([buffer device], 4 * ((uint64_t)q.m + q.n));
        if (!nothing) return 0;
        q.k = 1;
        left = right = (metal_binding){(metal_buffer *)nothing, 0};
    }
    id<AssayMPSMatrixMultiplication> multiply = multiplication([buffer device], &q);
    id a = matrix(buffer_of(left.buffer), left.offset, q.m, q.k, q.is_half);
    id c = q.transpose_b ? matrix(buffer_of(right.buffer), right.offset, q.n, q.k, q.is_half)
                         : matrix(buffer_of(right.buffer), right.offset, q.k, q.n, q.is_half);
    id out = matrix(buffer_of(b[2].buffer), b[2].offset, q.m, q.n, q.is_half);
    if (!multiply || !a || !c || !out) return 0;
    [multiply setLabel:label];
    [multiply encodeToCommandBuffer:buffer leftMatrix:a rightMatrix:c resultMatrix:out];
    return 1;
}

int metal_encode_products(id<MTLCommandBuffer> buffer, const metal_parts *parts, const metal_segment *segment) {
    NSString *label = metal_text(parts->labels + segment->label);
    for (uint32_t i = 0; i < segment->count; i++) {
        const metal_command *c = &parts->commands[segment->first + i];
        @autoreleasepool {
            if (!encode_product(buffer, &c->product, &parts->bindings[c->first], label)) return 0;
        }
    }
    return 1;
}
