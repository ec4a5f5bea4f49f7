// The engine's view of Metal in plain C. Handles are opaque; each _new function returns one, which the matching _release frees. A call that
// can fail returns its value and an error together: text is NULL if there is none, otherwise the caller frees it with
// metal_free.
#ifndef ASSAY_METAL_BRIDGE_H
#define ASSAY_METAL_BRIDGE_H

#include <stddef.h>
#include <stdint.h>

typedef struct metal_device metal_device;
typedef struct metal_queue metal_queue;
typedef struct metal_buffer metal_buffer;
typedef struct metal_library metal_library;
typedef struct metal_function metal_function;
typedef struct metal_pipeline metal_pipeline;
typedef struct metal_library_op metal_library_op; // an operation of a vendor's library, prepared
typedef struct metal_archive metal_archive;
typedef struct metal_residency metal_residency;
typedef struct metal_event metal_event;
typedef struct metal_program metal_program; // commands to encode, as often as they are submitted
typedef struct metal_run metal_run;         // a command buffer in flight

typedef struct metal_error {
    char *text;
    int64_t code; // in the error's own domain; 0 if it has none
} metal_error;

enum { METAL_UNSUPPORTED = -1, METAL_NO_MEMORY = -2 }; // the engine's own codes

void metal_free(void *memory);

// Devices: device.m, registry.m

typedef struct metal_device_facts {
    char name[128];
    char architecture[64]; // empty before macOS 14
    uint64_t registry_id;
    uint64_t working_set; // recommended, bytes
    uint64_t max_buffer;  // bytes
    uint32_t max_threads; // in a threadgroup, along x
    uint32_t max_threadgroup_memory; // bytes
    int32_t location;     // 0 built in, 1 slot, 2 external, −1 unspecified
    int32_t apple_family; // highest AppleN, 0: none
    int32_t mac_family;   // highest MacN
    int32_t metal_family; // 3: Metal3, 4: Metal4
    uint8_t low_power, headless, removable, unified, simulated, stage_counters;
} metal_device_facts;

typedef struct metal_device_list {
    metal_device **items;
    int count;
} metal_device_list;

metal_device_list metal_devices(void); // every item is released by the caller, the list freed with metal_free
metal_device_facts metal_device_describe(metal_device *device);
uint64_t metal_device_allocated(metal_device *device); // bytes of this process, as the device counts them
int metal_device_cores(uint64_t registry_id);          // GPU cores, from the IORegistry; 0: unknown
void metal_device_release(metal_device *device);

// Memory: memory.m, residency.m

typedef struct metal_buffer_result {
    metal_buffer *value;
    void *contents; // NULL for private storage
    metal_error error;
} metal_buffer_result;

metal_buffer_result metal_buffer_new(metal_device *device, uint64_t bytes, int is_private, const char *label);
// metal_buffer_wrap makes a buffer from the caller's whole pages, which it does not free. When nothing uses them any more,
// metal_gave_back is called once with ticket; if there is an error, it is never called.
metal_buffer_result metal_buffer_wrap(metal_device *device, void *pages, uint64_t bytes, uintptr_t ticket,
                                      const char *label);
void metal_gave_back(uintptr_t ticket); // in Go
void metal_buffer_release(metal_buffer *buffer);

typedef struct metal_residency_result {
    metal_residency *value; // NULL without an error: the system has no residency sets
    metal_error error;
} metal_residency_result;

metal_residency_result metal_residency_new(metal_device *device, const char *label);
void metal_residency_add(metal_residency *set, metal_buffer *buffer);
void metal_residency_remove(metal_residency *set, metal_buffer *buffer);
void metal_residency_commit(metal_residency *set);
void metal_residency_request(metal_residency *set);
void metal_residency_attach(metal_residency *set, metal_queue *queue);
void metal_residency_release(metal_residency *set); // ends residency

// Kernels: pipeline.m, archive.m

typedef struct metal_constant {
    uint32_t index;
    char type[16];     // the source's: "bool", "half", "uint3"
    uint8_t value[32]; // as that type holds it
} metal_constant;

