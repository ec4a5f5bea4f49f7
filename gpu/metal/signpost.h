// Intervals in Instruments, one per command buffer. Does nothing on systems without os_signpost.
#ifndef ASSAY_METAL_SIGNPOST_H
#define ASSAY_METAL_SIGNPOST_H

#ifdef __APPLE__

#include <os/log.h>
#include <os/signpost.h>

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

#else

typedef int signpost_log;

static inline signpost_log signpost_open(void) { return 0; }
static inline void signpost_begin(signpost_log log, const void *what, const char *label) {
    (void)log, (void)what, (void)label;
}
static inline void signpost_end(signpost_log log, const void *what, int failed) {
    (void)log, (void)what, (void)failed;
}

#endif
#endif
