// Functions of float. PTX has approximations of 2^x, log2 x, sine and cosine; there is no library beyond them, so the rest is
// here: frequent functions in float, rare ones in double, each within 4 units in the last place (pow 16), as the language's
// precise functions are. machine/angle.h has sine, cosine and tangent.
#ifndef ASSAY_MSL_MACHINE_MATH_H
#define ASSAY_MSL_MACHINE_MATH_H

#ifndef MSL_EX2 // tests compile this for a CPU
#define MSL_EX2(x) __nvvm_ex2_approx_f(x)
#define MSL_EX2_FLUSHED(x) __nvvm_ex2_approx_ftz_f(x) // what is below normal numbers is 0, before and after
#define MSL_RSQRT(x) __nvvm_rsqrt_approx_f(x)
#define MSL_FMA_DOWN(x, y, z) __nvvm_fma_rm_f(x, y, z)
#define MSL_DIVIDE(x, y) __nvvm_div_approx_ftz_f(x, y)
#endif

namespace msl {
namespace machine {
#define MSL_D(x) ((double)x##L) // a literal of the full precision, where those without a suffix are float

MSL_INLINE uint bits(float x) { return __builtin_bit_cast(uint, x); }
MSL_INLINE float number(uint u) { return __builtin_bit_cast(float, u); }
MSL_INLINE float nan() { return number(0x7fc00000u); }
MSL_INLINE float infinity() { return number(0x7f800000u); }
MSL_INLINE uint size_of(float x) { return bits(x) & 0x7fffffffu; } // orders absolute values; NaN is the largest
MSL_INLINE bool is_nan(float x) { return size_of(x) > 0x7f800000u; }
MSL_INLINE bool is_inf(float x) { return size_of(x) == 0x7f800000u; }
MSL_INLINE float with_sign(float x, float of) { return number(size_of(x) | (bits(of) & 0x80000000u)); }
// power2 is 2^e of a normal number.
MSL_INLINE float power2(int e) { return number((uint)(e + 127) << 23); }
MSL_INLINE double power2d(int e) { return __builtin_bit_cast(double, (unsigned long)(e + 1023) << 52); }
MSL_INLINE float ldexp(float x, int e) {
    e = e < -300 ? -300 : e > 300 ? 300 : e;
    int a = e / 3, b = e - 2 * a; // each part is a normal number
    return x * power2(a) * power2(a) * power2(b);
}
MSL_INLINE float frexp(float x, int &e) {
    e = 0;
    if (size_of(x) == 0 || size_of(x) >= 0x7f800000u) return x;
    float s = size_of(x) < 0x00800000u ? x * power2(25) : x;
    e = (int)(size_of(s) >> 23) - 126 - (s == x ? 0 : 25);
    return number((bits(s) & 0x807fffffu) | 0x3f000000u);
}
MSL_INLINE int ilogb(float x) {
    if (size_of(x) == 0) return FP_ILOGB0;
    if (is_nan(x)) return FP_ILOGBNAN;
    if (is_inf(x)) return 2147483647;
    int e;
    frexp(x, e);
    return e - 1;
}
MSL_INLINE float modf(float x, float &whole) {
    whole = __builtin_truncf(x);
    return with_sign(is_inf(x) ? 0.0f : x - whole, x);
}
MSL_INLINE float nextafter(float x, float y) {
    if (is_nan(x) || is_nan(y)) return nan();
    if (x == y) return y;
    if (size_of(x) == 0) return number((bits(y) & 0x80000000u) | 1u);
    return number((x < y) == (x > 0) ? bits(x) + 1 : bits(x) - 1);
}
MSL_INLINE float fdim(float x, float y) { return is_nan(x) || is_nan(y) ? nan() : x > y ? x - y : 0.0f; }
// fmod subtracts multiples of y by their leading bits: every difference is exact.
inline float fmod(float x, float y) {
    uint a = size_of(x), b = size_of(y);
    if (is_nan(x) || is_nan(y) || is_inf(x) || b == 0) return nan();
    if (a < b) return x;
    int ea, eb;
    uint ma = (uint)(frexp(number(a), ea) * power2(24)), mb = (uint)(frexp(number(b), eb) * power2(24));
    unsigned long r = ma;
    for (int e = ea - eb; e > 0;) {
        int step = e < 32 ? e : 32;
        r = (r << step) % mb;
        e -= step;
    }
    r %= mb;
    return with_sign(ldexp((float)(uint)r, eb - 24), x);
}
MSL_INLINE float rsqrt(float x) { return MSL_RSQRT(x); }
MSL_INLINE float fast_divide(float x, float y) { return MSL_DIVIDE(x, y); }

MSL_INLINE float exp2(float x) { return MSL_EX2(x); }
// e^x = 2^n · 2^r, where n is the whole part of x·log2 e, rounded down, and log2 e has two parts: the first product is exact with
// the fused addition. Adding 2^23 + 127 leaves the exponent of 2^n in the lowest bits. Below 2^-125 the
// result is 0.
MSL_INLINE float exp(float x) {
    const float shift = 8388735.0f;
    float c = x > 89.0f ? 89.0f : x; // comparisons keep NaN
    c = c < -87.0f ? -87.0f : c;
    float n = MSL_FMA_DOWN(c, 1.44269502f, shift);
    float whole = n - shift;
    float r = __builtin_fmaf(c, 1.92596299e-8f, __builtin_fmaf(c, 1.44269502f, -whole));
    float power = MSL_EX2_FLUSHED(r) * number(bits(n) << 23); // r lies between 0 and 1
    return x < -87.0f ? 0.0f : power;
}
MSL_INLINE float fast_exp2(float x) { return MSL_EX2_FLUSHED(x); }
MSL_INLINE float fast_exp(float x) { return MSL_EX2_FLUSHED(x * 1.44269504f); }

// logarithm gives x = m·2^e with m between √½ and √2, and ln m = f − (f²/2 − s·(f²/2 + r)) of fdlibm's logf, as a sum of a
// part that is exact in float and a small one.
struct logarithm {
    int e;
    float f, hfsq, small;
    MSL_INLINE explicit logarithm(float x) {
        int shift = 0;
        if (size_of(x) < 0x00800000u) {
            x *= power2(25);
            shift = -25;
        }
        uint u = bits(x) + (0x3f800000u - 0x3f3504f3u);
        e = (int)(u >> 23) - 127 + shift;
        f = number((u & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
        float s = f / (2.0f + f), z = s * s, w = z * z;
        float r = z * (0.66666662693f + w * 0.28498786688f) + w * (0.40000972152f + w * 0.24279078841f);
        hfsq = 0.5f * f * f;
        small = s * (hfsq + r);
    }
};
MSL_INLINE bool no_log(float x, float &result) {
    if (size_of(x) == 0) return result = -infinity(), true;
    if (is_nan(x) || bits(x) >> 31) return result = nan(), true;
    if (is_inf(x)) return result = x, true;
    return false;
}
MSL_INLINE float log(float x) {
    float special;
    if (no_log(x, special)) return special;
    logarithm l(x);
    float e = (float)l.e;
    return e * 6.9313812256e-01f - ((l.hfsq - (l.small + e * 9.0580006145e-06f)) - l.f);
}
// The logarithm to another base: of hi + lo, hi has so few bits that its product with the first part of the factor is exact.
MSL_INLINE float log_to(float x, float hi_factor, float lo_factor, float whole_hi, float whole_lo) {
    float special;
    if (no_log(x, special)) return special;
    logarithm l(x);
    float hi = number(bits(l.f - l.hfsq) & 0xfffff000u);
    float lo = (l.f - hi) - l.hfsq + l.small;
    float e = (float)l.e;
    return e * whole_lo + ((lo + hi) * lo_factor + (lo * hi_factor + (hi * hi_factor + e * whole_hi)));
}
MSL_INLINE float log2(float x) { return log_to(x, 1.4428710938f, -1.7605285393e-04f, 1.0f, 0.0f); }
MSL_INLINE float log10(float x) { return log_to(x, 4.3432617188e-01f, -3.1689971365e-05f, 3.0102920532e-01f, 7.9034151668e-07f); }

MSL_INLINE float tanh(float x) {
    float a = number(size_of(x));
    if (a < 0.4f) {
        float z = x * x;
        float p = -8.8632355299e-03f; // of tanh x = x + x³·(−1/3 + 2/15 x² − …)
        p = __builtin_fmaf(p, z, 2.1869488536e-02f);
        p = __builtin_fmaf(p, z, -5.3968253968e-02f);
        p = __builtin_fmaf(p, z, 1.3333333333e-01f);
        p = __builtin_fmaf(p, z, -3.3333333333e-01f);
        float last = z * z * z * z * z * z * 3.5921280366e-03f; // 21844/6081075 x¹³
        return __builtin_fmaf(x * z, p, x) + x * last;
    }
    if (is_nan(x)) return x;
    return with_sign(a > 9.1f ? 1.0f : 1.0f - 2.0f / (exp(2.0f * a) + 1.0f), x);
}

// The rare ones, in double.
MSL_INLINE double expd(double x) { // |x| ≤ 700
    double n = __builtin_rint(x * MSL_D(1.4426950408889634));
    double r = x - n * MSL_D(6.93147180369123816490e-01) - n * MSL_D(1.90821492927058770002e-10);
    double p = 1;
    for (int i = 11; i > 0; i--)
        p = 1 + p * r / i;
    return p * power2d((int)n);
}
MSL_INLINE double logd(double x) { // positive and normal
    unsigned long u = __builtin_bit_cast(unsigned long, x);
    int e = (int)(u >> 52) - 1023;
    double m = __builtin_bit_cast(double, (u & 0xfffffffffffffUL) | 0x3ff0000000000000UL);
    if (m > MSL_D(1.4142135623730951)) {
        m /= 2;
        e++;
    }
    double s = (m - 1) / (m + 1), z = s * s, p = 0;
    for (int i = 21; i > 0; i -= 2)
        p = p * z + MSL_D(1.0) / i;
    return 2 * s * p + e * MSL_D(6.93147180559945309417e-01);
}
MSL_INLINE float exp10(float x) {
    if (is_nan(x)) return x;
    float c = x < -60.0f ? -60.0f : x > 60.0f ? 60.0f : x;
    return (float)expd(c * MSL_D(2.30258509299404568402));
}
MSL_INLINE float sinh(float x) {
    float a = number(size_of(x));
    if (!(a < 100.0f)) return is_nan(x) ? x : with_sign(infinity(), x);
    double d = x;
    if (a < 0.1f) return (float)(d + d * d * d * (MSL_D(1.0) / 6 + d * d * (MSL_D(1.0) / 120 + d * d / 5040)));
    return (float)((expd(d) - expd(-d)) / 2);
}
MSL_INLINE float cosh(float x) {
    float a = number(size_of(x));
    if (!(a < 100.0f)) return is_nan(x) ? x : infinity();
    return (float)((expd(a) + expd(-(double)a)) / 2);
}
MSL_INLINE float asinh(float x) {
    double a = number(size_of(x));
    if (size_of(x) >= 0x7f800000u || a < 1e-4) return x; // the next term is x³/6
    return with_sign((float)logd(a + __builtin_sqrt(a * a + 1)), x);
}
MSL_INLINE float acosh(float x) {
    if (!(x >= 1.0f) || is_inf(x)) return x >= 1.0f ? x : nan();
    double t = (double)x - 1;
    return (float)logd(1 + t + __builtin_sqrt(t * (t + 2)));
}
MSL_INLINE float atanh(float x) {
    double d = x;
    if (size_of(x) < 0x39000000u) return x; // 2^-13
    if (!(size_of(x) < 0x3f800000u)) return size_of(x) == 0x3f800000u ? with_sign(infinity(), x) : nan();
    return (float)(logd((1 + d) / (1 - d)) / 2);
}
MSL_INLINE bool whole(float x) { return __builtin_truncf(x) == x; }
MSL_INLINE bool odd(float x) { return whole(x) && size_of(x) < 0x4b800000u && ((int)x & 1); } // from 2^24 on all are even
inline float pow(float x, float y) {
    if (y == 0.0f || x == 1.0f) return 1.0f;
    if (is_nan(x) || is_nan(y)) return nan();
    bool negative = bits(x) >> 31 && odd(y);
    float a = number(size_of(x)), r;
    if (a == 0.0f || is_inf(a))
        r = (a == 0.0f) == (y > 0.0f) ? 0.0f : infinity();
    else if (is_inf(y))
        r = a == 1.0f ? 1.0f : (a > 1.0f) == (y > 0.0f) ? infinity() : 0.0f;
    else if (bits(x) >> 31 && !whole(y))
        return nan();
    else {
        double t = y * logd(a);
        r = (float)expd(t < -200 ? -200 : t > 200 ? 200 : t);
    }
    return negative ? -r : r;
}

// fdlibm's arc tangent of a number between 0 and 1, in double.
MSL_INLINE double atand(double x) {
    bool swap = x > MSL_D(0.41421356237309503);
    double t = swap ? (x - 1) / (x + 1) : x, z = t * t, p = 0;
    for (int i = 21; i > 0; i -= 2)
        p = MSL_D(1.0) / i - p * z;
    return t * p + (swap ? MSL_D(0.78539816339744830962) : 0);
}
MSL_INLINE double arc(double y, double x) { // of a point of the first quadrant
    if (x == 0 && y == 0) return 0;
    return y <= x ? atand(y / x) : MSL_D(1.57079632679489661923) - atand(x / y);
}
MSL_INLINE float atan2(float y, float x) {
    if (is_nan(x) || is_nan(y)) return nan();
    double ay = number(size_of(y)), ax = number(size_of(x));
    if (is_inf(x) && is_inf(y)) ax = ay = 1;
    double a = is_inf(y) && !is_inf(x) ? MSL_D(1.57079632679489661923) : is_inf(x) && !is_inf(y) ? 0 : arc(ay, ax);
    if (bits(x) >> 31) a = MSL_D(3.14159265358979323846) - a;
    return with_sign((float)a, y);
}
MSL_INLINE float atan(float x) { return is_nan(x) ? x : atan2(x, 1.0f); }
MSL_INLINE float asin(float x) {
    double a = number(size_of(x));
    return a <= 1 ? with_sign((float)arc(a, __builtin_sqrt((1 - a) * (1 + a))), x) : nan();
}
MSL_INLINE float acos(float x) {
    double d = x, a = number(size_of(x));
    if (!(a <= 1)) return nan();
    double t = arc(__builtin_sqrt((1 - a) * (1 + a)), a);
    return (float)(d < 0 ? MSL_D(3.14159265358979323846) - t : t);
}
} // namespace machine
} // namespace msl

#include "angle.h"
#undef MSL_D

#endif
