// a + b and a · b in four dimensions, any of which may be 1 in an operand. In the rows form, a thread locates its row once, for
// 16 bytes of it; in the indexed form, each thread takes one element and locates it by divisions.

#include "common.h"
#include "wide.h"
#include "params/elementwise.h"

struct Add { static float apply(float a, float b) { return a + b; } };
struct Mul { static float apply(float a, float b) { return a * b; } };

// Where a row of an operand begins, and how far apart its elements are: 0 if the last dimension is 1.
struct Row {
    uint first, step;
};

// Row `index` of an operand; its dimensions with a bit in `ones` are 1.
static inline Row row_of(uint index, uint ones, constant BroadcastParams &p) {
    const uint i2 = index % p.d2, i1 = index / p.d2 % p.d1, i0 = index / p.d2 / p.d1;
    Row row = {0, 1};
    uint stride = p.d3;
    if (ones & 8) row.step = 0, stride = 1;
    if (!(ones & 4)) row.first += i2 * stride, stride *= p.d2;
    if (!(ones & 2)) row.first += i1 * stride, stride *= p.d1;
    if (!(ones & 1)) row.first += i0 * stride;
    return row;
}

// 16 bytes of an operand's row, from element i on; all equal where the row has one element.
template <typename T>
static inline uint4 bits_of(device const T *row, uint step, uint i) {
    return step == 0 ? Wide<T>::filled(float(row[0])) : *(device const uint4 *)(row + i);
}

template <typename T, typename Op>
static inline void apply_sixteen(uint4 a, uint4 b, device T *out) {
    float4 x[Wide<T>::FOURS], y[Wide<T>::FOURS];
    Wide<T>::widen(a, x);
    Wide<T>::widen(b, y);
    for (uint e = 0; e < Wide<T>::COUNT; e++) x[e / 4][e % 4] = Op::apply(x[e / 4][e % 4], y[e / 4][e % 4]);
    Wide<T>::store(out, x);
}

template <typename T, typename Op>
kernel void broadcast_rows(device const T *a [[buffer(0)]],
                           device const T *b [[buffer(1)]],
                           device T *out [[buffer(2)]],
                           constant BroadcastParams &p [[buffer(3)]],
                           uint2 group [[threadgroup_position_in_grid]],
                           uint2 local [[thread_position_in_threadgroup]],
                           uint2 size [[threads_per_threadgroup]]) {
    const uint all = Wide<T>::COUNT * size.x, parts = (p.d3 + all - 1) / all; // parts: per row
    const uint index = group.x / parts * size.y + local.y, begin = group.x % parts * all;
    if (index >= p.d0 * p.d1 * p.d2) return;
    const Row ra = row_of(index, p.a, p), rb = row_of(index, p.b, p);
    device const T *x = a + ra.first, *y = b + rb.first;
    device T *to = out + index * p.d3;
    if (p.d3 % Wide<T>::COUNT == 0) {
        const uint i = begin + local.x * Wide<T>::COUNT;
        if (i < p.d3) apply_sixteen<T, Op>(bits_of(x, ra.step, i), bits_of(y, rb.step, i), to + i);
        return;
    }
    for (uint i = begin + local.x; i < min(begin + all, p.d3); i += size.x)
        to[i] = T(Op::apply(float(x[i * ra.step]), float(y[i * rb.step])));
}

template <typename T, typename Op>
kernel void broadcast_indexed(device const T *a [[buffer(0)]],
                              device const T *b [[buffer(1)]],
                              device T *out [[buffer(2)]],
                              constant BroadcastParams &p [[buffer(3)]],
                              uint id [[thread_position_in_grid]]) {
    if (id >= p.d0 * p.d1 * p.d2 * p.d3) return;
    const uint index = id / p.d3, i = id % p.d3;
    const Row ra = row_of(index, p.a, p), rb = row_of(index, p.b, p);
    out[id] = T(Op::apply(float(a[ra.first + i * ra.step]), float(b[rb.first + i * rb.step])));
}

#define ROWS(name, type, op)                                                                                  \
    template [[host_name(name)]] kernel void broadcast_rows<type, op>(                                        \
        device const type *, device const type *, device type *, constant BroadcastParams &, uint2, uint2, uint2);
#define INDEXED(name, type, op)                                                                               \
    template [[host_name(name)]] kernel void broadcast_indexed<type, op>(                                     \
        device const type *, device const type *, device type *, constant BroadcastParams &, uint);

ROWS("add_broadcast_f32", float, Add)
ROWS("add_broadcast_f16", half, Add)
ROWS("mul_broadcast_f32", float, Mul)
ROWS("mul_broadcast_f16", half, Mul)
INDEXED("add_broadcast_indexed_f32", float, Add)
INDEXED("add_broadcast_indexed_f16", half, Add)
INDEXED("mul_broadcast_indexed_f32", float, Mul)
INDEXED("mul_broadcast_indexed_f16", half, Mul)
