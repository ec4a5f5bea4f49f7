// What the lanes of a SIMD group hold, on NVIDIA GPUs: by shuffles, in each of which the lanes give one element and ask for one.
// Since lanes ask for different elements, every element takes one.
#ifndef ASSAY_MSL_PEERS_H
#define ASSAY_MSL_PEERS_H

namespace msl {
MSL_INLINE uint simd_group() { return thread_index() / MSL_SIMD; }
MSL_INLINE void meet(const char *, uint) { __nvvm_bar_warp_sync(~0u); }

template <class T, int N> struct peers {
    const T (&own)[N];
    MSL_INLINE peers(const T (&own)[N], uint) : own(own) {}
    MSL_INLINE T at(uint lane, uint i) const {
        T found = own[0];
        MSL_ROLLED for (uint j = 0; j < N; j++) {
            T v = from_lane<MSL_SCOPE_SIMD>(own[j], lane);
            if (j == i) found = v;
        }
        return found;
    }
    MSL_INLINE void part() const {}
};
} // namespace msl

#endif
