#pragma once
#include <os/availability.h>
#define __MAC_OS_X_VERSION_MAX_ALLOWED 150000
#define __MAC_OS_X_VERSION_MIN_REQUIRED 120000
