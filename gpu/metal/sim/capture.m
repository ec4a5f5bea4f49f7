//go:build metalsim && cgo

// Captures. A simulated capture is a folder with a note in it; as on macOS, the process must enable capturing first.

#include <stdlib.h>
#include <string.h>

#include "sim.h"

NSString *const MTLCaptureErrorDomain = @"MTLCaptureErrorDomain";

@implementation MTLCaptureDescriptor
@synthesize captureObject = _captureObject, destination = _destination, outputURL = _outputURL;

- (instancetype)init {
    if ((self = [super init])) _destination = MTLCaptureDestinationDeveloperTools;
    return self;
}

- (id)copyWithZone:(NSZone *)zone {
    MTLCaptureDescriptor *copy = [[[self class] allocWithZone:zone] init];
    [copy setCaptureObject:_captureObject];
    [copy setOutputURL:_outputURL];
    copy->_destination = _destination;
    return copy;
}

- (void)dealloc {
    [_captureObject release];
    [_outputURL release];
    [super dealloc];
}

@end

static struct {
    pthread_mutex_t lock;
    MTLCaptureManager *shared;
    NSString *path; // of the capture in progress
} captures = {.lock = PTHREAD_MUTEX_INITIALIZER};

static BOOL allowed(void) {
    const char *value = getenv("MTL_CAPTURE_ENABLED");
    return value && !strcmp(value, "1");
}

// refusal is the reason why a capture cannot start; nil if it can. The caller holds the lock.
static NSError *refusal(MTLCaptureDescriptor *descriptor) {
    if (captures.path) {
        return sim_error(MTLCaptureErrorDomain, MTLCaptureErrorAlreadyCapturing, @"A capture runs already");
    }
    if (!allowed() || [descriptor destination] != MTLCaptureDestinationGPUTraceDocument) {
        return sim_error(MTLCaptureErrorDomain, MTLCaptureErrorNotSupported, @"Capturing is not enabled");
    }
    NSString *path = [[descriptor outputURL] path];
    BOOL good = [descriptor captureObject] && [[path pathExtension] isEqualToString:@"gputrace"] &&
                ![[NSFileManager defaultManager] fileExistsAtPath:path];
    if (good) return nil;
    return sim_error(MTLCaptureErrorDomain, MTLCaptureErrorInvalidDescriptor,
                     @"The descriptor wants an object and a new file that ends in .gputrace");
}

@implementation MTLCaptureManager

+ (MTLCaptureManager *)sharedCaptureManager {
    pthread_mutex_lock(&captures.lock);
    if (!captures.shared) captures.shared = [[self alloc] init];
    pthread_mutex_unlock(&captures.lock);
    return captures.shared;
}

- (BOOL)isCapturing {
    pthread_mutex_lock(&captures.lock);
    BOOL capturing = captures.path != nil;
    pthread_mutex_unlock(&captures.lock);
    return capturing;
}

- (BOOL)supportsDestination:(MTLCaptureDestination)destination {
    return destination == MTLCaptureDestinationGPUTraceDocument && allowed();
}

- (BOOL)startCaptureWithDescriptor:(MTLCaptureDescriptor *)descriptor error:(NSError **)error {
    pthread_mutex_lock(&captures.lock);
    NSError *why = refusal(descriptor);
    if (!why) captures.path = [[[descriptor outputURL] path] copy];
    pthread_mutex_unlock(&captures.lock);
    if (why) sim_give_error(error, why);
    return why == nil;
}

- (void)stopCapture {
    pthread_mutex_lock(&captures.lock);
    NSString *path = [captures.path autorelease];
    captures.path = nil;
    pthread_mutex_unlock(&captures.lock);
    if (!path) {
        sim_violation(nil, "stopCapture while nothing is captured");
        return;
    }
    [[NSFileManager defaultManager] createDirectoryAtPath:path attributes:[NSDictionary dictionary]];
    [@"A simulated capture: nothing was recorded.\n" writeToFile:[path stringByAppendingPathComponent:@"simulated.txt"]
                                                     atomically:YES];
}

@end
