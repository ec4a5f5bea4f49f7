// mpp::tensor_ops: products of matrices, of which each is a tensor in memory or spread over a SIMD group.
#ifndef ASSAY_MSL_MATMUL_H
#define ASSAY_MSL_MATMUL_H

#include "reduce.h"

namespace mpp {
namespace tensor_ops {
struct matmul2d_descriptor {
    enum class mode { multiply, multiply_accumulate };
    int m, n, k; // with k of 0 or less, it is the tensors' own
    bool transpose_left, transpose_right, relaxed_precision;
    mode matmul_mode;

    constexpr matmul2d_descriptor(int m, int n, int k = metal::dynamic_length_v<int>, bool transpose_left = false,
                                  bool transpose_right = false, bool relaxed_precision = false, mode matmul_mode = mode::multiply)
        : m(m), n(n), k(k), transpose_left(transpose_left), transpose_right(transpose_right),
          relaxed_precision(relaxed_precision), matmul_mode(matmul_mode) {}

    // As a number it can be a template argument, which in C++17 an object cannot.
    constexpr operator ulong() const {
        return ulong(ushort(m)) << 48 | ulong(ushort(n)) << 32 | ulong(uint(k > 0 ? k : 0) & 0xfffffffu) << 4 | ulong(transpose_left) << 3 |
               ulong(transpose_right) << 2 | ulong(relaxed_precision) << 1 | ulong(matmul_mode == mode::multiply_accumulate);
    }
    static constexpr matmul2d_descriptor from(ulong n) {
        return {int(n >> 48),    int(n >> 32 & 0xffff), int(n >> 4 & 0xfffffff), bool(n >> 3 & 1),
                bool(n >> 2 & 1), bool(n >> 1 & 1),      n & 1 ? mode::multiply_accumulate : mode::multiply};
    }
};
} // namespace tensor_ops
} // namespace mpp

namespace msl {
// operand is one side of a product, by the rows and columns of its tensor. L is the layout that it has as a cooperative tensor.
template <class T, class L> struct operand {
    const T &tensor;
    using value = typename T::value_type;
    MSL_INLINE operand(const T &t, uint) : tensor(t) {}
    MSL_INLINE value at(int row, int col) const { return tensor.at(col, row); }
    MSL_INLINE void part() const {}
};
template <class E, class X, class Held, class L> struct operand<metal::cooperative_tensor<E, X, Held>, L> {
    static_assert(__is_same(Held, L), "the cooperative tensor is that of another operation");
    peers<E, L::capacity> lanes;
    using value = E;
    MSL_INLINE operand(const metal::cooperative_tensor<E, X, Held> &t, uint site) : lanes(t.own, site) {}
    MSL_INLINE value at(int row, int col) const { return lanes.at(L::lane(row, col), L::index(row, col)); }
    MSL_INLINE void part() const { lanes.part(); }
};

// target is where a product goes: an element has a place, and a number where the threads hold it.
template <class T> struct target {
    T &tensor;
    using value = typename T::value_type;
    MSL_INLINE value get(uint, place p) const { return tensor.at(p.col, p.row); }
    MSL_INLINE void put(uint, place p, value v) const { tensor.put(p.col, p.row, v); }
};
template <class E, class X, class L> struct target<metal::cooperative_tensor<E, X, L>> {
    metal::cooperative_tensor<E, X, L> &tensor;
    using value = E;
    MSL_INLINE value get(uint i, place) const { return tensor.own[i]; }
    MSL_INLINE void put(uint i, place, value v) const { tensor.own[i] = v; }
};

MSL_INLINE float multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
MSL_INLINE int multiply_add(int a, int b, int c) { return a * b + c; }

// product is one operation. Sums are taken in float or, of integers, in int, and rounded once.
template <ulong Descriptor, class Scope> struct product {
    static constexpr auto d = mpp::tensor_ops::matmul2d_descriptor::from(Descriptor);
    static constexpr int k = d.k > 0 ? d.k : 1;
    using left = layout<d.transpose_left ? k : d.m, d.transpose_left ? d.m : k, Scope, d.relaxed_precision>;
    using right = layout<d.transpose_right ? d.n : k, d.transpose_right ? k : d.n, Scope, d.relaxed_precision>;
    using result = layout<d.m, d.n, Scope, d.relaxed_precision>;

    // depth is k, or that of the tensor where the descriptor leaves it open.
    template <class A> static MSL_INLINE int depth(const A &a) {
        if constexpr (d.k > 0 || metal::is_cooperative_tensor_v<A>)
            return k;
        else
            return int(a.get_extent(d.transpose_left ? 1 : 0));
    }
    template <class A, class B, class C> static inline void run(const A &a, const B &b, C &c, uint site) {
        if constexpr (!__is_same(Scope, metal::execution_thread)) meet("matmul2d must be reached by all 32 lanes of the SIMD group", site);
        operand<A, left> l(a, site);
        operand<B, right> r(b, site);
        target<C> to{c};
        using value = typename target<C>::value;
        using sum = metal::conditional_t<metal::is_integral_v<typename operand<A, left>::value> &&
                                             metal::is_integral_v<typename operand<B, right>::value>, int, float>;
        const int n = depth(a);
        MSL_ROLLED for (uint i = 0; i < result::capacity; i++) {
            place p = result::at(i);
            sum s = 0;
            MSL_ROLLED for (int j = 0; j < n; j++)
                s = multiply_add(sum(d.transpose_left ? l.at(j, p.row) : l.at(p.row, j)),
                                 sum(d.transpose_right ? r.at(p.col, j) : r.at(j, p.col)), s);
            if (!result::valid(i)) continue;
            if constexpr (d.matmul_mode == mpp::tensor_ops::matmul2d_descriptor::mode::multiply_accumulate)
                to.put(i, p, value(added(s, to.get(i, p))));
            else
                to.put(i, p, value(s));
        }
        l.part();
        r.part();
    }
    template <class S, class V> static MSL_INLINE auto added(S s, V v) {
        if constexpr (metal::is_integral_v<V>)
            return s + S(v);
        else
            return float(s) + float(v);
    }
};
} // namespace msl

