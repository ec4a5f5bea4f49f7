// Macros that MSL source may use. The translator's preprocessing pass includes this file alone.
#ifndef ASSAY_MSL_MACROS_H
#define ASSAY_MSL_MACROS_H

#define __METAL__ 1
#define __METAL_VERSION__ 320
#define __METAL_MACOS__ 1
#define __HAVE_BFLOAT__ 1
#define __METAL_MEMORY_SCOPE_SYSTEM__ 1
#define __METAL_FAST_MATH__ 1
#define __METAL_MAYBE_FAST_MATH__ 0
#define __METAL_PRECISE_MATH__ 0
#ifndef TARGET_OS_OSX
#define TARGET_OS_OSX 1
#define TARGET_OS_IPHONE 0
#endif

#define METAL_FUNC inline __attribute__((__always_inline__))
#define METAL_INTERNAL inline __attribute__((__always_inline__))
#define METAL_CONST_FUNC METAL_FUNC
#define METAL_ALIGN(n) __attribute__((aligned(n)))
#define METAL_ASM __asm
#define METAL_PURE
#define METAL_DEPRECATED(m)

#define assert(condition) ((void)0)

#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define HUGE_VALF (__builtin_inff())
#define HUGE_VALH (__builtin_inff())

#define MAXFLOAT 3.40282347e+38f
#define FLT_MAX 3.40282347e+38f
#define FLT_MIN 1.17549435e-38f
#define FLT_TRUE_MIN 1.40129846e-45f
#define FLT_EPSILON 1.19209290e-07f
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_MAX_10_EXP (+38)
#define FLT_MAX_EXP (+128)
#define FLT_MIN_10_EXP (-37)
#define FLT_MIN_EXP (-125)
#define FLT_RADIX 2
#define FLT_DECIMAL_DIG 9
#define MAXHALF ((half)65504.0f)
#define HALF_MAX ((half)65504.0f)
#define HALF_MIN ((half)6.103515625e-05f)
#define HALF_TRUE_MIN ((half)5.9604644775390625e-08f)
#define HALF_EPSILON ((half)9.765625e-04f)
#define HALF_DIG 3
#define HALF_MANT_DIG 11
#define HALF_MAX_10_EXP (+4)
#define HALF_MAX_EXP (+16)
#define HALF_MIN_10_EXP (-4)
#define HALF_MIN_EXP (-13)
#define HALF_RADIX 2
#define BFLT_MAX ((bfloat)3.38953139e+38f)
#define BFLT_MIN ((bfloat)1.17549435e-38f)
#define BFLT_EPSILON ((bfloat)0.0078125f)
#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN (-2147483647 - 1)

#define CHAR_BIT 8
#define SCHAR_MAX 127
#define SCHAR_MIN (-127 - 1)
#define CHAR_MAX SCHAR_MAX
#define CHAR_MIN SCHAR_MIN
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define SHRT_MIN (-32767 - 1)
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807l
#define LONG_MIN (-9223372036854775807l - 1l)
#define ULONG_MAX 18446744073709551615ul
#ifndef INT32_MAX
#define INT8_MAX SCHAR_MAX
#define INT8_MIN SCHAR_MIN
#define UINT8_MAX UCHAR_MAX
#define INT16_MAX SHRT_MAX
#define INT16_MIN SHRT_MIN
#define UINT16_MAX USHRT_MAX
#define INT32_MAX INT_MAX
#define INT32_MIN INT_MIN
#define UINT32_MAX UINT_MAX
#define INT64_MAX LONG_MAX
#define INT64_MIN LONG_MIN
#define UINT64_MAX ULONG_MAX
#define SIZE_MAX ULONG_MAX
#endif

#define M_E_F 2.71828182845904523536f
#define M_LOG2E_F 1.44269504088896340736f
#define M_LOG10E_F 0.43429448190325182765f
#define M_LN2_F 0.69314718055994530942f
#define M_LN10_F 2.30258509299404568402f
#define M_PI_F 3.14159265358979323846f
#define M_PI_2_F 1.57079632679489661923f
#define M_PI_4_F 0.78539816339744830962f
#define M_1_PI_F 0.31830988618379067154f
#define M_2_PI_F 0.63661977236758134308f
#define M_2_SQRTPI_F 1.12837916709551257390f
#define M_SQRT2_F 1.41421356237309504880f
#define M_SQRT1_2_F 0.70710678118654752440f
#define M_E_H ((half)M_E_F)
#define M_LOG2E_H ((half)M_LOG2E_F)
#define M_LOG10E_H ((half)M_LOG10E_F)
#define M_LN2_H ((half)M_LN2_F)
#define M_LN10_H ((half)M_LN10_F)
#define M_PI_H ((half)M_PI_F)
#define M_PI_2_H ((half)M_PI_2_F)
#define M_PI_4_H ((half)M_PI_4_F)
#define M_1_PI_H ((half)M_1_PI_F)
#define M_2_PI_H ((half)M_2_PI_F)
#define M_2_SQRTPI_H ((half)M_2_SQRTPI_F)
#define M_SQRT2_H ((half)M_SQRT2_F)
#define M_SQRT1_2_H ((half)M_SQRT1_2_F)
#define M_E_BF ((bfloat)M_E_F)
#define M_PI_BF ((bfloat)M_PI_F)
#define M_LN2_BF ((bfloat)M_LN2_F)
#define M_LOG2E_BF ((bfloat)M_LOG2E_F)

#endif
