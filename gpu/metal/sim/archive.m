//go:build metalsim && cgo

// Binary archives. The simulator's contain no code, only the list of added pipelines, under a checksum.

#include "sim.h"

NSString *const MTLBinaryArchiveDomain = @"MTLBinaryArchiveDomain";

static NSString *const HEAD = @"simulated Metal archive 1";

static NSString *key_of(SimFunction *function) {
    return [NSString stringWithFormat:@"%016llx", (unsigned long long)[function hash64]];
}

static NSString *checksum(NSArray *keys) {
    unsigned long long sum = 0xcbf29ce484222325u;
    for (NSString *key in keys) {
        for (const char *c = [key UTF8String]; *c; c++) sum = (sum ^ (unsigned char)*c) * 0x100000001b3u;
    }
    return [NSString stringWithFormat:@"%016llx", sum];
}

// parse returns the keys in an archive's text; nil if the text is not an archive.
static NSArray *parse(NSString *text) {
    NSArray *lines = [text componentsSeparatedByString:@"\n"];
    if ([lines count] < 2 || ![[lines objectAtIndex:0] isEqualToString:HEAD]) return nil;
    NSArray *keys = [lines subarrayWithRange:NSMakeRange(2, [lines count] - 2)];
    return [[lines objectAtIndex:1] isEqualToString:checksum(keys)] ? keys : nil;
}

@implementation SimArchive

- (instancetype)initWithDevice:(SimDevice *)device
                    descriptor:(MTLBinaryArchiveDescriptor *)descriptor
                         error:(NSError **)error {
    if (!(self = [super initWithDevice:device kind:"MTLBinaryArchive"])) return nil;
    _keys = [[NSMutableSet alloc] init];
    if (![descriptor url]) return self;
    NSString *text = [NSString stringWithContentsOfFile:[[descriptor url] path]
                                               encoding:NSUTF8StringEncoding
                                                  error:NULL];
    NSArray *keys = sim_archives_fail() || !text ? nil : parse(text);
    if (keys) {
        [_keys addObjectsFromArray:keys];
        return self;
    }
    sim_give_error(error, sim_error(MTLBinaryArchiveDomain, MTLBinaryArchiveErrorInvalidFile,
                                    @"The file is not a binary archive of this device"));
    [self release];
    return nil;
}

- (void)dealloc {
    [_keys release];
    [super dealloc];
}

- (BOOL)holds:(SimFunction *)function {
    @synchronized(self) {
        return [_keys containsObject:key_of(function)];
    }
}

- (BOOL)addComputePipelineFunctionsWithDescriptor:(MTLComputePipelineDescriptor *)descriptor error:(NSError **)error {
    SimFunction *function = (SimFunction *)[descriptor computeFunction];
    if (!sim_usable(function, "an archive's function")) {
        sim_give_error(error, sim_error(MTLBinaryArchiveDomain, MTLBinaryArchiveErrorCompilationFailure,
                                        @"The descriptor has no function"));
        return NO;
    }
    @synchronized(self) {
        [_keys addObject:key_of(function)];
    }
    return YES;
}

- (BOOL)serializeToURL:(NSURL *)url error:(NSError **)error {
    NSArray *keys;
    @synchronized(self) {
        keys = [[_keys allObjects] sortedArrayUsingSelector:@selector(compare:)];
    }
    NSMutableArray *lines = [NSMutableArray arrayWithObjects:HEAD, checksum(keys), nil];
    [lines addObjectsFromArray:keys];
    NSString *text = [lines componentsJoinedByString:@"\n"];
    NSError *why = nil;
    if ([text writeToFile:[url path] atomically:YES encoding:NSUTF8StringEncoding error:&why]) return YES;
    sim_give_error(error, why ? why : sim_error(MTLBinaryArchiveDomain, MTLBinaryArchiveErrorInternalError,
                                                @"The archive cannot be written"));
    return NO;
}

@end