namespace mpp {
namespace tensor_ops {
template <ulong Descriptor, class Scope, class... Args> class matmul2d {
    using op = msl::product<Descriptor, Scope>;
    template <class T, class C, class L> using held = metal::cooperative_tensor<T, metal::extents<C, size_t(L::cols), size_t(L::rows)>, L>;
    static constexpr bool spreads = metal::is_same_v<Scope, metal::execution_simdgroup>;

public:
    static constexpr matmul2d_descriptor descriptor = matmul2d_descriptor::from(Descriptor);
    using scope = Scope;

    template <class A, class B, class T, class C = int> using cooperative_tensor_left_input_t = held<A, C, typename op::left>;
    template <class A, class B, class T, class C = int> using cooperative_tensor_right_input_t = held<B, C, typename op::right>;
    template <class A, class B, class T, class C = int> using cooperative_tensor_destination_t = held<T, C, typename op::result>;

    // The types of both operands and of the sum choose the hardware's layout; here there is one for all.
    template <class A, class B, class T, class C = int> cooperative_tensor_left_input_t<A, B, T, C> get_left_input_cooperative_tensor() const {
        static_assert(spreads, "a cooperative tensor as an input takes execution_simdgroup");
        static_assert(descriptor.k > 0, "a cooperative tensor as an input takes a descriptor with k");
        return {};
    }
    template <class A, class B, class T, class C = int> cooperative_tensor_right_input_t<A, B, T, C> get_right_input_cooperative_tensor() const {
        static_assert(spreads, "a cooperative tensor as an input takes execution_simdgroup");
        static_assert(descriptor.k > 0, "a cooperative tensor as an input takes a descriptor with k");
        return {};
    }
    template <class A, class B, class T, class C = int> cooperative_tensor_destination_t<A, B, T, C> get_destination_cooperative_tensor() const {
        return {};
    }

    // Of a result that one SIMD group has, one number for each row or column.
    template <class A, class B, class T, class C = int> using cooperative_tensor_row_reduction_destination_t =
        metal::cooperative_tensor<T, metal::extents<C, size_t(op::result::rows)>, msl::rows_of<typename op::result>>;
    template <class A, class B, class T, class C = int> using cooperative_tensor_column_reduction_destination_t =
        metal::cooperative_tensor<T, metal::extents<C, size_t(op::result::cols)>, msl::columns_of<typename op::result>>;
    template <class A, class B, class T, class C = int>
    cooperative_tensor_row_reduction_destination_t<A, B, T, C> get_row_reduction_destination_cooperative_tensor() const {
        static_assert(spreads, "a reduction of a cooperative tensor takes execution_simdgroup");
        return {};
    }
    template <class A, class B, class T, class C = int>
    cooperative_tensor_column_reduction_destination_t<A, B, T, C> get_column_reduction_destination_cooperative_tensor() const {
        static_assert(spreads, "a reduction of a cooperative tensor takes execution_simdgroup");
        return {};
    }

    // What one operation gave can be an input of the next where the threads hold it alike.
    template <class A, class B, class T, class C = int, class S, class X, class L>
    cooperative_tensor_left_input_t<A, B, T, C> get_left_input_cooperative_tensor(const metal::cooperative_tensor<S, X, L> &from) const {
        return converted<cooperative_tensor_left_input_t<A, B, T, C>>(from);
    }
    template <class A, class B, class T, class C = int, class S, class X, class L>
    cooperative_tensor_right_input_t<A, B, T, C> get_right_input_cooperative_tensor(const metal::cooperative_tensor<S, X, L> &from) const {
        return converted<cooperative_tensor_right_input_t<A, B, T, C>>(from);
    }
    template <class A, class B, class T, class S, class X, class L>
    bool is_compatible_as_left_input(const metal::cooperative_tensor<S, X, L> &) const { return metal::is_same_v<L, typename op::left>; }
    template <class A, class B, class T, class S, class X, class L>
    bool is_compatible_as_right_input(const metal::cooperative_tensor<S, X, L> &) const { return metal::is_same_v<L, typename op::right>; }

    template <class L, class R, class D> inline void run(const L &left, const R &right, D &destination, MSL_SITE) const {
        op::run(left, right, destination, site);
    }

private:
    template <class To, class From> static To converted(const From &from) {
        static_assert(metal::is_same_v<typename To::layout, typename From::layout>, "the cooperative tensor has another layout");
        To to;
        for (uint i = 0; i < To::get_capacity(); i++) to.own[i] = typename To::value_type(from.own[i]);
        return to;
    }
};
} // namespace tensor_ops
} // namespace mpp

#endif
