// A transpose that reads rows and writes rows, through threadgroup memory.

#include "common.h"
#include "params/stream.h"

constant constexpr uint TILE = 32, DEEP = 8; // the side of a tile, and the rows of it that a threadgroup takes at a time

// Rows are read into threadgroup memory and its columns are written, so that both accesses to device memory are contiguous. A
// column of padding keeps the elements of a column in different banks.
kernel void transpose_tiled_f32(device const float *x [[buffer(0)]],
                                device float *out [[buffer(1)]],
                                constant MatrixParams &p [[buffer(2)]],
                                uint2 group [[threadgroup_position_in_grid]],
                                uint2 at [[thread_position_in_threadgroup]]) {
    threadgroup float tile[TILE][TILE + 1];
    const uint col = group.x * TILE, row = group.y * TILE;
    for (uint r = at.y; r < TILE; r += DEEP)
        if (row + r < p.rows && col + at.x < p.cols) tile[r][at.x] = x[(row + r) * p.cols + col + at.x];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint c = at.y; c < TILE; c += DEEP)
        if (col + c < p.cols && row + at.x < p.rows) out[(col + c) * p.rows + row + at.x] = tile[at.x][c];
}
