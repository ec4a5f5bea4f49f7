// CoreFoundation's objects with their reference counts. An object that is released too often stops the program; one
// that is used afterward is found by the address sanitizer; one that is not released is in sim_live.

#include "sim.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { opaque = 1, string, number, data, array, dictionary };

struct sim_object {
	enum kind kind;
	int refs, constant;
	char *bytes; // of a string or of data
	size_t size;
	double number;
	CFTypeRef *keys, *values; // of a dictionary; an array has values only
	CFIndex count;
};

_Atomic int sim_live;
const CFArrayCallBacks kCFTypeArrayCallBacks;
const CFDictionaryKeyCallBacks kCFTypeDictionaryKeyCallBacks;
const CFDictionaryValueCallBacks kCFTypeDictionaryValueCallBacks;

static _Thread_local int pools;
void *objc_autoreleasePoolPush(void) { return &pools + ++pools; }
void objc_autoreleasePoolPop(void *pool) {
	if (pool != &pools + pools--) {
		fprintf(stderr, "autorelease pools are popped out of order\n");
		abort();
	}
}

static struct sim_object *new_object(enum kind kind) {
	struct sim_object *o = calloc(1, sizeof *o);
	o->kind = kind;
	o->refs = 1;
	sim_live++;
	return o;
}

static struct sim_object *checked(CFTypeRef o, enum kind kind) {
	if (o == NULL || o->kind != kind) {
		fprintf(stderr, "an object of kind %d was taken for one of kind %d\n", o == NULL ? 0 : o->kind, kind);
		abort();
	}
	return (struct sim_object *)o;
}

CFTypeRef CFRetain(CFTypeRef o) {
	((struct sim_object *)o)->refs++;
	return o;
}

void CFRelease(CFTypeRef object) {
	struct sim_object *o = (struct sim_object *)object;
	if (o->constant)
		return;
	if (o->refs <= 0)
		abort();
	if (--o->refs > 0)
		return;
	for (CFIndex i = 0; i < o->count; i++) {
		CFRelease(o->values[i]);
		if (o->keys != NULL)
			CFRelease(o->keys[i]);
	}
	free(o->keys);
	free(o->values);
	free(o->bytes);
	free(o);
	sim_live--;
}

CFTypeID CFGetTypeID(CFTypeRef o) { return o->kind; }
CFTypeID CFStringGetTypeID(void) { return string; }
CFTypeID CFNumberGetTypeID(void) { return number; }
CFTypeID CFDataGetTypeID(void) { return data; }
CFTypeID CFArrayGetTypeID(void) { return array; }
CFTypeID CFDictionaryGetTypeID(void) { return dictionary; }

CFTypeRef sim_opaque(void) { return new_object(opaque); }

static struct sim_object *of_bytes(enum kind kind, const void *bytes, size_t size) {
	struct sim_object *o = new_object(kind);
	o->bytes = malloc(size + 1);
	memcpy(o->bytes, bytes, size);
	o->bytes[size] = 0;
	o->size = size;
	return o;
}

CFStringRef sim_string(const char *text) { return of_bytes(string, text, strlen(text)); }
CFDataRef sim_data(const void *bytes, size_t size) { return of_bytes(data, bytes, size); }

CFStringRef sim_constant(const char *text) {
	static struct sim_object *known[64];
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&lock);
	int i = 0;
	while (known[i] != NULL && strcmp(known[i]->bytes, text) != 0)
		i++;
	if (known[i] == NULL) {
		known[i] = of_bytes(string, text, strlen(text));
		known[i]->constant = 1;
		sim_live--;
	}
	pthread_mutex_unlock(&lock);
	return known[i];
}

Boolean CFStringGetCString(CFStringRef s, char *out, CFIndex size, uint32_t encoding) {
	struct sim_object *o = checked(s, string);
	if (encoding != kCFStringEncodingUTF8 || (CFIndex)o->size + 1 > size)
		return 0;
	memcpy(out, o->bytes, o->size + 1);
	return 1;
}

CFNumberRef sim_number(double value) {
	struct sim_object *o = new_object(number);
	o->number = value;
	return o;
}

CFNumberRef CFNumberCreate(CFAllocatorRef unused, int type, const void *value) {
	(void)unused;
	return type == kCFNumberIntType ? sim_number(*(const int *)value) : NULL;
}

Boolean CFNumberGetValue(CFNumberRef n, int type, void *out) {
	if (type != kCFNumberDoubleType)
		return 0;
	*(double *)out = checked(n, number)->number;
	return 1;
}

