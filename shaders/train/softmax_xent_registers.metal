// loss[r] = −log softmax(x[r,·])[label[r]], and dx[r,·] = (softmax(x[r,·]) − 1 at the label) / rows. Threads keep their part of a
// row in registers, as in softmax_registers.metal.

#include "common.h"
#include "params/norm.h"
#include "params/train.h"
#include "softmax_kept.h"

// Turns exponentials into the gradient: `by` divides them by their sum and by the number of rows.
struct Gradient {
    float by, one;
    uint right;

    template <typename K>
    void finish(thread K &row, uint i) const {
        for (uint f = 0; f < AHEAD * K::FOURS; f++) {
            if (i * K::FOURS + f >= uint(kept) * K::FOURS) continue;
            const uint label = right - row.index(i + f / K::FOURS) - f % K::FOURS * 4;
            thread float4 &v = row.v[i * K::FOURS + f];
            for (uint e = 0; e < 4; e++) v[e] = fma(v[e], by, e == label ? -one : 0.0f);
        }
    }
};

template <typename T, bool WHOLE>
static inline void cross_entropy(device const T *x, device const uint *label, device float *loss, device T *dx, constant SoftmaxXentParams &p,
                                 threadgroup float2 *partial, uint2 group, uint2 local, uint2 size, uint lane) {
    const uint row = group.x * size.y + local.y, at = min(row, p.rows - 1); // clamped: all threads must reach the barrier
    const size_t first = size_t(at) * p.cols;
    const uint right = label[at] % p.cols;
    Kept<T, WHOLE> mine = {p.cols, local.x, size.x};
    mine.load(x + first, -INFINITY);
    float largest = 0.0f;
    const float2 found = to_powers(mine, largest, partial, local, size, lane);
    if (row >= p.rows) return;
    const float one = 1.0f / float(p.rows);
    if (local.x == 0) loss[row] = log(found.y) - (float(x[first + right]) - found.x);
    const Gradient gradient = {exp(largest - found.x) / found.y * one, one, right};
    mine.store(dx + first, gradient);
}

template <typename T>
kernel void softmax_xent_registers(device const T *x [[buffer(0)]],
                                   device const uint *label [[buffer(1)]],
                                   device float *loss [[buffer(2)]],
                                   device T *dx [[buffer(3)]],
                                   constant SoftmaxXentParams &p [[buffer(4)]],
                                   threadgroup float2 *partial [[threadgroup(0)]],
                                   uint2 group [[threadgroup_position_in_grid]],
                                   uint2 local [[thread_position_in_threadgroup]],
                                   uint2 size [[threads_per_threadgroup]],
                                   uint lane [[thread_index_in_simdgroup]]) {
    if (is_whole<T>(p.cols)) cross_entropy<T, true>(x, label, loss, dx, p, partial, group, local, size, lane);
    else cross_entropy<T, false>(x, label, loss, dx, p, partial, group, local, size, lane);
}

#define INSTANTIATE(name, type)                                                                             \
    template [[host_name(name)]] kernel void softmax_xent_registers<type>(                                  \
        device const type *, device const uint *, device float *, device type *, constant SoftmaxXentParams &, \
        threadgroup float2 *, uint2, uint2, uint2, uint);

INSTANTIATE("softmax_xent_registers_f32", float)
INSTANTIATE("softmax_xent_registers_f16", half)
