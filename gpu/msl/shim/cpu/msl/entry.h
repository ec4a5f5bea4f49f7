// What the translator writes around a kernel: its arguments, threadgroup variables and function constants.
#ifndef ASSAY_MSL_ENTRY_H
#define ASSAY_MSL_ENTRY_H

#include "all.h"

extern "C" {
__attribute__((visibility("default"))) extern const msl_constant msl_constants[];
__attribute__((visibility("default"))) extern const uint32_t msl_constant_count;
__attribute__((visibility("default"))) extern const uint32_t msl_abi;
__attribute__((used)) const uint32_t msl_abi = MSL_ABI;
__attribute__((visibility("default"), used)) const msl_host *msl_host_table;
}

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

template <class P, class Kind> struct argument;
template <class P, unsigned N> struct argument<P, buffer<N>> {
    static MSL_INLINE P get(const msl_call *c) { return at<P>::get(c->buffers[N]); }
};
template <class P, unsigned N> struct argument<P, threadgroup_arg<N>> {
    static MSL_INLINE P get(const msl_call *c) { return at<P>::get(c->threadgroups[N]); }
};
template <class P, auto Member> struct argument<P, builtin<Member>> {
    static MSL_INLINE P get(const msl_call *c) { return position<metal::remove_cv_t<P>>::get(c->thread->*Member); }
};
template <class P> struct argument<P, absent> {
    static MSL_INLINE P get(const msl_call *) {
        if constexpr (__is_reference(P))
            return at<P>::get(nullptr);
        else
            return P{};
    }
};

template <auto F> struct entry;
template <class... P, void (*F)(P...)> struct entry<F> {
    template <class... Kinds> static MSL_INLINE void call(const msl_call *c) {
        static_assert(sizeof...(P) == sizeof...(Kinds), "one kind for each parameter");
        F(argument<P, Kinds>::get(c)...);
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
        f(argument<P, Kinds>::get(c)...);
    }
};
template <class... Kinds> struct from {
    template <class F> static int call(F) { return &parameters<F>::template pass<Kinds...> ? 1 : 0; }
};

// tg is a threadgroup variable of a kernel.
template <class T> MSL_INLINE MSL_THREADGROUP T &tg(const char *name, MSL_SITE) {
    return at<MSL_THREADGROUP T &>::get(msl_host_table->threadgroup(site, name, sizeof(T), alignof(T)));
}

inline const msl_constant *find_constant(uint32_t index) {
    for (uint32_t i = 0; i < msl_constant_count; i++)
        if (msl_constants[i].index == index && msl_constants[i].bytes)
            return &msl_constants[i];
    return nullptr;
}
// constant_value is the value of a function constant, or zero where none was given.
template <class T> inline T constant_value(uint32_t index) {
    T v{};
    if (const msl_constant *c = find_constant(index))
        __builtin_memcpy(&v, c->value, c->bytes < sizeof v ? c->bytes : sizeof v);
    return v;
}
inline bool constant_defined(uint32_t index) { return find_constant(index) != nullptr; }
} // namespace msl

#include "check.h"

#endif
