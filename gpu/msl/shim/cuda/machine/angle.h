// Sine, cosine and tangent: the argument as quarter turns and a rest of at most an eighth of a turn, in double.
#ifndef ASSAY_MSL_MACHINE_ANGLE_H
#define ASSAY_MSL_MACHINE_ANGLE_H

namespace msl {
namespace machine {
struct angle {
    int quarter;
    double rest; // in radians

    MSL_INLINE angle(int quarter, double rest) : quarter(quarter), rest(rest) {}
    MSL_INLINE double sine() const {
        double z = rest * rest, p = 0;
        for (int i = 12; i > 0; i -= 2)
            p = (1 - p) * z / (i * (i + 1));
        return rest - rest * p;
    }
    MSL_INLINE double cosine() const {
        double z = rest * rest, p = 0;
        for (int i = 11; i > 0; i -= 2)
            p = (1 - p) * z / (i * (i + 1));
        return 1 - p;
    }
    MSL_INLINE float sin() const {
        double r = quarter & 1 ? cosine() : sine();
        return (float)(quarter & 2 ? -r : r);
    }
    MSL_INLINE float cos() const { return angle(quarter + 1, rest).sin(); }
    MSL_INLINE float tan() const {
        if (quarter & 1 && rest == 0) return quarter & 2 ? -infinity() : infinity();
        return (float)(quarter & 1 ? -cosine() / sine() : sine() / cosine());
    }
};

// Below 2^25 the product of the quarters and the upper 25 bits of π/2 is exact.
MSL_INLINE angle near_angle(float x) {
    double n = __builtin_rint((double)x * MSL_D(0.63661977236758134308));
    return angle((int)n, (double)x - n * MSL_D(1.57079631090164184570) - n * MSL_D(1.58932547735281966916e-08));
}
// From there on, x = m·2^e is multiplied by 2/π as integers (Payne and Hanek): bits of 2/π whose product with m is a
// multiple of four quarters are left out, and of the next 96 the product's upper two are the quarters.
inline angle far_angle(float x) {
    const uint two_over_pi[] = {0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u, 0xF534DDC0u, 0xDB629599u, 0x3C439041u, 0xFE5163ABu};
    int skip = (int)(size_of(x) >> 23) - 150 - 2;
    ulong m = (bits(x) & 0x007fffffu) | 0x00800000u, window[3];
    for (int i = 0; i < 3; i++) {
        int word = skip / 32 + i;
        ulong pair = (ulong)two_over_pi[word] << 32 | two_over_pi[word + 1];
        window[i] = pair << skip % 32 >> 32;
    }
    ulong middle = window[1] * m + (window[2] * m >> 32), high = window[0] * m + (middle >> 32);
    ulong product = high << 32 | (middle & 0xffffffffUL);
    long fraction = (long)(product << 2);
    int quarter = (int)(product >> 62) + (fraction < 0);
    double rest = (double)fraction * MSL_D(8.51530395021638647334e-20); // π/2 · 2^-64
    return bits(x) >> 31 ? angle(-quarter, -rest) : angle(quarter, rest);
}
MSL_INLINE angle angle_of(float x) { return size_of(x) < 0x4c000000u ? near_angle(x) : far_angle(x); }
MSL_INLINE bool no_angle(float x) { return size_of(x) >= 0x7f800000u; }

MSL_INLINE float sin(float x) { return no_angle(x) ? nan() : size_of(x) == 0 ? x : angle_of(x).sin(); }
MSL_INLINE float cos(float x) { return no_angle(x) ? nan() : angle_of(x).cos(); }
MSL_INLINE float tan(float x) { return no_angle(x) ? nan() : size_of(x) == 0 ? x : angle_of(x).tan(); }

// Multiples of π: the quarters are exact. From 2^24 on all numbers are even.
MSL_INLINE angle half_turns(float x) {
    float t = size_of(x) < 0x4b800000u ? x : 0.0f, n = __builtin_rintf(2 * t);
    return angle((int)n & 3, ((double)t - (double)n / 2) * MSL_D(3.14159265358979323846));
}
MSL_INLINE float sinpi(float x) { return no_angle(x) ? nan() : size_of(x) == 0 ? x : half_turns(x).sin(); }
MSL_INLINE float cospi(float x) { return no_angle(x) ? nan() : half_turns(x).cos(); }
MSL_INLINE float tanpi(float x) { return no_angle(x) ? nan() : size_of(x) == 0 ? x : half_turns(x).tan(); }
} // namespace machine
} // namespace msl

#endif
