// notify(3), simulated by foundation.m for tests on Linux.

#pragma once

#include <stdint.h>

enum { NOTIFY_STATUS_OK = 0 };

uint32_t notify_register_check(const char *name, int *token);
uint32_t notify_get_state(int token, uint64_t *state);
uint32_t notify_cancel(int token);
