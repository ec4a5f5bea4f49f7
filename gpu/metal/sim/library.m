//go:build metalsim && cgo

// Libraries and functions: .metal source, compiled by the Go side of the package.

#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"
#include "sim.h"

NSString *const MTLLibraryErrorDomain = @"MTLLibraryErrorDomain";

// hash extends an FNV-1a hash by bytes.
static uint64_t hash(uint64_t h, const void *bytes, size_t count) {
    const unsigned char *p = bytes;
    for (size_t i = 0; i < count; i++) h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

static uint64_t hash_text(uint64_t h, NSString *text) {
    const char *utf8 = [text UTF8String];
    return utf8 ? hash(h, utf8, strlen(utf8) + 1) : h;
}

// take_text makes an autoreleased string of text, and frees it.
static NSString *take_text(char *text) {
    NSString *string = text ? [NSString stringWithUTF8String:text] : nil;
    free(text);
    return string;
}

// macros alternates names and values.
static NSArray *macros(MTLCompileOptions *options) {
    NSMutableArray *list = [NSMutableArray array];
    for (NSString *name in [options preprocessorMacros]) {
        [list addObject:name];
        [list addObject:[[[options preprocessorMacros] objectForKey:name] description]];
    }
    return list;
}

static uint64_t hash_source(NSString *source, BOOL fast, NSArray *defined) {
    uint64_t h = hash_text(0xcbf29ce484222325u, source);
    h = hash(h, &fast, sizeof fast);
    for (NSString *text in defined) h = hash_text(h, text);
    return h;
}

@implementation SimLibrary

- (instancetype)initWithDevice:(SimDevice *)device
                        source:(NSString *)source
                       options:(MTLCompileOptions *)options
                         error:(NSError **)error {
    if (!(self = [super initWithDevice:device kind:"MTLLibrary"])) return nil;
    NSError *failure = sim_compiler_failure();
    if (!failure) failure = [self compile:source options:options];
    if (!failure) return self;
    sim_give_error(error, failure);
    [self release];
    return nil;
}

- (NSError *)compile:(NSString *)source options:(MTLCompileOptions *)options {
    BOOL fast = !options || [options fastMathEnabled];
    NSArray *defined = macros(options);
    const char *texts[2 * 64 + 1] = {NULL};
    NSUInteger count = MIN([defined count], 2 * 64);
    for (NSUInteger i = 0; i < count; i++) texts[i] = [[defined objectAtIndex:i] UTF8String];
    char *text = NULL;
    _library = simCompile((char *)[source UTF8String], fast, (char **)texts, (int)count, &text);
    _hash = hash_source(source, fast, defined);
    NSString *said = take_text(text);
    return _library ? nil : sim_error(MTLLibraryErrorDomain, MTLLibraryErrorCompileFailure, said);
}

- (void)dealloc {
    if (_library) simDrop(_library);
    [super dealloc];
}

- (NSArray *)functionNames {
    NSMutableArray *names = [NSMutableArray array];
    for (int i = 0;; i++) {
        NSString *name = take_text(simEntryName(_library, i));
        if (!name) return names;
        [names addObject:name];
    }
}

- (id<MTLFunction>)newFunctionWithName:(NSString *)name {
    return [[SimFunction alloc] initWithLibrary:self entry:name constants:nil error:NULL];
}

- (id<MTLFunction>)newFunctionWithName:(NSString *)name
                        constantValues:(MTLFunctionConstantValues *)values
                                 error:(NSError **)error {
    return [[SimFunction alloc] initWithLibrary:self entry:name constants:[values simConstants] error:error];
}

@end

@implementation SimFunction

- (instancetype)initWithLibrary:(SimLibrary *)library
                          entry:(NSString *)entry
                      constants:(NSData *)constants
                          error:(NSError **)error {
    if (!(self = [super initWithDevice:library->_device kind:"MTLFunction"])) return nil;
    if (!simHasEntry(library->_library, (char *)[entry UTF8String])) {
        NSString *text = [NSString stringWithFormat:@"Function %@ was not found in the library", entry];
        sim_give_error(error, sim_error(MTLLibraryErrorDomain, MTLLibraryErrorFunctionNotFound, text));
        [self release];
        return nil;
    }
    _library = [library retain];
    _entry = [entry copy];
    _constants = [constants copy];
    return self;
}

- (void)dealloc {
    [_library release];
    [_entry release];
    [_constants release];
    [super dealloc];
}

- (NSString *)name {
    return _entry;
}

- (MTLFunctionType)functionType {
    return MTLFunctionTypeKernel;
}

- (uint64_t)hash64 {
    uint64_t h = hash_text(_library->_hash, _entry);
    return hash(h, [_constants bytes], [_constants length]);
}

@end
