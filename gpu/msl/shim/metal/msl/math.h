// Functions of floating point numbers. half is computed in float and rounded; bfloat and integers count as float, except
// where the result of a bfloat is a bfloat without rounding.
#ifndef ASSAY_MSL_MATH_H
#define ASSAY_MSL_MATH_H

#include "value.h"
#include "../machine/math.h"

namespace msl {
using metal::declval;
MSL_INLINE float fract(float x) {
    float f = x - __builtin_floorf(x);
    return f < 1.0f ? f : 0.99999994f;
}
constexpr MSL_INLINE uint magnitude(float x) { return as_type<uint>(x) & 0x7fffffffu; }
constexpr MSL_INLINE float fmin(float a, float b) { return b < a || a != a ? b : a; }
constexpr MSL_INLINE float fmax(float a, float b) { return b > a || a != a ? b : a; }
} // namespace msl

// A function of one number, given as an expression of float x. Functions that are not templates come first in overload
// resolution, so that templates of the user do not make calls ambiguous.
#define MSL_FLOAT1(name, result, ...)                                                                             \
    METAL_FUNC float name(float x) { return __VA_ARGS__; }                                                        \
    METAL_FUNC half name(half v) { return half(name((float)v)); }                                                 \
    template <class A, MSL_IF(msl::is_number<A>)> METAL_FUNC msl::result<A> name(A v) {                           \
        return msl::result<A>(name((float)v));                                                                    \
    }                                                                                                             \
    template <class T, int N> METAL_FUNC msl::result<vec<T, N>> name(vec<T, N> v) {                               \
        return msl::map<msl::result<vec<T, N>>>([](T c) { return name(c); }, v);                                  \
    }                                                                                                             \
    template <class T, int N> METAL_FUNC auto name(packed_vec<T, N> v) { return name(v.unpack()); }

// A function of two numbers, given as an expression of float x and y.
#define MSL_FLOAT2(name, ...)                                                                                     \
    METAL_FUNC float name(float x, float y) { return __VA_ARGS__; }                                               \
    METAL_FUNC half name(half a, half b) { return half(name((float)a, (float)b)); }                               \
    template <class T, int N> METAL_FUNC msl::floats<vec<T, N>> name(vec<T, N> a, vec<T, N> b) {                  \
        return msl::map<msl::floats<vec<T, N>>>([](T p, T q) { return name(p, q); }, a, b);                       \
    }                                                                                                             \
    template <class A, class B, class R = msl::floats<msl::common<A, B>>> METAL_FUNC R name(A a, B b) {           \
        return name(R(a), R(b));                                                                                  \
    }

#define MSL_TEST1(name, ...)                                                                                      \
    constexpr METAL_FUNC bool name(float x) { return __VA_ARGS__; }                                               \
    template <class A, MSL_IF(msl::is_number<A>)> constexpr METAL_FUNC bool name(A v) { return name((float)v); }  \
    template <class T, int N> METAL_FUNC vec<bool, N> name(vec<T, N> v) {                                         \
        return msl::map<vec<bool, N>>([](T c) { return name(c); }, v);                                            \
    }                                                                                                             \
    template <class T, int N> METAL_FUNC auto name(packed_vec<T, N> v) { return name(v.unpack()); }

