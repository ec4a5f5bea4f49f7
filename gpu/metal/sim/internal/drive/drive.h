// Scenes: short uses of Metal, right and wrong, that the simulator's tests run.
#ifndef ASSAY_DRIVE_H
#define ASSAY_DRIVE_H

#include <stdint.h>

// What a scene observed. Fields it does not set are 0.
typedef struct drive_result {
    int found;      // the scene exists
    int made;       // the requested object was created
    int status;     // MTLCommandBufferStatus
    int64_t code;   // of the error
    char text[512]; // of the error
    char encoder[64];
    double value;   // a computed number
    double start, end;
    uint64_t samples[2];
} drive_result;

typedef void (*drive_scene)(drive_result *);

typedef struct drive_named {
    const char *name;
    drive_scene scene;
} drive_named;

drive_result drive_play(const char *name, const char *path);

extern const drive_named drive_work[], drive_misuse[], drive_faults[]; // each ends with a NULL name

#endif
