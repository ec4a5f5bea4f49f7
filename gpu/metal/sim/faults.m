//go:build metalsim && cgo

// Scripted faults, the clock, and errors.

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim.h"

static struct {
    pthread_mutex_t lock;
    pthread_cond_t released;
    sim_script script;
    int allocations, commits, compilations; // so far
    unsigned generation;      // changes when hangs are released
} faults = {.lock = PTHREAD_MUTEX_INITIALIZER, .released = PTHREAD_COND_INITIALIZER};

static void release_hangs_locked(void) {
    faults.generation++;
    pthread_cond_broadcast(&faults.released);
}

void sim_inject(const sim_script *script) {
    pthread_mutex_lock(&faults.lock);
    free(faults.script.compile_error);
    faults.script = *script;
    if (script->compile_error) faults.script.compile_error = strdup(script->compile_error);
    faults.allocations = faults.commits = faults.compilations = 0;
    release_hangs_locked();
    pthread_mutex_unlock(&faults.lock);
}

void sim_release_hangs(void) {
    pthread_mutex_lock(&faults.lock);
    release_hangs_locked();
    pthread_mutex_unlock(&faults.lock);
}

void sim_hang(unsigned generation) {
    pthread_mutex_lock(&faults.lock);
    while (faults.generation == generation) pthread_cond_wait(&faults.released, &faults.lock);
    pthread_mutex_unlock(&faults.lock);
}

// hit reports whether call n is among the count calls starting at first.
static int hit(int n, int first, int count) {
    return first > 0 && n >= first && n < first + (count > 0 ? count : 1);
}

int sim_refuse_allocation(void) {
    pthread_mutex_lock(&faults.lock);
    int refused = hit(++faults.allocations, faults.script.allocation, faults.script.allocations);
    pthread_mutex_unlock(&faults.lock);
    return refused;
}

sim_fate sim_next_commit(void) {
    pthread_mutex_lock(&faults.lock);
    const sim_script *s = &faults.script;
    int n = ++faults.commits;
    sim_fate fate = {0, s->hang > 0 && n == s->hang, s->remove > 0 && n == s->remove, faults.generation};
    if (hit(n, s->commit, s->commits)) fate.error = s->commit_error;
    pthread_mutex_unlock(&faults.lock);
    return fate;
}

// setting reads the script's value at offset under the lock.
static int setting(const int *value) {
    pthread_mutex_lock(&faults.lock);
    int v = *value;
    pthread_mutex_unlock(&faults.lock);
    return v;
}

int sim_refuse_queue(void) { return setting(&faults.script.queues); }
int sim_refuse_pipeline(void) { return setting(&faults.script.pipelines); }
int sim_archives_fail(void) { return setting(&faults.script.archives_fail); }
int sim_threads(void) { return setting(&faults.script.threads); }
int sim_counters(void) { return setting(&faults.script.counters); }
int sim_zero_times(void) { return setting(&faults.script.zero_times); }

static void compiler_hang(void) {
    pthread_mutex_lock(&faults.lock);
    int hangs = hit(++faults.compilations, faults.script.compiler_hang, 1);
    unsigned generation = faults.generation;
    pthread_mutex_unlock(&faults.lock);
    if (hangs) sim_hang(generation);
}

NSError *sim_compiler_failure(void) {
    compiler_hang();
    if (setting(&faults.script.compiler_silent)) return sim_error(MTLLibraryErrorDomain, MTLLibraryErrorInternal, nil);
    if (setting(&faults.script.compiler_dies)) {
        return sim_error(MTLLibraryErrorDomain, MTLLibraryErrorInternal,
                         @"Compiler encountered an internal error: XPC_ERROR_CONNECTION_INTERRUPTED");
    }
    pthread_mutex_lock(&faults.lock);
    const char *said = faults.script.compile_error;
    NSString *text = said ? [NSString stringWithUTF8String:said] : nil;
    pthread_mutex_unlock(&faults.lock);
    return text ? sim_error(MTLLibraryErrorDomain, MTLLibraryErrorCompileFailure, text) : nil;
}

double sim_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

uint64_t sim_device_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 2 * ((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec);
}

NSError *sim_error(NSString *domain, NSInteger code, NSString *text) {
    NSDictionary *info = text ? [NSDictionary dictionaryWithObject:text forKey:NSLocalizedDescriptionKey] : nil;
    return [NSError errorWithDomain:domain code:code userInfo:info];
}

void sim_give_error(NSError **to, NSError *error) {
    if (to) *to = error;
}
