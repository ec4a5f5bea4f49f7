// int8 and int4 codes of a [rows, cols] matrix back to floats; see quantize.metal for what they stand for.

#include "common.h"
#include "codes.h"
#include "params/quant.h"

template <typename Q>
kernel void dequantize(device const uchar *q [[buffer(0)]],
                       device const float *scale [[buffer(1)]],
                       device const float *zero [[buffer(2)]],
                       device float *out [[buffer(3)]],
                       constant QuantParams &p [[buffer(4)]],
                       uint2 id [[thread_position_in_grid]]) {
    if (id.x >= p.cols || id.y >= p.rows) return;
    const uint b = block_of(id.y, id.x, p.cols, p.block);
    out[size_t(id.y) * p.cols + id.x] = (Q::code(q, id.y, id.x, p.cols) - zero[b]) * scale[b];
}

template [[host_name("dequantize_int8")]] kernel void dequantize<Int8>(
    device const uchar *, device const float *, device const float *, device float *, constant QuantParams &, uint2);
template [[host_name("dequantize_int4")]] kernel void dequantize<Int4>(
    device const uchar *, device const float *, device const float *, device float *, constant QuantParams &, uint2);