CFIndex CFDataGetLength(CFDataRef d) { return (CFIndex)checked(d, data)->size; }

void CFDataGetBytes(CFDataRef d, CFRange range, uint8_t *out) {
	memcpy(out, checked(d, data)->bytes + range.location, (size_t)range.length);
}

// Puts a value, and a key in a dictionary, at the end; both are retained.
static void append(struct sim_object *to, CFTypeRef key, CFTypeRef value) {
	size_t size = (size_t)(to->count + 1) * sizeof(CFTypeRef);
	to->values = realloc(to->values, size);
	to->values[to->count] = CFRetain(value);
	if (key != NULL) {
		to->keys = realloc(to->keys, size);
		to->keys[to->count] = CFRetain(key);
	}
	to->count++;
}

CFMutableArrayRef CFArrayCreateMutable(CFAllocatorRef unused, CFIndex capacity, const CFArrayCallBacks *callbacks) {
	(void)unused, (void)capacity;
	return callbacks == &kCFTypeArrayCallBacks ? new_object(array) : NULL;
}

void CFArrayAppendValue(CFMutableArrayRef a, CFTypeRef value) { append(checked(a, array), NULL, value); }

void CFArrayAppendArray(CFMutableArrayRef a, CFArrayRef from, CFRange range) {
	for (CFIndex i = 0; i < range.length; i++)
		CFArrayAppendValue(a, CFArrayGetValueAtIndex(from, range.location + i));
}

CFIndex CFArrayGetCount(CFArrayRef a) { return checked(a, array)->count; }

CFTypeRef CFArrayGetValueAtIndex(CFArrayRef a, CFIndex i) {
	if (i < 0 || i >= checked(a, array)->count) {
		fprintf(stderr, "index %ld of an array of %ld\n", i, checked(a, array)->count);
		abort();
	}
	return a->values[i];
}

void sim_append(CFMutableArrayRef a, CFTypeRef value) {
	CFArrayAppendValue(a, value);
	CFRelease(value);
}

CFMutableDictionaryRef sim_dictionary(void) { return new_object(dictionary); }

static CFIndex find(struct sim_object *d, CFTypeRef key) {
	for (CFIndex i = 0; i < d->count; i++)
		if (strcmp(d->keys[i]->bytes, checked(key, string)->bytes) == 0)
			return i;
	return -1;
}

void CFDictionarySetValue(CFMutableDictionaryRef d, CFTypeRef key, CFTypeRef value) {
	CFIndex i = find(checked(d, dictionary), key);
	if (i < 0) {
		append(d, key, value);
		return;
	}
	CFRetain(value);
	CFRelease(d->values[i]);
	d->values[i] = value;
}

void sim_put(CFMutableDictionaryRef d, const char *key, CFTypeRef value) {
	CFDictionarySetValue(d, sim_constant(key), value);
	CFRelease(value);
}

CFTypeRef CFDictionaryGetValue(CFDictionaryRef d, CFTypeRef key) {
	CFIndex i = find(checked(d, dictionary), key);
	return i < 0 ? NULL : d->values[i];
}

CFDictionaryRef CFDictionaryCreate(CFAllocatorRef unused, const void **keys, const void **values, CFIndex count,
                                   const CFDictionaryKeyCallBacks *k, const CFDictionaryValueCallBacks *v) {
	(void)unused;
	if (k != &kCFTypeDictionaryKeyCallBacks || v != &kCFTypeDictionaryValueCallBacks)
		return NULL;
	CFMutableDictionaryRef d = sim_dictionary();
	for (CFIndex i = 0; i < count; i++)
		CFDictionarySetValue(d, keys[i], values[i]);
	return d;
}

CFMutableDictionaryRef CFDictionaryCreateMutableCopy(CFAllocatorRef unused, CFIndex capacity, CFDictionaryRef from) {
	(void)unused, (void)capacity;
	CFMutableDictionaryRef d = sim_dictionary();
	for (CFIndex i = 0; i < checked(from, dictionary)->count; i++)
		CFDictionarySetValue(d, from->keys[i], from->values[i]);
	return d;
}

void CFDictionaryApplyFunction(CFDictionaryRef d, void (*f)(const void *, const void *, void *), void *context) {
	for (CFIndex i = 0; i < checked(d, dictionary)->count; i++)
		f(d->keys[i], d->values[i], context);
}
