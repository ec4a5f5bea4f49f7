//go:build metalsim && cgo

// The ledger: objects and violations.

#define _GNU_SOURCE // dladdr
#include <dlfcn.h>
#include <execinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

enum { MAX_VIOLATIONS = 1000, SHELLS = 8192 };

static struct {
    pthread_mutex_t lock;
    SimObject *first; // of the live objects
    uint64_t serials, forgotten; // objects up to forgotten are not listed
    char *violations[MAX_VIOLATIONS];
    int count;
    SimObject *shells[SHELLS]; // released objects, a ring
    unsigned next_shell;
} ledger = {.lock = PTHREAD_MUTEX_INITIALIZER};

void sim_open(SimObject *object, const char *kind) {
    object->_kind = kind;
    atomic_store(&object->_retains, 1);
    object->_site_depth = backtrace(object->_site, SIM_SITE_DEPTH);
    pthread_mutex_lock(&ledger.lock);
    object->_serial = ++ledger.serials;
    object->_next = ledger.first;
    if (ledger.first) ledger.first->_previous = object;
    ledger.first = object;
    pthread_mutex_unlock(&ledger.lock);
}

static void unlink_object(SimObject *object) {
    if (object->_previous) object->_previous->_next = object->_next;
    if (object->_next) object->_next->_previous = object->_previous;
    if (ledger.first == object) ledger.first = object->_next;
    object->_previous = object->_next = nil;
}

// sim_close removes object from the ledger, stores its shell and returns the oldest shell, to be freed.
SimObject *sim_close(SimObject *object) {
    pthread_mutex_lock(&ledger.lock);
    unlink_object(object);
    SimObject *oldest = ledger.shells[ledger.next_shell];
    ledger.shells[ledger.next_shell] = object;
    ledger.next_shell = (ledger.next_shell + 1) % SHELLS;
    pthread_mutex_unlock(&ledger.lock);
    return oldest;
}

void sim_name(SimObject *object, const char *name) {
    pthread_mutex_lock(&ledger.lock);
    free(object->_name);
    object->_name = name ? strdup(name) : NULL;
    pthread_mutex_unlock(&ledger.lock);
}

char *sim_name_of(SimObject *object) {
    pthread_mutex_lock(&ledger.lock);
    char *name = object->_name ? strdup(object->_name) : NULL;
    pthread_mutex_unlock(&ledger.lock);
    return name;
}

static void note(const char *about, const char *name, const char *text) {
    char line[1024];
    snprintf(line, sizeof line, "%s \"%s\": %s", about, name ? name : "", text);
    pthread_mutex_lock(&ledger.lock);
    if (ledger.count < MAX_VIOLATIONS) ledger.violations[ledger.count++] = strdup(line);
    pthread_mutex_unlock(&ledger.lock);
}

void sim_violation(id object, const char *format, ...) {
    char text[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (![object isKindOfClass:[SimObject class]]) {
        note("Metal", object ? [NSStringFromClass([object class]) UTF8String] : "", text);
        return;
    }
    SimObject *known = object;
    char *name = sim_name_of(known);
    note(known->_kind, name, text);
    free(name);
}

void sim_want_label(SimObject *object) {
    char *name = sim_name_of(object);
    if (!name || !*name) sim_violation(object, "it has no label");
    free(name);
}

int sim_usable(id object, const char *use) {
    if (![object isKindOfClass:[SimObject class]]) {
        sim_violation(nil, "%s: %s", use, object ? "this is not an object of the simulated Metal" : "nil");
        return 0;
    }
    if (!atomic_load(&((SimObject *)object)->_released)) return 1;
    sim_violation(object, "%s after its release", use);
    return 0;
}

int sim_ledger_count(void) {
    pthread_mutex_lock(&ledger.lock);
    int count = ledger.count;
    pthread_mutex_unlock(&ledger.lock);
    return count;
}

char *sim_ledger_text(int at) {
    pthread_mutex_lock(&ledger.lock);
    char *text = at >= 0 && at < ledger.count ? strdup(ledger.violations[at]) : NULL;
    pthread_mutex_unlock(&ledger.lock);
    return text;
}

// A device that only the simulator still retains is not a leak.
static int listed(SimObject *object) {
    return object->_serial > ledger.forgotten && sim_device_in_use(object);
}

// site_of names the functions on the stack that created the object; Objective-C methods have no names there.
static char *site_of(SimObject *object) {
    char text[512] = "";
    for (int i = 0; i < object->_site_depth; i++) {
        Dl_info info;
        if (!dladdr(object->_site[i], &info) || !info.dli_sname || !strncmp(info.dli_sname, "sim_", 4)) continue;
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", used ? " < " : "", info.dli_sname);
    }
    return strdup(text);
}

int sim_live_list(sim_live **list) {
    pthread_mutex_lock(&ledger.lock);
    int count = 0;
    for (SimObject *o = ledger.first; o; o = o->_next) count += listed(o);
    *list = calloc((size_t)count + 1, sizeof **list);
    int at = 0;
    for (SimObject *o = ledger.first; o && *list; o = o->_next) {
        if (!listed(o)) continue;
        (*list)[at++] = (sim_live){strdup(o->_kind), strdup(o->_name ? o->_name : ""), site_of(o), atomic_load(&o->_retains),
                                   o->_serial};
    }
    pthread_mutex_unlock(&ledger.lock);
    return at;
}

void sim_live_free(sim_live *list, int count) {
    for (int i = 0; i < count; i++) {
        free(list[i].kind);
        free(list[i].label);
        free(list[i].site);
    }
    free(list);
}

void sim_ledger_clear(void) {
    pthread_mutex_lock(&ledger.lock);
    for (int i = 0; i < ledger.count; i++) free(ledger.violations[i]);
    ledger.count = 0;
    ledger.forgotten = ledger.serials;
    pthread_mutex_unlock(&ledger.lock);
}
