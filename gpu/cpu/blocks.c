// Converts weights in ggml's blocks from and to floats.
#include "blocks.h"

#include "params/blocks.h"

#define PIECE 16384 // weights a task takes: whole blocks

struct blocks_job {
    const struct isa *isa;
    void *const *arg;
    int type;
    size_t n; // weights
};

static int run_pieces(cpu_stream *s, const cpu_args *a, task_fn *task) {
    const struct BlockParams *p = a->params;
    struct blocks_job j = {pool_isa(stream_pool(s)), a->arg, a->type, (size_t)p->rows * p->cols};
    pool_run(stream_pool(s), (int)ceil_div(j.n, PIECE), task, &j);
    return 1;
}

// Rows are whole blocks, so a matrix is one long row.
static void decode_piece(void *arg, int task) {
    const struct blocks_job *j = arg;
    const size_t first = (size_t)task * PIECE, n = min_size(PIECE, j->n - first);
    j->isa->blocks->decode[j->type](j->arg[0], first, n, (float *)j->arg[1] + first);
}

static void encode_piece(void *arg, int task) {
    const struct blocks_job *j = arg;
    const size_t first = (size_t)task * PIECE, n = min_size(PIECE, j->n - first);
    uint8_t *to = (uint8_t *)j->arg[1] + bytes_of(j->type, first);
    j->isa->blocks->encode[j->type]((const float *)j->arg[0] + first, n / (size_t)cpu_block_weights(j->type), to);
}

static int run_dequantize_blocks(cpu_stream *s, const cpu_args *a) { return run_pieces(s, a, decode_piece); }
static int run_quantize_blocks(cpu_stream *s, const cpu_args *a) { return run_pieces(s, a, encode_piece); }

const cpu_kernel blocks_kernels[] = {
    {"quantize_blocks", "plain", TYPE_BITS(MADE_BLOCK_TYPES(TYPE_BIT)), sizeof(struct BlockParams), 2, run_quantize_blocks},
    {"dequantize_blocks", "plain", TYPE_BITS(BLOCK_TYPES(TYPE_BIT)), sizeof(struct BlockParams), 2, run_dequantize_blocks},
    {0},
};
