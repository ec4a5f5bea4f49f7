// The part of libdispatch that the readers use, simulated by foundation.m for tests on Linux.

#pragma once

#include <stdint.h>

typedef struct sim_source *dispatch_source_t;
typedef int dispatch_queue_t;

enum { DISPATCH_SOURCE_TYPE_MEMORYPRESSURE = 77, QOS_CLASS_UTILITY = 0x11 };
enum { DISPATCH_MEMORYPRESSURE_NORMAL = 1, DISPATCH_MEMORYPRESSURE_WARN = 2, DISPATCH_MEMORYPRESSURE_CRITICAL = 4 };

dispatch_queue_t dispatch_get_global_queue(long priority, unsigned long flags);
dispatch_source_t dispatch_source_create(int type, uintptr_t handle, uintptr_t mask, dispatch_queue_t);
void dispatch_source_set_event_handler(dispatch_source_t, void (^)(void));
void dispatch_source_set_cancel_handler(dispatch_source_t, void (^)(void));
uintptr_t dispatch_source_get_data(dispatch_source_t);
void dispatch_activate(dispatch_source_t);
void dispatch_source_cancel(dispatch_source_t);
void dispatch_release(dispatch_source_t);
