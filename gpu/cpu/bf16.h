// Products of bfloat16 by instructions for them, which an instruction set may have.
#ifndef ASSAY_BF16_H
#define ASSAY_BF16_H

#include <stddef.h>
#include <stdint.h>

#define BF16_TILE 32 // rows and columns of a tile of the output, and elements along k of one step

// Panels are steps along k, one after the other, of BF16_TILE² elements: of a its rows; of b its columns in two halves, and of each
// half pairs of elements along k. What lies beyond the matrix is 0.
struct bf16_loops {
    void (*begin)(void), (*end)(void); // before and after the tiles of a task, on its thread
    // c[32][ldc] (+)= a panel of a · a panel of b.
    void (*tile)(size_t steps, const uint16_t *a, const uint16_t *b, float *c, size_t ldc, int add);
    // The output of a tile from its sums: rows × cols, with a bias unless it is NULL, and `floor` for what is less.
    void (*store)(const float *sums, size_t ld, size_t rows, size_t cols, const uint16_t *bias, float floor, uint16_t *out, size_t n);
    // Panels from rows of a, and from rows of k elements of b's columns: src[count ≤ 32][k], ld apart.
    void (*pack_rows)(const uint16_t *src, size_t ld, size_t count, size_t k, uint16_t *dst);
    void (*pack_b_rows)(const uint16_t *src, size_t ld, size_t count, size_t k, uint16_t *dst);
    // Panels from k rows of count ≤ 32 elements, ld apart: a[k][m] and b[k][n].
    void (*pack_cols)(const uint16_t *src, size_t ld, size_t count, size_t k, uint16_t *dst);
    void (*pack_b_cols)(const uint16_t *src, size_t ld, size_t count, size_t k, uint16_t *dst);
};

struct gemm;
struct cpu_stream;
int run_bf16(struct cpu_stream *s, const struct gemm *g); // run_packed, for such an instruction set

#endif