typedef struct metal_library_result {
    metal_library *value;
    metal_error error;
} metal_library_result;

typedef struct metal_function_result {
    metal_function *value;
    metal_error error;
} metal_function_result;

typedef struct metal_pipeline_result {
    metal_pipeline *value;
    uint32_t simd_width, max_threads; // threads: in a threadgroup
    metal_error error;
} metal_pipeline_result;

typedef struct metal_archive_result {
    metal_archive *value;
    metal_error error;
} metal_archive_result;

// metal_library_new compiles source with fast math off.
metal_library_result metal_library_new(metal_device *device, const char *source, const char *label);
void metal_library_release(metal_library *library);
metal_function_result metal_function_new(metal_library *library, const char *entry, const metal_constant *constants,
                                         int count);
void metal_function_release(metal_function *function);
// metal_pipeline_new loads the code from the archive, if there is one, and fails if the archive does not contain it. With
// max_threads the pipeline is compiled for at most that many threads per threadgroup, like with the attribute of the language; 0:
// the function's own limit.
metal_pipeline_result metal_pipeline_new(metal_device *device, metal_function *function, metal_archive *archive,
                                         uint32_t max_threads, const char *label);
void metal_pipeline_release(metal_pipeline *pipeline);
metal_archive_result metal_archive_new(metal_device *device, const char *path, const char *label); // path NULL: empty
metal_error metal_archive_add(metal_archive *archive, metal_function *function, uint32_t max_threads, const char *label);
metal_error metal_archive_write(metal_archive *archive, const char *path);
void metal_archive_release(metal_archive *archive);

// Operations of a vendor's library: libraries.m, whose table lists them

// Element types, numbered like shaders.Type.
enum { METAL_F32 = 0, METAL_F16 = 1 };

// What an operation is prepared for: the name of its row in the table, the sizes, the element types of the arguments that
// exist, and the values of the constants, each in the order that the row defines.
typedef struct metal_library_spec {
    const char *op;
    const uint32_t *dims, *types;
    const int32_t *constants;
    int dim_count, type_count, constant_count;
} metal_library_spec;

typedef struct metal_library_op_result {
    metal_library_op *value;
    metal_error error;
} metal_library_op_result;

int metal_has_libraries(metal_device *device); // Metal Performance Shaders run on the device
// metal_library_lacks returns the reason why an operation cannot be prepared at any size; no text: it can. spec has no dims.
metal_error metal_library_lacks(const metal_library_spec *spec);
metal_library_op_result metal_library_op_new(metal_device *device, const metal_library_spec *spec, const char *label);
void metal_library_op_release(metal_library_op *op);

// Work: queue.m, program.m, encode.m, run.m

typedef struct metal_queue_result {
    metal_queue *value;
    metal_error error;
} metal_queue_result;

// metal_queue_new creates a queue with up to depth command buffers, after which creating another blocks.
metal_queue_result metal_queue_new(metal_device *device, int depth, const char *label);
void metal_queue_release(metal_queue *queue);

typedef struct metal_binding {
    metal_buffer *buffer; // NULL: the argument does not exist
    uint64_t offset;      // bytes
} metal_binding;

// A copy of bytes between two places, or a fill if from is NULL. Offsets and sizes are multiples of 4.
typedef struct metal_blit {
    metal_buffer *from, *to;
    uint64_t from_offset, to_offset, bytes; // bytes > 0
    uint32_t value;
} metal_blit;

// One command, of the kind of its segment.
typedef struct metal_command {
    metal_pipeline *pipeline;
    uint32_t first, count; // bindings
    uint32_t params, param_bytes;
    uint32_t groups[3], threads[3];
    uint32_t grid[3];   // total threads if the last threadgroups are partial; 0: threadgroups are whole
    uint32_t shared[4]; // bytes of threadgroup arguments 0…3; 0: there is none
    uint32_t barrier; // wait for the dispatches before it; for concurrent encoders
    metal_library_op *library;
    metal_blit blit;
    metal_event *event;
} metal_command;

