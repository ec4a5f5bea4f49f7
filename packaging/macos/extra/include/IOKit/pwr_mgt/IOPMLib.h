// Power assertions, declared after Apple's documentation: the header snapshot lacks this file.
#ifndef ASSAY_IOPMLIB_H
#define ASSAY_IOPMLIB_H

#include <CoreFoundation/CoreFoundation.h>
#include <IOKit/IOReturn.h>

typedef uint32_t IOPMAssertionID;
typedef uint32_t IOPMAssertionLevel;

enum { kIOPMAssertionLevelOff = 0, kIOPMAssertionLevelOn = 255 };

#define kIOPMAssertionTypePreventUserIdleSystemSleep CFSTR("PreventUserIdleSystemSleep")
#define kIOPMAssertionTypePreventUserIdleDisplaySleep CFSTR("PreventUserIdleDisplaySleep")
#define kIOPMAssertionTypeNoDisplaySleep CFSTR("NoDisplaySleepAssertion")

IOReturn IOPMAssertionCreateWithName(CFStringRef type, IOPMAssertionLevel level, CFStringRef name, IOPMAssertionID *id);
IOReturn IOPMAssertionRelease(IOPMAssertionID id);

#endif
