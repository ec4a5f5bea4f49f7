//go:build (darwin || metalsim) && cgo

// Operations of vendors' libraries: a table, and for each row how it is prepared and encoded. To add an operation, add a row,
// its two functions and the protocols that they use.

#include <stdlib.h>
#include <string.h>

#include "internal.h"

#ifdef __APPLE__
#include <dlfcn.h>

// open_library loads the framework and queries whether it supports the device.
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

int metal_has_libraries(metal_device *device) {
    int has;
    @autoreleasepool {
        has = open_library(device_of(device));
    }
    return has;
}

// Metal Performance Shaders as in Apple's documentation. The classes are looked up by name, since the framework is opened at
// run time.

// mps_type is the MPSDataType of an element type: a bit for floating point, and the element's size in bits. 0: the library
// has no such type.
static uint32_t mps_type(uint32_t type) {
    static const uint32_t types[] = {[METAL_F32] = 0x10000000 | 32, [METAL_F16] = 0x10000000 | 16};
    return type < sizeof types / sizeof types[0] ? types[type] : 0;
}

@protocol AssayMPSMatrixDescriptor
+ (id)matrixDescriptorWithRows:(NSUInteger)rows
                       columns:(NSUInteger)columns
                      matrices:(NSUInteger)matrices
                      rowBytes:(NSUInteger)rowBytes
                   matrixBytes:(NSUInteger)matrixBytes
                      dataType:(uint32_t)dataType;
@end

@protocol AssayMPSMatrix <NSObject>
- (id)initWithBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset descriptor:(id)descriptor;
@end

@protocol AssayMPSKernel <NSObject>
- (void)setLabel:(NSString *)label;
@end

enum { MAX_ARGS = 4 };

typedef struct library_row library_row;

struct metal_library_op {
    const library_row *row;
    id kernel;           // the library's object, retained, as are those below
    id shapes[MAX_ARGS]; // of the arguments, in their order
    id<MTLBuffer> zeros; // nil: not needed
    // Queues share the object, but only one thread at a time may encode with it.
    pthread_mutex_t lock;
};

struct library_row {
    const char *op;
    const char *class_name;
    int dims, args, constants;
    uint32_t types; // 1 << METAL_F32 | …, the same for all arguments
    // make sets kernel, shapes and zeros. Those that could not be created stay nil.
    void (*make)(metal_library_op *op, id<MTLDevice> device, const metal_library_spec *spec);
    int (*encode)(metal_library_op *op, id<MTLCommandBuffer> buffer, const metal_binding *bindings); // 0: no memory
};

// shape returns a retained description of row-major matrices without padding, one after another.
static id shape(uint32_t matrices, uint32_t rows, uint32_t columns, uint32_t type) {
    Class<AssayMPSMatrixDescriptor> kind = NSClassFromString(@"MPSMatrixDescriptor");
    const NSUInteger row_bytes = (NSUInteger)columns * (mps_type(type) & 0xffff) / 8;
    id descriptor = [kind matrixDescriptorWithRows:rows
                                           columns:columns
                                          matrices:matrices
                                          rowBytes:row_bytes
                                       matrixBytes:rows * row_bytes
                                          dataType:mps_type(type)];
    return [descriptor retain];
}

// matrix returns argument i as an autoreleased MPSMatrix.
static id matrix(const metal_library_op *op, int i, metal_binding b) {
    id<AssayMPSMatrix> empty = [NSClassFromString(@"MPSMatrix") alloc];
    return [[empty initWithBuffer:buffer_of(b.buffer) offset:(NSUInteger)b.offset descriptor:op->shapes[i]] autorelease];
}

static id<MTLBuffer> new_zeros(id<MTLDevice> device, uint64_t bytes) {
    id<MTLBuffer> buffer = [device newBufferWithLength:(NSUInteger)bytes options:MTLResourceStorageModeShared];
    if (buffer) memset([buffer contents], 0, (size_t)bytes);
    [buffer setLabel:@"zeros of an empty sum"];
    return buffer;
}

