// Block quantization of a [rows, cols] float matrix to int8 or int4.
//
// A block is `block` neighbors of one row; the last block of a row may be shorter. quantize_tensor.metal takes a whole
// tensor for a block. Code q stands for (q − zero)·scale. Affine: scale = (max − min)/(qmax − qmin), zero = qmin − min/scale.
// Symmetric: scale = absmax/qmax, zero = 0. A constant block has scale = its value and zero = 0, so it comes back
// exactly. Where the scale would not be a normal number it is 1 and zero = 0.

#include "common.h"
#include "codes.h"
#include "quantize.h"
#include "params/quant.h"

constant bool symmetric [[function_constant(QUANTIZE_SYMMETRIC)]];

// One threadgroup quantizes one block: `size` elements of a row from column `first`.
struct Span {
    uint row, first, size;
};

static inline Span span_of(constant QuantParams &p, uint index) {
    const uint per_row = blocks_per_row(p.cols, p.block);
    const uint row = index / per_row, first = (index % per_row) * p.block;
    return {row, first, min(p.block, p.cols - first)};
}

template <typename Q>
static inline float2 block_scale(device const float *x, constant QuantParams &p, Span s, uint id, uint threads,
                                 threadgroup float *scratch, uint lane, uint simd, uint simds) {
    float lo = INFINITY, hi = -INFINITY;
    for (uint c = id; c < s.size; c += threads) {
        const float v = x[size_t(s.row) * p.cols + s.first + c];
        lo = min(lo, v);
        hi = max(hi, v);
    }
    lo = reduce_group(lo, false, scratch, lane, simd, simds);
    hi = reduce_group(hi, true, scratch, lane, simd, simds);
    return scale_zero<Q>(lo, hi, symmetric);
}

kernel void quantize_int8(device const float *x [[buffer(0)]],
                          device char *q [[buffer(1)]],
                          device float *scale [[buffer(2)]],
                          device float *zero [[buffer(3)]],
                          constant QuantParams &p [[buffer(4)]],
                          uint index [[threadgroup_position_in_grid]],
                          uint id [[thread_position_in_threadgroup]],
                          uint threads [[threads_per_threadgroup]],
                          uint lane [[thread_index_in_simdgroup]],
                          uint simd [[simdgroup_index_in_threadgroup]],
                          uint simds [[simdgroups_per_threadgroup]]) {
    threadgroup float scratch[32];
    const Span s = span_of(p, index);
    const float2 sz = block_scale<Int8>(x, p, s, id, threads, scratch, lane, simd, simds);
    for (uint c = id; c < s.size; c += threads) {
        const size_t at = size_t(s.row) * p.cols + s.first + c;
        q[at] = char(code_for<Int8>(x[at], sz));
    }
    if (id == 0) {
        scale[index] = sz.x;
        zero[index] = sz.y;
    }
}

kernel void quantize_int4(device const float *x [[buffer(0)]],
                          device uchar *q [[buffer(1)]],
                          device float *scale [[buffer(2)]],
                          device float *zero [[buffer(3)]],
                          constant QuantParams &p [[buffer(4)]],
                          uint index [[threadgroup_position_in_grid]],
                          uint id [[thread_position_in_threadgroup]],
                          uint threads [[threads_per_threadgroup]],
                          uint lane [[thread_index_in_simdgroup]],
                          uint simd [[simdgroup_index_in_threadgroup]],
                          uint simds [[simdgroups_per_threadgroup]]) {
    threadgroup float scratch[32];
    const Span s = span_of(p, index);
    const float2 sz = block_scale<Int4>(x, p, s, id, threads, scratch, lane, simd, simds);
    const uint stride = (p.cols + 1) / 2;
    for (uint c = 2 * id; c < s.size; c += 2 * threads) { // a byte a thread: both its nibbles are in this block
        const size_t at = size_t(s.row) * p.cols + s.first + c;
        uint byte = nibble(code_for<Int4>(x[at], sz));
        if (c + 1 < s.size) byte |= nibble(code_for<Int4>(x[at + 1], sz)) << 4;
        q[size_t(s.row) * stride + (s.first + c) / 2] = uchar(byte);
    }
    if (id == 0) {
        scale[index] = sz.x;
        zero[index] = sz.y;
    }
}
