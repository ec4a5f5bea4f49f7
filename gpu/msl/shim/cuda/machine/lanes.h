// What the lanes of a SIMD group and of a quad see of each other, by shuffles. A SIMD group is a warp. Every thread of the
// group that has not ended must reach the same function: one that only some reach waits for the others forever.
#ifndef ASSAY_MSL_MACHINE_LANES_H
#define ASSAY_MSL_MACHINE_LANES_H

enum { MSL_SCOPE_SIMD = 0, MSL_SCOPE_QUAD = 1 };

// Before a loop: the code would be too large if it were unrolled.
#define MSL_ROLLED _Pragma("clang loop unroll(disable)")

namespace msl {
MSL_INLINE uint thread_index() {
    uint nx = __nvvm_read_ptx_sreg_ntid_x(), ny = __nvvm_read_ptx_sreg_ntid_y();
    return __nvvm_read_ptx_sreg_tid_x() + nx * (__nvvm_read_ptx_sreg_tid_y() + ny * __nvvm_read_ptx_sreg_tid_z());
}
MSL_INLINE uint lane() { return thread_index() & (MSL_SIMD - 1); }

// scope is what SIMD groups and quads differ in. Lanes are counted from the first of each.
template <uint Scope> struct scope {
    static constexpr uint size = MSL_SIMD, all = ~0u;
    static MSL_INLINE uint first() { return 0; }
    static MSL_INLINE uint self() { return lane(); }
    static MSL_INLINE uint members() { return ~0u; }
};
template <> struct scope<MSL_SCOPE_QUAD> {
    static constexpr uint size = MSL_QUAD, all = 15;
    static MSL_INLINE uint first() { return lane() & ~(MSL_QUAD - 1u); }
    static MSL_INLINE uint self() { return lane() & (MSL_QUAD - 1u); }
    static MSL_INLINE uint members() { return 15u << first(); }
};
// voted are the lanes of the scope that have not ended and for which v is true.
template <uint Scope> MSL_INLINE uint voted(bool v) {
    using S = scope<Scope>;
    return (uint)__nvvm_vote_ballot_sync(S::members(), v) >> S::first() & S::all;
}
// words is a value as the 32-bit words that a shuffle moves.
template <class T> struct words {
    static constexpr int count = (sizeof(T) + 3) / 4;
    int w[count];
    MSL_INLINE explicit words(const T &v) {
        w[count - 1] = 0;
        __builtin_memcpy(w, &v, sizeof v);
    }
    MSL_INLINE T value() const {
        T v;
        __builtin_memcpy(&v, w, sizeof v);
        return v;
    }
};
template <uint Scope, class T> MSL_INLINE T from_lane(T v, uint lane) {
    words<T> w(v);
    for (int i = 0; i < w.count; i++)
        w.w[i] = __nvvm_shfl_sync_idx_i32(scope<Scope>::members(), w.w[i], (int)lane, 31);
    return w.value();
}
template <uint Scope, class T> MSL_INLINE T across(T v, uint mask) {
    words<T> w(v);
    for (int i = 0; i < w.count; i++)
        w.w[i] = __nvvm_shfl_sync_bfly_i32(scope<Scope>::members(), w.w[i], (int)mask, 31);
    return w.value();
}

// shown is what the lanes of one exchange gave.
template <class T, uint Scope> struct shown {
    T own;
    uint lanes;
    static constexpr uint size = scope<Scope>::size;

    MSL_INLINE shown(T v, uint) : own(v), lanes(voted<Scope>(true)) {}
    MSL_INLINE uint first() const { return scope<Scope>::first(); }
    MSL_INLINE uint self() const { return scope<Scope>::self(); }
    MSL_INLINE uint active() const { return lanes; }
    MSL_INLINE bool has(uint lane) const { return lane < size && lanes >> lane & 1; }
    MSL_INLINE T operator[](uint lane) const { return from_lane<Scope>(own, first() + lane); }
    // at is the value of a lane; of one that is not there, this lane's own.
    MSL_INLINE T at(uint lane) const { return (*this)[has(lane) ? lane : self()]; }
};

// Where a lane has ended, the others are asked one after the other.
template <uint Scope, class W, class F> MSL_INLINE W join(W v, W start, uint lanes, F f) {
    W r = start;
#pragma nounroll
    for (uint i = 0; i < scope<Scope>::size; i++) {
        W other = from_lane<Scope>(v, scope<Scope>::first() + i);
        if (lanes >> i & 1) r = f(r, other);
    }
    return r;
}
template <uint Scope, class W, class F> MSL_INLINE W butterfly(W v, F f) {
    for (uint step = scope<Scope>::size / 2; step; step /= 2)
        v = f(v, across<Scope>(v, step));
    return v;
}
template <class T, uint Scope, class W, class F> MSL_INLINE T reduce(T v, uint, W empty, F f) {
    uint lanes = voted<Scope>(true);
    if (lanes == scope<Scope>::all) return T(butterfly<Scope>(W(v), f));
    return T(join<Scope>(W(v), empty, lanes, f));
}
template <class T, uint Scope, class W, class F> MSL_INLINE T scan(T v, uint, W empty, F f, bool inclusive) {
    uint lanes = voted<Scope>(true), self = scope<Scope>::self();
    W r = W(v);
    if (lanes == scope<Scope>::all) {
        for (uint step = 1; step < scope<Scope>::size; step *= 2) {
            W before = from_lane<Scope>(r, scope<Scope>::first() + (self >= step ? self - step : self));
            if (self >= step) r = f(before, r);
        }
        if (inclusive) return T(r);
        W before = from_lane<Scope>(r, scope<Scope>::first() + (self ? self - 1 : 0));
        return T(self ? before : empty);
    }
    W sum = join<Scope>(r, empty, lanes & ((1u << self) - 1), f);
    return T(inclusive ? f(sum, r) : sum);
}
// extreme folds without a neutral element: it starts from this lane's own value.
template <class T, uint Scope, class F> MSL_INLINE T extreme(T v, uint, F f) {
    uint lanes = voted<Scope>(true);
    if (lanes == scope<Scope>::all) return butterfly<Scope>(v, f);
    return join<Scope>(v, v, lanes, f);
}
template <uint Scope> MSL_INLINE uint ballot(bool v, uint) { return voted<Scope>(v); }

// reached are the lanes that run this together. Unlike the others, this function need not be reached by all lanes.
template <uint Scope> MSL_INLINE uint reached(uint) {
    uint lanes;
    asm volatile("activemask.b32 %0;" : "=r"(lanes));
    return lanes >> scope<Scope>::first() & scope<Scope>::all;
}
// first_of is the value of the first of the lanes that run this together.
template <class T, uint Scope> MSL_INLINE T first_of(T v, uint site) {
    uint lanes = reached<Scope>(site), first = scope<Scope>::first();
    words<T> w(v);
    for (int i = 0; i < w.count; i++)
        w.w[i] = __nvvm_shfl_sync_idx_i32(lanes << first, w.w[i], (int)(first + __builtin_ctz(lanes)), 31);
    return w.value();
}
} // namespace msl

#endif
