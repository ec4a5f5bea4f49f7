// Ways to walk a matrix: along its rows, along its columns, and from rows to columns. One thread per element.

#include "common.h"
#include "params/stream.h"

// Neighboring threads take neighbors of a row.
kernel void copy_matrix_f32(device const float *x [[buffer(0)]],
                            device float *out [[buffer(1)]],
                            constant MatrixParams &p [[buffer(2)]],
                            uint2 id [[thread_position_in_grid]]) {
    if (id.x < p.cols && id.y < p.rows) out[id.y * p.cols + id.x] = x[id.y * p.cols + id.x];
}

// Neighboring threads take neighbors of a column, which are a row apart.
kernel void copy_matrix_columns_f32(device const float *x [[buffer(0)]],
                                    device float *out [[buffer(1)]],
                                    constant MatrixParams &p [[buffer(2)]],
                                    uint2 id [[thread_position_in_grid]]) {
    if (id.x < p.rows && id.y < p.cols) out[id.x * p.cols + id.y] = x[id.x * p.cols + id.y];
}

// Neighboring threads read neighbors of a column, and write neighbors of a row.
kernel void transpose_f32(device const float *x [[buffer(0)]],
                          device float *out [[buffer(1)]],
                          constant MatrixParams &p [[buffer(2)]],
                          uint2 id [[thread_position_in_grid]]) {
    if (id.x < p.rows && id.y < p.cols) out[id.y * p.rows + id.x] = x[id.x * p.cols + id.y];
}
