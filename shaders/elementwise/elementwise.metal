// Elementwise operations on n elements, computed in float. A thread takes `width` neighboring elements, as far as possible in
// vectors of two or four; eight elements of two bytes are one vector.

#include "common.h"
#include "activation.h"
#include "wide.h"
#include "params/elementwise.h"

constant int width [[function_constant(ELEMENTWISE_WIDTH)]];

struct Add { static float apply(float a, float b) { return a + b; } };
struct Mul { static float apply(float a, float b) { return a * b; } };
struct AddRelu { static float apply(float a, float b) { return act_relu(a + b); } };
struct MulRelu { static float apply(float a, float b) { return act_relu(a * b); } };
struct Relu { static float apply(float x) { return act_relu(x); } };
struct Gelu { static float apply(float x) { return act_gelu(x); } };
struct Silu { static float apply(float x) { return fast::divide(x, 1.0f + fast::exp(-x)); } };
struct SiluMul { static float apply(float a, float b) { return fast::divide(a, 1.0f + fast::exp(-a)) * b; } };

// GELU, erf form: x·½·erfc(−x/√2). For positive arguments, erfc is a polynomial times exp(−x²/2), with an error of at most 1.5e-7
// (Abramowitz and Stegun, 7.1.26).
struct GeluErf {
    static float apply(float x) {
        const float t = fast::divide(1.0f, 1.0f + 0.231641889f * fabs(x)); // 0.3275911·√½
        const float p = t * (0.127414796f + t * (-0.142248368f + t * (0.7107068705f + t * (-0.7265760135f + t * 0.5307027145f))));
        const float tail = p * fast::exp(-0.5f * x * x); // p includes the ½
        return x * (x > 0.0f ? 1.0f - tail : tail);
    }
};

// Eight elements of two bytes: there is no vector of eight floats.
template <typename T>
struct Eight {
    static constant constexpr uint COUNT = Wide<T>::FOURS == 2 ? 8 : 0;
    float4 v[2];

    static Eight of(device const T *x, uint i) {
        Eight e;
        Wide<T>::load(x + i, e.v);
        return e;
    }

    void put(device T *x, uint i) const { Wide<T>::store(x + i, v); }
};

// Applies f to the elements of one thread, in the largest pieces that `width` allows.
template <typename F>
static inline void each(thread const F &f, uint n, uint id) {
    uint i = id * uint(width);
    const uint last = min(i + uint(width), n);
    if (width == int(Eight<typename F::Element>::COUNT) && i + uint(width) <= n) {
        f.take8(i);
        return;
    }
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
    typedef T Element;
    device const T *x;
    device T *out;

    void take(uint i) const { out[i] = T(Op::apply(float(x[i]))); }

    void take2(uint i) const {
        const float2 v = two(x, i);
        put2(out, i, float2(Op::apply(v.x), Op::apply(v.y)));
    }

    void take4(uint i) const {
        const float4 v = four(x, i);
        put4(out, i, all(v));
    }

    void take8(uint i) const {
        Eight<T> e = Eight<T>::of(x, i);
        e.v[0] = all(e.v[0]);
        e.v[1] = all(e.v[1]);
        e.put(out, i);
    }

    static float4 all(float4 v) { return float4(Op::apply(v.x), Op::apply(v.y), Op::apply(v.z), Op::apply(v.w)); }
};

template <typename T, typename Op>
struct Binary {
    typedef T Element;
    device const T *a, *b;
    device T *out;

    void take(uint i) const { out[i] = T(Op::apply(float(a[i]), float(b[i]))); }

    void take2(uint i) const {
        const float2 v = two(a, i), w = two(b, i);
        put2(out, i, float2(Op::apply(v.x, w.x), Op::apply(v.y, w.y)));
    }

    void take4(uint i) const {
        const float4 v = four(a, i), w = four(b, i);
        put4(out, i, all(v, w));
    }

    void take8(uint i) const {
        Eight<T> e = Eight<T>::of(a, i);
        const Eight<T> f = Eight<T>::of(b, i);
        e.v[0] = all(e.v[0], f.v[0]);
        e.v[1] = all(e.v[1], f.v[1]);
        e.put(out, i);
    }

