// simdgroup_matrix: 8×8 numbers spread over the 32 lanes of a SIMD group, two neighbors of a row in each lane, placed as
// on the GPUs: lane bits 1, 2 and 4 are the row, bits 0 and 3 the pair of columns.
#ifndef ASSAY_MSL_SIMDGROUP_MATRIX_H
#define ASSAY_MSL_SIMDGROUP_MATRIX_H

#include "matrix.h"
#include "simd.h"

namespace msl {
MSL_INLINE uint matrix_row(uint lane) { return (lane >> 1 & 3) | (lane >> 2 & 4); }
MSL_INLINE uint matrix_col(uint lane) { return (lane & 1) << 1 | (lane >> 1 & 4); }
MSL_INLINE uint matrix_lane(uint row, uint col) { return (row & 3) << 1 | (row & 4) << 2 | (col >> 1 & 1) | (col & 4) << 1; }

// multiply_accumulate is this lane's part of a·b + c, computed in float. It is one exchange of a and b.
template <class A, class B>
inline vec<float, 2> multiply_accumulate(vec<A, 2> a, vec<B, 2> b, vec<float, 2> c, uint site) {
    struct both {
        vec<A, 2> a;
        vec<B, 2> b;
    };
    shown<both, MSL_SCOPE_SIMD> s(both{a, b}, site);
    uint row = matrix_row(s.self()), col = matrix_col(s.self());
    MSL_ROLLED for (uint k = 0; k < 8; k++) {
        vec<A, 2> left = s[matrix_lane(row, k)].a;
        vec<B, 2> right = s[matrix_lane(k, col)].b;
        float l = (float)(k & 1 ? left.y : left.x);
        c.x = __builtin_fmaf(l, (float)right.x, c.x);
        c.y = __builtin_fmaf(l, (float)right.y, c.y);
    }
    return c;
}
} // namespace msl

namespace metal {
template <class T, int C, int R> struct simdgroup_matrix {
    static_assert(C == 8 && R == 8, "simdgroup_matrix is 8 by 8");
    using value_type = T;
    vec<T, 2> own;

    simdgroup_matrix() = default;
    // A scalar fills the diagonal, as that of other matrices does.
    template <class S, MSL_IF(msl::is_number<S>)> explicit simdgroup_matrix(S s) : own(T(0)) {
        uint lane = msl::lane(), at = msl::matrix_row(lane) - msl::matrix_col(lane);
        if (at < 2) own[at] = T(s);
    }
    vec<T, 2> &thread_elements() { return own; }
    const vec<T, 2> &thread_elements() const { return own; }
};

template <class T, int C, int R = C, class S> METAL_FUNC simdgroup_matrix<T, C, R> make_filled_simdgroup_matrix(S v) {
    simdgroup_matrix<T, C, R> m;
    m.own = vec<T, 2>(T(v));
    return m;
}
template <class T, int N, class S> METAL_FUNC simdgroup_matrix<T, N, N> make_diagonal_simdgroup_matrix(S v) {
    return simdgroup_matrix<T, N, N>(T(v));
}

// Rows lie `stride` elements apart; origin is (column, row); with transpose, rows and columns change places in memory.
#define MSL_MATRIX_MEMORY(space)                                                                                    \
    template <class T, class E>                                                                                     \
    METAL_FUNC void simdgroup_load(simdgroup_matrix<T, 8, 8> &m, const space E *p, ulong stride = 8,                \
                                   ulong2 origin = ulong2(0), bool transposed = false) {                            \
        uint lane = msl::lane(), row = msl::matrix_row(lane), col = msl::matrix_col(lane);                          \
        for (uint i = 0; i < 2; i++) {                                                                              \
            ulong x = transposed ? row : col + i, y = transposed ? col + i : row;                                   \
            m.own[i] = T(p[(origin.y + y) * stride + origin.x + x]);                                                \
        }                                                                                                           \
    }                                                                                                               \
    template <class T, class E>                                                                                     \
    METAL_FUNC void simdgroup_store(simdgroup_matrix<T, 8, 8> m, space E *p, ulong stride = 8,                      \
                                    ulong2 origin = ulong2(0), bool transposed = false) {                           \
        uint lane = msl::lane(), row = msl::matrix_row(lane), col = msl::matrix_col(lane);                          \
        for (uint i = 0; i < 2; i++) {                                                                              \
            ulong x = transposed ? row : col + i, y = transposed ? col + i : row;                                   \
            p[(origin.y + y) * stride + origin.x + x] = E(m.own[i]);                                                \
        }                                                                                                           \
    }
MSL_MATRIX_MEMORY(MSL_DEVICE)
MSL_MATRIX_MEMORY(MSL_THREADGROUP)
#undef MSL_MATRIX_MEMORY
template <class T, class E>
METAL_FUNC void simdgroup_load(simdgroup_matrix<T, 8, 8> &m, MSL_CONSTANT E *p, ulong stride = 8, ulong2 origin = ulong2(0),
                               bool transposed = false) {
    simdgroup_load(m, (const MSL_DEVICE E *)(uintptr_t)p, stride, origin, transposed);
}

template <class D, class A, class B, class C>
inline void simdgroup_multiply_accumulate(simdgroup_matrix<D, 8, 8> &d, simdgroup_matrix<A, 8, 8> a,
                                          simdgroup_matrix<B, 8, 8> b, simdgroup_matrix<C, 8, 8> c, MSL_SITE) {
    d.own = vec<D, 2>(msl::multiply_accumulate(a.own, b.own, vec<float, 2>(c.own), site));
}
template <class D, class A, class B>
inline void simdgroup_multiply(simdgroup_matrix<D, 8, 8> &d, simdgroup_matrix<A, 8, 8> a, simdgroup_matrix<B, 8, 8> b, MSL_SITE) {
    simdgroup_multiply_accumulate(d, a, b, make_filled_simdgroup_matrix<float, 8, 8>(0), site);
}
template <class T>
inline simdgroup_matrix<T, 8, 8> operator*(simdgroup_matrix<T, 8, 8> a, simdgroup_matrix<T, 8, 8> b) {
    simdgroup_matrix<T, 8, 8> d;
    simdgroup_multiply(d, a, b);
    return d;
}
} // namespace metal

typedef metal::simdgroup_matrix<float, 8, 8> simdgroup_float8x8;
typedef metal::simdgroup_matrix<half, 8, 8> simdgroup_half8x8;
typedef metal::simdgroup_matrix<bfloat, 8, 8> simdgroup_bfloat8x8;
namespace metal {
using ::simdgroup_bfloat8x8;
using ::simdgroup_float8x8;
using ::simdgroup_half8x8;
} // namespace metal

#endif
