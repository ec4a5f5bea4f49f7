// Quantizes a [rows, cols] float matrix to int8 with one scale per row: its largest magnitude over 127, or 1 where that would not
// be a normal number. One threadgroup per row; where rows begin at a multiple of four, a thread takes four elements at a time.

#include "common.h"
#include "codes.h"
#include "extremes.h"
#include "quantize.h"
#include "params/quant.h"

static inline uint code4(float4 v, float2 sz) {
    return code_for<ToInt8>(v.x, sz) | code_for<ToInt8>(v.y, sz) << 8 | code_for<ToInt8>(v.z, sz) << 16 | code_for<ToInt8>(v.w, sz) << 24;
}

kernel void quantize_rows_int8(device const float *x [[buffer(0)]],
                               device uchar *q [[buffer(1)]],
                               device float *scale [[buffer(2)]],
                               constant RowsParams &p [[buffer(3)]],
                               uint row [[threadgroup_position_in_grid]],
                               uint id [[thread_position_in_threadgroup]],
                               uint threads [[threads_per_threadgroup]],
                               uint lane [[thread_index_in_simdgroup]],
                               uint simd [[simdgroup_index_in_threadgroup]],
                               uint simds [[simdgroups_per_threadgroup]]) {
    threadgroup float scratch[32];
    device const float *from = x + size_t(row) * p.cols;
    device uchar *to = q + size_t(row) * p.cols;
    const uint fours = p.cols % 4 == 0 ? p.cols / 4 : 0;
    float size = 0.0f;
    for (uint i = id; i < fours; i += threads) {
        const float4 v = abs(*(device const float4 *)(from + 4 * i));
        size = max(size, max(max(v.x, v.y), max(v.z, v.w)));
    }
    for (uint i = 4 * fours + id; i < p.cols; i += threads) size = max(size, abs(from[i]));
    size = reduce_group(size, true, scratch, lane, simd, simds);
    const float2 sz = float2(size / ToInt8::top < SMALLEST ? 1.0f : size / ToInt8::top, 0.0f);
    for (uint i = id; i < fours; i += threads) *(device uint *)(to + 4 * i) = code4(*(device const float4 *)(from + 4 * i), sz);
    for (uint i = 4 * fours + id; i < p.cols; i += threads) to[i] = uchar(code_for<ToInt8>(from[i], sz));
    if (id == 0) scale[row] = sz.x;
}
