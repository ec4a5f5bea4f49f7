// Keeps macOS from slowing this process down (App Nap) and from idle sleep.

#pragma once

// Begins an activity; reason is UTF-8 and not empty. Returns the argument for assay_activity_end, NULL if it was refused.
void *assay_activity_begin(const char *reason);
void assay_activity_end(void *activity);
