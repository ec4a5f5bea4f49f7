// Nothing but multiply-adds, in enough independent chains to keep a core busy. Each step of a chain multiplies the result of the
// step before, so that none can be optimized away.

#include "common.h"
#include "params/peak.h"

constant constexpr uint CHAINS = 8; // of vectors of four, per thread
constant constexpr uint GROUP = 256; // threads per threadgroup

// x = 1 − f·x, repeatedly: it stays within ±3 and oscillates from step to step.
template <typename T>
kernel void multiply_add(device const T *x [[buffer(0)]],
                         device T *out [[buffer(1)]],
                         constant StepsParams &p [[buffer(2)]],
                         uint group [[threadgroup_position_in_grid]],
                         uint local [[thread_position_in_threadgroup]]) {
    using T4 = vec<T, 4>;
    const uint first = group * GROUP * CHAINS + local, vectors = p.n / 4;
    T4 v[CHAINS];
    for (uint c = 0; c < CHAINS; c++) v[c] = first + c * GROUP < vectors ? *(device const T4 *)(x + 4 * (first + c * GROUP)) : T4(T(0));
    const T4 factor = T4(T(-MULTIPLY_ADD_FACTOR)), one = T4(T(1));
    for (uint s = 0; s < p.steps; s++)
        for (uint c = 0; c < CHAINS; c++) v[c] = fma(v[c], factor, one);
    for (uint c = 0; c < CHAINS; c++)
        if (first + c * GROUP < vectors) *(device T4 *)(out + 4 * (first + c * GROUP)) = v[c];
}

template [[host_name("multiply_add_f32")]] kernel void multiply_add<float>(
    device const float *, device float *, constant StepsParams &, uint, uint);
template [[host_name("multiply_add_f16")]] kernel void multiply_add<half>(
    device const half *, device half *, constant StepsParams &, uint, uint);

// y += the dot product of the four bytes of y, unsigned, and four bytes of x, repeatedly.
kernel void dot_add_int8(device const char *x [[buffer(0)]],
                         device uint *out [[buffer(1)]],
                         constant StepsParams &p [[buffer(2)]],
                         uint group [[threadgroup_position_in_grid]],
                         uint local [[thread_position_in_threadgroup]]) {
    const uint first = group * GROUP * CHAINS + local;
    uint y[CHAINS];
    char4 w[CHAINS];
    for (uint c = 0; c < CHAINS; c++) {
        w[c] = first + c * GROUP < p.n ? *(device const char4 *)(x + 4 * (first + c * GROUP)) : char4(0);
        y[c] = as_type<uint>(w[c]);
    }
    for (uint s = 0; s < p.steps; s++) {
        for (uint c = 0; c < CHAINS; c++) {
            const uchar4 b = as_type<uchar4>(y[c]);
            y[c] += uint(int(b.x) * int(w[c].x) + int(b.y) * int(w[c].y) + int(b.z) * int(w[c].z) + int(b.w) * int(w[c].w));
        }
    }
    for (uint c = 0; c < CHAINS; c++)
        if (first + c * GROUP < p.n) out[first + c * GROUP] = y[c];
}
