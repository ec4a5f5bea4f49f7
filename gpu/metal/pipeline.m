//go:build (darwin || metalsim) && cgo

// Kernels: source to library, library to function, function to pipeline; and archives of compiled pipelines.

#include <string.h>

#include "internal.h"
#include "newer.h"

// compile_options turns fast math off; see shaders/include/common.h.
static MTLCompileOptions *compile_options(void) {
    MTLCompileOptions *options = [[[MTLCompileOptions alloc] init] autorelease];
    id newer = options;
    if ([newer respondsToSelector:@selector(setMathMode:)]) {
        [(id<AssayMathMode>)newer setMathMode:MATH_MODE_SAFE];
        [(id<AssayMathMode>)newer setMathFloatingPointFunctions:MATH_FUNCTIONS_PRECISE];
        return options;
    }
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
    [options setFastMathEnabled:NO];
#pragma clang diagnostic pop
    return options;
}

metal_library_result metal_library_new(metal_device *device, const char *source, const char *label) {
    metal_library_result result = {NULL, metal_no_error()};
    @autoreleasepool {
        NSError *error = nil;
        id<MTLLibrary> library = [device_of(device) newLibraryWithSource:metal_text(source)
                                                                 options:compile_options()
                                                                   error:&error];
        if (!library) result.error = metal_error_of(error, @"failed to create a library: no reason given");
        [library setLabel:metal_text(label)];
        result.value = (metal_library *)library;
    }
    return result;
}

void metal_library_release(metal_library *library) {
    @autoreleasepool {
        [library_of(library) release];
    }
}

// data_type returns the language's type of that name, or MTLDataTypeNone if constants cannot have it. Vectors of two to four
// lanes are numbered after their scalar.
static MTLDataType data_type(const char *name) {
    static const struct {
        const char *name;
        NSUInteger type;
    } scalars[] = {
        {"bool", MTLDataTypeBool},     {"char", MTLDataTypeChar},   {"uchar", MTLDataTypeUChar},  {"short", MTLDataTypeShort},
        {"ushort", MTLDataTypeUShort}, {"int", MTLDataTypeInt},     {"uint", MTLDataTypeUInt},    {"long", DATA_TYPE_LONG},
        {"ulong", DATA_TYPE_ULONG},    {"half", MTLDataTypeHalf},   {"bfloat", DATA_TYPE_BFLOAT}, {"float", MTLDataTypeFloat},
    };
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
        size_t n = strlen(scalars[i].name);
        if (strncmp(name, scalars[i].name, n) != 0) continue;
        if (!name[n]) return (MTLDataType)scalars[i].type;
        if (name[n] >= '2' && name[n] <= '4' && !name[n + 1]) return (MTLDataType)(scalars[i].type + (NSUInteger)(name[n] - '1'));
    }
    return MTLDataTypeNone;
}

// constant_values returns nil, with the reason in error, if a constant has a type that is not supported.
static MTLFunctionConstantValues *constant_values(const metal_constant *constants, int count, metal_error *error) {
    MTLFunctionConstantValues *values = [[[MTLFunctionConstantValues alloc] init] autorelease];
    for (int i = 0; i < count; i++) {
        MTLDataType type = data_type(constants[i].type);
        if (type == MTLDataTypeNone) {
            *error = metal_error_of(nil, [NSString stringWithFormat:@"no function constants of type %s can be set", constants[i].type]);
            return nil;
        }
        [values setConstantValue:constants[i].value type:type atIndex:constants[i].index];
    }
    return values;
}

metal_function_result metal_function_new(metal_library *library, const char *entry, const metal_constant *constants,
                                         int count) {
    metal_function_result result = {NULL, metal_no_error()};
    @autoreleasepool {
        MTLFunctionConstantValues *values = constant_values(constants, count, &result.error);
        if (!values) return result;
        NSError *error = nil;
        id<MTLFunction> function = [library_of(library) newFunctionWithName:metal_text(entry)
                                                             constantValues:values
                                                                      error:&error];
        if (!function) result.error = metal_error_of(error, @"the library has no such entry point");
        [function setLabel:metal_text(entry)];
        result.value = (metal_function *)function;
    }
    return result;
}

