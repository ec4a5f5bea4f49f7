// Sums and extremes of the rows or columns of a cooperative tensor, and the way from its elements to those of the result.
#ifndef ASSAY_MSL_REDUCE_H
#define ASSAY_MSL_REDUCE_H

#include "cooperative.h"

namespace msl {
// rows_of is the layout of one number for each row of a matrix, which all lanes have that have elements of the row.
template <class L> struct rows_of {
    static constexpr int cols = L::rows, capacity = L::fragments / L::across * 2, rank = 1;
    static MSL_INLINE place at(uint i) { return {0, int(i / 2 * 16 + i % 2 * 8 + matrix_row(msl::lane()))}; }
    static MSL_INLINE bool valid(uint i) { return i < capacity && at(i).col < cols; }
    static MSL_INLINE uint mapped(uint i) { return L::fragment(i) / L::across * 2 + L::half(i); }
};
template <class L> struct columns_of {
    static constexpr int cols = L::cols, capacity = L::across * 4, rank = 1;
    static MSL_INLINE place at(uint i) { return {0, int(i / 4 * 16) + L::column(i % 4)}; }
    static MSL_INLINE bool valid(uint i) { return i < capacity && at(i).col < cols; }
    static MSL_INLINE uint mapped(uint i) { return L::fragment(i) % L::across * 4 + i % 4; }
};
template <class To, class From> inline constexpr bool maps = __is_same(To, From) || __is_same(To, rows_of<From>) || __is_same(To, columns_of<From>);
} // namespace msl

namespace mpp {
namespace tensor_ops {
enum class reduction_operation { sum, max, min };
template <class T> struct reduction_operation_identity {
    static constexpr T sum_identity = T(0), max_identity = metal::numeric_limits<T>::lowest(), min_identity = metal::numeric_limits<T>::max();
};
} // namespace tensor_ops
} // namespace mpp

namespace msl {
template <class T> MSL_INLINE T reduced(mpp::tensor_ops::reduction_operation op, T a, T b) {
    switch (op) {
    case mpp::tensor_ops::reduction_operation::max: return a < b ? b : a;
    case mpp::tensor_ops::reduction_operation::min: return b < a ? b : a;
    default: return T(a + b);
    }
}
// reduce_lines folds the elements of each line, which are `length` many. Sums of short floats are taken in float.
template <bool Rows, class T, class X, class L, class Y, class To>
inline void reduce_lines(const metal::cooperative_tensor<T, X, L> &from, metal::cooperative_tensor<T, Y, To> &to,
                         mpp::tensor_ops::reduction_operation op, T identity, uint site) {
    using wide = typename wide_of<T>::type;
    meet("a reduction of a cooperative tensor must be reached by all 32 lanes of the SIMD group", site);
    peers<T, L::capacity> lanes(from.own, site);
    MSL_ROLLED for (uint i = 0; i < To::capacity; i++) {
        wide v = wide(identity);
        int line = To::at(i).col;
        MSL_ROLLED for (int j = 0; j < (Rows ? L::cols : L::rows); j++) {
            int row = Rows ? line : j, col = Rows ? j : line;
            v = reduced(op, v, wide(lanes.at(L::lane(row, col), L::index(row, col))));
        }
        to.own[i] = T(v);
    }
    lanes.part();
}
} // namespace msl

namespace mpp {
namespace tensor_ops {
// The identity is where each reduction begins: as in Metal, 0 if it is not given, whatever the operation.
template <class T, class X, class L, class Y, class To>
inline void reduce_rows(const metal::cooperative_tensor<T, X, L> &from, metal::cooperative_tensor<T, Y, To> &to,
                        reduction_operation op = reduction_operation::sum, T identity = T(0), MSL_SITE) {
    static_assert(metal::is_same_v<To, msl::rows_of<L>>, "the destination is not that of the rows of this cooperative tensor");
    msl::reduce_lines<true>(from, to, op, identity, site);
}
template <class T, class X, class L, class Y, class To>
inline void reduce_columns(const metal::cooperative_tensor<T, X, L> &from, metal::cooperative_tensor<T, Y, To> &to,
                           reduction_operation op = reduction_operation::sum, T identity = T(0), MSL_SITE) {
    static_assert(metal::is_same_v<To, msl::columns_of<L>>, "the destination is not that of the columns of this cooperative tensor");
    msl::reduce_lines<false>(from, to, op, identity, site);
}
// is_iterator_compatible reports whether destination.map_iterator takes iterators of source.
template <class T, class X, class L, class U, class Y, class To>
inline bool is_iterator_compatible(const metal::cooperative_tensor<T, X, L> &, const metal::cooperative_tensor<U, Y, To> &) {
    return msl::maps<To, L>;
}
} // namespace tensor_ops
} // namespace mpp

#endif
