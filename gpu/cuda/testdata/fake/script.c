// What the tests script. FAKE_CUDA holds rules, separated by spaces: "cuMemAlloc_v2=2" fails every call with code 2, "cuMemAlloc_v2@3=2"
// the third, "run:add_f32=700" the run of a kernel of that name, "run:add_f32=-1" never ends. Other names are settings: "meet=3" lets launches
// run only when three of them can run side by side, within the seconds of "timeout".
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t fake_changed = PTHREAD_COND_INITIALIZER;
int fake_fault;

static struct {
    char name[96];
    int calls;
} counts[128];
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

static int count(const char *name) {
    int n = 0;
    pthread_mutex_lock(&counting);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (!counts[i].name[0]) snprintf(counts[i].name, sizeof counts[i].name, "%s", name);
        if (strcmp(counts[i].name, name) == 0) {
            n = ++counts[i].calls;
            break;
        }
    }
    pthread_mutex_unlock(&counting);
    return n;
}

// rule finds the value of a name; 0 if there is none.
static int rule(const char *name, long long *value) {
    const char *text = getenv("FAKE_CUDA");
    size_t n = strlen(name);
    for (const char *at = text; at && *at;) {
        while (*at == ' ') at++;
        if (strncmp(at, name, n) == 0 && at[n] == '=') {
            *value = strtoll(at + n + 1, NULL, 0);
            return 1;
        }
        at = strchr(at, ' ');
    }
    return 0;
}

long long setting(const char *name, long long fallback) {
    long long value = fallback;
    rule(name, &value);
    return value;
}

int scripted(const char *function, int fallback) {
    char nth[128];
    long long value = fallback;
    snprintf(nth, sizeof nth, "%s@%d", function, count(function));
    if (!rule(nth, &value)) rule(function, &value);
    return (int)value;
}
