// Names that Apple's own headers are built upon and that kernels of others call too.
#ifndef ASSAY_MSL_BUILTINS_H
#define ASSAY_MSL_BUILTINS_H

#include "async.h"

// The last argument, where there is one, asks for fast or precise math.
#define MSL_BUILTIN1(name, f) \
    template <class A> METAL_FUNC auto __metal_##name(A x, int = 0) { return metal::f(x); }
#define MSL_BUILTIN2(name, f) \
    template <class A, class B> METAL_FUNC auto __metal_##name(A x, B y, int = 0) { return metal::f(x, y); }
#define MSL_BUILTIN3(name, f)                                                              \
    template <class A, class B, class C> METAL_FUNC auto __metal_##name(A x, B y, C z, int = 0) { \
        return metal::f(x, y, z);                                                          \
    }
#define MSL_SAME1(f) MSL_BUILTIN1(f, f)
#define MSL_SAME2(f) MSL_BUILTIN2(f, f)
MSL_SAME1(acos) MSL_SAME1(acosh) MSL_SAME1(asin) MSL_SAME1(asinh) MSL_SAME1(atan) MSL_SAME1(atanh) MSL_SAME1(ceil)
MSL_SAME1(cos) MSL_SAME1(cosh) MSL_SAME1(cospi) MSL_SAME1(exp) MSL_SAME1(exp10) MSL_SAME1(exp2) MSL_SAME1(fabs)
MSL_SAME1(floor) MSL_SAME1(fract) MSL_SAME1(log) MSL_SAME1(log10) MSL_SAME1(log2) MSL_SAME1(rint) MSL_SAME1(round)
MSL_SAME1(rsqrt) MSL_SAME1(saturate) MSL_SAME1(sign) MSL_SAME1(sin) MSL_SAME1(sinh) MSL_SAME1(sinpi) MSL_SAME1(sqrt)
MSL_SAME1(tan) MSL_SAME1(tanh) MSL_SAME1(tanpi) MSL_SAME1(trunc) MSL_SAME1(isnan) MSL_SAME1(isinf) MSL_SAME1(isfinite)
MSL_SAME1(clz) MSL_SAME1(ctz) MSL_SAME1(popcount) MSL_SAME1(reverse_bits) MSL_SAME1(ilogb)
MSL_SAME2(atan2) MSL_SAME2(copysign) MSL_SAME2(divide) MSL_SAME2(fmax) MSL_SAME2(fmin) MSL_SAME2(fmod) MSL_SAME2(ldexp)
MSL_SAME2(max) MSL_SAME2(min) MSL_SAME2(nextafter) MSL_SAME2(pow) MSL_SAME2(powr) MSL_SAME2(mulhi)
MSL_BUILTIN2(mul_hi, mulhi)
MSL_BUILTIN3(fma, fma) MSL_BUILTIN3(clamp, clamp) MSL_BUILTIN3(fmax3, fmax3) MSL_BUILTIN3(fmin3, fmin3)
MSL_BUILTIN3(fmedian3, fmedian3) MSL_BUILTIN3(max3, max3) MSL_BUILTIN3(min3, min3) MSL_BUILTIN3(mix, mix)
MSL_BUILTIN3(select, select)
template <class A> METAL_FUNC A __metal_frexp(A x, int *e) { return metal::frexp(x, *e); }
template <class A> METAL_FUNC A __metal_modf(A x, A *whole) { return metal::modf(x, *whole); }
template <class A> METAL_FUNC A __metal_sincos(A x, A *c) { return metal::sincos(x, *c); }

#define MSL_LANE1(f) \
    template <class A> inline auto __metal_##f(A v, MSL_SITE) { return metal::f(v, site); }
#define MSL_LANE2(f) \
    template <class A> inline auto __metal_##f(A v, ushort lane, MSL_SITE) { return metal::f(v, lane, site); }
#define MSL_LANE_FILL(f)                                                                         \
    template <class A> inline auto __metal_##f(A v, A fill, ushort delta, ushort modulo, MSL_SITE) { \
        return metal::f(v, fill, delta, modulo, site);                                           \
    }
#define MSL_LANE_FUNCTIONS(p)                                                                                    \
    MSL_LANE1(p##_sum) MSL_LANE1(p##_product) MSL_LANE1(p##_min) MSL_LANE1(p##_max) MSL_LANE1(p##_and)           \
    MSL_LANE1(p##_or) MSL_LANE1(p##_xor) MSL_LANE1(p##_prefix_inclusive_sum) MSL_LANE1(p##_prefix_exclusive_sum) \
    MSL_LANE1(p##_prefix_inclusive_product) MSL_LANE1(p##_prefix_exclusive_product)                              \
    MSL_LANE1(p##_broadcast_first) MSL_LANE2(p##_broadcast) MSL_LANE2(p##_shuffle) MSL_LANE2(p##_shuffle_xor)    \
    MSL_LANE2(p##_shuffle_up) MSL_LANE2(p##_shuffle_down) MSL_LANE2(p##_shuffle_rotate_up)                       \
    MSL_LANE2(p##_shuffle_rotate_down) MSL_LANE_FILL(p##_shuffle_and_fill_up) MSL_LANE_FILL(p##_shuffle_and_fill_down)
MSL_LANE_FUNCTIONS(simd)
MSL_LANE_FUNCTIONS(quad)

METAL_FUNC ushort __metal_get_thread_index_in_simdgroup(ushort) { return (ushort)msl::lane(); }
METAL_FUNC ushort __metal_get_simdgroup_size(ushort) { return MSL_SIMD; }

namespace metal {
// vec_elements counts the components of a type; a scalar has one.
template <class T> struct vec_elements : integral_constant<size_t, 1> {};
template <class T, int N> struct vec_elements<vec<T, N>> : integral_constant<size_t, N> {};
template <class T, int N> struct vec_elements<packed_vec<T, N>> : integral_constant<size_t, N> {};
template <class T> inline constexpr size_t vec_elements_v = vec_elements<T>::value;
template <class T> struct is_vector : bool_constant<(vec_elements<T>::value > 1)> {};
template <class T> inline constexpr bool is_vector_v = is_vector<T>::value;
template <class T> struct make_scalar { using type = msl::element<T>; };
template <class T> using make_scalar_t = msl::element<T>;
// Types that SIMD functions take.
template <class T> struct __is_valid_simdgroup_type
    : bool_constant<msl::is_number<msl::element<T>> && !__is_enum(T) && !__is_same(T, bfloat)> {};
template <class T> struct is_matrix : false_type {};
template <class T, int C, int R> struct is_matrix<matrix<T, C, R>> : true_type {};
template <class T> inline constexpr bool is_matrix_v = is_matrix<T>::value;

// os_log takes messages, which go nowhere.
struct os_log {
    constexpr os_log() {}
    constexpr os_log(const char *, const char *) {}
    template <class... A> void log(A...) const {}
    template <class... A> void log_debug(A...) const {}
    template <class... A> void log_info(A...) const {}
    template <class... A> void log_error(A...) const {}
    template <class... A> void log_fault(A...) const {}
};
inline constexpr os_log os_log_default;
} // namespace metal

#endif
