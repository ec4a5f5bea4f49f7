// Products by instructions for bfloat16 or int8, which an instruction set may have.
#ifndef ASSAY_TILES_H
#define ASSAY_TILES_H

#include "isa.h"

#define TILE_SIDE 32                           // rows and columns of a tile of the output
#define TILE_BYTES 64                          // of a row of a, and of a column of b, in one step along k
#define TILE_STEP (TILE_SIDE * TILE_BYTES)     // bytes of one step in a panel
#define TILE_HALF (TILE_SIDE / 2)
#define TILE_HALF_STEP (TILE_STEP / 2)

// Panels are steps along k, one after the other: of a its rows; of b its columns in two halves, and of each half groups of 4 bytes
// along k. What lies beyond the matrix is 0.
// Rows of a in place are as good, since a tile's rows may lie apart.
struct tile_rows {
    const char *at;
    size_t row, step; // distances of rows, and of steps along k
    size_t rows;      // that exist
    const int32_t *start; // of a row's sums, where loops have a start
};

// What becomes of the sums of a tile: they are new, or added to those at hand, or new and stored past the caches where loops can. Then each
// row of the output begins at a whole line.
enum tile_sums { SUMS_NEW, SUMS_ADD, SUMS_PAST };

struct tile_loops {
    size_t codes; // bytes of an int8 in a panel: rows are used in place if it is 1
    double least; // multiplications of a part; with a fourth of them waking threads does not pay
    size_t near;  // times that packing a panel of b counts, for bfloat16 whose output stays in the second cache; 0: as elsewhere
    void (*begin)(void), (*end)(void); // before and after the tiles of a task, on its thread
    // c[32][ldc] (+)= a panel of a · a panel of b, in floats, or from int8 in integers.
    void (*tile[CPU_TYPES])(size_t steps, const struct tile_rows *a, const char *b, void *c, size_t ldc, enum tile_sums sums);
    // What sums of int8 start from, for each row of a, because of how b is packed; NULL: 0.
    void (*start)(size_t steps, const struct tile_rows *a, int32_t *start);
    // bfloat16 from the sums of a tile: rows × cols, with a bias unless it is NULL, and `floor` for what is less; with `past` a row is a
    // line, which is stored past the caches.
    void (*store)(const float *sums, size_t ld, size_t rows, size_t cols, const uint16_t *bias, float floor, uint16_t *out, size_t n, int past);
    // Panels from rows of a, and from columns of b that lie as rows: count ≤ 32 rows of `bytes`, ld bytes apart.
    void (*pack_rows)(const char *src, size_t ld, size_t count, size_t bytes, char *dst);
    void (*pack_b_rows)(const char *src, size_t ld, size_t count, size_t bytes, char *dst);
    // Panels from k rows of count ≤ 32 elements of bfloat16, ld elements apart: a[k][m] and b[k][n].
    void (*pack_cols)(const uint16_t *src, size_t ld, size_t count, size_t k, char *dst);
    void (*pack_b_cols)(const uint16_t *src, size_t ld, size_t count, size_t k, char *dst);
};

struct gemm;

// Whether run_tiles does a product, and the product.
int tiles_fit(const struct isa *isa, const struct gemm *g);
void run_tiles(cpu_stream *s, const struct gemm *g);

#endif
