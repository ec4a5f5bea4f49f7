// The system management controller: sends one message and returns its answer.

#pragma once

#include <stdint.h>

enum { assay_smc_message = 80 };

// Opens a connection. Returns 0 when there is no controller, or it is closed to this process (the App Sandbox).
uint32_t assay_smc_open(int *error);

// Both are assay_smc_message bytes. Returns a kern_return_t.
int assay_smc_call(uint32_t connection, const void *request, void *answer);
void assay_smc_close(uint32_t connection);
