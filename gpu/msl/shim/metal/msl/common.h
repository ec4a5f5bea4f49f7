// Functions of any number, of integers, of bools, and of vectors as points in space.
#ifndef ASSAY_MSL_COMMON_H
#define ASSAY_MSL_COMMON_H

#include "math.h"

namespace msl {
template <class T> constexpr MSL_INLINE T least(T a, T b) { return b < a || a != a ? b : a; }
template <class T> constexpr MSL_INLINE T greatest(T a, T b) { return a < b || a != a ? b : a; }
// One instruction of a GPU, which the compiler does not make of the comparisons.
constexpr MSL_INLINE float least(float a, float b) { return __builtin_fminf(a, b); }
constexpr MSL_INLINE float greatest(float a, float b) { return __builtin_fmaxf(a, b); }
template <class T> using unsigned_of = metal::make_unsigned_t<T>;
template <class T> inline constexpr int bits_of = sizeof(T) * 8;
template <class V, bool = __is_integral(element<V>)> struct whole_of {};
template <class V> struct whole_of<V, true> { using type = V; };
template <class A> using whole = typename whole_of<value<A>>::type;

// At least 64 bits wide, so that sums and products of operands do not wrap.
template <class T> using wider = metal::conditional_t<sizeof(T) == 8, __int128, long>;
template <class T> constexpr T clip(wider<T> v) {
    constexpr wider<T> one = 1;
    constexpr wider<T> hi = T(-1) > T(0) ? (one << bits_of<T>) - 1 : (one << (bits_of<T> - 1)) - 1;
    constexpr wider<T> lo = T(-1) > T(0) ? 0 : -hi - 1;
    return T(v < lo ? lo : v > hi ? hi : v);
}
} // namespace msl

namespace metal {
#define MSL_ANY2(name, expr)                                                                                       \
    constexpr METAL_FUNC float name(float a, float b) { return expr; }                                             \
    constexpr METAL_FUNC half name(half a, half b) { return expr; }                                                \
    template <class T, int N> constexpr METAL_FUNC vec<T, N> name(vec<T, N> p, vec<T, N> q) {                      \
        return msl::map<vec<T, N>>([](T a, T b) { return expr; }, p, q);                                           \
    }                                                                                                              \
    template <class A, class B, class R = msl::common<A, B>> constexpr METAL_FUNC R name(A p, B q) {               \
        return msl::map<R>([](auto a, auto b) { return expr; }, R(p), R(q));                                       \
    }
MSL_ANY2(min, msl::least(a, b))
MSL_ANY2(max, msl::greatest(a, b))
#undef MSL_ANY2

#define MSL_ANY3(name, ...)                                                                                        \
    template <class A, class B, class C, class R = msl::common<A, B, C>>                                           \
    constexpr METAL_FUNC R name(A p, B q, C r) {                                                                   \
        R a = R(p), b = R(q), c = R(r);                                                                            \
        return __VA_ARGS__;                                                                                        \
    }
MSL_ANY3(clamp, min(max(a, b), c))
MSL_ANY3(min3, min(a, min(b, c)))
MSL_ANY3(max3, max(a, max(b, c)))
MSL_ANY3(median3, max(min(a, b), min(max(a, b), c)))
MSL_ANY3(fmin3, min(a, min(b, c)))
MSL_ANY3(fmax3, max(a, max(b, c)))
MSL_ANY3(fmedian3, max(min(a, b), min(max(a, b), c)))
#undef MSL_ANY3

METAL_FUNC float abs(float x) { return __builtin_fabsf(x); }
METAL_FUNC half abs(half x) { return (half)__builtin_fabsf(x); }
template <class A, MSL_IF(msl::is_number<A>)> constexpr METAL_FUNC A abs(A x) { return x < A(0) ? A(-x) : x; }
template <> inline bfloat abs(bfloat x) { return fabs(x); }
template <class T, int N> METAL_FUNC vec<T, N> abs(vec<T, N> v) {
    return msl::map<vec<T, N>>([](T c) { return abs(c); }, v);
}
template <class T, int N> METAL_FUNC vec<T, N> abs(packed_vec<T, N> v) { return abs(v.unpack()); }

// select(a, b, c) is c ? b : a, component by component.
template <class A, class B, MSL_IF(msl::is_number<A> && msl::is_number<B>)>
constexpr METAL_FUNC msl::common<A, B> select(A a, B b, bool c) {
    return c ? msl::common<A, B>(b) : msl::common<A, B>(a);
}
template <class A, class B, int N, class C, class R = msl::common<vec<msl::element<msl::common<A, B>>, N>, A, B>>
constexpr METAL_FUNC R select(A a, B b, vec<C, N> c) {
    return msl::map<R>([](auto p, auto q, C k) { return k ? q : p; }, R(a), R(b), c);
}
template <class T, int N> constexpr METAL_FUNC vec<T, N> select(vec<T, N> a, vec<T, N> b, bool c) { return c ? b : a; }

constexpr METAL_FUNC bool any(bool v) { return v; }
constexpr METAL_FUNC bool all(bool v) { return v; }
template <class T, int N> constexpr METAL_FUNC bool any(vec<T, N> v) {
    return msl::fold([](bool a, bool b) { return a || b; }, vec<bool, N>(v));
}
template <class T, int N> constexpr METAL_FUNC bool all(vec<T, N> v) {
    return msl::fold([](bool a, bool b) { return a && b; }, vec<bool, N>(v));
}

// Functions of one, two and three integers, given as an expression of components of type T.
#define MSL_INT1(name, ...)                                                                                        \
    template <class A, class R = msl::whole<A>> constexpr METAL_FUNC R name(A v) {                                 \
        using T = msl::element<R>;                                                                                 \
        return msl::map<R>([](T a) { return T(__VA_ARGS__); }, R(v));                                              \
    }
#define MSL_INT2(name, ...)                                                                                        \
    template <class A, class B, class R = msl::whole<msl::common<A, B>>> constexpr METAL_FUNC R name(A p, B q) {   \
        using T = msl::element<R>;                                                                                 \
        return msl::map<R>([](T a, T b) { return T(__VA_ARGS__); }, R(p), R(q));                                   \
    }
#define MSL_INT3(name, ...)                                                                                        \
    template <class A, class B, class C, class R = msl::whole<msl::common<A, B, C>>>                               \
    constexpr METAL_FUNC R name(A p, B q, C r) {                                                                   \
        using T = msl::element<R>;                                                                                 \
        return msl::map<R>([](T a, T b, T c) { return T(__VA_ARGS__); }, R(p), R(q), R(r));                        \
    }
} // namespace metal

