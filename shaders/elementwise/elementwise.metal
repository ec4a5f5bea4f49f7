// Elementwise operations on n elements, computed in float. A thread takes `width` neighbors, in vectors of two or four as
// far as they go.

#include "common.h"
#include "activation.h"
#include "params/elementwise.h"

constant int width [[function_constant(ELEMENTWISE_WIDTH)]];

struct Add { static float apply(float a, float b) { return a + b; } };
struct Mul { static float apply(float a, float b) { return a * b; } };
struct AddRelu { static float apply(float a, float b) { return act_relu(a + b); } };
struct MulRelu { static float apply(float a, float b) { return act_relu(a * b); } };
struct Relu { static float apply(float x) { return act_relu(x); } };
struct Gelu { static float apply(float x) { return act_gelu(x); } };
struct Silu { static float apply(float x) { return x / (1.0f + exp(-x)); } };

// GELU, erf form: x·½·erfc(−x/√2), where erfc of what is positive is a polynomial times exp(−x²/2): 1.5e-7 off at worst
// (Abramowitz and Stegun, 7.1.26).
struct GeluErf {
    static float apply(float x) {
        const float t = 1.0f / (1.0f + 0.3275911f * 0.70710678f * fabs(x));
        const float p = t * (0.254829592f + t * (-0.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f))));
        const float tail = 0.5f * p * exp(-0.5f * x * x);
        return x * (x > 0.0f ? 1.0f - tail : tail);
    }
};

// The elements of one thread, in three kinds of pieces.
template <typename F>
static inline void each(thread const F &f, uint n, uint id) {
    uint i = id * uint(width);
    const uint last = min(i + uint(width), n);
    if (width >= 4) {
        for (; i + 4 <= last; i += 4) f.take4(i);
    } else if (width == 2) {
        for (; i + 2 <= last; i += 2) f.take2(i);
    }
    for (; i < last; i++) f.take(i);
}

template <typename T>
static inline float2 two(device const T *x, uint i) { return float2(*(device const vec<T, 2> *)(x + i)); }

template <typename T>
static inline float4 four(device const T *x, uint i) { return float4(*(device const vec<T, 4> *)(x + i)); }

template <typename T>
static inline void put2(device T *x, uint i, float2 v) { *(device vec<T, 2> *)(x + i) = vec<T, 2>(v); }

template <typename T>
static inline void put4(device T *x, uint i, float4 v) { *(device vec<T, 4> *)(x + i) = vec<T, 4>(v); }

template <typename T, typename Op>
struct Unary {
    device const T *x;
    device T *out;

    void take(uint i) const { out[i] = T(Op::apply(float(x[i]))); }

    void take2(uint i) const {
        const float2 v = two(x, i);
        put2(out, i, float2(Op::apply(v.x), Op::apply(v.y)));
    }

    void take4(uint i) const {
        const float4 v = four(x, i);
        put4(out, i, float4(Op::apply(v.x), Op::apply(v.y), Op::apply(v.z), Op::apply(v.w)));
    }
};

template <typename T, typename Op>
struct Binary {
    device const T *a, *b;
    device T *out;

    void take(uint i) const { out[i] = T(Op::apply(float(a[i]), float(b[i]))); }

    void take2(uint i) const {
        const float2 v = two(a, i), w = two(b, i);
        put2(out, i, float2(Op::apply(v.x, w.x), Op::apply(v.y, w.y)));
    }

    void take4(uint i) const {
        const float4 v = four(a, i), w = four(b, i);
        put4(out, i, float4(Op::apply(v.x, w.x), Op::apply(v.y, w.y), Op::apply(v.z, w.z), Op::apply(v.w, w.w)));
    }
};

template <typename T>
struct Affine {
    device const T *x, *scale, *bias;
    device T *out;

    void take(uint i) const { out[i] = T(float(x[i]) * float(scale[i]) + float(bias[i])); }

    void take2(uint i) const { put2(out, i, two(x, i) * two(scale, i) + two(bias, i)); }

    void take4(uint i) const { put4(out, i, four(x, i) * four(scale, i) + four(bias, i)); }
};

template <typename T, typename Op>
kernel void unary(device const T *x [[buffer(0)]],
                  device T *out [[buffer(1)]],
                  constant ElementwiseParams &p [[buffer(2)]],
                  uint id [[thread_position_in_grid]]) {
    each(Unary<T, Op>{x, out}, p.n, id);
}

template <typename T, typename Op>
kernel void binary(device const T *a [[buffer(0)]],
                   device const T *b [[buffer(1)]],
                   device T *out [[buffer(2)]],
                   constant ElementwiseParams &p [[buffer(3)]],
                   uint id [[thread_position_in_grid]]) {
    each(Binary<T, Op>{a, b, out}, p.n, id);
}

template <typename T>
kernel void affine(device const T *x [[buffer(0)]],
                   device const T *scale [[buffer(1)]],
                   device const T *bias [[buffer(2)]],
                   device T *out [[buffer(3)]],
                   constant ElementwiseParams &p [[buffer(4)]],
                   uint id [[thread_position_in_grid]]) {
    each(Affine<T>{x, scale, bias, out}, p.n, id);
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
INSTANTIATE_UNARY("gelu_erf", GeluErf)
INSTANTIATE_UNARY("silu", Silu)
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
