// The kernels of the family of matrix products.
#include "gemm.h"

#include "params/gemm.h"

static int run(cpu_stream *s, const struct gemm *g) {
    if (g->m == 0 || g->n == 0) return 1;
    return g->m <= GEMV_ROWS ? run_gemv(s, g) : run_packed(s, g);
}

static int run_matmul(cpu_stream *s, const cpu_args *a) {
    const struct MatmulParams *p = a->params;
    const struct gemm g = {
        .m = p->m, .n = p->n, .k = p->k, .a = a->arg[0], .b = a->arg[1], .a_type = a->type,
        .b_rows = a->constants[MATMUL_TRANSPOSE_B], .out = a->arg[3],
        .end = {a->arg[2], a->type, a->constants[MATMUL_ACTIVATION]},
    };
    return run(s, &g);
}

static int run_matmul_quant(cpu_stream *s, const cpu_args *a) {
    const struct QuantMatmulParams *p = a->params;
    const struct gemm g = {
        .m = p->m, .n = p->n, .k = p->k, .a = a->arg[0], .a_type = CPU_F32, .b_rows = 1, .out = a->arg[4],
        .w = {a->arg[1], a->arg[2], a->arg[3], a->type, p->k, p->block}, .end = {NULL, CPU_F32, ACT_NONE},
    };
    return run(s, &g);
}

const cpu_kernel gemm_kernels[] = {
    {"matmul", "tiled", TYPE_BITS(GEMM_TYPES(TYPE_BIT)), sizeof(struct MatmulParams), 4, run_matmul},
    {"matmul_quant", "tiled", TYPE_BITS(QUANT_TYPES(TYPE_BIT)), sizeof(struct QuantMatmulParams), 5, run_matmul_quant},
    {0},
};
