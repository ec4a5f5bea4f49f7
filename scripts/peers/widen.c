// Halves to floats by the loop of the matrix products, which has no kernel of its own.
#include "gemm.h"

#define PIECE 8192

struct job {
    const struct isa *isa;
    const uint16_t *in;
    float *out;
    size_t n;
};

static void piece(void *arg, int i) {
    const struct job *j = arg;
    const size_t at = (size_t)i * PIECE;
    j->isa->gemm->widen[CPU_F16](j->in + at, j->out + at, min_size(PIECE, j->n - at));
}

void peers_widen(cpu_stream *s, const void *in, float *out, size_t n);
void peers_widen(cpu_stream *s, const void *in, float *out, size_t n) {
    struct job j = {pool_isa(stream_pool(s)), in, out, n};
    pool_run(stream_pool(s), (int)ceil_div(n, PIECE), piece, &j);
}
