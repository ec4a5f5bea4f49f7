// dx = dy where y > 0, else 0; a thread takes an element.

#include "common.h"
#include "params/train.h"

template <typename T>
kernel void relu_grad(device const T *y [[buffer(0)]],
                      device const T *dy [[buffer(1)]],
                      device T *dx [[buffer(2)]],
                      constant ReluGradParams &p [[buffer(3)]],
                      uint id [[thread_position_in_grid]]) {
    if (id < p.n) dx[id] = float(y[id]) > 0.0f ? dy[id] : T(0.0f);
}

template [[host_name("relu_grad_f32")]] kernel void relu_grad<float>(
    device const float *, device const float *, device float *, constant ReluGradParams &, uint);
template [[host_name("relu_grad_f16")]] kernel void relu_grad<half>(
    device const half *, device const half *, device half *, constant ReluGradParams &, uint);
