#include "activity_darwin.h"

#import <Foundation/Foundation.h>

void *assay_activity_begin(const char *reason) {
	@autoreleasepool {
		NSString *text = [NSString stringWithUTF8String:reason];
		if ([text length] == 0)
			text = @"measuring";
		return [[[NSProcessInfo processInfo] beginActivityWithOptions:NSActivityUserInitiated reason:text] retain];
	}
}

void assay_activity_end(void *activity) {
	@autoreleasepool {
		[[NSProcessInfo processInfo] endActivity:(id)activity];
		[(id)activity release];
	}
}
