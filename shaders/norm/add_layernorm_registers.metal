// sum = x + y, rounded, and out = layer normalization of the rows of sum. Threads keep their part of a row in registers; see
// layernorm_registers.metal.

#include "common.h"
#include "params/norm.h"
#include "layernorm_kept.h"

// Adds y to a row, rounds the sum as it is stored, and stores it in `to` if the row is `inside` the matrix.
template <typename T, bool WHOLE>
static inline void add_row(thread Kept<T, WHOLE> &row, device const T *y, device T *to, bool inside) {
    Kept<T, WHOLE> other = {row.n, row.local, row.threads};
    other.load(y, 0.0f);
    for (uint i = 0; i < MAX_KEPT * Wide<T>::FOURS; i++)
        if (i < uint(kept) * Wide<T>::FOURS) row.v[i] = float4(vec<T, 4>(row.v[i] + other.v[i]));
    for (uint i = 0; i < MAX_KEPT; i++)
        if (i < uint(kept) && inside) row.put(to, i);
}

template <typename T, bool WHOLE>
static inline void add_normalize(device const T *x, device const T *y, device const T *weight, device const T *bias, device T *sum,
                                 device T *out, constant LayerNormParams &p, threadgroup float2 *partial, uint2 group, uint2 local,
                                 uint2 size, uint lane) {
    const uint row = group.x * size.y + local.y;
    const size_t first = size_t(min(row, p.rows - 1)) * p.cols; // clamped: all threads must reach the barrier
    Kept<T, WHOLE> mine = {p.cols, local.x, size.x};
    mine.load(x + first, 0.0f);
    add_row(mine, y + first, sum + first, row < p.rows);
    normalize_kept(mine, weight, bias, out + first, p.eps, row < p.rows, partial, local, size, lane);
}

template <typename T>
kernel void add_layernorm_registers(device const T *x [[buffer(0)]],
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
    if (is_whole<T>(p.cols)) add_normalize<T, true>(x, y, weight, bias, sum, out, p, partial, group, local, size, lane);
    else add_normalize<T, false>(x, y, weight, bias, sum, out, p, partial, group, local, size, lane);
}

#define INSTANTIATE(name, type)                                                                                         \
    template [[host_name(name)]] kernel void add_layernorm_registers<type>(                                             \
        device const type *, device const type *, device const type *, device const type *, device type *, device type *, \
        constant LayerNormParams &, threadgroup float2 *, uint2, uint2, uint2, uint);

INSTANTIATE("add_layernorm_registers_f32", float)
INSTANTIATE("add_layernorm_registers_f16", half)
