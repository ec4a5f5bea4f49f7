// The part of CoreFoundation that the readers use, simulated by cf.c for tests on Linux.

#pragma once

#include <stddef.h>
#include <stdint.h>

typedef const struct sim_object *CFTypeRef;
typedef CFTypeRef CFStringRef, CFArrayRef, CFDictionaryRef, CFDataRef, CFNumberRef, CFAllocatorRef;
typedef struct sim_object *CFMutableArrayRef, *CFMutableDictionaryRef;
typedef long CFIndex;
typedef unsigned long CFTypeID;
typedef unsigned char Boolean;
typedef struct { CFIndex location, length; } CFRange;
typedef struct { int unused; } CFArrayCallBacks, CFDictionaryKeyCallBacks, CFDictionaryValueCallBacks;

extern const CFArrayCallBacks kCFTypeArrayCallBacks;
extern const CFDictionaryKeyCallBacks kCFTypeDictionaryKeyCallBacks;
extern const CFDictionaryValueCallBacks kCFTypeDictionaryValueCallBacks;

enum { kCFStringEncodingUTF8 = 0x08000100 };
enum { kCFNumberIntType = 9, kCFNumberDoubleType = 13 };

static inline CFRange CFRangeMake(CFIndex location, CFIndex length) { return (CFRange){location, length}; }

CFTypeRef CFRetain(CFTypeRef);
void CFRelease(CFTypeRef);
CFTypeID CFGetTypeID(CFTypeRef);

#define CFSTR(text) sim_constant(text)
CFStringRef sim_constant(const char *text);
CFTypeID CFStringGetTypeID(void);
Boolean CFStringGetCString(CFStringRef, char *out, CFIndex size, uint32_t encoding);

CFTypeID CFNumberGetTypeID(void);
CFNumberRef CFNumberCreate(CFAllocatorRef, int type, const void *value);
Boolean CFNumberGetValue(CFNumberRef, int type, void *out);

CFTypeID CFDataGetTypeID(void);
CFIndex CFDataGetLength(CFDataRef);
void CFDataGetBytes(CFDataRef, CFRange, uint8_t *out);

CFTypeID CFArrayGetTypeID(void);
CFMutableArrayRef CFArrayCreateMutable(CFAllocatorRef, CFIndex, const CFArrayCallBacks *);
void CFArrayAppendValue(CFMutableArrayRef, CFTypeRef);
void CFArrayAppendArray(CFMutableArrayRef, CFArrayRef, CFRange);
CFIndex CFArrayGetCount(CFArrayRef);
CFTypeRef CFArrayGetValueAtIndex(CFArrayRef, CFIndex);

CFTypeID CFDictionaryGetTypeID(void);
CFDictionaryRef CFDictionaryCreate(CFAllocatorRef, const void **keys, const void **values, CFIndex count,
                                   const CFDictionaryKeyCallBacks *, const CFDictionaryValueCallBacks *);
CFMutableDictionaryRef CFDictionaryCreateMutableCopy(CFAllocatorRef, CFIndex, CFDictionaryRef);
CFTypeRef CFDictionaryGetValue(CFDictionaryRef, CFTypeRef key);
void CFDictionarySetValue(CFMutableDictionaryRef, CFTypeRef key, CFTypeRef value);
void CFDictionaryApplyFunction(CFDictionaryRef, void (*)(const void *key, const void *value, void *), void *context);