    static float4 all(float4 v, float4 w) {
        return float4(Op::apply(v.x, w.x), Op::apply(v.y, w.y), Op::apply(v.z, w.z), Op::apply(v.w, w.w));
    }
};

template <typename T>
struct Affine {
    typedef T Element;
    device const T *x, *scale, *bias;
    device T *out;

    void take(uint i) const { out[i] = T(float(x[i]) * float(scale[i]) + float(bias[i])); }

    void take2(uint i) const { put2(out, i, two(x, i) * two(scale, i) + two(bias, i)); }

    void take4(uint i) const { put4(out, i, four(x, i) * four(scale, i) + four(bias, i)); }

    void take8(uint i) const {
        Eight<T> e = Eight<T>::of(x, i);
        const Eight<T> f = Eight<T>::of(scale, i), g = Eight<T>::of(bias, i);
        e.v[0] = e.v[0] * f.v[0] + g.v[0];
        e.v[1] = e.v[1] * f.v[1] + g.v[1];
        e.put(out, i);
    }
};

template <typename T, typename Op>
kernel void unary(device const T *x [[buffer(0)]],
                  device T *out [[buffer(1)]],
                  constant ElementwiseParams &p [[buffer(2)]],
                  uint id [[thread_position_in_grid]]) {
    each(Unary<T, Op>{x, out}, p.n, id);
}

template <typename T, typename Op>
kernel void in_place(device T *x [[buffer(0)]],
                     constant ElementwiseParams &p [[buffer(1)]],
                     uint id [[thread_position_in_grid]]) {
    each(Unary<T, Op>{x, x}, p.n, id);
}

template <typename T, typename Op>
kernel void binary(device const T *a [[buffer(0)]],
                   device const T *b [[buffer(1)]],
                   device T *out [[buffer(2)]],
                   constant ElementwiseParams &p [[buffer(3)]],
                   uint id [[thread_position_in_grid]]) {
    each(Binary<T, Op>{a, b, out}, p.n, id);
}

// Four additions of n elements each, on separate arrays; id.y selects one.
template <typename T>
kernel void add_multi(device const T *a0 [[buffer(0)]],
                      device const T *b0 [[buffer(1)]],
                      device T *out0 [[buffer(2)]],
                      device const T *a1 [[buffer(3)]],
                      device const T *b1 [[buffer(4)]],
                      device T *out1 [[buffer(5)]],
                      device const T *a2 [[buffer(6)]],
                      device const T *b2 [[buffer(7)]],
                      device T *out2 [[buffer(8)]],
                      device const T *a3 [[buffer(9)]],
                      device const T *b3 [[buffer(10)]],
                      device T *out3 [[buffer(11)]],
                      constant ElementwiseParams &p [[buffer(12)]],
                      uint2 id [[thread_position_in_grid]]) {
    Binary<T, Add> one = {a0, b0, out0};
    if (id.y == 1) one = {a1, b1, out1};
    if (id.y == 2) one = {a2, b2, out2};
    if (id.y == 3) one = {a3, b3, out3};
    each(one, p.n, id.x);
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
INSTANTIATE_BINARY("silu_mul", SiluMul)

#define INSTANTIATE_MULTI(name, type)                                                                                   \
    template [[host_name(name)]] kernel void add_multi<type>(                                                           \
        device const type *, device const type *, device type *, device const type *, device const type *, device type *, \
        device const type *, device const type *, device type *, device const type *, device const type *, device type *, \
        constant ElementwiseParams &, uint2);

INSTANTIATE_MULTI("add_multi_f32", float)
INSTANTIATE_MULTI("add_multi_f16", half)

template [[host_name("gelu_inplace_f32")]] kernel void in_place<float, Gelu>(device float *, constant ElementwiseParams &, uint);
template [[host_name("gelu_inplace_f16")]] kernel void in_place<half, Gelu>(device half *, constant ElementwiseParams &, uint);

template [[host_name("affine_f32")]] kernel void affine<float>(
    device const float *, device const float *, device const float *, device float *,
    constant ElementwiseParams &, uint);
template [[host_name("affine_f16")]] kernel void affine<half>(
    device const half *, device const half *, device const half *, device half *,
    constant ElementwiseParams &, uint);