namespace msl {
template <class T> constexpr int clz(T v) {
    unsigned_of<T> u = v;
    return u ? __builtin_clzll(u) - (64 - bits_of<T>) : bits_of<T>;
}
template <class T> constexpr int ctz(T v) { return v ? __builtin_ctzll((unsigned_of<T>)v) : bits_of<T>; }
template <class T> constexpr T reverse(T v) { return T(__builtin_bitreverse64((unsigned_of<T>)v) >> (64 - bits_of<T>)); }
template <class T> constexpr T rotate(T v, T by) {
    unsigned_of<T> u = v;
    unsigned n = (unsigned_of<T>)by % bits_of<T>;
    return n ? T(u << n | u >> (bits_of<T> - n)) : v;
}
template <class T> constexpr T low_mask(unsigned bits) {
    return bits >= (unsigned)bits_of<T> ? T(-1) : T(((unsigned long)1 << bits) - 1);
}
template <class T> constexpr T extract(T v, unsigned offset, unsigned bits) {
    if (bits == 0) return 0;
    unsigned_of<T> u = (unsigned_of<T>)v >> offset & (unsigned_of<T>)low_mask<T>(bits);
    unsigned spare = bits_of<T> - bits;
    return T(-1) > T(0) ? T(u) : T(T(u << spare) >> spare);
}
template <class T> constexpr T insert(T base, T part, unsigned offset, unsigned bits) {
    T mask = T(low_mask<T>(bits) << offset);
    return T((base & ~mask) | (T(part << offset) & mask));
}
// The upper half of a product. It takes 128 bits for operands of 64.
template <class T> constexpr T mulhi(T a, T b) {
    using P = metal::conditional_t<T(-1) < T(0), __int128, unsigned __int128>;
    return T((P)a * (P)b >> bits_of<T>);
}
constexpr int low24(int v) { return v << 8 >> 8; }
constexpr unsigned low24(unsigned v) { return v & 0xffffffu; }
} // namespace msl

