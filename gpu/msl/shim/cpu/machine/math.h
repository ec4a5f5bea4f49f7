// Functions of float that the processor or the C library computes.
#ifndef ASSAY_MSL_MACHINE_MATH_H
#define ASSAY_MSL_MACHINE_MATH_H

namespace msl {
namespace machine {
constexpr double pi = (double)3.14159265358979323846L;
constexpr double ln10 = (double)2.30258509299404568402L;

MSL_INLINE double turn(float x) { return pi * ((double)x - 2 * __builtin_rint((double)x / 2)); }

#define MSL_MACHINE1(name) \
    MSL_INLINE float name(float x) { return __builtin_##name##f(x); }
#define MSL_MACHINE2(name) \
    MSL_INLINE float name(float x, float y) { return __builtin_##name##f(x, y); }
MSL_MACHINE1(acos)
MSL_MACHINE1(acosh)
MSL_MACHINE1(asin)
MSL_MACHINE1(asinh)
MSL_MACHINE1(atan)
MSL_MACHINE1(atanh)
MSL_MACHINE1(cos)
MSL_MACHINE1(cosh)
MSL_MACHINE1(exp)
MSL_MACHINE1(exp2)
MSL_MACHINE1(log)
MSL_MACHINE1(log2)
MSL_MACHINE1(log10)
MSL_MACHINE1(sin)
MSL_MACHINE1(sinh)
MSL_MACHINE1(tan)
MSL_MACHINE1(tanh)
MSL_MACHINE2(atan2)
MSL_MACHINE2(fdim)
MSL_MACHINE2(fmod)
MSL_MACHINE2(nextafter)
MSL_MACHINE2(pow)
#undef MSL_MACHINE1
#undef MSL_MACHINE2
MSL_INLINE float cospi(float x) { return (float)__builtin_cos(turn(x)); }
MSL_INLINE float sinpi(float x) { return (float)__builtin_sin(turn(x)); }
MSL_INLINE float tanpi(float x) { return (float)__builtin_tan(turn(x)); }
MSL_INLINE float exp10(float x) { return (float)__builtin_exp((double)x * ln10); }
MSL_INLINE float rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }
MSL_INLINE float fast_divide(float x, float y) { return x / y; }
MSL_INLINE float fast_exp(float x) { return exp(x); }
MSL_INLINE float fast_exp2(float x) { return exp2(x); }
MSL_INLINE float ldexp(float x, int e) { return __builtin_ldexpf(x, e); }
MSL_INLINE int ilogb(float x) { return __builtin_ilogbf(x); }
MSL_INLINE float frexp(float x, int &e) { return __builtin_frexpf(x, &e); }
MSL_INLINE float modf(float x, float &whole) { return __builtin_modff(x, &whole); }
} // namespace machine
} // namespace msl

#endif
