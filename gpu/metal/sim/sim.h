// Shared by the simulator's Objective-C files.
#ifndef ASSAY_SIM_H
#define ASSAY_SIM_H

#import <Metal/Metal.h>

#include <pthread.h>
#include <stdatomic.h>

#include "ledger.h"
#include "faults.h"
#include "kernel.h"

enum { SIM_SITE_DEPTH = 10, SIM_MAX_BUFFERS = 31, SIM_MAX_BYTES = 4096, SIM_MAX_THREADS = 1024, SIM_WIDTH = 32 };
enum { SIM_MAX_THREADGROUP_MEMORY = 32768 };

// SimObject is the base of every API object in the ledger. Released objects remain as shells for a while, so that a
// message to one is reported instead of crashing.
@interface SimObject : NSObject {
@public
    atomic_int _retains;
    atomic_bool _released;
    uint64_t _serial;
    const char *_kind; // the protocol or class it stands for
    char *_name;       // the label, guarded by the ledger's lock
    SimObject *_previous, *_next;
    void *_site[SIM_SITE_DEPTH];
    int _site_depth;
    Class _was; // of a released object
}
@property(copy) NSString *label;
@end

// sim_open adds a newly allocated object to the ledger as kind.
void sim_open(SimObject *object, const char *kind);
// sim_violation records a rule broken by or with object (nil: none).
void sim_violation(id object, const char *format, ...) __attribute__((format(printf, 2, 3)));
// sim_want_label records a violation if object has no label.
void sim_want_label(SimObject *object);
// sim_usable reports whether object is a live object of the simulator; if not, it records a violation.
int sim_usable(id object, const char *use);

double sim_now(void);           // seconds of the host's clock
uint64_t sim_device_clock(void); // ticks of half a nanosecond

NSError *sim_error(NSString *domain, NSInteger code, NSString *text); // autoreleased; text nil: none
void sim_give_error(NSError **to, NSError *error);

// The script's faults for the next call of a kind. Each call counts.
int sim_refuse_allocation(void);
int sim_refuse_queue(void);
int sim_refuse_pipeline(void);
int sim_archives_fail(void);
int sim_threads(void); // a pipeline's limit; 0: none
int sim_counters(void);
int sim_zero_times(void);
NSError *sim_compiler_failure(void); // nil: the compiler works; may hang

typedef struct sim_fate {
    int error; // MTLCommandBufferError; 0: none
    int hangs, removes;
    unsigned generation; // of hangs
} sim_fate;

sim_fate sim_next_commit(void);
void sim_hang(unsigned generation); // returns when hangs of that generation are released

@class SimDevice, SimQueue, SimCommandBuffer, SimBuffer, SimPipeline, SimSamples, SimPass;

// A command of a pass. run executes it and returns its error, nil if none.
@protocol SimCommand <NSObject>
- (NSError *)run;
- (BOOL)isBarrier;
@end

@interface SimDevice : SimObject <MTLDevice> {
@public
    atomic_bool _removed;
    atomic_ullong _allocated;
    uint64_t _registryID;
    BOOL _held; // the simulator's own reference
}
@end

void sim_remove(SimDevice *device); // a later MTLCreateSystemDefaultDevice returns a new one
int sim_device_in_use(SimObject *device);

@interface SimResource : SimObject {
@public
    SimDevice *_device;
}
@property(readonly) id<MTLDevice> device;
- (instancetype)initWithDevice:(SimDevice *)device kind:(const char *)kind;
@end

@interface SimBuffer : SimResource <MTLBuffer> {
@public
    unsigned char *_bytes;
    NSUInteger _length;
    MTLResourceOptions _options;
    void (^_deallocator)(void *, NSUInteger);
    BOOL _borrowed;
}
- (instancetype)initWithDevice:(SimDevice *)device length:(NSUInteger)length options:(MTLResourceOptions)options;
- (instancetype)initWithDevice:(SimDevice *)device
                         bytes:(void *)bytes
                        length:(NSUInteger)length
                       options:(MTLResourceOptions)options
                   deallocator:(void (^)(void *, NSUInteger))deallocator;
@end

@interface SimResidencySet : SimResource <MTLResidencySet> {
    NSMutableArray *_members; // members after the next commit
    NSArray *_committed;      // members now
    BOOL _staged;
}
- (instancetype)initWithDevice:(SimDevice *)device descriptor:(MTLResidencySetDescriptor *)descriptor;
@end

@interface SimLibrary : SimResource <MTLLibrary> {
@public
    uintptr_t _library;
    uint64_t _hash; // of the source and the compile options
}
- (instancetype)initWithDevice:(SimDevice *)device
                        source:(NSString *)source
                       options:(MTLCompileOptions *)options
                         error:(NSError **)error;
@end

@interface SimFunction : SimResource <MTLFunction> {
@public
    SimLibrary *_library;
    NSString *_entry;
    NSData *_constants; // of sim_constant
}
- (instancetype)initWithLibrary:(SimLibrary *)library
                          entry:(NSString *)entry
                      constants:(NSData *)constants
                          error:(NSError **)error;
