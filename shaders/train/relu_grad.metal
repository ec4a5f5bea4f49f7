// dx = dy where y > 0, else 0; each thread takes 16 bytes of each array.

#include "common.h"
#include "wide.h"
#include "params/train.h"

template <typename T>
kernel void relu_grad(device const T *y [[buffer(0)]],
                      device const T *dy [[buffer(1)]],
                      device T *dx [[buffer(2)]],
                      constant ReluGradParams &p [[buffer(3)]],
                      uint id [[thread_position_in_grid]]) {
    const uint first = id * Wide<T>::COUNT;
    if (first + Wide<T>::COUNT > p.n) {
        for (uint i = first; i < p.n; i++) dx[i] = float(y[i]) > 0.0f ? dy[i] : T(0.0f);
        return;
    }
    float4 v[Wide<T>::FOURS], d[Wide<T>::FOURS];
    Wide<T>::load(y + first, v);
    Wide<T>::load(dy + first, d);
    for (uint i = 0; i < Wide<T>::COUNT; i++) { // by a mask: given a conditional, clang would load one element at a time
        const uint there = v[i / 4][i % 4] > 0.0f ? ~0u : 0u;
        d[i / 4][i % 4] = as_type<float>(as_type<uint>(d[i / 4][i % 4]) & there);
    }
    Wide<T>::store(dx + first, d);
}

template [[host_name("relu_grad_f32")]] kernel void relu_grad<float>(
    device const float *, device const float *, device float *, constant ReluGradParams &, uint);
template [[host_name("relu_grad_f16")]] kernel void relu_grad<half>(
    device const half *, device const half *, device half *, constant ReluGradParams &, uint);
