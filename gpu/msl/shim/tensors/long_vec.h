// Vectors of 8 and 16 numbers, which Metal 4 programs keep fragments of matrices in.
#ifndef ASSAY_MSL_LONG_VEC_H
#define ASSAY_MSL_LONG_VEC_H

namespace metal {
#define MSL_LONG_OP(N, op)                                                            \
    friend constexpr vec operator op(const vec &a, const vec &b) {                    \
        vec r;                                                                        \
        for (int i = 0; i < N; i++) r.elements[i] = T(a.elements[i] op b.elements[i]); \
        return r;                                                                     \
    }                                                                                 \
    constexpr vec &operator op##=(const vec &b) { return *this = *this op b; }
#define MSL_LONG_VEC(N)                                                                        \
    template <class T> struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) vec<T, N> {     \
        using value_type = T;                                                                  \
        T elements[N];                                                                         \
        vec() = default;                                                                       \
        template <class S, MSL_IF(msl::is_number<S>)> constexpr vec(S s) {                     \
            for (int i = 0; i < N; i++) elements[i] = T(s);                                    \
        }                                                                                      \
        template <class U> explicit constexpr vec(const vec<U, N> &v) {                        \
            for (int i = 0; i < N; i++) elements[i] = T(v.elements[i]);                        \
        }                                                                                      \
        constexpr T &operator[](int i) { return elements[i]; }                                 \
        constexpr const T &operator[](int i) const { return elements[i]; }                     \
        MSL_LONG_OP(N, +) MSL_LONG_OP(N, -) MSL_LONG_OP(N, *) MSL_LONG_OP(N, /)                \
    };
MSL_LONG_VEC(8)
MSL_LONG_VEC(16)
#undef MSL_LONG_VEC
#undef MSL_LONG_OP
} // namespace metal

#endif
