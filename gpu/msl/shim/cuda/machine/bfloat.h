// Rounding a float to bfloat in one instruction, and two floats to half or bfloat.
#ifndef ASSAY_MSL_MACHINE_BFLOAT_H
#define ASSAY_MSL_MACHINE_BFLOAT_H

#define MSL_BF_ROUND(f) __builtin_bit_cast(uint16_t, __nvvm_f2bf16_rn(f))

namespace msl {
struct two_bytes_twice { uint16_t low, high; };
template <class U, class T> MSL_INLINE void round_pair(U, U, T &, T &) {} // by themselves
MSL_INLINE void round_pair(float a, float b, half &x, half &y) {
    auto both = __builtin_bit_cast(two_bytes_twice, __nvvm_ff2f16x2_rn(b, a));
    x = __builtin_bit_cast(half, both.low);
    y = __builtin_bit_cast(half, both.high);
}
} // namespace msl

#define MSL_ROUND_PAIR(a, b, x, y) \
    if (!__builtin_is_constant_evaluated()) msl::round_pair(a, b, x, y)

#endif
