// The scratch memory of a queue.
#include <stdlib.h>

#include "isa.h"

struct cpu_stream {
    cpu_pool *pool;
    void *scratch, *own;
    size_t size;
};

cpu_stream *cpu_stream_open(cpu_pool *p) {
    cpu_stream *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->pool = p;
    s->own = cpu_alloc(OWN_BYTES);
    if (s->own) return s;
    free(s);
    return NULL;
}

void cpu_stream_close(cpu_stream *s) {
    cpu_free(s->scratch, s->size);
    cpu_free(s->own, OWN_BYTES);
    free(s);
}

void *stream_scratch(cpu_stream *s, size_t bytes) {
    if (bytes > s->size) {
        cpu_free(s->scratch, s->size);
        s->scratch = cpu_alloc(bytes);
        s->size = s->scratch ? bytes : 0;
    }
    return s->scratch;
}

void *stream_own(const cpu_stream *s) { return s->own; }

cpu_pool *stream_pool(const cpu_stream *s) { return s->pool; }
