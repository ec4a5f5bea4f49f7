// Scenes: short uses of Metal, right and wrong, that the simulator's tests play.
#ifndef ASSAY_DRIVE_H
#define ASSAY_DRIVE_H

#include <stdint.h>

// What a scene saw. It sets what it has; the rest is 0.
typedef struct drive_result {
    int found;      // the scene exists
    int made;       // what was asked for was given
    int status;     // MTLCommandBufferStatus
    int64_t code;   // of the error
    char text[512]; // of the error
    char encoder[64];
    double value;   // a number that was computed
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
