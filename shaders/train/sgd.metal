// w = w − rate · dw, in place; each thread takes 16 bytes of each array.

#include "common.h"
#include "wide.h"
#include "params/train.h"

template <typename T>
kernel void sgd(device T *w [[buffer(0)]],
                device const T *dw [[buffer(1)]],
                constant SGDParams &p [[buffer(2)]],
                uint id [[thread_position_in_grid]]) {
    const uint first = id * Wide<T>::COUNT;
    if (first + Wide<T>::COUNT > p.n) {
        for (uint i = first; i < p.n; i++) w[i] = T(fma(-p.rate, float(dw[i]), float(w[i])));
        return;
    }
    float4 v[Wide<T>::FOURS], d[Wide<T>::FOURS];
    Wide<T>::load(w + first, v);
    Wide<T>::load(dw + first, d);
    for (uint f = 0; f < Wide<T>::FOURS; f++) v[f] = fma(float4(-p.rate), d[f], v[f]);
    Wide<T>::store(w + first, v);
}

template [[host_name("sgd_f32")]] kernel void sgd<float>(device float *, device const float *, constant SGDParams &, uint);
template [[host_name("sgd_f16")]] kernel void sgd<half>(device half *, device const half *, constant SGDParams &, uint);
