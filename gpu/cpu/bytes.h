// int8 activations times integer codes, both in blocks with scales, to floats: the sums of a block are integers.
#ifndef ASSAY_BYTES_H
#define ASSAY_BYTES_H

#include "isa.h"

#define BYTE_DEPTH 512 // elements along k of packed panels
#define BYTE_COLS 32   // of a tile, at most
#define BYTE_UNPACKED (BYTE_DEPTH + 64) // bytes between unpacked rows of weights: panels are made of whole vectors
#define BYTE_ROW(each) (4 / (each) * BYTE_DEPTH + 64) // bytes between packed rows of activations, padded to avoid cache conflicts; pack_row may use the rest

// Panels consist of lanes: four bytes along k, with `each` elements. A group of lanes has a scale. Activations lie row by row,
// weights lane by lane with all columns side by side. Padding beyond a group or the matrix is multiplied by activations of 0.
enum byte_terms { BYTE_ZEROS, BYTE_OFFSETS, BYTE_SCALES }; // what codes have besides a scale: minus a zero point, an offset, nothing

struct byte_tile {
    enum byte_terms terms;
    size_t groups, lanes;                  // lanes of a group
    const char *a, *w;
    const int32_t *start;                  // [group][row]: initial sums, which cancel the bias of packed codes; not with row_groups or offsets
    const float *sums, *a_scale;           // [group][row], of activations; with row_groups [row][group]
    const float *scale, *term;             // [group][column], of weights; term is [group][loops->terms][column]
    float *out;
    size_t ld, rows, cols;
    int add; // out holds the sums of earlier products
};

struct byte_loops {
    size_t rows, cols; // of a tile of the output
    size_t each;       // elements of a lane
    size_t digits;     // columns of packed weights for each column of the output
    size_t terms;      // maximum terms of a group of weights besides its scale
    size_t row_groups;  // if not 0, sums and scales of activations lie row by row, with room for this many groups
    size_t whole_lanes; // if not 0, groups are split into equal steps of up to this many lanes
    size_t least_rows, least_lanes; // minimum rows of activations and lanes of a group: below them, other loops are faster
    double least;        // minimum multiplications of a part
    int bias[CPU_TYPES]; // of packed codes
    void (*begin)(size_t lanes), (*end)(void); // before and after the tiles of a task whose groups have this many lanes, on its thread; NULL: nothing
    void (*tile)(const struct byte_tile *t);
    // Packs a row of n activations, whole groups of `lanes` lanes, and their sums.
    void (*pack_row)(const int8_t *src, size_t n, size_t lanes, char *dst, int32_t *sums);
    // Unpacks n codes of a row, beginning at a byte or block boundary, to bytes with their bias; a second digit goes `cols` rows
    // of BYTE_UNPACKED further.
    void (*unpack[CPU_TYPES])(const uint8_t *src, size_t n, int8_t *dst);
    // Scales and terms of n weights of a row of blocks from `first` on, in groups of a whole block; NULL: use those of struct
    // blocks_loops.
    void (*scales[CPU_TYPES])(const uint8_t *row, size_t first, size_t n, float *scale, float *term);
    // Packs a panel of `lanes` lanes from rows of unpacked codes that are `row` bytes apart and padded to whole vectors.
    void (*pack_cols)(const int8_t *src, size_t row, size_t lanes, char *dst);
    // Transposes [column][group], whose rows are `row` apart and padded to whole vectors, to [group][column].
    void (*turn)(const float *src, size_t row, size_t groups, float *dst);
};

// The kernels matmul_quant_int8 and matmul_blocks_int8.
int run_bytes(cpu_stream *s, const cpu_args *a);
int run_block_bytes(cpu_stream *s, const cpu_args *a);

#endif
