// The second pass over a tensor that is quantized as one block: every threadgroup finds the tensor's scale from the
// extremes of its parts, and makes CHUNK bytes of codes. See quantize.metal for what codes stand for.

#include "common.h"
#include "codes.h"
#include "extremes.h"
#include "quantize.h"
#include "params/quant.h"

constant bool symmetric [[function_constant(QUANTIZE_SYMMETRIC)]];

// A byte of codes of row `row` from byte `at` of the row on.
struct Int8Bytes : Int8 {
    static uint stride(uint cols) { return cols; }
    static uint byte(device const float *row, uint at, uint, float2 sz) { return uint(code_for<Int8>(row[at], sz)); }
};
struct Int4Bytes : Int4 {
    static uint stride(uint cols) { return (cols + 1) / 2; }
    static uint byte(device const float *row, uint at, uint cols, float2 sz) {
        const uint low = nibble(code_for<Int4>(row[2 * at], sz));
        return 2 * at + 1 < cols ? low | nibble(code_for<Int4>(row[2 * at + 1], sz)) << 4 : low;
    }
};

template <typename Q>
kernel void quantize_tensor(device const float *x [[buffer(0)]],
                            device const float *lo [[buffer(1)]],
                            device const float *hi [[buffer(2)]],
                            device uchar *q [[buffer(3)]],
                            device float *scale [[buffer(4)]],
                            device float *zero [[buffer(5)]],
                            constant TensorParams &p [[buffer(6)]],
                            uint index [[threadgroup_position_in_grid]],
                            uint id [[thread_position_in_threadgroup]],
                            uint threads [[threads_per_threadgroup]],
                            uint lane [[thread_index_in_simdgroup]],
                            uint simd [[simdgroup_index_in_threadgroup]],
                            uint simds [[simdgroups_per_threadgroup]]) {
    threadgroup float scratch[32];
    float least = INFINITY, greatest = -INFINITY;
    for (uint i = id; i < p.parts; i += threads) {
        least = min(least, lo[i]);
        greatest = max(greatest, hi[i]);
    }
    least = reduce_group(least, false, scratch, lane, simd, simds);
    greatest = reduce_group(greatest, true, scratch, lane, simd, simds);
    const float2 sz = scale_zero<Q>(least, greatest, symmetric);
    const uint stride = Q::stride(p.cols);
    const size_t all = size_t(p.rows) * stride, first = size_t(index) * QUANTIZE_CHUNK;
    const size_t last = min(first + QUANTIZE_CHUNK, all);
    for (size_t i = first + id; i < last; i += threads) {
        const size_t row = i / stride;
        q[i] = uchar(Q::byte(x + row * p.cols, uint(i - row * stride), p.cols, sz));
    }
    if (index > 0 || id > 0) return;
    scale[0] = sz.x;
    zero[0] = sz.y;
}

template [[host_name("quantize_tensor_int8")]] kernel void quantize_tensor<Int8Bytes>(
    device const float *, device const float *, device const float *, device uchar *, device float *, device float *,
    constant TensorParams &, uint, uint, uint, uint, uint, uint);
template [[host_name("quantize_tensor_int4")]] kernel void quantize_tensor<Int4Bytes>(
    device const float *, device const float *, device const float *, device uchar *, device float *, device float *,
    constant TensorParams &, uint, uint, uint, uint, uint, uint);
