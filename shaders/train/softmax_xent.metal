// loss[r] = −log softmax(x[r,·])[label[r]], and dx[r,·] = (softmax(x[r,·]) − 1 at the label) / rows. One SIMD group per row.

#include "common.h"
#include "params/train.h"


template <typename T>
kernel void softmax_xent(device const T *x [[buffer(0)]],
                         device const uint *label [[buffer(1)]],
                         device float *loss [[buffer(2)]],
                         device T *dx [[buffer(3)]],
                         constant SoftmaxXentParams &p [[buffer(4)]],
                         uint2 group [[threadgroup_position_in_grid]],
                         uint2 local [[thread_position_in_threadgroup]],
                         uint2 size [[threads_per_threadgroup]],
                         uint lane [[thread_index_in_simdgroup]]) {
    const uint row = group.x * size.y + local.y;
    if (row >= p.rows) return; // a whole SIMD group returns
    device const T *from = x + size_t(row) * p.cols;
    device T *to = dx + size_t(row) * p.cols;
    float top = -INFINITY, sum = 0.0f;
    for (uint c = lane; c < p.cols; c += SIMD) top = max(top, float(from[c]));
    top = simd_max(top);
    for (uint c = lane; c < p.cols; c += SIMD) sum += exp(float(from[c]) - top);
    sum = simd_sum(sum);
    const uint right = label[row] % p.cols;
    const float rows = float(p.rows);
    for (uint c = lane; c < p.cols; c += SIMD) {
        const float share = exp(float(from[c]) - top) / sum;
        to[c] = T((c == right ? share - 1.0f : share) / rows);
    }
    if (lane == 0) loss[row] = log(sum) - (float(from[right]) - top);
}

template [[host_name("softmax_xent_f32")]] kernel void softmax_xent<float>(
    device const float *, device const uint *, device float *, device float *, constant SoftmaxXentParams &, uint2, uint2, uint2, uint);
template [[host_name("softmax_xent_f16")]] kernel void softmax_xent<half>(
    device const half *, device const uint *, device float *, device half *, constant SoftmaxXentParams &, uint2, uint2, uint2, uint);