@protocol AssayMPSMatrixMultiplication <AssayMPSKernel>
- (id)initWithDevice:(id<MTLDevice>)device
       transposeLeft:(BOOL)transposeLeft
      transposeRight:(BOOL)transposeRight
          resultRows:(NSUInteger)resultRows
       resultColumns:(NSUInteger)resultColumns
     interiorColumns:(NSUInteger)interiorColumns
               alpha:(double)alpha
                beta:(double)beta;
- (void)setBatchSize:(NSUInteger)batchSize;
- (void)encodeToCommandBuffer:(id<MTLCommandBuffer>)commandBuffer
                   leftMatrix:(id)leftMatrix
                  rightMatrix:(id)rightMatrix
                 resultMatrix:(id)resultMatrix;
@end

// matmul: out[m,n] = a[m,k] · b of each matrix of the batch. The library does not accept k = 0: the sums are then over one
// zero.
static void make_matmul(metal_library_op *op, id<MTLDevice> device, const metal_library_spec *spec) {
    const uint32_t m = spec->dims[0], n = spec->dims[1], k = spec->dims[2] ? spec->dims[2] : 1, batch = spec->dims[3];
    const uint32_t type = spec->types[0];
    const BOOL right = spec->constants[0] != 0, left = spec->constants[1] != 0;
    if (spec->dims[2] == 0 && !(op->zeros = new_zeros(device, 4 * (uint64_t)batch * ((uint64_t)m + n)))) return;
    id<AssayMPSMatrixMultiplication> empty = [NSClassFromString(@"MPSMatrixMultiplication") alloc];
    op->kernel = [empty initWithDevice:device
                         transposeLeft:left
                        transposeRight:right
                            resultRows:m
                         resultColumns:n
                       interiorColumns:k
                                 alpha:1
                                  beta:0];
    [(id<AssayMPSMatrixMultiplication>)op->kernel setBatchSize:batch];
    op->shapes[0] = left ? shape(batch, k, m, type) : shape(batch, m, k, type);
    op->shapes[1] = right ? shape(batch, n, k, type) : shape(batch, k, n, type);
    op->shapes[2] = shape(batch, m, n, type);
}

static int encode_matmul(metal_library_op *op, id<MTLCommandBuffer> buffer, const metal_binding *bindings) {
    const metal_binding none = {(metal_buffer *)op->zeros, 0};
    id a = matrix(op, 0, op->zeros ? none : bindings[0]);
    id b = matrix(op, 1, op->zeros ? none : bindings[1]);
    id out = matrix(op, 2, bindings[2]);
    if (!a || !b || !out) return 0;
    [(id<AssayMPSMatrixMultiplication>)op->kernel encodeToCommandBuffer:buffer leftMatrix:a rightMatrix:b resultMatrix:out];
    return 1;
}

@protocol AssayMPSMatrixSoftMax <AssayMPSKernel>
- (id)initWithDevice:(id<MTLDevice>)device;
- (void)encodeToCommandBuffer:(id<MTLCommandBuffer>)commandBuffer inputMatrix:(id)inputMatrix resultMatrix:(id)resultMatrix;
@end

static void make_softmax(metal_library_op *op, id<MTLDevice> device, const metal_library_spec *spec) {
    op->kernel = [(id<AssayMPSMatrixSoftMax>)[NSClassFromString(@"MPSMatrixSoftMax") alloc] initWithDevice:device];
    for (int i = 0; i < 2; i++) op->shapes[i] = shape(1, spec->dims[0], spec->dims[1], spec->types[0]);
}

static int encode_softmax(metal_library_op *op, id<MTLCommandBuffer> buffer, const metal_binding *bindings) {
    id in = matrix(op, 0, bindings[0]), out = matrix(op, 1, bindings[1]);
    if (!in || !out) return 0;
    [(id<AssayMPSMatrixSoftMax>)op->kernel encodeToCommandBuffer:buffer inputMatrix:in resultMatrix:out];
    return 1;
}

// The table. The meaning of dims and constants is the implementation's in shaders.
static const library_row rows[] = {
    {"matmul", "MPSMatrixMultiplication", 4, 3, 2, 1u << METAL_F32 | 1u << METAL_F16, make_matmul, encode_matmul},
    {"softmax", "MPSMatrixSoftMax", 2, 2, 0, 1u << METAL_F32 | 1u << METAL_F16, make_softmax, encode_softmax},
};

