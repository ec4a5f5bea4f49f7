// Rows of the operands of matrix products, as floats.
#include "gemm.h"

static const float *float_rows(const struct isa *isa, const struct gemm *g, size_t row, size_t rows, size_t k0, size_t k,
                               const void *from, float *tmp, size_t *ld) {
    if (g->a_type == CPU_F32) {
        *ld = g->k;
        return (const float *)from + row * g->k + k0;
    }
    const char *first = (const char *)from + (row * g->k + k0) * width_of(g->a_type);
    for (size_t r = 0; r < rows; r++)
        isa->gemm->widen[g->a_type](first + r * g->k * width_of(g->a_type), tmp + r * k, k);
    *ld = k;
    return tmp;
}

const float *a_rows(const struct isa *isa, const struct gemm *g, size_t row, size_t rows, size_t k0, size_t k, float *tmp,
                    size_t *ld) {
    return float_rows(isa, g, row, rows, k0, k, g->a, tmp, ld);
}

const float *b_rows(const struct isa *isa, const struct gemm *g, size_t row, size_t rows, size_t k0, size_t k, float *tmp,
                    size_t *ld) {
    if (!g->w.codes) return float_rows(isa, g, row, rows, k0, k, g->b, tmp, ld);
    for (size_t r = 0; r < rows; r++) load_quantized(isa, &g->w, row + r, k0, k, tmp + r * k);
    *ld = k;
    return tmp;
}
