// What research kernels take from beneath the library: matrices held as 64 elements, of which a lane owns the first two,
// and copies by a whole SIMD group, which the program itself declares under the compiler's internal names.
#ifndef ASSAY_MSL_ASYNC_H
#define ASSAY_MSL_ASYNC_H

#include "simdgroup_matrix.h"

template <class A, class B, class C, class D>
inline metal::vec<D, 64> __metal_simdgroup_matrix_8x8_multiply_accumulate(metal::vec<A, 64> a, metal::vec<B, 64> b,
                                                                          metal::vec<C, 64> c, metal::vec<D, 64>, MSL_SITE) {
    metal::vec<float, 2> r = msl::multiply_accumulate(metal::vec<A, 2>(a[0], a[1]), metal::vec<B, 2>(b[0], b[1]),
                                                      float2((float)c[0], (float)c[1]), site);
    metal::vec<D, 64> d;
    d[0] = D(r.x);
    d[1] = D(r.y);
    return d;
}

#include "../machine/copies.h"

#endif