- (uint64_t)hash64;
@end

@interface MTLFunctionConstantValues (Sim)
- (NSData *)simConstants;
@end

@interface SimPipeline : SimResource <MTLComputePipelineState> {
@public
    sim_kernel _kernel;
}
- (instancetype)initWithDevice:(SimDevice *)device
                    descriptor:(MTLComputePipelineDescriptor *)descriptor
                       options:(MTLPipelineOption)options
                         error:(NSError **)error;
@end

@interface SimArchive : SimResource <MTLBinaryArchive> {
    NSMutableSet *_keys;
}
- (instancetype)initWithDevice:(SimDevice *)device
                    descriptor:(MTLBinaryArchiveDescriptor *)descriptor
                         error:(NSError **)error;
- (BOOL)holds:(SimFunction *)function;
@end

@interface SimSamples : SimResource <MTLCounterSampleBuffer> {
    uint64_t *_samples;
    NSUInteger _count;
}
- (instancetype)initWithDevice:(SimDevice *)device
                    descriptor:(MTLCounterSampleBufferDescriptor *)descriptor
                         error:(NSError **)error;
- (void)sampleAt:(NSUInteger)index;
@end

NSArray *sim_counter_sets(void);

@interface SimQueue : SimResource <MTLCommandQueue> {
@public
    struct sim_lane *_lane;
}
- (instancetype)initWithDevice:(SimDevice *)device depth:(NSUInteger)depth;
@end

void sim_lane_take(struct sim_lane *lane);               // room for one more command buffer; may block
void sim_lane_give_back(struct sim_lane *lane);
void sim_lane_push(struct sim_lane *lane, SimCommandBuffer *buffer); // retains it until it has ended

@interface SimCommandBuffer : SimResource <MTLCommandBuffer> {
@public
    SimQueue *_queue;
    BOOL _retainsReferences;
    MTLCommandBufferErrorOption _errorOptions;
    NSMutableArray *_passes, *_resources, *_scheduled, *_completed;
    SimPass *_active;
    pthread_mutex_t _lock;
    pthread_cond_t _changed;
    MTLCommandBufferStatus _status;
    NSError *_error;
    double _committed_at, _scheduled_at, _started_at, _ended_at;
    BOOL _handed_over; // to the queue's thread
    sim_fate _fate;
}
- (instancetype)initWithQueue:(SimQueue *)queue descriptor:(MTLCommandBufferDescriptor *)descriptor;
- (void)use:(SimObject *)resource; // retains it for the life of the command buffer
- (SimPass *)beginPass:(const char *)kind;
- (void)execute;
@end

// The commands of one encoder. It lives as long as its command buffer.
@interface SimPass : NSObject {
@public
    SimCommandBuffer *_buffer; // not retained
    NSString *_label;
    NSMutableArray *_commands;
    BOOL _ended, _concurrent;
    SimSamples *_samples; // retained by the command buffer; nil: none
    NSUInteger _first_sample, _last_sample;
    MTLCommandEncoderErrorState _state;
}
- (NSError *)run;
@end

@interface SimEncoder : SimResource <MTLCommandEncoder> {
@public
    SimCommandBuffer *_buffer;
    SimPass *_pass;
    int _groups;
}
- (instancetype)initWithBuffer:(SimCommandBuffer *)buffer pass:(SimPass *)pass kind:(const char *)kind;
- (BOOL)mayEncode:(const char *)what; // NO records a violation
- (void)sampleWith:(MTLComputePassSampleBufferAttachmentDescriptor *)attachment;
@end

typedef struct sim_slot {
    SimBuffer *buffer;
    NSData *bytes;
    NSUInteger offset;
} sim_slot;

@interface SimComputeEncoder : SimEncoder <MTLComputeCommandEncoder> {
    SimPipeline *_pipeline;
    sim_slot _slots[SIM_MAX_BUFFERS];
    NSUInteger _threadgroup[SIM_MAX_BUFFERS];
}
@end

@interface SimBlitEncoder : SimEncoder <MTLBlitCommandEncoder>
@end

@interface SimEvent : SimResource <MTLSharedEvent> {
    pthread_mutex_t _lock;
    pthread_cond_t _changed;
    uint64_t _value;
}
- (void)waitFor:(uint64_t)value;
@end

// SimMeeting signals an event, or waits for it.
@interface SimMeeting : NSObject <SimCommand> {
@public
    SimEvent *_event; // of the command buffer
    uint64_t _value;
    BOOL _signals;
}
@end

@interface SimBarrier : NSObject <SimCommand>
@end

@interface SimDispatch : NSObject <SimCommand> {
@public
    SimPipeline *_pipeline; // objects are owned by the command buffer, except bytes
    sim_slot _slots[SIM_MAX_BUFFERS];
    NSUInteger _threadgroup[SIM_MAX_BUFFERS];
    MTLSize _groups, _threads, _grid;
}
@end

#endif
