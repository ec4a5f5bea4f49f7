// What the readers need of Foundation, notify(3) and libdispatch, and GNUstep has not or differently. A scenario's words
// take something away: "symbol", "notify", "source", "sysctl".

#import <Foundation/Foundation.h>

#include <dispatch/dispatch.h>
#include <notify.h>
#include <stdio.h>
#include <string.h>

#include "sim.h"

#pragma clang diagnostic ignored "-Wobjc-protocol-method-implementation"

NSString *const NSProcessInfoThermalStateDidChangeNotification = @"thermal state";

static NSInteger state;
static uint64_t pressure;
static int tokens, reads, live;

@implementation NSProcessInfo (Thermal)
- (NSInteger)thermalState {
	reads++;
	return state;
}
@end

// copy_block moves a block off the stack. What it captures is not retained, unlike on macOS.
static void *copy_block(const void *block) {
	const struct {
		void *isa;
		int flags, reserved;
		void *invoke;
		const struct {
			unsigned long reserved, size;
		} *descriptor;
	} *layout = block;
	void *copy = malloc(layout->descriptor->size);
	return memcpy(copy, block, layout->descriptor->size);
}

// Observer is what the center gives to whoever registers a block. It counts itself, as activities do.
@interface Observer : NSObject {
@public
	void (^block)(NSNotification *);
}
@end

@implementation Observer
- (id)init {
	live++;
	return [super init];
}
- (void)dealloc {
	free((void *)block);
	live--;
	[super dealloc];
}
@end

@implementation SimCenter
static Observer *registered;

+ (SimCenter *)defaultCenter {
	static SimCenter *center;
	if (center == nil)
		center = [[SimCenter alloc] init];
	return center;
}
- (id)addObserverForName:(NSString *)name object:(id)object queue:(id)queue usingBlock:(void (^)(NSNotification *))block {
	printf("registers after %d reads: %d\n", reads, [name isEqual:NSProcessInfoThermalStateDidChangeNotification]);
	registered = [[Observer alloc] init];
	registered->block = copy_block(block);
	return [[registered retain] autorelease];
}
- (void)removeObserver:(id)observer {
	if (observer == registered) {
		[registered release];
		registered = nil;
	}
}
@end

@implementation NSProcessInfo (Activities)
- (id)beginActivityWithOptions:(NSActivityOptions)options reason:(NSString *)reason {
	printf("begins %#llx: %s\n", (unsigned long long)options, [reason UTF8String]);
	return [[[Observer alloc] init] autorelease];
}
- (void)endActivity:(id)activity {
	printf("ends %d\n", [activity isKindOfClass:[Observer class]]);
}
@end

static const char *const level_name = "name of the symbol";

void *sim_foundation_symbol(const char *name) {
	int known = strcmp(name, "kOSThermalNotificationPressureLevelName") == 0 && !sim_has("symbol");
	return known ? (void *)&level_name : NULL;
}

uint32_t notify_register_check(const char *name, int *token) {
	printf("listens to %s\n", name);
	if (sim_has("notify"))
		return 1000000;
	tokens++;
	*token = 7;
	return NOTIFY_STATUS_OK;
}

uint32_t notify_get_state(int token, uint64_t *out) {
	*out = pressure;
	return token == 7 ? NOTIFY_STATUS_OK : 2;
}

uint32_t notify_cancel(int token) {
	tokens -= token == 7;
	return NOTIFY_STATUS_OK;
}

void sim_heat(long to, uint64_t level, int tell) {
	state = to;
	pressure = level;
	if (tell && registered != nil)
		registered->block(nil);
}

// A source of memory pressure, whose events the test makes.
struct sim_source {
	void (^event)(void);
	void (^canceled)(void);
	uintptr_t data;
	int active, refs;
};

static struct sim_source source;

dispatch_queue_t dispatch_get_global_queue(long priority, unsigned long flags) {
	return priority == QOS_CLASS_UTILITY && flags == 0;
}

dispatch_source_t dispatch_source_create(int type, uintptr_t handle, uintptr_t mask, dispatch_queue_t queue) {
	if (type != DISPATCH_SOURCE_TYPE_MEMORYPRESSURE || handle != 0 || mask != 7 || !queue || sim_has("source"))
		return NULL;
	source = (struct sim_source){.refs = 1};
	return &source;
}

void dispatch_source_set_event_handler(dispatch_source_t s, void (^handler)(void)) { s->event = copy_block(handler); }
void dispatch_source_set_cancel_handler(dispatch_source_t s, void (^handler)(void)) { s->canceled = copy_block(handler); }
uintptr_t dispatch_source_get_data(dispatch_source_t s) { return s->data; }
void dispatch_activate(dispatch_source_t s) { s->active = 1; }
void dispatch_release(dispatch_source_t s) { s->refs--; }

void dispatch_source_cancel(dispatch_source_t s) {
	s->active = 0;
	s->canceled();
	free((void *)s->canceled);
	free((void *)s->event);
}

int sim_foundation_sysctl(const char *name, void *out, size_t size) {
	int level = strcmp(name, "kern.memorystatus_vm_pressure_level") == 0;
	int free = strcmp(name, "kern.memorystatus_level") == 0;
	if (size != sizeof(int) || !(level || free) || (level && sim_has("sysctl")))
		return 0;
	*(int *)out = level ? 1 : 63;
	return 1;
}

void sim_press(unsigned long levels) {
	source.data = levels;
	if (source.active)
		source.event();
}

int sim_held(void) { return live + tokens + source.refs; }