namespace metal {
MSL_FLOAT1(acos, floats, msl::machine::acos(x))
MSL_FLOAT1(acosh, floats, msl::machine::acosh(x))
MSL_FLOAT1(asin, floats, msl::machine::asin(x))
MSL_FLOAT1(asinh, floats, msl::machine::asinh(x))
MSL_FLOAT1(atan, floats, msl::machine::atan(x))
MSL_FLOAT1(atanh, floats, msl::machine::atanh(x))
MSL_FLOAT1(cos, floats, msl::machine::cos(x))
MSL_FLOAT1(cosh, floats, msl::machine::cosh(x))
MSL_FLOAT1(cospi, floats, msl::machine::cospi(x))
MSL_FLOAT1(exp, floats, msl::machine::exp(x))
MSL_FLOAT1(exp2, floats, msl::machine::exp2(x))
MSL_FLOAT1(exp10, floats, msl::machine::exp10(x))
MSL_FLOAT1(log, floats, msl::machine::log(x))
MSL_FLOAT1(log2, floats, msl::machine::log2(x))
MSL_FLOAT1(log10, floats, msl::machine::log10(x))
MSL_FLOAT1(rsqrt, floats, msl::machine::rsqrt(x))
MSL_FLOAT1(sin, floats, msl::machine::sin(x))
MSL_FLOAT1(sinh, floats, msl::machine::sinh(x))
MSL_FLOAT1(sinpi, floats, msl::machine::sinpi(x))
MSL_FLOAT1(sqrt, floats, __builtin_sqrtf(x))
MSL_FLOAT1(tan, floats, msl::machine::tan(x))
MSL_FLOAT1(tanh, floats, msl::machine::tanh(x))
MSL_FLOAT1(tanpi, floats, msl::machine::tanpi(x))
MSL_FLOAT1(ceil, kept, __builtin_ceilf(x))
MSL_FLOAT1(fabs, kept, __builtin_fabsf(x))
MSL_FLOAT1(floor, kept, __builtin_floorf(x))
MSL_FLOAT1(fract, floats, msl::fract(x))
MSL_FLOAT1(rint, kept, __builtin_rintf(x))
MSL_FLOAT1(round, kept, __builtin_roundf(x))
MSL_FLOAT1(trunc, kept, __builtin_truncf(x))
MSL_FLOAT1(saturate, kept, msl::fmin(msl::fmax(x, 0.0f), 1.0f))
MSL_FLOAT1(sign, kept, x > 0 ? 1.0f : x < 0 ? -1.0f : x == x ? x : 0.0f)

MSL_FLOAT2(atan2, msl::machine::atan2(x, y))
MSL_FLOAT2(copysign, __builtin_copysignf(x, y))
MSL_FLOAT2(divide, x / y)
MSL_FLOAT2(fdim, msl::machine::fdim(x, y))
MSL_FLOAT2(fmin, msl::fmin(x, y))
MSL_FLOAT2(fmax, msl::fmax(x, y))
MSL_FLOAT2(fmod, msl::machine::fmod(x, y))
MSL_FLOAT2(pow, msl::machine::pow(x, y))
MSL_FLOAT2(powr, x < 0 ? __builtin_nanf("") : msl::machine::pow(x, y))
MSL_FLOAT2(step, y < x ? 0.0f : 1.0f)

// The next number of the type itself: half is not rounded from float here.
METAL_FUNC float nextafter(float x, float y) { return msl::machine::nextafter(x, y); }
METAL_FUNC half nextafter(half x, half y) {
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0) return as_type<half>((ushort)(y > 0 ? 1 : 0x8001));
    ushort u = as_type<ushort>(x);
    return as_type<half>((ushort)((x < y) == (x > 0) ? u + 1 : u - 1));
}
template <class T, int N> METAL_FUNC vec<T, N> nextafter(vec<T, N> a, vec<T, N> b) {
    return msl::map<vec<T, N>>([](T p, T q) { return nextafter(p, q); }, a, b);
}

MSL_TEST1(isnan, msl::magnitude(x) > 0x7f800000u)
MSL_TEST1(isinf, msl::magnitude(x) == 0x7f800000u)
MSL_TEST1(isfinite, msl::magnitude(x) < 0x7f800000u)
MSL_TEST1(isnormal, msl::magnitude(x) - 0x00800000u < 0x7f000000u)
MSL_TEST1(signbit, as_type<uint>(x) >> 31)
constexpr METAL_FUNC bool isnormal(half v) { return ((as_type<ushort>(v) & 0x7fffu) - 0x0400u) < 0x7800u; }
template <class A, class B> METAL_FUNC auto isordered(A a, B b) { return !isnan(a) && !isnan(b); }
template <class A, class B> METAL_FUNC auto isunordered(A a, B b) { return isnan(a) || isnan(b); }

