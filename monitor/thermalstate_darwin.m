#include "thermalstate_darwin.h"

#import <Foundation/Foundation.h>
#include <dlfcn.h>
#include <notify.h>

// ThermalNotes keeps the worst state of any notification. The observer's block retains it, so that a notification still in flight when
// the reader is closed finds it.
@interface ThermalNotes : NSObject {
	int worst_;
}
- (void)note;
- (int)take;
@end

@implementation ThermalNotes
- (void)note {
	int state = (int)[[NSProcessInfo processInfo] thermalState];
	@synchronized(self) {
		worst_ = MAX(worst_, state);
	}
}
- (int)take {
	@synchronized(self) {
		int worst = worst_;
		worst_ = 0;
		return worst;
	}
}
@end

struct assay_thermal {
	ThermalNotes *notes;
	id observer;
	int token;
	uint32_t token_error;
};

// The name is looked up, because a system may not have it; it is the same string since 10.10.
static uint32_t register_pressure(int *token) {
	const char *name = "com.apple.system.thermalpressurelevel";
	const char *const *symbol = dlsym(RTLD_DEFAULT, "kOSThermalNotificationPressureLevelName");
	if (symbol != NULL && *symbol != NULL)
		name = *symbol;
	return notify_register_check(name, token);
}

assay_thermal *assay_thermal_open(void) {
	@autoreleasepool {
		assay_thermal *t = calloc(1, sizeof *t);
		if (t == NULL)
			return NULL;
		t->token_error = register_pressure(&t->token);
		ThermalNotes *notes = t->notes = [[ThermalNotes alloc] init];
		(void)[[NSProcessInfo processInfo] thermalState]; // Apple: read it before registering
		t->observer = [[[NSNotificationCenter defaultCenter]
		    addObserverForName:NSProcessInfoThermalStateDidChangeNotification
		                object:nil
		                 queue:nil
		            usingBlock:^(NSNotification *unused) {
			            (void)unused;
			            @autoreleasepool {
				            [notes note];
			            }
		            }] retain];
		return t;
	}
}

void assay_thermal_read(assay_thermal *t, assay_thermal_levels *out) {
	@autoreleasepool {
		out->state = (int)[[NSProcessInfo processInfo] thermalState];
		out->worst = [t->notes take];
		out->pressure = 0;
		out->pressure_error = t->token_error;
		if (t->token_error == NOTIFY_STATUS_OK)
			out->pressure_error = notify_get_state(t->token, &out->pressure);
	}
}

void assay_thermal_close(assay_thermal *t) {
	@autoreleasepool {
		[[NSNotificationCenter defaultCenter] removeObserver:t->observer];
		[t->observer release];
		[t->notes release];
		if (t->token_error == NOTIFY_STATUS_OK)
			notify_cancel(t->token);
		free(t);
	}
}
