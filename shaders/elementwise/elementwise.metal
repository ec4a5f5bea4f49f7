// Elementwise operations on n elements; a thread takes four neighbors, so that loads coalesce in 16-byte pieces.

#include "common.h"
#include "activation.h"
#include "params/elementwise.h"

struct Add { static float apply(float a, float b) { return a + b; } };
struct Mul { static float apply(float a, float b) { return a * b; } };
struct AddRelu { static float apply(float a, float b) { return act_relu(a + b); } };
struct MulRelu { static float apply(float a, float b) { return act_relu(a * b); } };
struct Relu { static float apply(float x) { return act_relu(x); } };
struct Gelu { static float apply(float x) { return act_gelu(x); } };

template <typename T, typename Op>
kernel void unary(device const T *x [[buffer(0)]],
                  device T *out [[buffer(1)]],
                  constant ElementwiseParams &p [[buffer(2)]],
                  uint id [[thread_position_in_grid]]) {
    const uint first = id * 4, last = min(first + 4, p.n);
    for (uint i = first; i < last; i++) out[i] = T(Op::apply(float(x[i])));
}

template <typename T, typename Op>
kernel void binary(device const T *a [[buffer(0)]],
                   device const T *b [[buffer(1)]],
                   device T *out [[buffer(2)]],
                   constant ElementwiseParams &p [[buffer(3)]],
                   uint id [[thread_position_in_grid]]) {
    const uint first = id * 4, last = min(first + 4, p.n);
    for (uint i = first; i < last; i++) out[i] = T(Op::apply(float(a[i]), float(b[i])));
}

template <typename T>
kernel void affine(device const T *x [[buffer(0)]],
                   device const T *scale [[buffer(1)]],
                   device const T *bias [[buffer(2)]],
                   device T *out [[buffer(3)]],
                   constant ElementwiseParams &p [[buffer(4)]],
                   uint id [[thread_position_in_grid]]) {
    const uint first = id * 4, last = min(first + 4, p.n);
    for (uint i = first; i < last; i++) out[i] = T(float(x[i]) * float(scale[i]) + float(bias[i]));
}

// out[r,c] = x[r,c] + bias[c]
template <typename T>
kernel void add_bias(device const T *x [[buffer(0)]],
                     device const T *bias [[buffer(1)]],
                     device T *out [[buffer(2)]],
                     constant BiasParams &p [[buffer(3)]],
                     uint2 id [[thread_position_in_grid]]) {
    if (id.x >= p.cols || id.y >= p.rows) return;
    const size_t at = size_t(id.y) * p.cols + id.x;
    out[at] = T(float(x[at]) + float(bias[id.x]));
}

#define INSTANTIATE_UNARY(name, op)                                                        \
    template [[host_name(name "_f32")]] kernel void unary<float, op>(                      \
        device const float *, device float *, constant ElementwiseParams &, uint);         \
    template [[host_name(name "_f16")]] kernel void unary<half, op>(                       \
        device const half *, device half *, constant ElementwiseParams &, uint);

#define INSTANTIATE_BINARY(name, op)                                                       \
    template [[host_name(name "_f32")]] kernel void binary<float, op>(                     \
        device const float *, device const float *, device float *,                        \
        constant ElementwiseParams &, uint);                                               \
    template [[host_name(name "_f16")]] kernel void binary<half, op>(                      \
        device const half *, device const half *, device half *,                           \
        constant ElementwiseParams &, uint);

INSTANTIATE_UNARY("relu", Relu)
INSTANTIATE_UNARY("gelu", Gelu)
INSTANTIATE_BINARY("add", Add)
INSTANTIATE_BINARY("mul", Mul)
INSTANTIATE_BINARY("add_relu", AddRelu)
INSTANTIATE_BINARY("mul_relu", MulRelu)

template [[host_name("affine_f32")]] kernel void affine<float>(
    device const float *, device const float *, device const float *, device float *,
    constant ElementwiseParams &, uint);
template [[host_name("affine_f16")]] kernel void affine<half>(
    device const half *, device const half *, device const half *, device half *,
    constant ElementwiseParams &, uint);

template [[host_name("add_bias_f32")]] kernel void add_bias<float>(
    device const float *, device const float *, device float *, constant BiasParams &, uint2);
template [[host_name("add_bias_f16")]] kernel void add_bias<half>(
    device const half *, device const half *, device half *, constant BiasParams &, uint2);
