// How the library's functions accept their arguments: scalars, vectors, packed vectors, and mixtures of them.
#ifndef ASSAY_MSL_VALUE_H
#define ASSAY_MSL_VALUE_H

#include "vec.h"

namespace msl {
using metal::packed_vec;
using metal::vec;

// value<A> is what an argument is computed as. It does not exist for types of the user, so that overloads drop out.
template <class A, bool = is_number<A>> struct value_of {};
template <class A> struct value_of<A, true> { using type = A; };
template <class T, int N> struct value_of<vec<T, N>, false> { using type = vec<T, N>; };
template <class T, int N> struct value_of<packed_vec<T, N>, false> { using type = vec<T, N>; };
template <class A> using value = typename value_of<A>::type;

template <class A> struct element_of { using type = A; };
template <class T, int N> struct element_of<vec<T, N>> { using type = T; };
template <class T, int N> struct element_of<packed_vec<T, N>> { using type = T; };
template <class A> using element = typename element_of<A>::type;

// with<A, T> is A with components of T.
template <class A, class T> struct with_of { using type = T; };
template <class U, int N, class T> struct with_of<vec<U, N>, T> { using type = vec<T, N>; };
template <class A, class T> using with = typename with_of<value<A>, T>::type;

// The type in which functions of float compute: half stays half, all else is float.
template <class T> struct floating { using type = float; };
template <> struct floating<half> { using type = half; };
template <class A> using floats = with<A, typename floating<element<value<A>>>::type>;
// kept<A> is the result of a function that is exact for bfloat.
template <class T> struct keeping : floating<T> {};
template <> struct keeping<bfloat> { using type = bfloat; };
template <class A> using kept = with<A, typename keeping<element<value<A>>>::type>;

// common<A, B…> is what arguments of different types are computed as; it does not exist where they do not go together.
template <class A, class B, bool = is_number<A>, bool = is_number<B>> struct common2 {};
template <class A, class B> struct common2<A, B, true, true> {
    using type = decltype(+metal::declval<A>() + +metal::declval<B>());
};
template <class A> struct common2<A, A, true, true> { using type = A; };
template <class B> struct common2<bfloat, B, true, true> : bf_with<B> {};
template <class A> struct common2<A, bfloat, true, true> : bf_with<A> {};
template <> struct common2<bfloat, bfloat, true, true> { using type = bfloat; };
template <class T, int N, class B> struct common2<vec<T, N>, B, false, true> { using type = vec<T, N>; };
template <class A, class T, int N> struct common2<A, vec<T, N>, true, false> { using type = vec<T, N>; };
template <class T, int N> struct common2<vec<T, N>, vec<T, N>, false, false> { using type = vec<T, N>; };

template <class...> using valid = void;
template <class Valid, class... A> struct common_of {};
template <class A, class B>
struct common_of<valid<value<A>, value<B>>, A, B> : common2<value<A>, value<B>> {};
template <class A, class B, class C>
struct common_of<valid<typename common_of<void, A, B>::type, value<C>>, A, B, C>
    : common2<typename common_of<void, A, B>::type, value<C>> {};
template <class... A> using common = typename common_of<void, A...>::type;

// map applies a function of components to arguments that are all scalars or all vectors of one size.
template <class R, class F, class T, class... A> constexpr MSL_INLINE R map(F f, T v, A... a) {
    if constexpr (is_number<T>)
        return R(f(v, a...));
    else if constexpr (__is_same(T, vec<element<T>, 2>))
        return R(f(v.x, a.x...), f(v.y, a.y...));
    else if constexpr (__is_same(T, vec<element<T>, 3>))
        return R(f(v.x, a.x...), f(v.y, a.y...), f(v.z, a.z...));
    else
        return R(f(v.x, a.x...), f(v.y, a.y...), f(v.z, a.z...), f(v.w, a.w...));
}
// fold joins the components of a vector.
template <class F, class T, int N> constexpr MSL_INLINE T fold(F f, vec<T, N> v) {
    if constexpr (N == 2)
        return f(v.x, v.y);
    else if constexpr (N == 3)
        return f(f(v.x, v.y), v.z);
    else
        return f(f(f(v.x, v.y), v.z), v.w);
}
} // namespace msl

#endif
