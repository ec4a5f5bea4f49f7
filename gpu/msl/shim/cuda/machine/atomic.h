// Atomics, fences and barriers. Atomics are relaxed, as in the language; a barrier orders device and threadgroup memory for
// the threads that meet there.
#ifndef ASSAY_MSL_MACHINE_ATOMIC_H
#define ASSAY_MSL_MACHINE_ATOMIC_H

namespace msl {
namespace machine {
template <class T> MSL_INLINE void store(volatile T *p, T v) { *p = v; }
template <class T> MSL_INLINE T load(volatile T *p) { return *p; }

// word is the integer that a value is exchanged as.
template <unsigned Bytes> struct word;
template <> struct word<4> {
    using type = int;
    static MSL_INLINE int exchange(volatile void *p, int v) { return __nvvm_atom_xchg_gen_i((volatile int *)p, v); }
    static MSL_INLINE int swap(volatile void *p, int old, int v) { return __nvvm_atom_cas_gen_i((volatile int *)p, old, v); }
};
template <> struct word<8> {
    using type = long long;
    static MSL_INLINE long long exchange(volatile void *p, long long v) {
        return __nvvm_atom_xchg_gen_ll((volatile long long *)p, v);
    }
    static MSL_INLINE long long swap(volatile void *p, long long old, long long v) {
        return __nvvm_atom_cas_gen_ll((volatile long long *)p, old, v);
    }
};
template <class T> MSL_INLINE T exchange(volatile T *p, T v) {
    using W = word<sizeof(T)>;
    return as_type<T>(W::exchange(p, as_type<typename W::type>(v)));
}
template <class T> MSL_INLINE bool compare_exchange(volatile T *p, T &expected, T v) {
    using W = word<sizeof(T)>;
    auto want = as_type<typename W::type>(expected);
    auto old = W::swap(p, want, as_type<typename W::type>(v));
    expected = as_type<T>(old);
    return old == want;
}
// change replaces a value by what a function makes of it; the result is the value before.
template <class T, class F> MSL_INLINE T change(volatile T *p, F f) {
    T old = *p;
    while (!compare_exchange(p, old, f(old))) {
    }
    return old;
}
#define MSL_FETCH(name, ...)                                           \
    template <class T> MSL_INLINE T fetch_##name(volatile T *p, T v) { \
        return change(p, [v](T old) { return T(__VA_ARGS__); });       \
    }
MSL_FETCH(add, old + v)
MSL_FETCH(and, old & v)
MSL_FETCH(or, old | v)
MSL_FETCH(xor, old ^ v)
MSL_FETCH(min, v < old ? v : old)
MSL_FETCH(max, old < v ? v : old)
#undef MSL_FETCH
// Where the hardware has the operation, that is taken.
#define MSL_NATIVE(T, U, name, op, suffix)                            \
    MSL_INLINE T fetch_##name(volatile T *p, T v) {                   \
        return (T)__nvvm_atom_##op##_gen_##suffix((volatile U *)p, v); \
    }
MSL_NATIVE(float, float, add, add, f)
MSL_NATIVE(int, int, add, add, i) MSL_NATIVE(uint, int, add, add, i)
MSL_NATIVE(long, long long, add, add, ll) MSL_NATIVE(ulong, long long, add, add, ll)
MSL_NATIVE(int, int, min, min, i) MSL_NATIVE(uint, uint, min, min, ui)
MSL_NATIVE(int, int, max, max, i) MSL_NATIVE(uint, uint, max, max, ui)
MSL_NATIVE(int, int, and, and, i) MSL_NATIVE(uint, int, and, and, i)
MSL_NATIVE(int, int, or, or, i) MSL_NATIVE(uint, int, or, or, i)
MSL_NATIVE(int, int, xor, xor, i) MSL_NATIVE(uint, int, xor, xor, i)
#undef MSL_NATIVE
template <class T> MSL_INLINE T fetch_sub(volatile T *p, T v) { return fetch_add(p, T(-v)); }

MSL_INLINE void fence() { __nvvm_membar_gl(); }
MSL_INLINE void threadgroup_barrier(uint, uint) { __syncthreads(); }
MSL_INLINE void simdgroup_barrier(uint, uint) { __nvvm_bar_warp_sync(~0u); }
} // namespace machine
} // namespace msl

#endif
