// bfloat: the upper half of a float. It converts to float by itself and from float only when asked, as in the language.
#ifndef ASSAY_MSL_BFLOAT_H
#define ASSAY_MSL_BFLOAT_H

#include "traits.h"
#include "../machine/bfloat.h"

namespace msl {
constexpr MSL_INLINE uint16_t bf_round(float f) {
#ifdef MSL_BF_ROUND
    if (!__builtin_is_constant_evaluated())
        return MSL_BF_ROUND(f);
#endif
    uint32_t u = __builtin_bit_cast(uint32_t, f);
    if ((u & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)(u >> 16 | 0x40); // NaN stays NaN
    return (uint16_t)((u + 0x7fffu + (u >> 16 & 1)) >> 16);
}
constexpr MSL_INLINE float bf_float(uint16_t b) { return __builtin_bit_cast(float, (uint32_t)b << 16); }
template <class N>
inline constexpr bool bf_becomes = __is_same(N, float) || (__is_integral(N) && !__is_same(N, int));
// Conditions of MSL_WHEN: they are mangled, as names.
template <class N> inline constexpr bool bf_whole = __is_integral(N);
template <class N> inline constexpr bool bf_real = __is_floating_point(N);
template <class C> inline constexpr bool bf_mask = __is_class(C) && __is_convertible_to(C, float);
template <class N> inline constexpr bool bf_casts = __is_arithmetic(N) && !bf_becomes<N>;
// A bfloat and an integer give a bfloat; a bfloat and another float give a float.
template <class N, bool = metal::is_integral_v<N>> struct bf_with { using type = float; };
template <class N> struct bf_with<N, true> { using type = bfloat; };
} // namespace msl

#define MSL_IF(...) class = typename metal::enable_if<(__VA_ARGS__)>::type
// MSL_WHEN leaves out a function as MSL_IF does. The compiler asks once for each set of template arguments rather than in
// each overload resolution, which tries a conversion of bfloat for every built-in operator.
#define MSL_WHEN(...) __attribute__((enable_if(__VA_ARGS__, "")))

struct bfloat {
    uint16_t bits;

    bfloat() = default;
    template <class I> MSL_WHEN(msl::bf_whole<I>) constexpr bfloat(I v) : bits(msl::bf_round((float)v)) {}
    template <class F, class = void> MSL_WHEN(msl::bf_real<F>)
    explicit constexpr bfloat(F v) : bits(msl::bf_round((float)v)) {}

    // What converts to bool or a number by itself, as a type that stands for a mask.
    template <class C, class = void, class = void> MSL_WHEN(msl::bf_mask<C>)
    constexpr bfloat(C c) : bits(msl::bf_round((float)c)) {}

    // By itself to float and to integers, but not to int: with both ways open, `c ? bf : 0` would have no meaning.
    template <class N> MSL_WHEN(msl::bf_becomes<N>) constexpr operator N() const { return (N)msl::bf_float(bits); }
    template <class N, class = void> MSL_WHEN(msl::bf_casts<N>)
    explicit constexpr operator N() const {
        return (N)msl::bf_float(bits);
    }

    constexpr bfloat operator+() const { return *this; }
    constexpr bfloat operator-() const { return bfloat(-msl::bf_float(bits)); }
    constexpr bool operator!() const { return !msl::bf_float(bits); }
    constexpr bfloat &operator++() { return *this = bfloat(msl::bf_float(bits) + 1); }
    constexpr bfloat &operator--() { return *this = bfloat(msl::bf_float(bits) - 1); }
    constexpr bfloat operator++(int) {
        bfloat old = *this;
        ++*this;
        return old;
    }
    constexpr bfloat operator--(int) {
        bfloat old = *this;
        --*this;
        return old;
    }

#define MSL_BF_NUMBER template <class N, MSL_IF(__is_arithmetic(N))> friend constexpr
#define MSL_BF_OP(op)                                                                                              \
    friend constexpr bfloat operator op(bfloat a, bfloat b) { return bfloat((float)a op(float) b); }               \
    MSL_BF_NUMBER typename msl::bf_with<N>::type operator op(bfloat a, N b) {                                      \
        return (typename msl::bf_with<N>::type)((float)a op(float) b);                                             \
    }                                                                                                              \
    MSL_BF_NUMBER typename msl::bf_with<N>::type operator op(N a, bfloat b) {                                      \
        return (typename msl::bf_with<N>::type)((float)a op(float) b);                                             \
    }                                                                                                              \
    friend constexpr bfloat &operator op##=(bfloat &a, bfloat b) { return a = bfloat((float)a op(float) b); }      \
    MSL_BF_NUMBER bfloat &operator op##=(bfloat &a, N b) { return a = bfloat((float)a op(float) b); }              \
    MSL_BF_NUMBER N &operator op##=(N &a, bfloat b) { return a = metal::remove_cvref_t<N>((float)a op(float) b); }
    MSL_BF_OP(+)
    MSL_BF_OP(-)
    MSL_BF_OP(*)
    MSL_BF_OP(/)
#undef MSL_BF_OP
#define MSL_BF_TEST(op)                                                                                            \
    friend constexpr bool operator op(bfloat a, bfloat b) { return (float)a op(float) b; }                         \
    MSL_BF_NUMBER bool operator op(bfloat a, N b) { return (float)a op(float) b; }                                 \
    MSL_BF_NUMBER bool operator op(N a, bfloat b) { return (float)a op(float) b; }
    MSL_BF_TEST(==)
    MSL_BF_TEST(!=)
    MSL_BF_TEST(<)
    MSL_BF_TEST(>)
    MSL_BF_TEST(<=)
    MSL_BF_TEST(>=)
#undef MSL_BF_TEST
#undef MSL_BF_NUMBER
};

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wuser-defined-literals"
constexpr half operator""h(long double v) { return (half)v; }
constexpr half operator""_h(long double v) { return (half)v; }
constexpr bfloat operator""_bf(long double v) { return bfloat((float)v); }
constexpr half operator""_h(unsigned long long v) { return (half)v; }
constexpr bfloat operator""_bf(unsigned long long v) { return bfloat((float)v); }
#pragma clang diagnostic pop

#endif
