// Atomics, fences and barriers, over those of the target's machine/atomic.h.
#ifndef ASSAY_MSL_ATOMIC_H
#define ASSAY_MSL_ATOMIC_H

#include "common.h"

namespace metal {
enum memory_order {
    memory_order_relaxed = __ATOMIC_RELAXED,
    memory_order_acquire = __ATOMIC_ACQUIRE,
    memory_order_release = __ATOMIC_RELEASE,
    memory_order_acq_rel = __ATOMIC_ACQ_REL,
    memory_order_seq_cst = __ATOMIC_SEQ_CST,
};
enum thread_scope {
    thread_scope_thread,
    thread_scope_simdgroup,
    thread_scope_threadgroup,
    thread_scope_device,
    // thread_scope_system is left to kernels, which define it where they use it.
};
enum class mem_flags : uint {
    mem_none = 0,
    mem_device = 1,
    mem_threadgroup = 2,
    mem_texture = 4,
    mem_threadgroup_imageblock = 8,
    mem_object_data = 16,
};
constexpr mem_flags operator|(mem_flags a, mem_flags b) { return mem_flags(uint(a) | uint(b)); }
constexpr mem_flags operator&(mem_flags a, mem_flags b) { return mem_flags(uint(a) & uint(b)); }

template <class T> struct atomic {
    T value;
    atomic() = default;
    constexpr atomic(T v) : value(v) {}
};
template <class T> using _atomic = atomic<T>;

#define MSL_SPACED(X) X(MSL_DEVICE) X(MSL_THREADGROUP) X()
} // namespace metal

namespace msl {
using metal::atomic;
template <class T> MSL_INLINE volatile T *plain(const volatile atomic<T> *a) { return const_cast<volatile T *>(&a->value); }
} // namespace msl

#include "../machine/atomic.h"

namespace metal {
// Operations take any memory order: the target decides what they keep to.
#define MSL_ATOMICS(space)                                                                                          \
    template <class T, class V> METAL_FUNC void atomic_init(volatile space atomic<T> *a, V v) {                     \
        msl::machine::store(msl::plain<T>(a), T(v));                                                                \
    }                                                                                                               \
    template <class T, class V> METAL_FUNC void atomic_store_explicit(volatile space atomic<T> *a, V v, memory_order,\
                                                                      thread_scope = thread_scope_device) {         \
        msl::machine::store(msl::plain<T>(a), T(v));                                                                \
    }                                                                                                               \
    template <class T> METAL_FUNC T atomic_load_explicit(const volatile space atomic<T> *a, memory_order,           \
                                                         thread_scope = thread_scope_device) {                      \
        return msl::machine::load(msl::plain<T>(a));                                                                \
    }                                                                                                               \
    template <class T, class V> METAL_FUNC T atomic_exchange_explicit(volatile space atomic<T> *a, V v, memory_order,\
                                                                      thread_scope = thread_scope_device) {         \
        return msl::machine::exchange(msl::plain<T>(a), T(v));                                                      \
    }                                                                                                               \
    template <class T, class V>                                                                                     \
    METAL_FUNC bool atomic_compare_exchange_weak_explicit(volatile space atomic<T> *a, T *expected, V v,            \
                                                          memory_order, memory_order,                               \
                                                          thread_scope = thread_scope_device) {                     \
        return msl::machine::compare_exchange(msl::plain<T>(a), *expected, T(v));                                   \
    }                                                                                                               \
    MSL_FETCH(space, add) MSL_FETCH(space, sub) MSL_FETCH(space, and) MSL_FETCH(space, or) MSL_FETCH(space, xor)    \
    MSL_FETCH(space, min) MSL_FETCH(space, max) MSL_UPDATE(space, min) MSL_UPDATE(space, max)
#define MSL_FETCH(space, name)                                                                                      \
    template <class T, class V> METAL_FUNC T atomic_fetch_##name##_explicit(                                        \
        volatile space atomic<T> *a, V v, memory_order, thread_scope = thread_scope_device) {                       \
        return msl::machine::fetch_##name(msl::plain<T>(a), T(v));                                                  \
    }
#define MSL_UPDATE(space, name)                                                                                     \
    template <class T, class V> METAL_FUNC void atomic_##name##_explicit(                                           \
        volatile space atomic<T> *a, V given, memory_order order, thread_scope = thread_scope_device) {             \
        atomic_fetch_##name##_explicit(a, given, order);                                                            \
    }
MSL_SPACED(MSL_ATOMICS)
#undef MSL_ATOMICS
#undef MSL_FETCH
#undef MSL_UPDATE
#undef MSL_SPACED

METAL_FUNC void atomic_thread_fence(mem_flags, memory_order, thread_scope = thread_scope_device) { msl::machine::fence(); }
inline void threadgroup_barrier(mem_flags flags, MSL_SITE) { msl::machine::threadgroup_barrier(site, (uint)flags); }
inline void threadgroup_barrier(mem_flags flags, memory_order, thread_scope = thread_scope_threadgroup, MSL_SITE) {
    msl::machine::threadgroup_barrier(site, (uint)flags);
}
inline void simdgroup_barrier(mem_flags flags, MSL_SITE) { msl::machine::simdgroup_barrier(site, (uint)flags); }
} // namespace metal

typedef metal::atomic<int> atomic_int;
typedef metal::atomic<uint> atomic_uint;
typedef metal::atomic<bool> atomic_bool;
typedef metal::atomic<float> atomic_float;
typedef metal::atomic<long> atomic_long;
typedef metal::atomic<ulong> atomic_ulong;
namespace metal {
using ::atomic_bool;
using ::atomic_float;
using ::atomic_int;
using ::atomic_long;
using ::atomic_uint;
using ::atomic_ulong;
} // namespace metal

#endif
