// Scripted faults. Plain C, for Go. Counts start at 1 when the script is injected; 0 means never.
#ifndef ASSAY_SIM_FAULTS_H
#define ASSAY_SIM_FAULTS_H

#include <stdint.h>

enum { SIM_COUNTERS_TRUE = 0, SIM_COUNTERS_ZERO = 1, SIM_COUNTERS_ERROR = 2 };

typedef struct sim_script {
    int allocation, allocations;         // the first buffer that is refused, and how many
    int commit, commits, commit_error;   // the first command buffer that fails, how many, and the error code
    int hang;                            // the command buffer that hangs
    int remove;                          // the command buffer at which the device is removed
    int queues;                          // no queue can be created
    char *compile_error;                 // the compiler's error; NULL: it works
    int compiler_hang;                   // the compilation that hangs
    int threads;                         // maximum per threadgroup, for every pipeline; 0: as in the source
    int compiler_dies, compiler_silent;  // an internal error; a failure without a text
    int pipelines;                       // no pipeline can be created
    int counters;                        // SIM_COUNTERS_TRUE…
    int zero_times;                      // GPUStartTime and GPUEndTime are 0
    int archives_fail;                   // archives do not load
} sim_script;

void sim_inject(const sim_script *script); // the text is copied; ends hangs
void sim_release_hangs(void);

#endif
