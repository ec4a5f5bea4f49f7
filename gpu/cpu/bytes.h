// Products of int8 activations and integer codes, both in blocks with scales, to floats: the sums of a block are integers.
#ifndef ASSAY_BYTES_H
#define ASSAY_BYTES_H

#include "isa.h"

#define BYTE_DEPTH 512 // elements along k of packed panels
#define BYTE_COLS 32   // of a tile, at most
#define BYTE_UNPACKED (BYTE_DEPTH + 64) // bytes from an unpacked row of weights to the next: panels are made of whole vectors
#define BYTE_ROW(each) (4 / (each) * BYTE_DEPTH + 64) // bytes from a packed row of activations to the next, so that they do not meet in a cache; pack_row may use what is left

// Panels are lanes of four bytes along k, of `each` elements; groups of so many lanes have a scale. Activations lie row by row, weights
// lane by lane, those of all columns side by side. What lies beyond a group or the matrix is multiplied by activations of 0.
enum byte_terms { BYTE_ZEROS, BYTE_OFFSETS, BYTE_SCALES }; // what codes have beside a scale: minus a zero point, an offset, nothing

struct byte_tile {
    enum byte_terms terms;
    size_t groups, lanes;                  // lanes of a group
    const char *a, *w;
    const int32_t *start;                  // [group][row]: what sums begin with, since codes are packed with a bias; not with row_groups or offsets
    const float *sums, *a_scale;           // [group][row], of activations; with row_groups [row][group]
    const float *scale, *term;             // [group][column], of weights; term is [group][loops->terms][column]
    float *out;
    size_t ld, rows, cols;
    int add; // out has sums of earlier products
};

struct byte_loops {
    size_t rows, cols; // of a tile of the output
    size_t each;       // elements of a lane
    size_t digits;     // columns of packed weights for each of the output
    size_t terms;      // what a group of weights has of them beside its scale, at most
    size_t row_groups;  // if not 0, sums and scales of activations lie row by row, with room for so many groups
    size_t whole_lanes; // if not 0, groups are steps of up to so many lanes, all of one size
    size_t least_rows, least_lanes; // of activations and of a group: with fewer, other loops are faster
    double least;        // multiplications of a part
    int bias[CPU_TYPES]; // of packed codes
    void (*begin)(size_t lanes), (*end)(void); // before and after the tiles of a task with groups of so many lanes, on its thread; NULL: nothing
    void (*tile)(const struct byte_tile *t);
    // A row of n activations, whole groups of as many lanes, and their sums.
    void (*pack_row)(const int8_t *src, size_t n, size_t lanes, char *dst, int32_t *sums);
    // n codes of a row, from a new byte or block on, as bytes with their bias; a second digit goes `cols` rows of BYTE_UNPACKED further.
    void (*unpack[CPU_TYPES])(const uint8_t *src, size_t n, int8_t *dst);
    // Scales and terms of n weights of a row of blocks from `first` on, in groups of a whole block; NULL: those of struct blocks_loops.
    void (*scales[CPU_TYPES])(const uint8_t *row, size_t first, size_t n, float *scale, float *term);
    // A panel of as many lanes, from rows of unpacked codes that are `row` bytes apart and go on to whole vectors.
    void (*pack_cols)(const int8_t *src, size_t row, size_t lanes, char *dst);
    // [group][column] from [column][group], whose rows are `row` apart and go on to whole vectors.
    void (*turn)(const float *src, size_t row, size_t groups, float *dst);
};

// The kernels matmul_quant_int8 and matmul_blocks_int8.
int run_bytes(cpu_stream *s, const cpu_args *a);
int run_block_bytes(cpu_stream *s, const cpu_args *a);

#endif
