// vec<T, N>: vectors of two to four components, with the size and alignment that the language gives them.
#ifndef ASSAY_MSL_VEC_H
#define ASSAY_MSL_VEC_H

#include "bfloat.h"
#include "swizzle.h"

namespace metal {
template <class T, int N> struct vec;
template <class T, int N> struct packed_vec;
} // namespace metal

namespace msl {
template <class S> inline constexpr bool is_number = __is_arithmetic(S) || __is_enum(S) || __is_same(S, bfloat);
// A scalar that turns into a vector of T by itself; a float does not turn into integers.
template <class T, class S>
inline constexpr bool splats = is_number<S> && !(__is_floating_point(S) && __is_integral(T)) &&
                               !(__is_same(T, bfloat) && __is_floating_point(S));
} // namespace msl

// Everything that vectors of all sizes have in common. EACH(e) applies an expression over component c to all.
#define MSL_VEC_COMMON(N, EACH)                                                                                  \
    using value_type = T;                                                                                        \
    constexpr vec() = default;                                                                                   \
    template <class S, MSL_IF(msl::splats<T, S>)> constexpr vec(S s) : vec(s, msl::splat()) {}                   \
    template <class S, class = void, MSL_IF(msl::is_number<S> && !msl::splats<T, S>)>                            \
    explicit constexpr vec(S s) : vec(s, msl::splat()) {}                                                        \
    constexpr T &operator[](int i) { return (&x)[i]; }                                                           \
    constexpr const T &operator[](int i) const { return (&x)[i]; }                                               \
    MSL_VEC_OP(EACH, +) MSL_VEC_OP(EACH, -) MSL_VEC_OP(EACH, *) MSL_VEC_OP(EACH, /) MSL_VEC_OP(EACH, %)          \
    MSL_VEC_OP(EACH, &) MSL_VEC_OP(EACH, |) MSL_VEC_OP(EACH, ^) MSL_VEC_SHIFT(EACH, <<) MSL_VEC_SHIFT(EACH, >>)  \
    MSL_VEC_TEST(EACH, N, ==) MSL_VEC_TEST(EACH, N, !=) MSL_VEC_TEST(EACH, N, <) MSL_VEC_TEST(EACH, N, >)        \
    MSL_VEC_TEST(EACH, N, <=) MSL_VEC_TEST(EACH, N, >=) MSL_VEC_TEST(EACH, N, &&) MSL_VEC_TEST(EACH, N, ||)      \
    constexpr vec operator+() const { return *this; }                                                            \
    constexpr vec operator-() const { return vec(EACH(MSL_NEGATE)); }                                            \
    constexpr vec operator~() const { return vec(EACH(MSL_INVERT)); }                                            \
    constexpr vec<bool, N> operator!() const { return vec<bool, N>(EACH(MSL_NOT)); }                             \
    constexpr vec &operator++() { return *this += vec(T(1)); }                                                   \
    constexpr vec &operator--() { return *this -= vec(T(1)); }                                                   \
    constexpr vec operator++(int) {                                                                              \
        vec old = *this;                                                                                         \
        *this += vec(T(1));                                                                                      \
        return old;                                                                                              \
    }                                                                                                            \
    constexpr vec operator--(int) {                                                                              \
        vec old = *this;                                                                                         \
        *this -= vec(T(1));                                                                                      \
        return old;                                                                                              \
    }

#define MSL_NEGATE(op, c) T(-c)
#define MSL_INVERT(op, c) T(~c)
#define MSL_NOT(op, c) !c
#define MSL_PAIR(op, c) T(p.c op q.c)
#define MSL_PAIR_TEST(op, c) bool(p.c op q.c)
#define MSL_VEC_OP(EACH, op)                                                                        \
    friend constexpr vec operator op(vec p, vec q) { return vec(EACH(MSL_PAIR, op)); }              \
    friend constexpr vec &operator op##=(vec &p, vec q) { return p = vec(EACH(MSL_PAIR, op)); }
// A shift takes its count modulo the width.
#define MSL_PAIR_SHIFT(op, c) T(p.c op (q.c & T(sizeof(T) * 8 - 1)))
#define MSL_VEC_SHIFT(EACH, op)                                                                     \
    friend constexpr vec operator op(vec p, vec q) { return vec(EACH(MSL_PAIR_SHIFT, op)); }        \
    friend constexpr vec &operator op##=(vec &p, vec q) { return p = vec(EACH(MSL_PAIR_SHIFT, op)); }
#define MSL_VEC_TEST(EACH, N, op)                                                                   \
    friend constexpr vec<bool, N> operator op(vec p, vec q) { return vec<bool, N>(EACH(MSL_PAIR_TEST, op)); }
#define MSL_EACH2(m, ...) m(__VA_ARGS__, x), m(__VA_ARGS__, y)
#define MSL_EACH3(m, ...) m(__VA_ARGS__, x), m(__VA_ARGS__, y), m(__VA_ARGS__, z)
#define MSL_EACH4(m, ...) m(__VA_ARGS__, x), m(__VA_ARGS__, y), m(__VA_ARGS__, z), m(__VA_ARGS__, w)

