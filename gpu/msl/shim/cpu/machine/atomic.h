// Atomics, fences and barriers. Threadgroups run on several processors at once, so the atomics are real ones; they are
// sequentially consistent whatever the kernel asks for.
#ifndef ASSAY_MSL_MACHINE_ATOMIC_H
#define ASSAY_MSL_MACHINE_ATOMIC_H

namespace msl {
namespace machine {
template <class T> MSL_INLINE void store(volatile T *p, T v) { __atomic_store(p, &v, __ATOMIC_SEQ_CST); }
template <class T> MSL_INLINE T load(volatile T *p) {
    T v;
    __atomic_load(p, &v, __ATOMIC_SEQ_CST);
    return v;
}
template <class T> MSL_INLINE T exchange(volatile T *p, T v) {
    T old;
    __atomic_exchange(p, &v, &old, __ATOMIC_SEQ_CST);
    return old;
}
template <class T> MSL_INLINE bool compare_exchange(volatile T *p, T &expected, T v) {
    return __atomic_compare_exchange(p, &expected, &v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
// change replaces a value by what a function makes of it; the result is the value before.
template <class T, class F> MSL_INLINE T change(volatile T *p, F f) {
    T old = *p, next = f(old);
    while (!__atomic_compare_exchange(p, &old, &next, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        next = f(old);
    return old;
}
#define MSL_FETCH(name, ...)                                      \
    template <class T> MSL_INLINE T fetch_##name(volatile T *p, T v) { \
        return change(p, [v](T old) { return T(__VA_ARGS__); });  \
    }
MSL_FETCH(add, old + v)
MSL_FETCH(sub, old - v)
MSL_FETCH(and, old & v)
MSL_FETCH(or, old | v)
MSL_FETCH(xor, old ^ v)
MSL_FETCH(min, v < old ? v : old)
MSL_FETCH(max, old < v ? v : old)
#undef MSL_FETCH

MSL_INLINE void fence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void threadgroup_barrier(uint site, uint flags) { msl_host_table->barrier(site, 0, flags); }
inline void simdgroup_barrier(uint site, uint flags) { msl_host_table->barrier(site, 1, flags); }
} // namespace machine
} // namespace msl

#endif
