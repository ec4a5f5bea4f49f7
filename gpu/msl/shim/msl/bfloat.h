// bfloat: the upper half of a float. It converts to float by itself and from float only when asked, as in the language.
#ifndef ASSAY_MSL_BFLOAT_H
#define ASSAY_MSL_BFLOAT_H

#include "traits.h"

namespace msl {
constexpr MSL_INLINE uint16_t bf_round(float f) {
    uint32_t u = __builtin_bit_cast(uint32_t, f);
    if ((u & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)(u >> 16 | 0x40); // NaN stays NaN
    return (uint16_t)((u + 0x7fffu + (u >> 16 & 1)) >> 16);
}
constexpr MSL_INLINE float bf_float(uint16_t b) { return __builtin_bit_cast(float, (uint32_t)b << 16); }
} // namespace msl

#define MSL_IF(...) class = metal::enable_if_t<(__VA_ARGS__)>

struct bfloat {
    uint16_t bits;

    bfloat() = default;
    template <class I, MSL_IF(__is_integral(I))> constexpr bfloat(I v) : bits(msl::bf_round((float)v)) {}
    template <class F, class = void, MSL_IF(__is_floating_point(F))>
    explicit constexpr bfloat(F v) : bits(msl::bf_round((float)v)) {}

    // Only float by itself: a conversion to int as well would make `c ? bf : 0` mean two things.
    template <class F, MSL_IF(__is_same(F, float))> constexpr operator F() const { return msl::bf_float(bits); }
    template <class S, class = void, MSL_IF(__is_arithmetic(S) && !__is_same(S, float))>
    explicit constexpr operator S() const {
        return (S)msl::bf_float(bits);
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

#define MSL_BF_OP(op)                                                                                          \
    friend constexpr bfloat operator op(bfloat a, bfloat b) { return bfloat((float)a op(float) b); }           \
    template <class I, MSL_IF(__is_integral(I))> friend constexpr bfloat operator op(bfloat a, I b) {          \
        return bfloat((float)a op(float) b);                                                                   \
    }                                                                                                          \
    template <class I, MSL_IF(__is_integral(I))> friend constexpr bfloat operator op(I a, bfloat b) {          \
        return bfloat((float)a op(float) b);                                                                   \
    }                                                                                                          \
    template <class S, MSL_IF(__is_arithmetic(S))> friend constexpr bfloat &operator op##=(bfloat &a, S b) {    \
        return a = bfloat((float)a op(float) b);                                                               \
    }                                                                                                          \
    friend constexpr bfloat &operator op##=(bfloat &a, bfloat b) { return a = bfloat((float)a op(float) b); }
    MSL_BF_OP(+)
    MSL_BF_OP(-)
    MSL_BF_OP(*)
    MSL_BF_OP(/)
#undef MSL_BF_OP
#define MSL_BF_CMP(op)                                                                                         \
    friend constexpr bool operator op(bfloat a, bfloat b) { return (float)a op(float) b; }                     \
    template <class I, MSL_IF(__is_integral(I))> friend constexpr bool operator op(bfloat a, I b) {            \
        return (float)a op(float) b;                                                                           \
    }                                                                                                          \
    template <class I, MSL_IF(__is_integral(I))> friend constexpr bool operator op(I a, bfloat b) {            \
        return (float)a op(float) b;                                                                           \
    }
    MSL_BF_CMP(==)
    MSL_BF_CMP(!=)
    MSL_BF_CMP(<)
    MSL_BF_CMP(>)
    MSL_BF_CMP(<=)
    MSL_BF_CMP(>=)
#undef MSL_BF_CMP
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
