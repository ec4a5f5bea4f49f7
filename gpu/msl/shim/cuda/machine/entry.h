// Where a kernel's arguments come from: the launch's parameter, the special registers, dynamic shared memory.
#ifndef ASSAY_MSL_MACHINE_ENTRY_H
#define ASSAY_MSL_MACHINE_ENTRY_H

// Where one thread is. Members are named as the attributes of the language; those that a kernel does not ask for cost nothing.
struct msl_thread {
    uint32_t thread_position_in_grid[3];
    uint32_t thread_position_in_threadgroup[3];
    uint32_t threadgroup_position_in_grid[3];
    uint32_t threads_per_threadgroup[3];
    uint32_t dispatch_threads_per_threadgroup[3];
    uint32_t threadgroups_per_grid[3];
    uint32_t threads_per_grid[3];
    uint32_t grid_origin[3];
    uint32_t grid_size[3];
    uint32_t thread_index_in_threadgroup;
    uint32_t thread_index_in_simdgroup;
    uint32_t thread_index_in_quadgroup;
    uint32_t simdgroup_index_in_threadgroup;
    uint32_t quadgroup_index_in_threadgroup;
    uint32_t threads_per_simdgroup;
    uint32_t simdgroups_per_threadgroup;
    uint32_t quadgroups_per_threadgroup;
    uint32_t dispatch_simdgroups_per_threadgroup;
    uint32_t dispatch_quadgroups_per_threadgroup;

    MSL_INLINE void set(int axis, uint32_t thread, uint32_t group, uint32_t threads, uint32_t groups) {
        thread_position_in_threadgroup[axis] = thread;
        threadgroup_position_in_grid[axis] = group;
        thread_position_in_grid[axis] = group * threads + thread;
        threads_per_threadgroup[axis] = dispatch_threads_per_threadgroup[axis] = threads;
        threadgroups_per_grid[axis] = groups;
        threads_per_grid[axis] = grid_size[axis] = groups * threads;
        grid_origin[axis] = 0;
    }
    MSL_INLINE msl_thread() {
        set(0, __nvvm_read_ptx_sreg_tid_x(), __nvvm_read_ptx_sreg_ctaid_x(), __nvvm_read_ptx_sreg_ntid_x(), __nvvm_read_ptx_sreg_nctaid_x());
        set(1, __nvvm_read_ptx_sreg_tid_y(), __nvvm_read_ptx_sreg_ctaid_y(), __nvvm_read_ptx_sreg_ntid_y(), __nvvm_read_ptx_sreg_nctaid_y());
        set(2, __nvvm_read_ptx_sreg_tid_z(), __nvvm_read_ptx_sreg_ctaid_z(), __nvvm_read_ptx_sreg_ntid_z(), __nvvm_read_ptx_sreg_nctaid_z());
        const uint32_t *t = threads_per_threadgroup;
        uint32_t threads = t[0] * t[1] * t[2];
        thread_index_in_threadgroup = msl::thread_index();
        thread_index_in_simdgroup = thread_index_in_threadgroup % MSL_SIMD;
        thread_index_in_quadgroup = thread_index_in_threadgroup % MSL_QUAD;
        simdgroup_index_in_threadgroup = thread_index_in_threadgroup / MSL_SIMD;
        quadgroup_index_in_threadgroup = thread_index_in_threadgroup / MSL_QUAD;
        threads_per_simdgroup = MSL_SIMD;
        simdgroups_per_threadgroup = dispatch_simdgroups_per_threadgroup = (threads + MSL_SIMD - 1) / MSL_SIMD;
        quadgroups_per_threadgroup = dispatch_quadgroups_per_threadgroup = (threads + MSL_QUAD - 1) / MSL_QUAD;
    }
};

// One run of an entry point by one thread.
struct msl_call {
    msl_thread thread;
    const msl_launch &launch;
    MSL_INLINE explicit msl_call(const msl_launch &l) : launch(l) {}
};

// The dynamic shared memory of a launch.
extern "C" __attribute__((opencl_local, aligned(16))) unsigned char msl_dynamic[];

namespace msl {
// inlined is the buffer whose bytes come with the launch; the beginning of the translated text says which.
template <unsigned N> struct inlined {
    static constexpr bool value = false;
};
template <class P, unsigned N> struct by_value {
    static constexpr bool value = false;
};
template <class T, unsigned N> struct by_value<MSL_CONSTANT T &, N> {
    static constexpr bool value = inlined<N>::value && sizeof(T) <= MSL_INLINE_BYTES;
    using type = T;
};

// A struct that comes with the launch is copied into registers; all else is used where it lies.
template <class P, unsigned N, bool = by_value<P, N>::value> struct bound {
    const msl_call *c;
    MSL_INLINE explicit bound(const msl_call *c) : c(c) {}
    MSL_INLINE P get() const { return at<P>::get((const void *)(uintptr_t)c->launch.buffers[N]); }
};
template <class P, unsigned N> struct bound<P, N, true> {
    using T = typename by_value<P, N>::type;
    T v;
    MSL_INLINE explicit bound(const msl_call *c) : v(*(const T *)c->launch.bytes) {}
    MSL_INLINE P get() const { return *(MSL_CONSTANT T *)&v; }
};
template <class P, unsigned N> struct argument<P, buffer<N>> : bound<P, N> {
    using bound<P, N>::bound;
};
template <class P, unsigned N> struct argument<P, threadgroup_arg<N>> {
    const msl_call *c;
    MSL_INLINE explicit argument(const msl_call *c) : c(c) {}
    MSL_INLINE P get() const { return (P)(msl_dynamic + c->launch.threadgroups[N]); }
};
template <class P, auto Member> struct argument<P, builtin<Member>> {
    const msl_call *c;
    MSL_INLINE explicit argument(const msl_call *c) : c(c) {}
    MSL_INLINE P get() const { return position<metal::remove_cv_t<P>>::get(c->thread.*Member); }
};

// A variable of a function in shared memory exists once for each instance of the function.
#define MSL_VARIABLE(name, ...) static MSL_THREADGROUP metal::type_identity_t<__VA_ARGS__> name

// The value of a function constant that was given, which the beginning of the translated text specializes.
template <uint32_t Index> struct given {
    static constexpr bool defined = false;
    static constexpr unsigned char bytes[1] = {};
};
template <class T> struct object { // of which bit casts make a value
    unsigned char bytes[sizeof(T)];
};
// constant_value is the value of a function constant, or zero where none was given.
template <class T, uint32_t Index> constexpr T constant_value() {
    object<T> o{};
    for (unsigned i = 0; i < sizeof(T) && i < sizeof given<Index>::bytes; i++)
        o.bytes[i] = given<Index>::bytes[i];
    return __builtin_bit_cast(T, o);
}
template <uint32_t Index> constexpr bool constant_defined() { return given<Index>::defined; }
} // namespace msl

#endif
