// Runs the readers that need Foundation on GNUstep, with a simulated heat, and prints what they give and leave behind.

#include "activity_darwin.h"
#include "thermalstate_darwin.h"
#include "vmpressure_darwin.h"

#include <dispatch/dispatch.h>
#include <dlfcn.h>
#include <errno.h>
#include <notify.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysctl.h>

NSString *const NSProcessInfoThermalStateDidChangeNotification = @"thermal state";

static const char *scenario = "";
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

void *sim_symbol(void *library, const char *name) {
	int known = strcmp(name, "kOSThermalNotificationPressureLevelName") == 0 && strcmp(scenario, "symbol") != 0;
	return known && library == RTLD_DEFAULT ? (void *)&level_name : NULL;
}

uint32_t notify_register_check(const char *name, int *token) {
	printf("listens to %s\n", name);
	if (strcmp(scenario, "notify") == 0)
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

// change sets the state and tells of it.
static void change(NSInteger to) {
	state = to;
	if (registered != nil)
		registered->block(nil);
}

static void show(assay_thermal *t) {
	assay_thermal_levels l;
	assay_thermal_read(t, &l);
	printf("state %d, worst %d, pressure %d, error %u\n", l.state, l.worst, (int)l.pressure, l.pressure_error);
}

static void thermal(void) {
	assay_thermal *t = assay_thermal_open();
	show(t);
	change(3);
	change(2);
	pressure = 2;
	state = 1;
	show(t);
	show(t);
	assay_thermal_close(t);
	change(2); // nobody hears it
	printf("left %d, tokens %d\n", live, tokens);
}

// A source of memory pressure, whose events the test makes.
struct sim_source {
	void (^event)(void);
	void (^cancelled)(void);
	uintptr_t data;
	int active, refs;
};

static struct sim_source source;

dispatch_queue_t dispatch_get_global_queue(long priority, unsigned long flags) {
	return priority == QOS_CLASS_UTILITY && flags == 0;
}

dispatch_source_t dispatch_source_create(int type, uintptr_t handle, uintptr_t mask, dispatch_queue_t queue) {
	if (type != DISPATCH_SOURCE_TYPE_MEMORYPRESSURE || handle != 0 || mask != 7 || !queue || strcmp(scenario, "source") == 0)
		return NULL;
	source = (struct sim_source){.refs = 1};
	return &source;
}

void dispatch_source_set_event_handler(dispatch_source_t s, void (^handler)(void)) { s->event = copy_block(handler); }
void dispatch_source_set_cancel_handler(dispatch_source_t s, void (^handler)(void)) { s->cancelled = copy_block(handler); }
uintptr_t dispatch_source_get_data(dispatch_source_t s) { return s->data; }
void dispatch_activate(dispatch_source_t s) { s->active = 1; }
void dispatch_release(dispatch_source_t s) { s->refs--; }

void dispatch_source_cancel(dispatch_source_t s) {
	s->active = 0;
	s->cancelled();
	free((void *)s->cancelled);
	free((void *)s->event);
}

int sysctlbyname(const char *name, void *out, size_t *size, void *in, size_t in_size) {
	int is_level = strcmp(name, "kern.memorystatus_vm_pressure_level") == 0;
	if (*size != sizeof(int) || in != NULL || in_size != 0 || (is_level && strcmp(scenario, "sysctl") == 0)) {
		errno = ENOENT;
		return -1;
	}
	*(int *)out = is_level ? 1 : strcmp(name, "kern.memorystatus_level") == 0 ? 63 : -1;
	return 0;
}

// press tells of levels, or-ed as the system does when several come at once.
static void press(uintptr_t levels) {
	source.data = levels;
	if (source.active)
		source.event();
}

static void show_pressure(assay_vm_pressure *p) {
	assay_vm_pressure_levels l;
	assay_vm_pressure_read(p, &l);
	printf("level %d, error %d, told %d, free %d, error %d\n", l.level, l.level_error, l.told, l.free, l.free_error);
}

static void memory(void) {
	assay_vm_pressure *p = assay_vm_pressure_open();
	press(2);
	press(1 | 4);
	show_pressure(p);
	show_pressure(p);
	assay_vm_pressure_close(p);
	press(4);
	printf("left %d\n", source.refs);
}

static void activity(void) {
	void *a = assay_activity_begin("measuring");
	void *unnamed = assay_activity_begin("");
	printf("held %d\n", live);
	assay_activity_end(a);
	assay_activity_end(unnamed);
	printf("left %d\n", live);
}

int main(int argc, char **argv) {
	if (argc > 1)
		scenario = argv[1];
	thermal();
	memory();
	activity();
	return 0;
}
