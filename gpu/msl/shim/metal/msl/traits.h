// Scalar types by their names, and the type traits of the language.
#ifndef ASSAY_MSL_TRAITS_H
#define ASSAY_MSL_TRAITS_H

#include "../machine/spaces.h"

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
struct bfloat;
typedef half float16_t;
typedef float float32_t;

namespace metal {
using ::bfloat;
using ::float16_t;
using ::float32_t;
using ::half;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::intptr_t;
using ::ptrdiff_t;
using ::size_t;
using ::uchar;
using ::uint;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uintptr_t;
using ::ulong;
using ::ushort;

template <class T, T V> struct integral_constant {
    static constexpr T value = V;
    using value_type = T;
    using type = integral_constant;
    constexpr operator T() const { return V; }
    constexpr T operator()() const { return V; }
};
template <bool B> using bool_constant = integral_constant<bool, B>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <class... B> struct _disjunction : bool_constant<(B::value || ...)> {};
template <class... B> struct _conjunction : bool_constant<(B::value && ...)> {};
template <class B> struct _negation : bool_constant<!B::value> {};

template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { using type = T; };
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class T, class F> struct conditional { using type = T; };
template <class T, class F> struct conditional<false, T, F> { using type = F; };
template <bool B, class T, class F> using conditional_t = typename conditional<B, T, F>::type;
template <class T> struct type_identity { using type = T; };
template <class T> using type_identity_t = typename type_identity<T>::type;

template <class T> struct remove_const { using type = T; };
template <class T> struct remove_const<const T> { using type = T; };
template <class T> struct remove_volatile { using type = T; };
template <class T> struct remove_volatile<volatile T> { using type = T; };
template <class T> struct remove_addrspace { using type = T; };
template <class T> struct remove_addrspace<MSL_DEVICE T> { using type = T; };
template <class T> struct remove_addrspace<MSL_THREADGROUP T> { using type = T; };
template <class T> struct remove_addrspace<__attribute__((opencl_global_host)) T> { using type = T; };
template <class T> struct remove_addrspace<const MSL_DEVICE T> { using type = const T; };
template <class T> struct remove_addrspace<const MSL_THREADGROUP T> { using type = const T; };
template <class T> struct remove_addrspace<MSL_CONSTANT T> { using type = const T; };
template <class T> struct remove_reference { using type = T; };
template <class T> struct remove_reference<T &> { using type = T; };
template <class T> struct remove_reference<T &&> { using type = T; };
template <class T> struct remove_pointer { using type = T; };
template <class T> struct remove_pointer<T *> { using type = T; };
template <class T> struct remove_extent { using type = T; };
template <class T, size_t N> struct remove_extent<T[N]> { using type = T; };
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> using remove_volatile_t = typename remove_volatile<T>::type;
template <class T> using remove_addrspace_t = typename remove_addrspace<T>::type;
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> using remove_extent_t = typename remove_extent<T>::type;
template <class T> struct remove_cv { using type = remove_const_t<remove_volatile_t<T>>; };
template <class T> using remove_cv_t = typename remove_cv<T>::type;
// Address spaces are qualifiers too: decay and remove_cvref take them off.
template <class T> struct remove_cvref { using type = remove_cv_t<remove_addrspace_t<remove_reference_t<T>>>; };
template <class T> using remove_cvref_t = typename remove_cvref<T>::type;
template <class T> struct decay { using type = remove_cvref_t<T>; };
template <class T> using decay_t = typename decay<T>::type;
template <class T> struct add_const { using type = const T; };
template <class T> using add_const_t = const T;
template <class T> struct add_pointer { using type = remove_reference_t<T> *; };
template <class T> using add_pointer_t = typename add_pointer<T>::type;

#define MSL_TRAIT(name, expr)                                        \
    template <class T> inline constexpr bool name##_v = expr;        \
    template <class T> struct name : bool_constant<name##_v<T>> {};
#define MSL_TRAIT2(name, expr)                                       \
    template <class T, class U> inline constexpr bool name##_v = expr; \
    template <class T, class U> struct name : bool_constant<name##_v<T, U>> {};

MSL_TRAIT2(is_same, __is_same(T, U))
MSL_TRAIT2(is_convertible, __is_convertible_to(T, U))
MSL_TRAIT2(is_base_of, __is_base_of(T, U))
MSL_TRAIT(is_integral, __is_integral(remove_cv_t<T>))
MSL_TRAIT(is_floating_point, (__is_floating_point(remove_cv_t<T>) || __is_same(remove_cv_t<T>, bfloat)))
MSL_TRAIT(is_arithmetic, (is_integral_v<T> || is_floating_point_v<T>))
MSL_TRAIT(is_scalar, (__is_scalar(T) || __is_same(remove_cv_t<T>, bfloat)))
MSL_TRAIT(is_fundamental, (__is_fundamental(T) || __is_same(remove_cv_t<T>, bfloat)))
MSL_TRAIT(is_void, __is_void(T))
MSL_TRAIT(is_enum, __is_enum(T))
MSL_TRAIT(is_class, (__is_class(T) && !__is_same(remove_cv_t<T>, bfloat)))
MSL_TRAIT(is_union, __is_union(T))
MSL_TRAIT(is_array, __is_array(T))
MSL_TRAIT(is_pointer, __is_pointer(T))
MSL_TRAIT(is_reference, __is_reference(T))
MSL_TRAIT(is_function, __is_function(T))
MSL_TRAIT(is_const, __is_const(T))
MSL_TRAIT(is_volatile, __is_volatile(T))
MSL_TRAIT(is_trivial, __is_trivial(T))
MSL_TRAIT(is_trivially_copyable, __is_trivially_copyable(T))
MSL_TRAIT(is_unsigned, (is_integral_v<T> && T(-1) > T(0)))
MSL_TRAIT(is_signed, (is_arithmetic_v<T> && !is_unsigned_v<T>))
#undef MSL_TRAIT
#undef MSL_TRAIT2

template <class T, class... A> inline constexpr bool is_constructible_v = __is_constructible(T, A...);
template <class T, class... A> struct is_constructible : bool_constant<is_constructible_v<T, A...>> {};

template <class T> struct make_unsigned { using type = T; };
template <class T> struct make_signed { using type = T; };
#define MSL_SIGNS(s, u)                                      \
    template <> struct make_unsigned<s> { using type = u; }; \
    template <> struct make_signed<u> { using type = s; };
MSL_SIGNS(char, uchar)
MSL_SIGNS(short, ushort)
MSL_SIGNS(int, uint)
MSL_SIGNS(long, ulong)
MSL_SIGNS(long long, unsigned long long)
#undef MSL_SIGNS
template <> struct make_unsigned<signed char> { using type = uchar; };
template <class T> using make_unsigned_t = typename make_unsigned<T>::type;
template <class T> using make_signed_t = typename make_signed<T>::type;

template <class T> T &&declval();
template <class T> struct underlying_type { using type = __underlying_type(T); };
template <class T> using underlying_type_t = typename underlying_type<T>::type;
template <class F, class... A> struct invoke_result { using type = decltype(declval<F>()(declval<A>()...)); };
template <class F, class... A> using invoke_result_t = typename invoke_result<F, A...>::type;

template <class T, T... I> struct integer_sequence {
    using value_type = T;
    static constexpr size_t size() { return sizeof...(I); }
};
template <class T, T N> using make_integer_sequence = __make_integer_seq<integer_sequence, T, N>;
template <size_t... I> using index_sequence = integer_sequence<size_t, I...>;
template <size_t N> using make_index_sequence = make_integer_sequence<size_t, N>;

template <class... T> struct common_type;
template <class T> struct common_type<T> { using type = T; };
template <class T, class U> struct common_type<T, U> { using type = decltype(true ? declval<T>() : declval<U>()); };
template <class T, class U, class... R> struct common_type<T, U, R...> : common_type<typename common_type<T, U>::type, R...> {};
template <class... T> using common_type_t = decay_t<typename common_type<T...>::type>;
} // namespace metal

template <class To, class From> constexpr MSL_INLINE To as_type(From v) {
    static_assert(sizeof(To) == sizeof(From), "as_type needs types of one size");
    return __builtin_bit_cast(To, v);
}
namespace metal {
using ::as_type;
}

#endif
