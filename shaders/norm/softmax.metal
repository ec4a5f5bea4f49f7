// out[r,c] = exp(x[r,c]) / the sum of exp(x[r,·]); computed in float, rounded once.
//
// A threadgroup takes a row. Its threads read the row once for the largest element and the sum of the powers relative to
// that, which grows with it, and once more to write. Sums meet in each SIMD group, and then by way of threadgroup memory.

#include "common.h"
#include "params/norm.h"

constant constexpr uint SIMD = 32;
constant constexpr float LOWEST = -numeric_limits<float>::max(); // −∞ would be NaN in differences

template <typename T>
kernel void softmax(device const T *x [[buffer(0)]],
                    device T *out [[buffer(1)]],
                    constant SoftmaxParams &p [[buffer(2)]],
                    threadgroup float2 *partial [[threadgroup(0)]],
                    uint row [[threadgroup_position_in_grid]],
                    uint local [[thread_position_in_threadgroup]],
                    uint size [[threads_per_threadgroup]],
                    uint lane [[thread_index_in_simdgroup]]) {
    device const T *from = x + size_t(row) * p.cols;
    device T *to = out + size_t(row) * p.cols;
    float largest = LOWEST, sum = 0.0f;
    for (uint c = local; c < p.cols; c += size) {
        const float e = float(from[c]), power = exp(-fabs(e - largest));
        sum = e > largest ? fma(sum, power, 1.0f) : sum + power;
        largest = e > largest ? e : largest;
    }
    float top = simd_max(largest);
    sum = simd_sum(sum * exp(largest - top));
    if (lane == 0) partial[local / SIMD] = float2(top, sum);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const float2 group = lane < size / SIMD ? partial[lane] : float2(LOWEST, 0.0f);
    top = simd_max(group.x);
    const float scale = 1.0f / simd_sum(group.y * exp(group.x - top));
    for (uint c = local; c < p.cols; c += size) to[c] = T(exp(float(from[c]) - top) * scale);
}

template [[host_name("softmax_f32")]] kernel void softmax<float>(
    device const float *, device float *, constant SoftmaxParams &, threadgroup float2 *, uint, uint, uint, uint);
template [[host_name("softmax_f16")]] kernel void softmax<half>(
    device const half *, device half *, constant SoftmaxParams &, threadgroup float2 *, uint, uint, uint, uint);
