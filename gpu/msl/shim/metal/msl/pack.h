// Normalized integers packed into one, and the names that simd/simd.h gives to vectors and matrices.
#ifndef ASSAY_MSL_PACK_H
#define ASSAY_MSL_PACK_H

#include "builtins.h"

namespace msl {
// Field i of `bits` bits as a number from 0 (or, signed, −1) to 1, and back, rounded to nearest.
METAL_FUNC float unorm_field(uint v, int at, int bits) { return float(v >> at & ((1u << bits) - 1)) / float((1u << bits) - 1); }
METAL_FUNC float snorm_field(uint v, int at, int bits) {
    int field = int(v << (32 - at - bits)) >> (32 - bits);
    return metal::max(float(field) / float((1u << (bits - 1)) - 1), -1.0f);
}
METAL_FUNC uint unorm_bits(float x, int at, int bits) {
    return uint(metal::rint(metal::clamp(x, 0.0f, 1.0f) * float((1u << bits) - 1))) << at;
}
METAL_FUNC uint snorm_bits(float x, int at, int bits) {
    int field = int(metal::rint(metal::clamp(x, -1.0f, 1.0f) * float((1u << (bits - 1)) - 1)));
    return (uint(field) & ((1u << bits) - 1)) << at;
}
} // namespace msl

#define MSL_PACK4(T, kind, name, a, b, c, d, last)                                                                       \
    METAL_FUNC T##4 unpack_##name##_to_##T(uint v) {                                                                     \
        return T##4(T(msl::kind##_field(v, 0, a)), T(msl::kind##_field(v, b, a)), T(msl::kind##_field(v, c, a)),         \
                    T(msl::kind##_field(v, d, last)));                                                                   \
    }                                                                                                                    \
    METAL_FUNC uint pack_##T##_to_##name(T##4 v) {                                                                       \
        return msl::kind##_bits(v.x, 0, a) | msl::kind##_bits(v.y, b, a) | msl::kind##_bits(v.z, c, a) |                 \
               msl::kind##_bits(v.w, d, last);                                                                           \
    }
#define MSL_PACK2(T, kind)                                                                                               \
    METAL_FUNC T##2 unpack_##kind##2x16_to_##T(uint v) {                                                                 \
        return T##2(T(msl::kind##_field(v, 0, 16)), T(msl::kind##_field(v, 16, 16)));                                    \
    }                                                                                                                    \
    METAL_FUNC uint pack_##T##_to_##kind##2x16(T##2 v) { return msl::kind##_bits(v.x, 0, 16) | msl::kind##_bits(v.y, 16, 16); }
#define MSL_PACKS(T)                                                                                                     \
    MSL_PACK4(T, unorm, unorm4x8, 8, 8, 16, 24, 8)                                                                       \
    MSL_PACK4(T, snorm, snorm4x8, 8, 8, 16, 24, 8)                                                                       \
    MSL_PACK4(T, unorm, unorm10a2, 10, 10, 20, 30, 2)                                                                    \
    MSL_PACK2(T, unorm) MSL_PACK2(T, snorm)
namespace metal {
MSL_PACKS(float)
MSL_PACKS(half)
} // namespace metal
#undef MSL_PACKS
#undef MSL_PACK2
#undef MSL_PACK4

#define MSL_SIMD_VECTOR(T, N)        \
    typedef ::T##N simd_##T##N;      \
    typedef ::T##N vector_##T##N;    \
    namespace simd {                 \
    using ::T##N;                    \
    }
#define MSL_SIMD_VECTORS(T) MSL_SIMD_VECTOR(T, 2) MSL_SIMD_VECTOR(T, 3) MSL_SIMD_VECTOR(T, 4)
MSL_SIMD_VECTORS(char)
MSL_SIMD_VECTORS(uchar)
MSL_SIMD_VECTORS(short)
MSL_SIMD_VECTORS(ushort)
MSL_SIMD_VECTORS(int)
MSL_SIMD_VECTORS(uint)
MSL_SIMD_VECTORS(long)
MSL_SIMD_VECTORS(ulong)
MSL_SIMD_VECTORS(half)
MSL_SIMD_VECTORS(float)
#define MSL_SIMD_MATRIX(T, C, R)                             \
    typedef metal::matrix<T, C, R> simd_##T##C##x##R;        \
    typedef metal::matrix<T, C, R> matrix_##T##C##x##R;      \
    namespace simd {                                         \
    typedef metal::matrix<T, C, R> T##C##x##R;               \
    }
#define MSL_SIMD_MATRICES(T)                                                             \
    MSL_SIMD_MATRIX(T, 2, 2) MSL_SIMD_MATRIX(T, 2, 3) MSL_SIMD_MATRIX(T, 2, 4)           \
    MSL_SIMD_MATRIX(T, 3, 2) MSL_SIMD_MATRIX(T, 3, 3) MSL_SIMD_MATRIX(T, 3, 4)           \
    MSL_SIMD_MATRIX(T, 4, 2) MSL_SIMD_MATRIX(T, 4, 3) MSL_SIMD_MATRIX(T, 4, 4)
MSL_SIMD_MATRICES(float)
MSL_SIMD_MATRICES(half)
#undef MSL_SIMD_MATRICES
#undef MSL_SIMD_MATRIX
#undef MSL_SIMD_VECTORS
#undef MSL_SIMD_VECTOR

#endif
