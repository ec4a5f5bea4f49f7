// a + b and a · b of four dimensions, where those of an operand may be 1. In the rows form a threadgroup takes a part of a row
// of the result, four elements a thread, and finds the row's place once; in the indexed form each thread takes an element and
// finds its place by divisions.

#include "common.h"
#include "params/elementwise.h"

struct Add { static float apply(float a, float b) { return a + b; } };
struct Mul { static float apply(float a, float b) { return a * b; } };

constant constexpr uint EACH = 4; // elements of a thread

// How far apart the elements of an operand are along the last dimension, and where those of a row begin.
struct Row {
    uint first, step;
};

// Row `index` of an operand whose dimensions with a bit in `ones` are 1.
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

template <typename T, typename Op>
kernel void broadcast_rows(device const T *a [[buffer(0)]],
                           device const T *b [[buffer(1)]],
                           device T *out [[buffer(2)]],
                           constant BroadcastParams &p [[buffer(3)]],
                           uint2 group [[threadgroup_position_in_grid]],
                           uint2 local [[thread_position_in_threadgroup]],
                           uint2 threads [[threads_per_threadgroup]]) {
    const Row ra = row_of(group.y, p.a, p), rb = row_of(group.y, p.b, p);
    const uint first = group.x * EACH * threads.x + local.x;
    for (uint e = 0; e < EACH; e++) {
        const uint i = first + e * threads.x;
        if (i >= p.d3) return;
        out[group.y * p.d3 + i] = T(Op::apply(float(a[ra.first + i * ra.step]), float(b[rb.first + i * rb.step])));
    }
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
