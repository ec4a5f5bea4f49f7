// Rows of GEMM operands, as floats.
#include <string.h>

#include "gemm.h"

#define ROWS_AHEAD 4
#define GATHERED 16 // rows of a gathered from columns at a time

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

// Columns of a as rows, `apart` floats apart.
static void gather_rows(const struct isa *isa, const struct gemm *g, size_t row, size_t rows, size_t k0, size_t k, float *to, size_t apart) {
    const size_t width = width_of(g->a_type);
    const char *from = (const char *)g->a + (k0 * g->a_apart + row) * width;
    float line[GATHERED];
    for (size_t d = 0; d < k; d++, from += g->a_apart * width) {
        for (size_t r = 0; r < rows; r += GATHERED) {
            const size_t n = min_size(GATHERED, rows - r);
            if (g->a_type == CPU_F32) memcpy(line, from + r * width, n * width);
            else isa->gemm->widen[g->a_type](from + r * width, line, n);
            for (size_t i = 0; i < n; i++) to[(r + i) * apart + d] = line[i];
        }
    }
}

const float *a_rows(const struct isa *isa, const struct gemm *g, size_t row, size_t rows, size_t k0, size_t k, float *tmp,
                    size_t *ld) {
    if (!g->a_cols) return float_rows(isa, g, row, rows, k0, k, g->a, tmp, ld);
    gather_rows(isa, g, row, rows, k0, k, tmp, k);
    *ld = k;
    return tmp;
}

// Hardware prefetching does little for rows that are far apart.
static void fetch_row(const struct gemm *g, size_t row, size_t k0, size_t k) {
    const char *from = (const char *)g->a + (row * g->k + k0) * width_of(g->a_type);
    for (size_t i = 0; i < k * width_of(g->a_type); i += 64) __builtin_prefetch(from + i);
}

void copy_a_rows(const struct isa *isa, const struct gemm *g, size_t row, size_t rows, size_t k0, size_t k, float *to, size_t apart) {
    if (g->a_cols) {
        gather_rows(isa, g, row, rows, k0, k, to, apart);
        return;
    }
    for (size_t r = 0; r < rows; r++, to += apart) {
        size_t ld;
        if (r + ROWS_AHEAD < rows) fetch_row(g, row + r + ROWS_AHEAD, k0, k);
        const float *src = float_rows(isa, g, row + r, 1, k0, k, g->a, to, &ld);
        if (src != to) memcpy(to, src, 4 * k);
    }
}

const float *b_rows(const struct isa *isa, const struct gemm *g, size_t row, size_t rows, size_t k0, size_t k, float *tmp,
                    size_t *ld) {
    if (!g->w.codes) return float_rows(isa, g, row, rows, k0, k, g->b, tmp, ld);
    for (size_t r = 0; r < rows; r++) load_quantized(isa, &g->w, row + r, k0, k, tmp + r * k);
    *ld = k;
    return tmp;
}
