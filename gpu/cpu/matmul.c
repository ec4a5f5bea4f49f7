// The kernels of the family of matrix products.
#include "gemm.h"

#include "params/gemm.h"

static int run(cpu_stream *s, const struct gemm *g) {
    if (g->m == 0 || g->n == 0) return 1;
    return g->m <= GEMV_ROWS ? run_gemv(s, g) : run_packed(s, g);
}

static int run_matmul(cpu_stream *s, const cpu_args *a) {
    const struct MatmulParams *p = a->params;
    const size_t width = width_of(a->type);
    const size_t a_size = (size_t)p->m * p->k * width, b_size = (size_t)p->n * p->k * width, out_size = (size_t)p->m * p->n * width;
    for (size_t i = 0; i < p->batch; i++) {
        const struct gemm g = {
            .m = p->m, .n = p->n, .k = p->k,
            .a = (const char *)a->arg[0] + i * a_size, .b = (const char *)a->arg[1] + i * b_size, .a_type = a->type,
            .a_cols = a->constants[MATMUL_TRANSPOSE_A], .b_rows = a->constants[MATMUL_TRANSPOSE_B],
            .out = (char *)a->arg[3] + i * out_size, .end = {a->arg[2], a->type, a->constants[MATMUL_ACTIVATION]},
        };
        if (!run(s, &g)) return 0;
    }
    return 1;
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
