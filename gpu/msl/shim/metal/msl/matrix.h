// matrix<T, C, R>: C columns of R components, stored column by column; limits of numbers; arrays of fixed size.
#ifndef ASSAY_MSL_MATRIX_H
#define ASSAY_MSL_MATRIX_H

#include "common.h"

namespace metal {
template <class T, int C, int R> struct matrix {
    using column = vec<T, R>;
    column columns[C];

    matrix() = default;
    // A scalar fills the diagonal.
    template <class S, MSL_IF(msl::is_number<S>)> explicit constexpr matrix(S s) : columns{} {
        for (int i = 0; i < C && i < R; i++) (&columns[i].x)[i] = T(s);
    }
    template <class... A, MSL_IF(sizeof...(A) == C && C > 1 && (__is_convertible_to(A, column) && ...) && (!msl::is_number<A> && ...))>
    constexpr matrix(A... c) : columns{column(c)...} {}
    template <class... A, class = void, MSL_IF(sizeof...(A) == C * R && (msl::is_number<A> && ...))>
    constexpr matrix(A... a) : columns{} {
        const T all[] = {T(a)...};
        for (int i = 0; i < C * R; i++) columns[i / R][i % R] = all[i];
    }
    template <class U, MSL_IF(!__is_same(T, U))> explicit constexpr matrix(const matrix<U, C, R> &m) : columns{} {
        for (int i = 0; i < C; i++) columns[i] = column(m.columns[i]);
    }

    constexpr column &operator[](int i) { return columns[i]; }
    constexpr const column &operator[](int i) const { return columns[i]; }

    friend constexpr matrix operator+(matrix a, const matrix &b) { return a += b; }
    friend constexpr matrix operator-(matrix a, const matrix &b) { return a -= b; }
    friend constexpr matrix operator*(matrix a, T s) { return a *= s; }
    friend constexpr matrix operator*(T s, matrix a) { return a *= s; }
    friend constexpr matrix operator/(matrix a, T s) {
        for (int i = 0; i < C; i++) a.columns[i] /= s;
        return a;
    }
    constexpr matrix operator-() const { return *this * T(-1); }
    constexpr matrix &operator+=(const matrix &b) {
        for (int i = 0; i < C; i++) columns[i] += b.columns[i];
        return *this;
    }
    constexpr matrix &operator-=(const matrix &b) {
        for (int i = 0; i < C; i++) columns[i] -= b.columns[i];
        return *this;
    }
    constexpr matrix &operator*=(T s) {
        for (int i = 0; i < C; i++) columns[i] *= s;
        return *this;
    }
    friend constexpr column operator*(const matrix &m, vec<T, C> v) {
        column r = m.columns[0] * v[0];
        for (int i = 1; i < C; i++) r += m.columns[i] * v[i];
        return r;
    }
    friend constexpr vec<T, C> operator*(vec<T, R> v, const matrix &m) {
        vec<T, C> r{};
        for (int i = 0; i < C; i++)
            for (int j = 0; j < R; j++) r[i] += v[j] * m.columns[i][j];
        return r;
    }
    friend constexpr bool operator==(const matrix &a, const matrix &b) {
        bool same = true;
        for (int i = 0; i < C; i++) same = same && all(a.columns[i] == b.columns[i]);
        return same;
    }
    friend constexpr bool operator!=(const matrix &a, const matrix &b) { return !(a == b); }
};

template <class T, int K, int R, int C> constexpr matrix<T, C, R> operator*(const matrix<T, K, R> &a, const matrix<T, C, K> &b) {
    matrix<T, C, R> r{};
    for (int i = 0; i < C; i++) r.columns[i] = a * b.columns[i];
    return r;
}
template <class T, int N> constexpr matrix<T, N, N> &operator*=(matrix<T, N, N> &a, const matrix<T, N, N> &b) { return a = a * b; }
template <class T, int C, int R> constexpr matrix<T, R, C> transpose(const matrix<T, C, R> &m) {
    matrix<T, R, C> r{};
    for (int i = 0; i < C; i++)
        for (int j = 0; j < R; j++) r.columns[j][i] = m.columns[i][j];
    return r;
}
template <class T> METAL_FUNC T determinant(const matrix<T, 2, 2> &m) { return m[0][0] * m[1][1] - m[1][0] * m[0][1]; }
template <class T> METAL_FUNC T determinant(const matrix<T, 3, 3> &m) { return dot(m[0], cross(m[1], m[2])); }
template <class T> METAL_FUNC T determinant(const matrix<T, 4, 4> &m) {
    T d = 0;
    for (int c = 0; c < 4; c++) {
        matrix<T, 3, 3> minor{};
        for (int i = 0, k = 0; i < 4; i++)
            if (i != c) minor.columns[k++] = m.columns[i].yzw;
        T part = m.columns[c].x * determinant(minor);
        d += c % 2 ? -part : part;
    }
    return d;
}

template <class T> struct _numeric_limits_impl {
    static constexpr bool is_specialized = false;
};
template <class T> struct numeric_limits : _numeric_limits_impl<T> {};
template <class T> struct numeric_limits<const T> : numeric_limits<T> {};
#define MSL_LIMITS_INT(...)                                                          \
    template <> struct _numeric_limits_impl<__VA_ARGS__> {                                 \
        using T = __VA_ARGS__;                                                       \
        static constexpr bool is_specialized = true, is_integer = true, is_exact = true; \
        static constexpr bool is_signed = T(-1) < T(0), is_bounded = true;           \
        static constexpr bool has_infinity = false, has_quiet_NaN = false;           \
        static constexpr int radix = 2, digits = int(sizeof(T) * 8) - is_signed;     \
        static constexpr T lowest() { return min(); }                                \
        static constexpr T min() { return is_signed ? T(T(1) << (sizeof(T) * 8 - 1)) : T(0); }    \
        static constexpr T max() { return T(~min()); }                               \
        static constexpr T infinity() { return T(0); }                               \
        static constexpr T quiet_NaN() { return T(0); }                              \
        static constexpr T epsilon() { return T(0); }                                \
    };
MSL_LIMITS_INT(char)
MSL_LIMITS_INT(signed char)
MSL_LIMITS_INT(uchar)
MSL_LIMITS_INT(short)
MSL_LIMITS_INT(ushort)
MSL_LIMITS_INT(int)
MSL_LIMITS_INT(uint)
MSL_LIMITS_INT(long)
MSL_LIMITS_INT(ulong)
MSL_LIMITS_INT(long long)
MSL_LIMITS_INT(unsigned long long)
#undef MSL_LIMITS_INT
template <> struct _numeric_limits_impl<bool> {
    static constexpr bool is_specialized = true, is_integer = true, is_exact = true, is_signed = false;
    static constexpr int radix = 2, digits = 1;
    static constexpr bool lowest() { return false; }
    static constexpr bool min() { return false; }
    static constexpr bool max() { return true; }
};
// Each value is given as its bits, so that it is a constant of any type.
#define MSL_LIMITS_FLOAT(T, U, mantissa, least, most, tiny, eps, inf, nan)                  \
    template <> struct _numeric_limits_impl<T> {                                                  \
        static constexpr bool is_specialized = true, is_integer = false, is_exact = false;  \
        static constexpr bool is_signed = true, is_bounded = true, is_iec559 = true;        \
        static constexpr bool has_infinity = true, has_quiet_NaN = true;                    \
        static constexpr int radix = 2, digits = mantissa;                                  \
        static constexpr T of(U bits) { return __builtin_bit_cast(T, bits); }               \
        static constexpr T min() { return of(least); }                                      \
        static constexpr T max() { return of(most); }                                       \
        static constexpr T lowest() { return of(U(most | U(1) << (sizeof(U) * 8 - 1))); }   \
        static constexpr T denorm_min() { return of(tiny); }                                \
        static constexpr T epsilon() { return of(eps); }                                    \
        static constexpr T infinity() { return of(inf); }                                   \
        static constexpr T quiet_NaN() { return of(nan); }                                  \
        static constexpr T signaling_NaN() { return of(U(inf | 1)); }                       \
    };
MSL_LIMITS_FLOAT(float, uint, 24, 0x00800000, 0x7f7fffff, 1, 0x34000000, 0x7f800000, 0x7fc00000)
MSL_LIMITS_FLOAT(half, ushort, 11, 0x0400, 0x7bff, 1, 0x1400, 0x7c00, 0x7e00)
MSL_LIMITS_FLOAT(bfloat, ushort, 8, 0x0080, 0x7f7f, 1, 0x3c00, 0x7f80, 0x7fc0)
#undef MSL_LIMITS_FLOAT

template <class T, size_t N> struct array {
    using value_type = T;
    T elements[N ? N : 1];
    constexpr T &operator[](size_t i) { return elements[i]; }
    constexpr const T &operator[](size_t i) const { return elements[i]; }
    constexpr size_t size() const { return N; }
    constexpr bool empty() const { return N == 0; }
    constexpr T &front() { return elements[0]; }
    constexpr T &back() { return elements[N - 1]; }
    constexpr T *data() { return elements; }
    constexpr const T *data() const { return elements; }
    constexpr T *begin() { return elements; }
    constexpr T *end() { return elements + N; }
    constexpr const T *begin() const { return elements; }
    constexpr const T *end() const { return elements + N; }
    constexpr void fill(const T &v) {
        for (size_t i = 0; i < N; i++) elements[i] = v;
    }
};

// uniform marks a value that is the same in all threads; the type only names it.
template <class T> struct uniform {
    T value;
    uniform() = default;
    constexpr uniform(T v) : value(v) {}
    constexpr operator T() const { return value; }
};
template <class T> constexpr uniform<T> make_uniform(T v) { return v; }
} // namespace metal

#define MSL_MATRICES(T, C)                 \
    typedef metal::matrix<T, C, 2> T##C##x2; \
    typedef metal::matrix<T, C, 3> T##C##x3; \
    typedef metal::matrix<T, C, 4> T##C##x4; \
    namespace metal {                      \
    using ::T##C##x2;                      \
    using ::T##C##x3;                      \
    using ::T##C##x4;                      \
    }
MSL_MATRICES(float, 2)
MSL_MATRICES(float, 3)
MSL_MATRICES(float, 4)
MSL_MATRICES(half, 2)
MSL_MATRICES(half, 3)
MSL_MATRICES(half, 4)
#undef MSL_MATRICES

#endif
