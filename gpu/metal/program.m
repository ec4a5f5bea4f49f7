//go:build (darwin || metalsim) && cgo

// Programs, and the events between queues.

#include <stdlib.h>
#include <string.h>

#include "internal.h"

// copied is a copy of count elements; NULL if there is no memory.
static void *copied(const void *from, size_t count, size_t size) {
    void *to = calloc(count ? count : 1, size);
    if (to && count) memcpy(to, from, count * size);
    return to;
}

metal_program *metal_program_new(const metal_segment *segments, int segment_count, const metal_command *commands,
                                 int command_count, const metal_binding *bindings, int binding_count,
                                 const unsigned char *params, int param_bytes, const char *labels, int label_bytes) {
    metal_program *program = calloc(1, sizeof *program);
    if (!program) return NULL;
    program->parts = (metal_parts){
        copied(segments, (size_t)segment_count, sizeof *segments),
        copied(commands, (size_t)command_count, sizeof *commands),
        copied(bindings, (size_t)binding_count, sizeof *bindings),
        copied(params, (size_t)param_bytes, 1),
        copied(labels, (size_t)label_bytes, 1),
        (uint32_t)segment_count, (uint32_t)command_count, (uint32_t)binding_count, (uint32_t)param_bytes,
        (uint32_t)label_bytes,
    };
    const metal_parts *p = &program->parts;
    if (p->segments && p->commands && p->bindings && p->params && p->labels) return program;
    metal_program_release(program);
    return NULL;
}

void metal_program_release(metal_program *program) {
    free((void *)program->parts.segments);
    free((void *)program->parts.commands);
    free((void *)program->parts.bindings);
    free((void *)program->parts.params);
    free((void *)program->parts.labels);
    free(program);
}

metal_event_result metal_event_new(metal_device *device, const char *label) {
    metal_event_result result = {NULL, metal_no_error()};
    @autoreleasepool {
        id<MTLSharedEvent> event = [device_of(device) newSharedEvent];
        if (!event) result.error = metal_error_of(nil, @"failed to create an event");
        [event setLabel:metal_text(label)];
        result.value = (metal_event *)event;
    }
    return result;
}

void metal_event_raise(metal_event *event, uint64_t value) {
    @autoreleasepool {
        if ([event_of(event) signaledValue] < value) [event_of(event) setSignaledValue:value];
    }
}

void metal_event_release(metal_event *event) {
    @autoreleasepool {
        [event_of(event) release];
    }
}
