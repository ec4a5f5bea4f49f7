// The kernels of the GEMM family.
#include "blocks.h"
#include "bytes.h"
#include "gemm.h"
#include "libraries.h"

#include "params/blocks.h"
#include "params/gemm.h"
#include "params/scales.h"

typedef int run_fn(cpu_stream *s, const struct gemm *g);

static int run(cpu_stream *s, const struct gemm *g) {
    if (g->m == 0 || g->n == 0) return 1;
    if (g->m <= GEMV_ROWS) return run_gemv(s, g);
    run_packed(s, g);
    return 1;
}

// Reads b once for each part of `rows` rows of a, at most GEMV_ROWS.
static int run_by_rows(cpu_stream *s, const struct gemm *g, size_t rows) {
    const size_t width = width_of(g->a_type);
    for (size_t r = 0; r < g->m && g->n > 0; r += rows) {
        struct gemm part = *g;
        part.m = min_size(rows, g->m - r);
        part.a = (const char *)g->a + (g->a_cols ? r : r * g->k) * width;
        part.a_apart = g->m;
        part.out = (char *)g->out + r * g->n * width;
        if (!run_gemv(s, &part)) return 0;
    }
    return 1;
}

static int run_few(cpu_stream *s, const struct gemm *g) { return run_by_rows(s, g, GEMV_ROWS); }

// Every row by itself: b is never reused.
static int run_each(cpu_stream *s, const struct gemm *g) { return run_by_rows(s, g, 1); }

static int run_batch(cpu_stream *s, const cpu_args *a, run_fn *multiply) {
    const struct MatmulParams *p = a->params;
    const size_t width = width_of(a->type);
    const size_t a_size = (size_t)p->m * p->k * width, b_size = (size_t)p->n * p->k * width, out_size = (size_t)p->m * p->n * width;
    for (size_t i = 0; i < p->batch; i++) {
        const struct gemm g = {
            .m = p->m, .n = p->n, .k = p->k,
            .a = (const char *)a->arg[0] + i * a_size, .b = (const char *)a->arg[1] + i * b_size, .a_type = a->type,
            .a_cols = a->constants[MATMUL_TRANSPOSE_A], .a_apart = p->m, .b_rows = a->constants[MATMUL_TRANSPOSE_B],
            .out = (char *)a->arg[3] + i * out_size, .end = {a->arg[2], a->type, a->constants[MATMUL_ACTIVATION]},
        };
        if (!multiply(s, &g)) return 0;
    }
    return 1;
}

static int run_blocks(cpu_stream *s, const struct gemm *g) {
    if (g->m > 0 && g->n > 0) run_packed(s, g);
    return 1;
}

static int run_matmul(cpu_stream *s, const cpu_args *a) { return run_batch(s, a, run_blocks); }
static int run_matmul_naive(cpu_stream *s, const cpu_args *a) { return run_batch(s, a, run_each); }
static int run_matmul_gemv(cpu_stream *s, const cpu_args *a) { return run_batch(s, a, run_few); }

static int run_openblas(cpu_stream *s, const struct gemm *g) { return run_library(s, g, "openblas"); }
static int run_accelerate(cpu_stream *s, const struct gemm *g) { return run_library(s, g, "accelerate"); }
static int run_matmul_openblas(cpu_stream *s, const cpu_args *a) { return run_batch(s, a, run_openblas); }
static int run_matmul_accelerate(cpu_stream *s, const cpu_args *a) { return run_batch(s, a, run_accelerate); }

static int run_matmul_quant(cpu_stream *s, const cpu_args *a) {
    const struct QuantMatmulParams *p = a->params;
    float one[2];
    struct gemm g = {
        .m = p->m, .n = p->n, .k = p->k, .a = a->arg[0], .a_type = CPU_F32, .b_rows = 1, .out = a->arg[4],
        .w = {a->arg[1], a->arg[2], zeros_of(a->type, a->arg[3]), a->type, p->k, p->block, a->constants[HALF_SCALES]},
        .end = {NULL, CPU_F32, ACT_NONE},
    };
    g.w = with_one_scale(pool_isa(stream_pool(s)), &g.w, one);
    return run(s, &g);
}

static int run_matmul_blocks(cpu_stream *s, const cpu_args *a) {
    const struct BlockMatmulParams *p = a->params;
    const struct gemm g = {
        .m = p->m, .n = p->n, .k = p->k, .a = a->arg[0], .a_type = CPU_F32, .b_rows = 1, .out = a->arg[2],
        .w = {a->arg[1], NULL, NULL, a->type, p->k, BLOCKS_GROUP}, .end = {NULL, CPU_F32, ACT_NONE},
    };
    return run(s, &g);
}

static int run_matmul_int8(cpu_stream *s, const cpu_args *a) {
    const struct Int8MatmulParams *p = a->params;
    const struct gemm g = {
        .m = p->m, .n = p->n, .k = p->k, .a = a->arg[0], .b = a->arg[1], .a_type = CPU_I8, .b_rows = 1, .out = a->arg[2],
        .end = {NULL, CPU_I32, ACT_NONE},
    };
    return run_blocks(s, &g);
}

const cpu_kernel gemm_kernels[] = {
    {"matmul", "tiled", TYPE_BITS(GEMM_TYPES(TYPE_BIT)), sizeof(struct MatmulParams), 4, run_matmul},
    {"matmul", "naive", TYPE_BITS(GEMM_TYPES(TYPE_BIT)), sizeof(struct MatmulParams), 4, run_matmul_naive},
    {"matmul", "gemv", TYPE_BITS(GEMM_TYPES(TYPE_BIT)), sizeof(struct MatmulParams), 4, run_matmul_gemv},
    {"matmul", "openblas", 1u << CPU_F32, sizeof(struct MatmulParams), 4, run_matmul_openblas},
    {"matmul", "accelerate", 1u << CPU_F32, sizeof(struct MatmulParams), 4, run_matmul_accelerate},
    {"matmul_quant", "tiled", TYPE_BITS(QUANT_TYPES(TYPE_BIT)), sizeof(struct QuantMatmulParams), 5, run_matmul_quant},
    {"matmul_quant_int8", "tiled", 1u << CPU_I8 | 1u << CPU_I4, sizeof(struct QuantInt8MatmulParams), 6, run_bytes},
    {"matmul_blocks_int8", "tiled", TYPE_BITS(BLOCK_TYPES(TYPE_BIT)), sizeof(struct BlockMatmulParams), 4, run_block_bytes},
    {"matmul_blocks", "tiled", TYPE_BITS(BLOCK_TYPES(TYPE_BIT)), sizeof(struct BlockMatmulParams), 3, run_matmul_blocks},
    {"matmul_int8", "tiled", 1u << CPU_I8, sizeof(struct Int8MatmulParams), 3, run_matmul_int8},
    {0},
};
