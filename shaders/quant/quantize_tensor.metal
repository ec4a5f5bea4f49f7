// The second pass over a tensor that is quantized as one block: every threadgroup computes the tensor's scale from the extremes
// of its parts, and writes QUANTIZE_CHUNK bytes of codes. See quantize.metal for what codes stand for.

#include "common.h"
#include "codes.h"
#include "extremes.h"
#include "scale_zero.h"
#include "params/quant.h"

constant bool symmetric [[function_constant(QUANTIZE_SYMMETRIC)]];

// Byte `at` of the codes of a row.
template <typename Q>
static inline uint byte_of(device const float *row, uint at, uint cols, float2 sz) {
    constexpr uint EACH = 8 / Q::BITS;
    uint byte = 0;
    for (uint e = 0; e < EACH; e++)
        if (EACH == 1 || EACH * at + e < cols) byte |= code_for<Q>(row[EACH * at + e], sz) << (e * Q::BITS);
    return byte;
}

template <typename Q>
kernel void quantize_tensor(device const float *x [[buffer(0)]],
                            device const float *lo [[buffer(1)]],
                            device const float *hi [[buffer(2)]],
                            device const float *sum [[buffer(3)]],
                            device uchar *q [[buffer(4)]],
                            device uchar *scale [[buffer(5)]],
                            device uchar *zero [[buffer(6)]],
                            constant TensorParams &p [[buffer(7)]],
                            uint index [[threadgroup_position_in_grid]],
                            uint id [[thread_position_in_threadgroup]],
                            uint threads [[threads_per_threadgroup]],
                            uint lane [[thread_index_in_simdgroup]],
                            uint simd [[simdgroup_index_in_threadgroup]],
                            uint simds [[simdgroups_per_threadgroup]]) {
    threadgroup float scratch[32];
    float least = INFINITY, greatest = -INFINITY, size = 0.0f;
    for (uint i = id; i < p.parts; i += threads) {
        least = min(least, lo[i]);
        greatest = max(greatest, hi[i]);
        size += sum[i];
    }
    least = reduce_group(least, false, scratch, lane, simd, simds);
    greatest = reduce_group(greatest, true, scratch, lane, simd, simds);
    size = sum_group(size, scratch, lane, simd, simds);
    const float2 sz = scale_zero<Q>(least, greatest, size, float(p.rows) * float(p.cols), symmetric);
    const size_t stride = row_bytes<Q>(p.cols), all = p.rows * stride, first = size_t(index) * QUANTIZE_CHUNK;
    const size_t last = min(first + QUANTIZE_CHUNK, all);
    for (size_t i = first + id; i < last; i += threads) {
        const size_t row = i / stride;
        q[i] = uchar(byte_of<Q>(x + row * p.cols, uint(i - row * stride), p.cols, sz));
    }
    if (index > 0 || id > 0) return;
    put_scale(scale, 0, sz.x);
    if (Q::ZEROS) put_scale(zero, 0, sz.y);
}

#define INSTANTIATE(name, codes)                                                                                       \
    template [[host_name(name)]] kernel void quantize_tensor<codes>(                                                   \
        device const float *, device const float *, device const float *, device const float *, device uchar *, device uchar *, \
        device uchar *, constant TensorParams &, uint, uint, uint, uint, uint, uint);

INSTANTIATE("quantize_tensor_int8", ToInt8)
INSTANTIATE("quantize_tensor_int4", ToInt4)
INSTANTIATE("quantize_tensor_e4m3", ToE4M3)
INSTANTIATE("quantize_tensor_e5m2", ToE5M2)
INSTANTIATE("quantize_tensor_ternary", ToTernary)
