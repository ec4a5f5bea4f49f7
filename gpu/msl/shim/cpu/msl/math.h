// Functions of floating point numbers. half is computed in float and rounded; bfloat and integers count as float, except
// where the result of a bfloat is a bfloat without rounding.
#ifndef ASSAY_MSL_MATH_H
#define ASSAY_MSL_MATH_H

#include "value.h"

namespace msl {
using metal::declval;
constexpr double pi = (double)3.14159265358979323846L;
constexpr double ln10 = (double)2.30258509299404568402L;

MSL_INLINE double turn(float x) { return pi * ((double)x - 2 * __builtin_rint((double)x / 2)); }
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
MSL_FLOAT1(acos, floats, __builtin_acosf(x))
MSL_FLOAT1(acosh, floats, __builtin_acoshf(x))
MSL_FLOAT1(asin, floats, __builtin_asinf(x))
MSL_FLOAT1(asinh, floats, __builtin_asinhf(x))
MSL_FLOAT1(atan, floats, __builtin_atanf(x))
MSL_FLOAT1(atanh, floats, __builtin_atanhf(x))
MSL_FLOAT1(cos, floats, __builtin_cosf(x))
MSL_FLOAT1(cosh, floats, __builtin_coshf(x))
MSL_FLOAT1(cospi, floats, (float)__builtin_cos(msl::turn(x)))
MSL_FLOAT1(exp, floats, __builtin_expf(x))
MSL_FLOAT1(exp2, floats, __builtin_exp2f(x))
MSL_FLOAT1(exp10, floats, (float)__builtin_exp((double)x * msl::ln10))
MSL_FLOAT1(log, floats, __builtin_logf(x))
MSL_FLOAT1(log2, floats, __builtin_log2f(x))
MSL_FLOAT1(log10, floats, __builtin_log10f(x))
MSL_FLOAT1(rsqrt, floats, 1.0f / __builtin_sqrtf(x))
MSL_FLOAT1(sin, floats, __builtin_sinf(x))
MSL_FLOAT1(sinh, floats, __builtin_sinhf(x))
MSL_FLOAT1(sinpi, floats, (float)__builtin_sin(msl::turn(x)))
MSL_FLOAT1(sqrt, floats, __builtin_sqrtf(x))
MSL_FLOAT1(tan, floats, __builtin_tanf(x))
MSL_FLOAT1(tanh, floats, __builtin_tanhf(x))
MSL_FLOAT1(tanpi, floats, (float)__builtin_tan(msl::turn(x)))
MSL_FLOAT1(ceil, kept, __builtin_ceilf(x))
MSL_FLOAT1(fabs, kept, __builtin_fabsf(x))
MSL_FLOAT1(floor, kept, __builtin_floorf(x))
MSL_FLOAT1(fract, floats, msl::fract(x))
MSL_FLOAT1(rint, kept, __builtin_rintf(x))
MSL_FLOAT1(round, kept, __builtin_roundf(x))
MSL_FLOAT1(trunc, kept, __builtin_truncf(x))
MSL_FLOAT1(saturate, kept, msl::fmin(msl::fmax(x, 0.0f), 1.0f))
MSL_FLOAT1(sign, kept, x > 0 ? 1.0f : x < 0 ? -1.0f : x == x ? x : 0.0f)

MSL_FLOAT2(atan2, __builtin_atan2f(x, y))
MSL_FLOAT2(copysign, __builtin_copysignf(x, y))
MSL_FLOAT2(divide, x / y)
MSL_FLOAT2(fdim, __builtin_fdimf(x, y))
MSL_FLOAT2(fmin, msl::fmin(x, y))
MSL_FLOAT2(fmax, msl::fmax(x, y))
MSL_FLOAT2(fmod, __builtin_fmodf(x, y))
MSL_FLOAT2(pow, __builtin_powf(x, y))
MSL_FLOAT2(powr, x < 0 ? __builtin_nanf("") : __builtin_powf(x, y))
MSL_FLOAT2(step, y < x ? 0.0f : 1.0f)

// The next number of the type itself: half is not rounded from float here.
METAL_FUNC float nextafter(float x, float y) { return __builtin_nextafterf(x, y); }
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
    return msl::map<R>([](auto x, int e) { return __builtin_ldexpf(x, e); }, R(v), msl::with<A, int>(k));
}
template <class A, class R = msl::floats<A>> METAL_FUNC msl::with<A, int> ilogb(A v) {
    return msl::map<msl::with<A, int>>([](auto x) { return __builtin_ilogbf(x); }, R(v));
}
METAL_FUNC float frexp(float x, int &e) { return __builtin_frexpf(x, &e); }
METAL_FUNC half frexp(half x, int &e) { return (half)__builtin_frexpf(x, &e); }
METAL_FUNC float modf(float x, float &whole) { return __builtin_modff(x, &whole); }
METAL_FUNC half modf(half x, half &whole) {
    whole = trunc(x);
    return copysign(isinf(x) ? half(0) : half(x - whole), x);
}
METAL_FUNC float sincos(float x, float &c) {
    c = __builtin_cosf(x);
    return __builtin_sinf(x);
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
#undef MSL_FLOAT1
#undef MSL_FLOAT2
#undef MSL_TEST1

// The library does not keep fast and precise apart: both are as exact as the C library.
#define MSL_PRECISION                                                                                       \
    using metal::acos, metal::acosh, metal::asin, metal::asinh, metal::atan, metal::atan2, metal::atanh;    \
    using metal::ceil, metal::copysign, metal::cos, metal::cosh, metal::cospi, metal::divide, metal::exp;   \
    using metal::exp10, metal::exp2, metal::fabs, metal::fdim, metal::floor, metal::fma, metal::fmax;       \
    using metal::fmin, metal::fmod, metal::fract, metal::frexp, metal::ilogb, metal::ldexp, metal::log;     \
    using metal::log10, metal::log2, metal::modf, metal::nextafter, metal::pow, metal::powr, metal::rint;   \
    using metal::round, metal::rsqrt, metal::saturate, metal::sign, metal::sin, metal::sincos, metal::sinh; \
    using metal::sinpi, metal::sqrt, metal::step, metal::tan, metal::tanh, metal::tanpi, metal::trunc;      \
    using metal::isfinite, metal::isinf, metal::isnan, metal::isnormal, metal::signbit, metal::mix;         \
    using metal::smoothstep, metal::isordered, metal::isunordered;
namespace metal {
namespace fast { MSL_PRECISION }
namespace precise { MSL_PRECISION }
} // namespace metal
#undef MSL_PRECISION

#endif