namespace msl {
struct splat {}; // marks the constructor that repeats a scalar
} // namespace msl

// Converts two components at once, where the target does so in an instruction; they have been, by themselves.
#ifndef MSL_ROUND_PAIR
#define MSL_ROUND_PAIR(a, b, x, y)
#endif

namespace metal {
// Other sizes are only stored, as the 64 elements of a matrix in a SIMD group are.
template <class T, int N> struct vec {
    alignas(16) T elements[N];
    constexpr T &operator[](int i) { return elements[i]; }
    constexpr const T &operator[](int i) const { return elements[i]; }
};

template <class T> struct alignas(2 * sizeof(T)) vec<T, 2> {
    union {
        struct { T x, y; };
        struct { T r, g; };
    };
    template <class S> constexpr vec(S s, msl::splat) : x(T(s)), y(T(s)) {}
    constexpr vec(T a, T b) : x(a), y(b) {}
    template <class U> explicit constexpr vec(vec<U, 2> v) : x(T(v.x)), y(T(v.y)) { MSL_ROUND_PAIR(v.x, v.y, x, y); }
    template <class U> explicit constexpr vec(packed_vec<U, 2> v) : x(T(v.x)), y(T(v.y)) {}
    MSL_VEC_COMMON(2, MSL_EACH2)
    MSL_SWIZZLES2
};

template <class T> struct alignas(4 * sizeof(T)) vec<T, 3> {
    union {
        struct { T x, y, z; };
        struct { T r, g, b; };
    };
    template <class S> constexpr vec(S s, msl::splat) : x(T(s)), y(T(s)), z(T(s)) {}
    constexpr vec(T a, T b, T c) : x(a), y(b), z(c) {}
    constexpr vec(T a, T b) : x(a), y(b), z(T(0)) {} // of a list in braces that is too short
    constexpr vec(vec<T, 2> a, T b) : x(a.x), y(a.y), z(b) {}
    constexpr vec(T a, vec<T, 2> b) : x(a), y(b.x), z(b.y) {}
    template <class U> explicit constexpr vec(vec<U, 3> v) : x(T(v.x)), y(T(v.y)), z(T(v.z)) {}
    template <class U> explicit constexpr vec(packed_vec<U, 3> v) : x(T(v.x)), y(T(v.y)), z(T(v.z)) {}
    MSL_VEC_COMMON(3, MSL_EACH3)
    MSL_SWIZZLES3
};

template <class T> struct alignas(4 * sizeof(T)) vec<T, 4> {
    union {
        struct { T x, y, z, w; };
        struct { T r, g, b, a; };
    };
    template <class S> constexpr vec(S s, msl::splat) : x(T(s)), y(T(s)), z(T(s)), w(T(s)) {}
    constexpr vec(T a, T b, T c, T d) : x(a), y(b), z(c), w(d) {}
    constexpr vec(T a, T b, T c) : x(a), y(b), z(c), w(T(0)) {} // of lists in braces that are too short
    constexpr vec(T a, T b) : x(a), y(b), z(T(0)), w(T(0)) {}
    constexpr vec(vec<T, 2> a, T c, T d) : x(a.x), y(a.y), z(c), w(d) {}
    constexpr vec(T a, vec<T, 2> b, T d) : x(a), y(b.x), z(b.y), w(d) {}
    constexpr vec(T a, T b, vec<T, 2> c) : x(a), y(b), z(c.x), w(c.y) {}
    constexpr vec(vec<T, 2> a, vec<T, 2> b) : x(a.x), y(a.y), z(b.x), w(b.y) {}
    constexpr vec(vec<T, 3> a, T d) : x(a.x), y(a.y), z(a.z), w(d) {}
    constexpr vec(T a, vec<T, 3> b) : x(a), y(b.x), z(b.y), w(b.z) {}
    template <class U> explicit constexpr vec(vec<U, 4> v) : x(T(v.x)), y(T(v.y)), z(T(v.z)), w(T(v.w)) {
        MSL_ROUND_PAIR(v.x, v.y, x, y);
        MSL_ROUND_PAIR(v.z, v.w, z, w);
    }
    template <class U> explicit constexpr vec(packed_vec<U, 4> v) : x(T(v.x)), y(T(v.y)), z(T(v.z)), w(T(v.w)) {}
    MSL_VEC_COMMON(4, MSL_EACH4)
    MSL_SWIZZLES4
};

// Packed vectors have the alignment of one component. Arithmetic on them gives vec.
#define MSL_PACKED_OP(N, op)                                                                                       \
    friend constexpr vec<T, N> operator op(packed_vec p, packed_vec q) { return p.unpack() op q.unpack(); }        \
    friend constexpr vec<T, N> operator op(packed_vec p, vec<T, N> q) { return p.unpack() op q; }                  \
    friend constexpr vec<T, N> operator op(vec<T, N> p, packed_vec q) { return p op q.unpack(); }
#define MSL_PACKED_ASSIGN(N, op)                                                                                   \
    MSL_PACKED_OP(N, op)                                                                                           \
    friend constexpr packed_vec &operator op##=(packed_vec &p, vec<T, N> q) { return p = p.unpack() op q; }
#define MSL_PACKED_TEST(N, op)                                                                                     \
    friend constexpr vec<bool, N> operator op(packed_vec p, packed_vec q) { return p.unpack() op q.unpack(); }
#define MSL_PACKED(N, EACH)                                                                                        \
    using value_type = T;                                                                                          \
    packed_vec() = default;                                                                                        \
    constexpr packed_vec(vec<T, N> v) : packed_vec(EACH(MSL_OF, v)) {}                                             \
    template <class U> explicit constexpr packed_vec(vec<U, N> v) : packed_vec(vec<T, N>(v)) {}                    \
    template <class U> explicit constexpr packed_vec(packed_vec<U, N> v) : packed_vec(vec<T, N>(v)) {}             \
    template <class S, MSL_IF(msl::is_number<S>)> explicit constexpr packed_vec(S s) : packed_vec(vec<T, N>(s)) {} \
    constexpr T &operator[](int i) { return (&x)[i]; }                                                             \
    constexpr const T &operator[](int i) const { return (&x)[i]; }                                                 \
    constexpr vec<T, N> unpack() const { return vec<T, N>(EACH(MSL_SELF, )); }                                     \
    constexpr operator vec<T, N>() const { return unpack(); }                                                      \
    constexpr vec<T, N> operator-() const { return -unpack(); }                                                    \
    MSL_PACKED_ASSIGN(N, +) MSL_PACKED_ASSIGN(N, -) MSL_PACKED_ASSIGN(N, *) MSL_PACKED_ASSIGN(N, /)                \
    MSL_PACKED_ASSIGN(N, %) MSL_PACKED_ASSIGN(N, &) MSL_PACKED_ASSIGN(N, |) MSL_PACKED_ASSIGN(N, ^)                \
    MSL_PACKED_ASSIGN(N, <<) MSL_PACKED_ASSIGN(N, >>)                                                              \
    MSL_PACKED_TEST(N, ==) MSL_PACKED_TEST(N, !=) MSL_PACKED_TEST(N, <) MSL_PACKED_TEST(N, >)
#define MSL_OF(v, c) v.c
#define MSL_SELF(v, c) c

template <class T> struct packed_vec<T, 2> {
    union {
        struct { T x, y; };
        struct { T r, g; };
    };
    constexpr packed_vec(T a, T b) : x(a), y(b) {}
    MSL_PACKED(2, MSL_EACH2)
    MSL_SWIZZLES2
};

template <class T> struct packed_vec<T, 3> {
    union {
        struct { T x, y, z; };
        struct { T r, g, b; };
    };
    constexpr packed_vec(T a, T b, T c) : x(a), y(b), z(c) {}
    constexpr packed_vec(vec<T, 2> a, T b) : x(a.x), y(a.y), z(b) {}
    constexpr packed_vec(T a, vec<T, 2> b) : x(a), y(b.x), z(b.y) {}
    MSL_PACKED(3, MSL_EACH3)
    MSL_SWIZZLES3
};

template <class T> struct packed_vec<T, 4> {
    union {
        struct { T x, y, z, w; };
        struct { T r, g, b, a; };
    };
    constexpr packed_vec(T a, T b, T c, T d) : x(a), y(b), z(c), w(d) {}
    constexpr packed_vec(vec<T, 2> a, vec<T, 2> b) : x(a.x), y(a.y), z(b.x), w(b.y) {}
    constexpr packed_vec(vec<T, 3> a, T d) : x(a.x), y(a.y), z(a.z), w(d) {}
    MSL_PACKED(4, MSL_EACH4)
    MSL_SWIZZLES4
};
} // namespace metal

#define MSL_NAMES(T)                              \
    typedef metal::vec<T, 2> T##2;                \
    typedef metal::vec<T, 3> T##3;                \
    typedef metal::vec<T, 4> T##4;                \
    typedef metal::packed_vec<T, 2> packed_##T##2; \
    typedef metal::packed_vec<T, 3> packed_##T##3; \
    typedef metal::packed_vec<T, 4> packed_##T##4; \
    namespace metal {                             \
    using ::T##2;                                 \
    using ::T##3;                                 \
    using ::T##4;                                 \
    using ::packed_##T##2;                        \
    using ::packed_##T##3;                        \
    using ::packed_##T##4;                        \
    }
MSL_NAMES(bool)
MSL_NAMES(char)
MSL_NAMES(uchar)
MSL_NAMES(short)
MSL_NAMES(ushort)
MSL_NAMES(int)
MSL_NAMES(uint)
MSL_NAMES(long)
MSL_NAMES(ulong)
MSL_NAMES(half)
MSL_NAMES(bfloat)
MSL_NAMES(float)
#undef MSL_NAMES

#endif
