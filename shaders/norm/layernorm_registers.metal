// out[r,c] = (x[r,c] − mean of x[r,·]) / √(variance of x[r,·] + eps) · weight[c] + bias[c]; computed in float, rounded once. Threads
// keep their part of a row in registers, from which first the mean and then the distances from it are added.

#include "common.h"
#include "params/norm.h"
#include "kept.h"

struct Sum {
    float found;

    void take(float4 v, uint) { found += (v.x + v.y) + (v.z + v.w); }
};

// The distances from the mean take the elements' place; those beyond the row are 0.
struct Distances {
    float mean, squares;
    uint n;

    void take(thread float4 &v, uint at) {
        for (uint i = 0; i < 4; i++) v[i] = at + i < n ? v[i] - mean : 0.0f;
        squares += dot(v, v);
    }
};

template <typename T>
struct Normalized {
    device const T *weight, *bias;
    float scale;
    uint n;

    void finish(thread float4 *v, uint at) const {
        float4 w[Wide<T>::FOURS], b[Wide<T>::FOURS];
        Kept<T>::load16(weight, n, at, w, 0.0f);
        Kept<T>::load16(bias, n, at, b, 0.0f);
        for (uint f = 0; f < Wide<T>::FOURS; f++) v[f] = fma(v[f] * scale, w[f], b[f]);
    }
};

template <typename T>
kernel void layernorm_registers(device const T *x [[buffer(0)]],
                                device const T *weight [[buffer(1)]],
                                device const T *bias [[buffer(2)]],
                                device T *out [[buffer(3)]],
                                constant LayerNormParams &p [[buffer(4)]],
                                threadgroup float *partial [[threadgroup(0)]],
                                uint2 group [[threadgroup_position_in_grid]],
                                uint2 local [[thread_position_in_threadgroup]],
                                uint2 size [[threads_per_threadgroup]],
                                uint lane [[thread_index_in_simdgroup]]) {
    const uint row = group.x * size.y + local.y;
    const bool inside = row < p.rows; // all threads reach the barriers
    const size_t first = size_t(inside ? row : 0) * p.cols;
    Kept<T> mine;
    mine.load(x + first, inside ? p.cols : 0, local.x, size.x, 0.0f);
    Sum sum = {0.0f};
    mine.each(local.x, size.x, sum);
    Distances distances = {row_sum(sum.found, partial, local, size, lane) / float(p.cols), 0.0f, p.cols};
    mine.each(local.x, size.x, distances);
    const float variance = row_sum(distances.squares, partial, local, size, lane) / float(p.cols);
    if (!inside) return;
    const Normalized<T> rest = {weight, bias, 1.0f / sqrt(variance + p.eps), p.cols};
    mine.store(out + first, p.cols, local.x, size.x, rest);
}

#define INSTANTIATE(name, type)                                                                                   \
    template [[host_name(name)]] kernel void layernorm_registers<type>(                                           \
        device const type *, device const type *, device const type *, device type *, constant LayerNormParams &, \
        threadgroup float *, uint2, uint2, uint2, uint);

INSTANTIATE("layernorm_registers_f32", float)
INSTANTIATE("layernorm_registers_f16", half)
#if __METAL_VERSION__ >= 310
INSTANTIATE("layernorm_registers_bf16", bfloat)
#endif