static const library_row *row_of(const char *op) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].op, op) == 0) return &rows[i];
    }
    return NULL;
}

static int takes_types(const library_row *row, const metal_library_spec *spec) {
    for (int i = 0; i < spec->type_count; i++) {
        const uint32_t type = spec->types[i];
        if (type != spec->types[0] || !mps_type(type) || !(row->types >> type & 1)) return 0;
    }
    return 1;
}

// lack returns the reason why a row cannot run spec at any size; nil if it can.
static NSString *lack(const library_row *row, const metal_library_spec *spec) {
    if (!row) return [NSString stringWithFormat:@"Metal Performance Shaders have no %s here", spec->op];
    if (spec->type_count != row->args || spec->constant_count != row->constants) {
        return [NSString stringWithFormat:@"%s has %d arguments and %d constants, Metal Performance Shaders take %d and %d",
                                          spec->op, spec->type_count, spec->constant_count, row->args, row->constants];
    }
    if (!takes_types(row, spec)) {
        return [NSString stringWithFormat:@"Metal Performance Shaders have no %s of these element types", spec->op];
    }
    for (NSString *name in [NSArray arrayWithObjects:@"MPSMatrix", @"MPSMatrixDescriptor",
                                                     [NSString stringWithUTF8String:row->class_name], nil]) {
        if (!NSClassFromString(name)) {
            return [NSString stringWithFormat:@"Metal Performance Shaders have no class %@ on this system", name];
        }
    }
    return nil;
}

static metal_error unsupported(NSString *why) {
    metal_error error = metal_error_of(nil, why);
    error.code = METAL_UNSUPPORTED;
    return error;
}

metal_error metal_library_lacks(const metal_library_spec *spec) {
    metal_error error = metal_no_error();
    @autoreleasepool {
        NSString *why = lack(row_of(spec->op), spec);
        if (why) error = unsupported(why);
    }
    return error;
}

void metal_library_op_release(metal_library_op *op) {
    @autoreleasepool {
        [op->kernel release];
        for (int i = 0; i < MAX_ARGS; i++) [op->shapes[i] release];
        [op->zeros release];
    }
    pthread_mutex_destroy(&op->lock);
    free(op);
}

static int is_whole(const metal_library_op *op) {
    for (int i = 0; i < op->row->args; i++) {
        if (!op->shapes[i]) return 0;
    }
    return op->kernel != nil;
}

static metal_library_op *make(id<MTLDevice> device, const library_row *row, const metal_library_spec *spec,
                              NSString *label) {
    metal_library_op *op = calloc(1, sizeof *op);
    if (!op || pthread_mutex_init(&op->lock, NULL)) {
        free(op);
        return NULL;
    }
    op->row = row;
    row->make(op, device, spec);
    [(id<AssayMPSKernel>)op->kernel setLabel:label];
    if (is_whole(op)) return op;
    metal_library_op_release(op);
    return NULL;
}

metal_library_op_result metal_library_op_new(metal_device *device, const metal_library_spec *spec, const char *label) {
    metal_library_op_result result = {NULL, metal_no_error()};
    @autoreleasepool {
        const library_row *row = row_of(spec->op);
        NSString *why = lack(row, spec);
        if (!why && spec->dim_count != row->dims) {
            why = [NSString stringWithFormat:@"%d sizes for %s, want %d", spec->dim_count, spec->op, row->dims];
        }
        if (why) {
            result.error = unsupported(why);
            return result;
        }
        result.value = make(device_of(device), row, spec, metal_text(label));
        if (!result.value) {
            result.error = metal_error_of(nil, @"Metal Performance Shaders could not prepare the operation");
            result.error.code = METAL_NO_MEMORY;
        }
    }
    return result;
}

int metal_encode_library(id<MTLCommandBuffer> buffer, const metal_parts *parts, const metal_segment *segment) {
    for (uint32_t i = 0; i < segment->count; i++) {
        const metal_command *c = &parts->commands[segment->first + i];
        metal_library_op *op = c->library;
        int encoded;
        @autoreleasepool {
            pthread_mutex_lock(&op->lock);
            encoded = op->row->encode(op, buffer, &parts->bindings[c->first]);
            pthread_mutex_unlock(&op->lock);
        }
        if (!encoded) return 0;
    }
    return 1;
}
