// What the lanes of a SIMD group and of a quad see of each other. Each function is one exchange: every lane computes its own
// result from what all have shown.
#ifndef ASSAY_MSL_MACHINE_LANES_H
#define ASSAY_MSL_MACHINE_LANES_H

#define MSL_ROLLED // before a loop: the code would be too large if it were unrolled

namespace msl {
// shown is what the lanes of one exchange gave. Lanes are counted from the first of the SIMD group or the quad.
template <class T, uint Scope> struct shown {
    const msl_lanes *lanes;
    static constexpr uint size = Scope == MSL_SCOPE_SIMD ? MSL_SIMD : MSL_QUAD;

    MSL_INLINE shown(T v, uint site) : lanes(msl_host_table->exchange(site, Scope, &v, sizeof v)) {}
    MSL_INLINE uint first() const { return Scope == MSL_SCOPE_SIMD ? 0 : lanes->self & ~(MSL_QUAD - 1); }
    MSL_INLINE uint self() const { return lanes->self - first(); }
    MSL_INLINE uint active() const { return Scope == MSL_SCOPE_SIMD ? lanes->active : lanes->active >> first() & 15u; }
    MSL_INLINE bool has(uint lane) const { return lane < size && active() >> lane & 1; }
    MSL_INLINE T operator[](uint lane) const {
        T v;
        __builtin_memcpy(&v, lanes->value + (first() + lane) * sizeof v, sizeof v);
        return v;
    }
    // at is the value of a lane; of one that is not there, this lane's own.
    MSL_INLINE T at(uint lane) const { return (*this)[has(lane) ? lane : self()]; }
};

template <class T, uint Scope, class W, class F> MSL_INLINE T reduce(T v, uint site, W empty, F f) {
    shown<T, Scope> s(v, site);
    constexpr uint n = shown<T, Scope>::size;
    W a[n];
    uint active = s.active();
    for (uint i = 0; i < n; i++)
        a[i] = active >> i & 1 ? W(s[i]) : empty;
    for (uint step = n / 2; step; step /= 2)
        for (uint i = 0; i < step; i++)
            a[i] = f(a[i], a[i + step]);
    return T(a[0]);
}
template <class T, uint Scope, class W, class F> MSL_INLINE T scan(T v, uint site, W empty, F f, bool inclusive) {
    shown<T, Scope> s(v, site);
    W r = empty;
    for (uint i = 0; i < s.self(); i++)
        if (s.has(i)) r = f(r, W(s[i]));
    return T(inclusive ? f(r, W(v)) : r);
}
// extreme folds without a neutral element: it starts from this lane's own value.
template <class T, uint Scope, class F> MSL_INLINE T extreme(T v, uint site, F f) {
    shown<T, Scope> s(v, site);
    T r = v;
    for (uint i = 0; i < s.size; i++)
        if (s.has(i)) r = f(r, s[i]);
    return r;
}
template <uint Scope> MSL_INLINE uint ballot(bool v, uint site) {
    shown<uchar, Scope> s(v, site);
    uint r = 0;
    for (uint i = 0; i < s.size; i++)
        r |= uint(s.has(i) && s[i]) << i;
    return r;
}
// reached are the lanes that reach the site together.
template <uint Scope> MSL_INLINE uint reached(uint site) { return shown<uchar, Scope>(0, site).active(); }
// first_of is the value of the first of the lanes that reach the site together.
template <class T, uint Scope> MSL_INLINE T first_of(T v, uint site) {
    shown<T, Scope> s(v, site);
    return s[(uint)__builtin_ctz(s.active())];
}
MSL_INLINE uint lane() { return msl_host_table->self()->thread_index_in_simdgroup; }
} // namespace msl

#endif
