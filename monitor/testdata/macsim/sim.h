// What the simulated system and the test program share.

#pragma once

#include <CoreFoundation/CoreFoundation.h>

// sim_live counts the objects that somebody still holds: CoreFoundation's, and IOKit's with its connections.
extern _Atomic int sim_live;

// sim_has says whether the scenario has a word. It is what main sets, or else the environment's MACSIM.
extern const char *sim_scenario;
int sim_has(const char *word);

void *objc_autoreleasePoolPush(void);
void objc_autoreleasePoolPop(void *);

// A new object of another kind, such as a subscription.
CFTypeRef sim_opaque(void);
CFStringRef sim_string(const char *text);
CFNumberRef sim_number(double value);
CFDataRef sim_data(const void *bytes, size_t size);
CFMutableDictionaryRef sim_dictionary(void);

// Puts a value in and gives the caller's hold on it away.
void sim_put(CFMutableDictionaryRef, const char *key, CFTypeRef value);
void sim_append(CFMutableArrayRef, CFTypeRef value);

// The other half, foundation.m: heat and memory pressure, with or without a notification, and how many objects, tokens
// and sources are held.
void sim_heat(long state, uint64_t pressure, int tell);
void sim_press(unsigned long levels);
int sim_held(void);
