// What the translator writes around a kernel: its arguments, threadgroup variables and function constants. The target's
// machine/entry.h says where they come from.
#ifndef ASSAY_MSL_ENTRY_H
#define ASSAY_MSL_ENTRY_H

#include "all.h"

struct msl_call; // one run of an entry point by one thread

namespace msl {
template <unsigned N> struct buffer {};
template <unsigned N> struct threadgroup_arg {};
template <auto Member> struct builtin {};
struct absent {};

// pointer gives an address the type of a parameter, which is a pointer or a reference into any address space.
template <class P> struct at;
template <class T> struct at<T *> {
    static MSL_INLINE T *get(const void *p) { return (T *)(uintptr_t)p; }
};
template <class T> struct at<T &> {
    static MSL_INLINE T &get(const void *p) { return *(T *)(uintptr_t)p; }
};

// position turns a place into the type that the kernel wants of it.
template <class P> struct position {
    static MSL_INLINE P get(const uint32_t (&v)[3]) { return P(v[0]); }
    static MSL_INLINE P get(const uint32_t &v) { return P(v); }
};
template <class T> struct position<vec<T, 2>> {
    static MSL_INLINE vec<T, 2> get(const uint32_t (&v)[3]) { return vec<T, 2>(T(v[0]), T(v[1])); }
    static MSL_INLINE vec<T, 2> get(const uint32_t &v) { return vec<T, 2>(T(v), T(1)); }
};
template <class T> struct position<vec<T, 3>> {
    static MSL_INLINE vec<T, 3> get(const uint32_t (&v)[3]) { return vec<T, 3>(T(v[0]), T(v[1]), T(v[2])); }
    static MSL_INLINE vec<T, 3> get(const uint32_t &v) { return vec<T, 3>(T(v), T(1), T(1)); }
};

// argument is one argument of a kernel during a call; get is what the kernel takes.
template <class P, class Kind> struct argument;
template <class P> struct argument<P, absent> {
    explicit argument(const msl_call *) {}
    MSL_INLINE P get() const {
        if constexpr (__is_reference(P))
            return at<P>::get(nullptr);
        else
            return P{};
    }
};
} // namespace msl

#include "../machine/entry.h"

namespace msl {
template <auto F> struct entry;
template <class... P, void (*F)(P...)> struct entry<F> {
    template <class... Kinds> static MSL_INLINE void call(const msl_call *c) {
        static_assert(sizeof...(P) == sizeof...(Kinds), "one kind for each parameter");
        F(argument<P, Kinds>(c).get()...);
    }
};

// invoke calls the kernel F for one thread; Kinds say where each argument comes from.
template <auto F, class... Kinds> MSL_INLINE void invoke(const msl_call *c) { entry<F>::template call<Kinds...>(c); }

// from<Kinds...>::call checks a kernel and how its arguments are fetched. It exists once for all kernels of one type, where
// invoke would exist for each. It is not constexpr: errors would not lead to where it is called.
template <class F> struct parameters;
template <class... P> struct parameters<void (*)(P...)> {
    template <class... Kinds> static MSL_INLINE void pass(void (*f)(P...), const msl_call *c) {
        static_assert(sizeof...(P) == sizeof...(Kinds), "one kind for each parameter");
        f(argument<P, Kinds>(c).get()...);
    }
};
template <class... Kinds> struct from {
    template <class F> static int call(F) { return &parameters<F>::template pass<Kinds...> ? 1 : 0; }
};
} // namespace msl

#endif
