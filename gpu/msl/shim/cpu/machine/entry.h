// What the executor gives to a kernel, and the symbols of a compiled kernel that the executor looks up.
#ifndef ASSAY_MSL_MACHINE_ENTRY_H
#define ASSAY_MSL_MACHINE_ENTRY_H

extern "C" {
__attribute__((visibility("default"))) extern const msl_constant msl_constants[];
__attribute__((visibility("default"))) extern const uint32_t msl_constant_count;
__attribute__((visibility("default"))) extern const uint32_t msl_abi;
__attribute__((used)) const uint32_t msl_abi = MSL_ABI;
__attribute__((visibility("default"), used)) const msl_host *msl_host_table;
}

namespace msl {
template <class P, unsigned N> struct argument<P, buffer<N>> {
    const msl_call *c;
    MSL_INLINE explicit argument(const msl_call *c) : c(c) {}
    MSL_INLINE P get() const { return at<P>::get(c->buffers[N]); }
};
template <class P, unsigned N> struct argument<P, threadgroup_arg<N>> {
    const msl_call *c;
    MSL_INLINE explicit argument(const msl_call *c) : c(c) {}
    MSL_INLINE P get() const { return at<P>::get(c->threadgroups[N]); }
};
template <class P, auto Member> struct argument<P, builtin<Member>> {
    const msl_call *c;
    MSL_INLINE explicit argument(const msl_call *c) : c(c) {}
    MSL_INLINE P get() const { return position<metal::remove_cv_t<P>>::get(c->thread->*Member); }
};

// tg is a threadgroup variable of a kernel.
template <class T> MSL_INLINE MSL_THREADGROUP T &tg(const char *name, MSL_SITE) {
    return at<MSL_THREADGROUP T &>::get(msl_host_table->threadgroup(site, name, sizeof(T), alignof(T)));
}
#define MSL_VARIABLE(name, ...) MSL_THREADGROUP auto &name = ::msl::tg<__VA_ARGS__>(#name)

inline const msl_constant *find_constant(uint32_t index) {
    for (uint32_t i = 0; i < msl_constant_count; i++)
        if (msl_constants[i].index == index && msl_constants[i].bytes)
            return &msl_constants[i];
    return nullptr;
}
// constant_value is the value of a function constant, or zero where none was given.
template <class T, uint32_t Index> inline T constant_value() {
    T v{};
    if (const msl_constant *c = find_constant(Index))
        __builtin_memcpy(&v, c->value, c->bytes < sizeof v ? c->bytes : sizeof v);
    return v;
}
template <uint32_t Index> inline bool constant_defined() { return find_constant(Index) != nullptr; }
} // namespace msl

#include "check.h"

#endif