template <class A, class B, class C, class R = msl::floats<msl::common<A, B, C>>> METAL_FUNC R fma(A a, B b, C c) {
    return msl::map<R>([](auto p, auto q, auto r) { return __builtin_fmaf(p, q, r); }, R(a), R(b), R(c));
}
template <class A, class B, class C, class R = msl::floats<msl::common<A, B, C>>> METAL_FUNC R mix(A a, B b, C c) {
    return R(a) + (R(b) - R(a)) * R(c);
}
template <class A, class B, class C, class R = msl::floats<msl::common<A, B, C>>> METAL_FUNC R smoothstep(A lo, B hi, C v) {
    R t = saturate((R(v) - R(lo)) / (R(hi) - R(lo)));
    return t * t * (R(3) - R(2) * t);
}

// The exponent is an int or a vector of int.
template <class A, class I, class R = msl::floats<A>> METAL_FUNC R ldexp(A v, I k) {
    return msl::map<R>([](auto x, int e) { return msl::machine::ldexp(x, e); }, R(v), msl::with<A, int>(k));
}
template <class A, class R = msl::floats<A>> METAL_FUNC msl::with<A, int> ilogb(A v) {
    return msl::map<msl::with<A, int>>([](auto x) { return msl::machine::ilogb(x); }, R(v));
}
METAL_FUNC float frexp(float x, int &e) { return msl::machine::frexp(x, e); }
METAL_FUNC half frexp(half x, int &e) { return (half)msl::machine::frexp(x, e); }
METAL_FUNC float modf(float x, float &whole) { return msl::machine::modf(x, whole); }
METAL_FUNC half modf(half x, half &whole) {
    whole = trunc(x);
    return copysign(isinf(x) ? half(0) : half(x - whole), x);
}
METAL_FUNC float sincos(float x, float &c) {
    c = msl::machine::cos(x);
    return msl::machine::sin(x);
}
METAL_FUNC half sincos(half x, half &c) {
    c = cos(x);
    return sin(x);
}
#define MSL_PARTS(name, O)                                                                  \
    template <class T, int N> METAL_FUNC vec<T, N> name(vec<T, N> v, vec<O, N> &other) {    \
        vec<T, N> r;                                                                        \
        for (int i = 0; i < N; i++) r[i] = name(v[i], other[i]);                            \
        return r;                                                                           \
    }
MSL_PARTS(frexp, int)
MSL_PARTS(modf, T)
MSL_PARTS(sincos, T)
#undef MSL_PARTS

} // namespace metal

// The library keeps fast and precise apart for division, exp and exp2 alone: the others are as exact as the target's machine/math.h.
#define MSL_PRECISION                                                                                       \
    using metal::acos, metal::acosh, metal::asin, metal::asinh, metal::atan, metal::atan2, metal::atanh;    \
    using metal::ceil, metal::copysign, metal::cos, metal::cosh, metal::cospi;               \
    using metal::exp10, metal::fabs, metal::fdim, metal::floor, metal::fma, metal::fmax;       \
    using metal::fmin, metal::fmod, metal::fract, metal::frexp, metal::ilogb, metal::ldexp, metal::log;     \
    using metal::log10, metal::log2, metal::modf, metal::nextafter, metal::pow, metal::powr, metal::rint;   \
    using metal::round, metal::rsqrt, metal::saturate, metal::sign, metal::sin, metal::sincos, metal::sinh; \
    using metal::sinpi, metal::sqrt, metal::step, metal::tan, metal::tanh, metal::tanpi, metal::trunc;      \
    using metal::isfinite, metal::isinf, metal::isnan, metal::isnormal, metal::signbit, metal::mix;         \
    using metal::smoothstep, metal::isordered, metal::isunordered;
namespace metal {
namespace fast {
MSL_PRECISION
MSL_FLOAT1(exp, floats, msl::machine::fast_exp(x))
MSL_FLOAT1(exp2, floats, msl::machine::fast_exp2(x))
MSL_FLOAT2(divide, msl::machine::fast_divide(x, y))
} // namespace fast
namespace precise {
MSL_PRECISION
using metal::divide, metal::exp, metal::exp2;
} // namespace precise
} // namespace metal
#undef MSL_PRECISION
#undef MSL_FLOAT1
#undef MSL_FLOAT2
#undef MSL_TEST1

#endif
