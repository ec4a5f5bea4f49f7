//go:build metalsim && cgo

// Compute pipelines.

#include <stdlib.h>

#include "_cgo_export.h"
#include "sim.h"

static BOOL archived(SimFunction *function, NSArray *archives) {
    for (SimArchive *archive in archives) {
        if ([archive holds:function]) return YES;
    }
    return NO;
}

static void free_kernel(sim_kernel *kernel) {
    if (kernel->handle) simDrop(kernel->handle);
    for (int i = 0; i < SIM_SLOTS; i++) {
        free(kernel->buffers[i]);
        free(kernel->threadgroups[i]);
    }
}

@implementation SimPipeline

- (instancetype)initWithDevice:(SimDevice *)device
                    descriptor:(MTLComputePipelineDescriptor *)descriptor
                       options:(MTLPipelineOption)options
                         error:(NSError **)error {
    if (!(self = [super initWithDevice:device kind:"MTLComputePipelineState"])) return nil;
    [self setLabel:[descriptor label]];
    NSError *failure = [self build:descriptor options:options];
    if (!failure) return self;
    sim_give_error(error, failure);
    [self release];
    return nil;
}

- (NSError *)build:(MTLComputePipelineDescriptor *)descriptor options:(MTLPipelineOption)options {
    SimFunction *function = (SimFunction *)[descriptor computeFunction];
    if (sim_refuse_pipeline() || !sim_usable(function, "a pipeline's function")) {
        return sim_error(MTLLibraryErrorDomain, MTLLibraryErrorInternal, @"Compiler encountered an internal error");
    }
    if ((options & MTLPipelineOptionFailOnBinaryArchiveMiss) && !archived(function, [descriptor binaryArchives])) {
        return sim_error(MTLBinaryArchiveDomain, MTLBinaryArchiveErrorUnexpectedElement,
                         @"The pipeline is in none of the binary archives");
    }
    char *text = NULL;
    int built = simBuild(function->_library->_library, (char *)[[function name] UTF8String],
                         (sim_constant *)[function->_constants bytes],
                         (int)([function->_constants length] / sizeof(sim_constant)), &_kernel, &text);
    NSString *said = text ? [NSString stringWithUTF8String:text] : nil;
    free(text);
    if (!built) return sim_error(MTLLibraryErrorDomain, MTLLibraryErrorCompileFailure, said);
    return [self limit:[descriptor maxTotalThreadsPerThreadgroup]];
}

// limit applies the descriptor's limit on threads, which has the effect of the language's attribute and must agree with it.
- (NSError *)limit:(NSUInteger)wanted {
    if (wanted > SIM_MAX_THREADS || (wanted && _kernel.max_threads && _kernel.max_threads != wanted)) {
        return sim_error(MTLLibraryErrorDomain, MTLLibraryErrorCompileFailure,
                         [NSString stringWithFormat:@"maxTotalThreadsPerThreadgroup %lu cannot be", (unsigned long)wanted]);
    }
    if (wanted) _kernel.max_threads = (uint32_t)wanted;
    int most = sim_threads();
    if (most && (!_kernel.max_threads || _kernel.max_threads > (uint32_t)most)) _kernel.max_threads = (uint32_t)most;
    return nil;
}

- (void)dealloc {
    free_kernel(&_kernel);
    [super dealloc];
}

- (NSUInteger)maxTotalThreadsPerThreadgroup {
    return _kernel.max_threads ? _kernel.max_threads : SIM_MAX_THREADS;
}

- (NSUInteger)threadExecutionWidth {
    return SIM_WIDTH;
}

- (NSUInteger)staticThreadgroupMemoryLength {
    return 0;
}

@end
