// sum = x + y, rounded, and out = layer normalization of sum, in one pass over x and y. Threads share rows as in layernorm.metal;
// each rereads only sums that it wrote itself.

#include "common.h"
#include "layernorm.h"

// Stores the sums, and adds up their moments on the way.
template <typename T>
struct SummedMoments {
    device const T *x, *y;
    device T *out;
    float shift;
    float2 sum;

    void take(uint i) {
        out[i] = T(float(x[i]) + float(y[i]));
        const float d = float(out[i]) - shift;
        sum += float2(d, d * d);
    }

    void take4(uint i) {
        put4(out, i, four(x, i) + four(y, i));
        const float4 d = four((device const T *)out, i) - shift;
        sum += float2((d.x + d.y) + (d.z + d.w), dot(d, d));
    }
};

template <typename T>
kernel void add_layernorm(device const T *x [[buffer(0)]],
                          device const T *y [[buffer(1)]],
                          device const T *weight [[buffer(2)]],
                          device const T *bias [[buffer(3)]],
                          device T *sum [[buffer(4)]],
                          device T *out [[buffer(5)]],
                          constant LayerNormParams &p [[buffer(6)]],
                          threadgroup float2 *partial [[threadgroup(0)]],
                          uint2 group [[threadgroup_position_in_grid]],
                          uint2 local [[thread_position_in_threadgroup]],
                          uint2 size [[threads_per_threadgroup]],
                          uint lane [[thread_index_in_simdgroup]]) {
    const uint row = group.x * size.y + local.y;
    const bool inside = row < p.rows; // all threads must reach the barrier
    const size_t first = size_t(inside ? row : 0) * p.cols;
    SummedMoments<T> moments = {x + first, y + first, sum + first, 0.0f, 0.0f};
    if (inside && p.cols > 0) moments.shift = float(T(float(x[first]) + float(y[first])));
    if (inside) each(moments, p.cols, local.x, size.x);
    const float2 mean = row_sum(moments.sum, partial, local, size, lane) / float(p.cols);
    if (!inside) return;
    Normalized<T> rest = normalized((device const T *)sum + first, weight, bias, out + first, moments.shift, mean, p.eps);
    each(rest, p.cols, local.x, size.x);
}

#define INSTANTIATE(name, type)                                                                                         \
    template [[host_name(name)]] kernel void add_layernorm<type>(                                                       \
        device const type *, device const type *, device const type *, device const type *, device type *, device type *, \
        constant LayerNormParams &, threadgroup float2 *, uint2, uint2, uint2, uint);

INSTANTIATE("add_layernorm_f32", float)
INSTANTIATE("add_layernorm_f16", half)
