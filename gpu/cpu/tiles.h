// Tile products, with the bfloat16 or int8 instructions that an instruction set may have.
#ifndef ASSAY_TILES_H
#define ASSAY_TILES_H

#include "isa.h"

#define TILE_SIDE 32                           // rows and columns of a tile of the output
#define TILE_BYTES 64                          // of a row of a, and of a column of b, in one step along k
#define TILE_STEP (TILE_SIDE * TILE_BYTES)     // bytes of one step in a panel
#define TILE_HALF (TILE_SIDE / 2)
#define TILE_HALF_STEP (TILE_STEP / 2)

// Panels are consecutive steps along k: for a, its rows; for b, its columns in two halves, each in groups of 4 bytes along k.
// Padding beyond the matrix is 0.
// Rows of a are as fast in place, since a tile's rows may lie apart.
struct tile_rows {
    const char *at;
    size_t row, step; // distances of rows, and of steps along k
    size_t rows;      // that exist
    const int32_t *start; // initial sums of a row, for loops with a start
};

// What happens to the sums of a tile: they are stored, added to the existing ones, or stored non-temporally if the loops can. In
// that case each output row begins a cache line.
enum tile_sums { SUMS_NEW, SUMS_ADD, SUMS_PAST };

struct tile_loops {
    size_t codes; // bytes of an int8 in a panel: rows are used in place if it is 1
    double least; // minimum multiplications of a part; below a quarter of it, waking threads does not pay
    size_t stage; // steps along k at a time, for bfloat16: a panel of a with so many stays in L1; 0: all
    size_t near;  // weight of packing a panel of b, for bfloat16 whose output stays in L2; 0: the usual weight
    void (*begin)(void), (*end)(void); // before and after the tiles of a task, on its thread
    // c[32][ldc] (+)= a panel of a · a panel of b, in floats, or in integers for int8.
    void (*tile[CPU_TYPES])(size_t steps, const struct tile_rows *a, const char *b, void *c, size_t ldc, enum tile_sums sums);
    // The initial int8 sums for each row of a, which cancel how b is packed; NULL: 0.
    void (*start)(size_t steps, const struct tile_rows *a, int32_t *start);
    // Stores bfloat16 from the sums of a tile: rows × cols, with a bias unless it is NULL, and clamped below at `floor`; with
    // `past` a row is a cache line, which is stored non-temporally.
    void (*store)(const float *sums, size_t ld, size_t rows, size_t cols, const uint16_t *bias, float floor, uint16_t *out, size_t n, int past);
    // Packs panels from rows of a, or from columns of b that are stored as rows: count ≤ 32 rows of `bytes`, ld bytes apart.
    void (*pack_rows)(const char *src, size_t ld, size_t count, size_t bytes, char *dst);
    void (*pack_b_rows)(const char *src, size_t ld, size_t count, size_t bytes, char *dst);
    // Packs panels from k rows of count ≤ 32 bfloat16 elements, ld elements apart: a[k][m] and b[k][n].
    void (*pack_cols)(const uint16_t *src, size_t ld, size_t count, size_t k, char *dst);
    void (*pack_b_cols)(const uint16_t *src, size_t ld, size_t count, size_t k, char *dst);
};

struct gemm;

// Reports whether run_tiles supports a product; run_tiles computes it.
int tiles_fit(const struct isa *isa, const struct gemm *g);
void run_tiles(cpu_stream *s, const struct gemm *g);

#endif
