// Intervals in Instruments: one per command buffer, and one per phase of a run. Does nothing on systems without os_signpost.
#ifndef ASSAY_METAL_SIGNPOST_H
#define ASSAY_METAL_SIGNPOST_H

#include <stdint.h>

// The names of phases, as listed by workloads/measure and shown in traces. A test compares the lists. The system requires
// literals.
#define SIGNPOST_PHASES(X)                  \
    X("preparing inputs")                   \
    X("compiling kernels")                  \
    X("verifying")                          \
    X("calibrating")                        \
    X("warming up")                         \
    X("waiting for a quiet machine")        \
    X("reading the anchor")                 \
    X("cooling down")                       \
    X("idle between bursts")                \
    X("paused: memory pressure is critical") \
    X("sampling")                           \
    X("measuring energy")                   \
    X("verifying again")

#ifdef __APPLE__

#include <os/log.h>
#include <os/signpost.h>
#include <string.h>

typedef os_log_t signpost_log;

// Every call returns the same log: the system keeps one per subsystem and category.
static inline signpost_log signpost_open(void) {
    return os_log_create("io.github.assay.Assay", OS_LOG_CATEGORY_POINTS_OF_INTEREST);
}

static inline void signpost_begin(signpost_log log, const void *what, const char *label) {
    os_signpost_interval_begin(log, os_signpost_id_make_with_pointer(log, what), "command buffer",
                               "%{public}s", label);
}

static inline void signpost_end(signpost_log log, const void *what, int failed) {
    os_signpost_interval_end(log, os_signpost_id_make_with_pointer(log, what), "command buffer",
                             "%{public}s", failed ? "failed" : "done");
}

// signpost_phase_begin returns what ends the interval; 0 if the name is not listed.
static inline uint64_t signpost_phase_begin(signpost_log log, const char *name, const char *what) {
    os_signpost_id_t mark = os_signpost_id_generate(log);
#define SIGNPOST_BEGIN(literal)                                                     \
    if (strcmp(name, literal) == 0) {                                               \
        os_signpost_interval_begin(log, mark, literal, "%{public}s", what);         \
        return mark;                                                                \
    }
    SIGNPOST_PHASES(SIGNPOST_BEGIN)
#undef SIGNPOST_BEGIN
    return 0;
}

static inline void signpost_phase_end(signpost_log log, const char *name, uint64_t mark) {
#define SIGNPOST_END(literal) \
    if (strcmp(name, literal) == 0) os_signpost_interval_end(log, mark, literal);
    SIGNPOST_PHASES(SIGNPOST_END)
#undef SIGNPOST_END
}

#else

typedef int signpost_log;

static inline signpost_log signpost_open(void) { return 0; }
static inline void signpost_begin(signpost_log log, const void *what, const char *label) {
    (void)log, (void)what, (void)label;
}
static inline void signpost_end(signpost_log log, const void *what, int failed) {
    (void)log, (void)what, (void)failed;
}
static inline uint64_t signpost_phase_begin(signpost_log log, const char *name, const char *what) {
    (void)log, (void)name, (void)what;
    return 0;
}
static inline void signpost_phase_end(signpost_log log, const char *name, uint64_t mark) {
    (void)log, (void)name, (void)mark;
}

#endif
#endif