enum {
    METAL_SERIAL = 0,
    METAL_CONCURRENT = 1,
    METAL_LIBRARY = 2,
    METAL_BLIT = 3,
    METAL_SIGNAL = 4, // one command
    METAL_AWAIT = 5,  // one command
};
enum { METAL_SAMPLED = 2048 }; // two samples of 8 bytes each make 32 KiB, the maximum size of a sample buffer

// Consecutive commands that share an encoder.
typedef struct metal_segment {
    uint32_t first, count;
    uint32_t kind;  // METAL_SERIAL…
    uint32_t label; // offset into the labels
} metal_segment;

typedef struct metal_run_result {
    metal_run *value;
    metal_error error;
} metal_run_result;

// All parts of a program; counts are of elements, and of bytes for params and labels.
typedef struct metal_parts {
    const metal_segment *segments;
    const metal_command *commands;
    const metal_binding *bindings;
    const unsigned char *params;
    const char *labels; // the program's own is at 0
    uint32_t segment_count, command_count, binding_count, param_bytes, label_bytes;
} metal_parts;

// metal_program_new copies the parts and does not retain the objects that they refer to. NULL if there is no memory.
metal_program *metal_program_new(const metal_segment *segments, int segment_count, const metal_command *commands,
                                 int command_count, const metal_binding *bindings, int binding_count,
                                 const unsigned char *params, int param_bytes, const char *labels, int label_bytes);
void metal_program_release(metal_program *program);

// The values that one event command signals or awaits: first in the first run, and step more in each run after it.
typedef struct metal_values {
    uint64_t first, step;
} metal_values;

// metal_submit encodes repeat runs of a program into one command buffer and commits it. events has the values of each
// METAL_SIGNAL and METAL_AWAIT segment, in order. With sampled, the start and end of each segment of each run are sampled
// by counters: a device allows 32 such runs in a process at a time (found by WebKit), of METAL_SAMPLED segments each.
metal_run_result metal_submit(metal_queue *queue, const metal_program *program, int repeat, const metal_values *events,
                              int sampled);

typedef struct metal_event_result {
    metal_event *value;
    metal_error error;
} metal_event_result;

metal_event_result metal_event_new(metal_device *device, const char *label);
void metal_event_raise(metal_event *event, uint64_t value); // from the host, unless the event has that value already
void metal_event_release(metal_event *event);

metal_run_result metal_copy(metal_queue *queue, const char *label, metal_buffer *from, uint64_t from_offset,
                            metal_buffer *to, uint64_t to_offset, uint64_t bytes);
metal_run_result metal_fill(metal_queue *queue, const char *label, metal_buffer *buffer, uint64_t offset,
                            uint64_t bytes, uint8_t value);

typedef struct metal_outcome {
    int32_t failed;
    int32_t in_metal;  // code is a MTLCommandBufferError
    int64_t code;
    double gpu_start, gpu_end; // seconds of the host's clock, as the device reports them
    double begun;              // before encoding, on the same clock
    double wall;               // seconds from then to completion
    const char *text;          // as long as the run lives; NULL: none
    const char *encoder;       // label of the encoder that faulted; NULL: not reported
} metal_outcome;

int metal_run_wait(metal_run *run, double seconds); // 1: it has ended
metal_outcome metal_run_outcome(metal_run *run);    // of a run that has ended
// metal_run_samples stores up to count raw counter samples, two for each segment, and the length of the device's tick
// in seconds (0: not known). It returns how many there are; 0: none could be resolved.
int metal_run_samples(metal_run *run, uint64_t *samples, int count, double *tick);
void metal_run_release(metal_run *run);

// Marks of phases for Instruments: run.m. Names that signpost.h does not list are not marked.

uint64_t metal_mark_begin(const char *name, const char *what);
void metal_mark_end(const char *name, uint64_t mark);

// Captures: capture.m

metal_error metal_capture_supported(void);
metal_error metal_capture_start(metal_device *device, const char *path);
void metal_capture_stop(void);

#endif
