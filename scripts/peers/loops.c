// Loops of the engine that are timed without a kernel.
#include "gemm.h"
#include "map.h"

#define PIECE 8192
#define COPY_PIECE 32768 // as a copy's kernel has

struct job {
    const struct isa *isa;
    const void *in;
    void *out;
    size_t n;
    int stream;
};

static void widen(void *arg, int i) {
    const struct job *j = arg;
    const size_t at = (size_t)i * PIECE;
    j->isa->gemm->widen[CPU_F16]((const uint16_t *)j->in + at, (float *)j->out + at, min_size(PIECE, j->n - at));
}

static void narrow(void *arg, int i) {
    const struct job *j = arg;
    const size_t at = (size_t)i * PIECE;
    const struct epilogue plain = {.type = CPU_F16};
    j->isa->gemm->store[CPU_F16]((const float *)j->in + at, min_size(PIECE, j->n - at), 0, &plain, (uint16_t *)j->out + at);
}

// f16 to floats with the GEMM's loop for operands, and floats to f16 with that for outputs. Neither is a kernel by itself.
void peers_widen(cpu_stream *s, const void *in, float *out, size_t n);
void peers_widen(cpu_stream *s, const void *in, float *out, size_t n) {
    struct job j = {pool_isa(stream_pool(s)), in, out, n, 0};
    pool_run(stream_pool(s), (int)ceil_div(n, PIECE), widen, &j);
}

void peers_narrow(cpu_stream *s, const float *in, void *out, size_t n);
void peers_narrow(cpu_stream *s, const float *in, void *out, size_t n) {
    struct job j = {pool_isa(stream_pool(s)), in, out, n, 0};
    pool_run(stream_pool(s), (int)ceil_div(n, PIECE), narrow, &j);
}

static void copy(void *arg, int i) {
    const struct job *j = arg;
    const size_t first = (size_t)i * COPY_PIECE;
    void *const both[2] = {(void *)(uintptr_t)j->in, j->out};
    j->isa->map->map[MAP_copy][CPU_F32](both, 0, first, min_size(first + COPY_PIECE, j->n), j->stream);
}

// A copy with non-temporal stores, as the kernel uses for large arrays, although n is small: each call copies other arrays.
void peers_copy(cpu_stream *s, const float *in, float *out, size_t n);
void peers_copy(cpu_stream *s, const float *in, float *out, size_t n) {
    cpu_pool *pool = stream_pool(s);
    struct job j = {pool_isa(pool), in, out, n, pool_stream(pool, SIZE_MAX)};
    pool_run(pool, (int)ceil_div(n, COPY_PIECE), copy, &j);
}
