// Functions over the lanes of a SIMD group and of a quad, over the exchange of the target's machine/lanes.h: the lanes that
// reach a site together show their values to each other.
#ifndef ASSAY_MSL_SIMD_H
#define ASSAY_MSL_SIMD_H

#include "atomic.h"

namespace msl {
// Sums and products of short floats are taken in float, as pairs in a tree, and rounded once.
template <class T> struct wide_of { using type = T; };
template <> struct wide_of<half> { using type = float; };
template <> struct wide_of<bfloat> { using type = float; };
template <class T, int N> struct wide_of<vec<T, N>> { using type = vec<typename wide_of<T>::type, N>; };
} // namespace msl

#include "../machine/lanes.h"

namespace msl {
// filled is the value `delta` lanes away in two joined rows, of which the second is `fill`.
template <class T, uint Scope> MSL_INLINE T filled(T v, T fill, int delta, uint modulo, uint site) {
    struct both { T v, fill; };
    shown<both, Scope> s(both{v, fill}, site);
    uint in = s.self() % modulo, base = s.self() - in;
    int to = (int)in + delta;
    bool outside = to < 0 || to >= (int)modulo;
    uint lane = base + (uint)(to + (int)modulo) % modulo;
    both b = s.at(lane);
    return outside ? b.fill : b.v;
}
template <class A> using data = value<A>;

// Bitwise functions of floats work on their bits.
template <class T> struct bits_in { using type = T; };
template <> struct bits_in<float> { using type = uint; };
template <> struct bits_in<half> { using type = ushort; };
template <> struct bits_in<bfloat> { using type = ushort; };
template <class T, int N> struct bits_in<vec<T, N>> { using type = vec<typename bits_in<T>::type, N>; };
template <class T, uint Scope, class F> MSL_INLINE T bitwise(T v, uint site, int empty, F f) {
    using U = typename bits_in<T>::type;
    return as_type<T>(reduce<U, Scope, U>(as_type<U>(v), site, U(empty), f));
}
} // namespace msl

