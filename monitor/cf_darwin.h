// Helpers for CoreFoundation that several readers use.

#pragma once

#import <CoreFoundation/CoreFoundation.h>
#include <string.h>

// assay_copy_string writes s as UTF-8 into out of the given size; anything that is not a string, or does not fit, becomes "".
static inline void assay_copy_string(CFTypeRef s, char *out, size_t size) {
	out[0] = 0;
	if (s == NULL || CFGetTypeID(s) != CFStringGetTypeID())
		return;
	if (!CFStringGetCString((CFStringRef)s, out, (CFIndex)size, kCFStringEncodingUTF8))
		out[0] = 0;
}