namespace metal {
MSL_INT1(clz, msl::clz(a))
MSL_INT1(ctz, msl::ctz(a))
MSL_INT1(popcount, __builtin_popcountll((msl::unsigned_of<T>)a))
MSL_INT1(reverse_bits, msl::reverse(a))
MSL_INT2(absdiff, a > b ? (msl::unsigned_of<T>)a - (msl::unsigned_of<T>)b : (msl::unsigned_of<T>)b - (msl::unsigned_of<T>)a)
MSL_INT2(addsat, msl::clip<T>((msl::wider<T>)a + b))
MSL_INT2(subsat, msl::clip<T>((msl::wider<T>)a - b))
MSL_INT2(hadd, ((msl::wider<T>)a + b) >> 1)
MSL_INT2(rhadd, ((msl::wider<T>)a + b + 1) >> 1)
MSL_INT2(mulhi, msl::mulhi(a, b))
MSL_INT2(mul24, msl::low24(a) * msl::low24(b))
MSL_INT2(rotate, msl::rotate(a, b))
MSL_INT3(mad24, msl::low24(a) * msl::low24(b) + c)
MSL_INT3(madhi, msl::mulhi(a, b) + c)
MSL_INT3(madsat, msl::clip<T>((msl::wider<T>)a * b + c))
#undef MSL_INT1
#undef MSL_INT2
#undef MSL_INT3
template <class A, class R = msl::whole<A>> constexpr METAL_FUNC R extract_bits(A v, uint offset, uint bits) {
    return msl::map<R>([=](auto c) { return msl::extract(c, offset, bits); }, R(v));
}
template <class A, class R = msl::whole<A>> constexpr METAL_FUNC R insert_bits(A v, A part, uint offset, uint bits) {
    return msl::map<R>([=](auto b, auto c) { return msl::insert(b, c, offset, bits); }, R(v), R(part));
}

// Vectors as points.
template <class A, class B, class R = msl::floats<msl::common<A, B>>> METAL_FUNC msl::element<R> dot(A a, B b) {
    using T = msl::element<R>;
    if constexpr (msl::is_number<R>)
        return R(a) * R(b);
    else
        return T(msl::fold([](T p, T q) { return T(p + q); }, R(a) * R(b)));
}
template <class T> METAL_FUNC vec<T, 3> cross(vec<T, 3> a, vec<T, 3> b) { return a.yzx * b.zxy - a.zxy * b.yzx; }
template <class A, class R = msl::floats<A>> METAL_FUNC msl::element<R> length_squared(A v) { return dot(R(v), R(v)); }
template <class A, class R = msl::floats<A>> METAL_FUNC msl::element<R> length(A v) { return sqrt(dot(R(v), R(v))); }
template <class A, class B, class R = msl::floats<msl::common<A, B>>> METAL_FUNC msl::element<R> distance_squared(A a, B b) {
    return length_squared(R(a) - R(b));
}
template <class A, class B, class R = msl::floats<msl::common<A, B>>> METAL_FUNC msl::element<R> distance(A a, B b) {
    return length(R(a) - R(b));
}
template <class A, class R = msl::floats<A>> METAL_FUNC R normalize(A v) { return R(v) * rsqrt(dot(v, v)); }
template <class A, class B, class C, class R = msl::floats<msl::common<A, B, C>>>
METAL_FUNC R faceforward(A n, B i, C reference) {
    return dot(R(reference), R(i)) < 0 ? R(n) : -R(n);
}
template <class A, class B, class R = msl::floats<msl::common<A, B>>> METAL_FUNC R reflect(A i, B n) {
    return R(i) - R(n) * (2 * dot(R(n), R(i)));
}
template <class A, class B, class R = msl::floats<msl::common<A, B>>>
METAL_FUNC R refract(A incident, B normal, msl::element<R> eta) {
    R i = R(incident), n = R(normal);
    msl::element<R> d = dot(n, i), k = 1 - eta * eta * (1 - d * d);
    return k < 0 ? R(0) : i * eta - n * (eta * d + sqrt(k));
}
#define MSL_PRECISION                                                                                         \
    using metal::abs, metal::clamp, metal::max, metal::min, metal::max3, metal::min3, metal::median3;         \
    using metal::fmax3, metal::fmin3, metal::fmedian3, metal::cross, metal::distance, metal::distance_squared; \
    using metal::dot, metal::faceforward, metal::length, metal::length_squared, metal::normalize;             \
    using metal::reflect, metal::refract;
namespace fast { MSL_PRECISION }
namespace precise { MSL_PRECISION }
#undef MSL_PRECISION
} // namespace metal

#endif
