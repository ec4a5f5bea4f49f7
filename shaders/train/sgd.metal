// w = w − rate · dw, in place; a thread takes an element.

#include "common.h"
#include "params/train.h"

template <typename T>
kernel void sgd(device T *w [[buffer(0)]],
                device const T *dw [[buffer(1)]],
                constant SGDParams &p [[buffer(2)]],
                uint id [[thread_position_in_grid]]) {
    if (id < p.n) w[id] = T(fma(-p.rate, float(dw[id]), float(w[id])));
}

template [[host_name("sgd_f32")]] kernel void sgd<float>(device float *, device const float *, constant SGDParams &, uint);
template [[host_name("sgd_f16")]] kernel void sgd<half>(device half *, device const half *, constant SGDParams &, uint);