void metal_function_release(metal_function *function) {
    @autoreleasepool {
        [function_of(function) release];
    }
}

static MTLComputePipelineDescriptor *descriptor_of(metal_function *function, uint32_t max_threads, const char *label) {
    MTLComputePipelineDescriptor *descriptor = [[[MTLComputePipelineDescriptor alloc] init] autorelease];
    [descriptor setLabel:metal_text(label)];
    [descriptor setComputeFunction:function_of(function)];
    [descriptor setMaxTotalThreadsPerThreadgroup:max_threads];
    return descriptor;
}

metal_pipeline_result metal_pipeline_new(metal_device *device, metal_function *function, metal_archive *archive,
                                         uint32_t max_threads, const char *label) {
    metal_pipeline_result result = {NULL, 0, 0, metal_no_error()};
    @autoreleasepool {
        NSError *error = nil;
        MTLComputePipelineDescriptor *descriptor = descriptor_of(function, max_threads, label);
        MTLPipelineOption options = MTLPipelineOptionNone;
        if (archive) {
            [descriptor setBinaryArchives:[NSArray arrayWithObject:archive_of(archive)]];
            options = MTLPipelineOptionFailOnBinaryArchiveMiss;
        }
        id<MTLComputePipelineState> pipeline = [device_of(device) newComputePipelineStateWithDescriptor:descriptor
                                                                                                options:options
                                                                                             reflection:NULL
                                                                                                  error:&error];
        if (!pipeline) result.error = metal_error_of(error, @"failed to create a pipeline: no reason given");
        result.value = (metal_pipeline *)pipeline;
        result.simd_width = (uint32_t)[pipeline threadExecutionWidth];
        result.max_threads = (uint32_t)[pipeline maxTotalThreadsPerThreadgroup];
    }
    return result;
}

void metal_pipeline_release(metal_pipeline *pipeline) {
    @autoreleasepool {
        [pipeline_of(pipeline) release];
    }
}

static NSURL *file_url(const char *path) { return [NSURL fileURLWithPath:metal_text(path)]; }

metal_archive_result metal_archive_new(metal_device *device, const char *path, const char *label) {
    metal_archive_result result = {NULL, metal_no_error()};
    @autoreleasepool {
        NSError *error = nil;
        MTLBinaryArchiveDescriptor *descriptor = [[[MTLBinaryArchiveDescriptor alloc] init] autorelease];
        if (path) [descriptor setUrl:file_url(path)];
        id<MTLBinaryArchive> archive = [device_of(device) newBinaryArchiveWithDescriptor:descriptor error:&error];
        if (!archive) result.error = metal_error_of(error, @"cannot open the archive");
        [archive setLabel:metal_text(label)];
        result.value = (metal_archive *)archive;
    }
    return result;
}

metal_error metal_archive_add(metal_archive *archive, metal_function *function, uint32_t max_threads, const char *label) {
    metal_error result = metal_no_error();
    @autoreleasepool {
        NSError *error = nil;
        MTLComputePipelineDescriptor *descriptor = descriptor_of(function, max_threads, label);
        if (![archive_of(archive) addComputePipelineFunctionsWithDescriptor:descriptor error:&error]) {
            result = metal_error_of(error, @"cannot add the pipeline to the archive");
        }
    }
    return result;
}

metal_error metal_archive_write(metal_archive *archive, const char *path) {
    metal_error result = metal_no_error();
    @autoreleasepool {
        NSError *error = nil;
        if (![archive_of(archive) serializeToURL:file_url(path) error:&error]) {
            result = metal_error_of(error, @"cannot write the archive");
        }
    }
    return result;
}

void metal_archive_release(metal_archive *archive) {
    @autoreleasepool {
        [archive_of(archive) release];
    }
}
