// What the lanes of a SIMD group hold, on a CPU: each shows where its own is.
#ifndef ASSAY_MSL_PEERS_H
#define ASSAY_MSL_PEERS_H

namespace msl {
MSL_INLINE uint simd_group() { return msl_host_table->self()->simdgroup_index_in_threadgroup; }

// meet waits for the SIMD group, of which all lanes must take part.
MSL_INLINE void meet(const char *what, uint site) {
    if (shown<uchar, MSL_SCOPE_SIMD>(0, site).active() != ~0u)
        msl_host_table->fault((uintptr_t)__builtin_return_address(0), what);
}
// peers lasts until part, for which each lane waits before it changes its own.
template <class T, int N> struct peers {
    const T *of[MSL_SIMD];
    uint site;
    MSL_INLINE peers(const T (&own)[N], uint site) : site(site) {
        shown<const T *, MSL_SCOPE_SIMD> s(own, site);
        for (uint i = 0; i < MSL_SIMD; i++) of[i] = s[i];
    }
    MSL_INLINE T at(uint lane, uint i) const { return of[lane][i]; }
    MSL_INLINE void part() const { metal::simdgroup_barrier(metal::mem_flags::mem_none, site); }
};
} // namespace msl

#endif