namespace metal {
// simd_vote is the result of a ballot.
class simd_vote {
public:
    typedef uint64_t vote_t;
    explicit constexpr simd_vote(vote_t v = 0) : bits(v) {}
    explicit constexpr operator vote_t() const { return bits; }
    explicit constexpr operator uint() const { return (uint)bits; }
    constexpr bool all() const { return bits == 0xffffffffu; }
    constexpr bool any() const { return bits != 0; }

private:
    vote_t bits;
};
class quad_vote {
public:
    typedef uint vote_t;
    explicit constexpr quad_vote(vote_t v = 0) : bits(v) {}
    explicit constexpr operator vote_t() const { return bits; }
    constexpr bool all() const { return bits == 15; }
    constexpr bool any() const { return bits != 0; }

private:
    vote_t bits;
};

#define MSL_LANES(p, S)                                                                                            \
    template <class A, class T = msl::data<A>, class W = typename msl::wide_of<T>::type>                           \
    inline T p##_sum(A v, MSL_SITE) {                                                                              \
        return msl::reduce<T, S, W>(v, site, W(0), [](W a, W b) { return W(a + b); });                             \
    }                                                                                                              \
    template <class A, class T = msl::data<A>, class W = typename msl::wide_of<T>::type>                           \
    inline T p##_product(A v, MSL_SITE) {                                                                          \
        return msl::reduce<T, S, W>(v, site, W(1), [](W a, W b) { return W(a * b); });                             \
    }                                                                                                              \
    template <class A, class T = msl::data<A>> inline T p##_and(A v, MSL_SITE) {                                   \
        return msl::bitwise<T, S>(v, site, -1, [](auto a, auto b) { return decltype(a)(a & b); }); \
    }                                                                                                              \
    template <class A, class T = msl::data<A>> inline T p##_or(A v, MSL_SITE) {                                    \
        return msl::bitwise<T, S>(v, site, 0, [](auto a, auto b) { return decltype(a)(a | b); }); \
    }                                                                                                              \
    template <class A, class T = msl::data<A>> inline T p##_xor(A v, MSL_SITE) {                                   \
        return msl::bitwise<T, S>(v, site, 0, [](auto a, auto b) { return decltype(a)(a ^ b); }); \
    }                                                                                                              \
    template <class A, class T = msl::data<A>> inline T p##_min(A v, MSL_SITE) {                                   \
        return msl::extreme<T, S>(v, site, [](T a, T b) { return min(a, b); });                                    \
    }                                                                                                              \
    template <class A, class T = msl::data<A>> inline T p##_max(A v, MSL_SITE) {                                   \
        return msl::extreme<T, S>(v, site, [](T a, T b) { return max(a, b); });                                    \
    }                                                                                                              \
    MSL_SCAN(p, S, inclusive, true) MSL_SCAN(p, S, exclusive, false)                                               \
    template <class A, class T = msl::data<A>> inline T p##_shuffle(A v, ushort lane, MSL_SITE) {                  \
        return msl::shown<T, S>(v, site).at(lane);                                                                 \
    }                                                                                                              \
    template <class A, class T = msl::data<A>> inline T p##_broadcast(A v, ushort lane, MSL_SITE) {                \
        return msl::shown<T, S>(v, site).at(lane);                                                                 \
    }                                                                                                              \
    template <class A, class T = msl::data<A>> inline T p##_broadcast_first(A v, MSL_SITE) {                       \
        return msl::first_of<T, S>(v, site);                                                                       \
    }                                                                                                              \
    template <class A, class T = msl::data<A>> inline T p##_shuffle_xor(A v, ushort mask, MSL_SITE) {              \
        msl::shown<T, S> s(v, site);                                                                               \
        return s.at(s.self() ^ mask);                                                                              \
    }                                                                                                              \
    template <class A, class T = msl::data<A>> inline T p##_shuffle_up(A v, ushort delta, MSL_SITE) {              \
        msl::shown<T, S> s(v, site);                                                                               \
        return s.at(s.self() - delta);                                                                             \
    }                                                                                                              \
    template <class A, class T = msl::data<A>> inline T p##_shuffle_down(A v, ushort delta, MSL_SITE) {            \
        msl::shown<T, S> s(v, site);                                                                               \
        return s.at(s.self() + delta);                                                                             \
    }                                                                                                              \
    template <class A, class T = msl::data<A>> inline T p##_shuffle_rotate_up(A v, ushort delta, MSL_SITE) {       \
        msl::shown<T, S> s(v, site);                                                                               \
        return s.at((s.self() - delta) % s.size);                                                                  \
    }                                                                                                              \
    template <class A, class T = msl::data<A>> inline T p##_shuffle_rotate_down(A v, ushort delta, MSL_SITE) {     \
        msl::shown<T, S> s(v, site);                                                                               \
        return s.at((s.self() + delta) % s.size);                                                                  \
    }                                                                                                              \
    template <class A, class T = msl::data<A>>                                                                     \
    inline T p##_shuffle_and_fill_up(A v, A fill, ushort delta, ushort modulo = msl::shown<T, S>::size, MSL_SITE) {\
        return msl::filled<T, S>(v, fill, -(int)delta, modulo, site);                                              \
    }                                                                                                              \
    template <class A, class T = msl::data<A>>                                                                     \
    inline T p##_shuffle_and_fill_down(A v, A fill, ushort delta, ushort modulo = msl::shown<T, S>::size, MSL_SITE) {\
        return msl::filled<T, S>(v, fill, (int)delta, modulo, site);                                               \
    }                                                                                                              \
    inline p##_vote p##_ballot(bool v, MSL_SITE) { return p##_vote(msl::ballot<S>(v, site)); }                     \
    inline p##_vote p##_active_threads_mask(MSL_SITE) { return p##_vote(msl::reached<S>(site)); }             \
    inline bool p##_any(bool v, MSL_SITE) { return msl::ballot<S>(v, site) != 0; }                                 \
    inline bool p##_all(bool v, MSL_SITE) { return msl::ballot<S>(!v, site) == 0; }                                \
    inline bool p##_is_first(MSL_SITE) {                                                                           \
        uint lanes = msl::reached<S>(site);                                                                        \
        return (msl::lane() & (msl::shown<uchar, S>::size - 1)) == (uint)__builtin_ctz(lanes);                     \
    }                                                                                                              \
    inline bool p##_is_helper_thread() { return false; }
#define MSL_SCAN(p, S, kind, inclusive)                                                                            \
    template <class A, class T = msl::data<A>, class W = typename msl::wide_of<T>::type>                           \
    inline T p##_prefix_##kind##_sum(A v, MSL_SITE) {                                                              \
        return msl::scan<T, S, W>(v, site, W(0), [](W a, W b) { return W(a + b); }, inclusive);                    \
    }                                                                                                              \
    template <class A, class T = msl::data<A>, class W = typename msl::wide_of<T>::type>                           \
    inline T p##_prefix_##kind##_product(A v, MSL_SITE) {                                                          \
        return msl::scan<T, S, W>(v, site, W(1), [](W a, W b) { return W(a * b); }, inclusive);                    \
    }
MSL_LANES(simd, MSL_SCOPE_SIMD)
MSL_LANES(quad, MSL_SCOPE_QUAD)
#undef MSL_LANES
#undef MSL_SCAN
} // namespace metal

#endif
