// Cooperative tensors: matrices spread over the threads of a scope, in fragments of 16 by 16 that a SIMD group holds.
#ifndef ASSAY_MSL_COOPERATIVE_H
#define ASSAY_MSL_COOPERATIVE_H

#include "tensor.h"
#ifdef __NVPTX__
#include "peers_cuda.h"
#else
#include "peers_cpu.h"
#endif

namespace metal {
// Scopes: how many threads share an operation.
template <size_t N> struct execution_simdgroups {
    static constexpr size_t static_size = N;
    constexpr uint size() const { return N; }
};
template <size_t N> struct execution_threads {
    static_assert(N == 1, "an operation of several threads takes whole SIMD groups");
    static constexpr size_t static_size = N;
    constexpr uint size() const { return N; }
};
using execution_simdgroup = execution_simdgroups<1>;
using execution_thread = execution_threads<1>;
} // namespace metal

namespace msl {
struct place {
    int row, col;
};
// layout says which elements of a matrix each thread has. The fragments are dealt to the SIMD groups in turn, row by row; of
// a fragment a lane has 8 elements.
//
// With relaxed precision these are four neighbors of a row and the four 8 rows below: MLX (steel/gemm/nax.h, get_coord) and
// uzu (mxu_fragment/layout.h) count on it. Otherwise they are the pairs that the lane has of four simdgroup_matrix, and the upper halves
// of all fragments come before the lower ones (uzu, the same file and cooperative_vectors.h).
template <int Rows, int Cols, class Scope, bool Relaxed> struct layout;
template <int Rows, int Cols, size_t Groups, bool Relaxed> struct layout<Rows, Cols, metal::execution_simdgroups<Groups>, Relaxed> {
    static constexpr int rows = Rows, cols = Cols, across = (Cols + 15) / 16, fragments = (Rows + 15) / 16 * across;
    static constexpr int own = (fragments + (int)Groups - 1) / (int)Groups, capacity = own * 8, rank = 2;

    // The fragment of this thread's element i, its half, and the column in the fragment.
    static MSL_INLINE int fragment(uint i) {
        uint slot = Relaxed ? i >> 3 : i / 4 % own;
        return int(slot * Groups + (Groups > 1 ? simd_group() : 0));
    }
    static MSL_INLINE int half(uint i) { return int(Relaxed ? i >> 2 & 1 : i / (4 * own)); }
    static MSL_INLINE int column(uint i) {
        int col = int(matrix_col(msl::lane()));
        return Relaxed ? 2 * col + int(i & 3) : col + int(i & 1) + int(i & 2) * 4;
    }
    // at is the place of element i, beyond the matrix where the thread has none.
    static MSL_INLINE place at(uint i) {
        int f = fragment(i), row = int(matrix_row(msl::lane())) + 8 * half(i);
        return {f / across * 16 + row, f % across * 16 + column(i)};
    }
    static MSL_INLINE bool valid(uint i) {
        place p = at(i);
        return i < capacity && p.row < Rows && p.col < Cols;
    }
    // lane and index are where an element is, in an operation of one SIMD group.
    static MSL_INLINE uint lane(int row, int col) { return matrix_lane(row & 7, Relaxed ? col >> 1 & 6 : col & 6); }
    static MSL_INLINE uint index(int row, int col) {
        uint f = uint(row / 16 * across + col / 16), half = row >> 3 & 1;
        return Relaxed ? f * 8 + half * 4 + (col & 3) : half * 4 * own + f * 4 + (col >> 3 & 1) * 2 + (col & 1);
    }
};
// One thread has all of it, row by row.
template <int Rows, int Cols, bool Relaxed> struct layout<Rows, Cols, metal::execution_thread, Relaxed> {
    static constexpr int rows = Rows, cols = Cols, capacity = Rows * Cols, rank = 2;
    static MSL_INLINE place at(uint i) { return {int(i) / Cols, int(i) % Cols}; }
    static MSL_INLINE bool valid(uint i) { return i < capacity; }
};
} // namespace msl

namespace metal {
// An iterator knows its tensor's layout: map_iterator finds the element of another tensor that belongs to it.
template <class Of> struct _cooperative_iterator {
    Of *of;
    uint i;
    using layout = typename Of::layout;
    auto &operator*() const { return (*of)[i]; }
    _cooperative_iterator &operator++() { return i++, *this; }
    _cooperative_iterator operator++(int) { return {of, i++}; }
    bool operator==(const _cooperative_iterator &b) const { return i == b.i; }
    bool operator!=(const _cooperative_iterator &b) const { return i != b.i; }
};

template <class T, class X, class L> struct cooperative_tensor {
    using element_type = T;
    using value_type = T;
    using extents_type = X;
    using layout = L;
    using index_type = typename X::index_type;
    using thread_index_type = uint16_t;

    T own[L::capacity];

    static constexpr uint16_t get_capacity() { return L::capacity; }
    static constexpr size_t get_rank() { return L::rank; }
    static constexpr X get_extents() { return X(); }
    T &operator[](uint i) { return own[i]; }
    const T &operator[](uint i) const { return own[i]; }
    T get(uint i) const { return own[i]; }
    void set(uint i, T v) { own[i] = v; }
    static bool is_valid_element(uint i) { return L::valid(i); }
    static bool get_mask(uint i) { return L::valid(i); }
    // The index of an element is its column and its row, or in a reduction's result its line.
    static array<index_type, L::rank> get_multidimensional_index(uint i) {
        msl::place p = L::at(i);
        if constexpr (L::rank == 1)
            return {{index_type(p.col)}};
        else
            return {{index_type(p.col), index_type(p.row)}};
    }
    using iterator = _cooperative_iterator<cooperative_tensor>;
    using const_iterator = _cooperative_iterator<const cooperative_tensor>;
    static auto get_multidimensional_index(const_iterator it) { return get_multidimensional_index(it.i); }
    static auto get_multidimensional_index(iterator it) { return get_multidimensional_index(it.i); }
    iterator begin() { return {this, 0}; }
    iterator end() { return {this, L::capacity}; }
    const_iterator begin() const { return {this, 0}; }
    const_iterator end() const { return {this, L::capacity}; }
    template <class It> iterator map_iterator(It it) { return {this, mapped(it)}; }
    template <class It> const_iterator map_iterator(It it) const { return {this, mapped(it)}; }

    template <class E, class Y, class... G> void load(const tensor<E, Y, G...> &t) {
        for (uint i = 0; i < L::capacity; i++) {
            msl::place p = L::at(i);
            own[i] = L::valid(i) ? T(t.at(p.col, p.row)) : T(0);
        }
    }
    template <class E, class Y, class... G> void store(const tensor<E, Y, G...> &t) const {
        for (uint i = 0; i < L::capacity; i++) {
            msl::place p = L::at(i);
            if (L::valid(i)) t.put(p.col, p.row, typename msl::stored<E>::value(own[i]));
        }
    }

private:
    template <class It> static uint mapped(It it) {
        if constexpr (is_same_v<typename It::layout, L>)
            return it.i;
        else
            return L::mapped(it.i);
    }
};
template <class T> struct is_cooperative_tensor : false_type {};
template <class T, class X, class L> struct is_cooperative_tensor<cooperative_tensor<T, X, L>> : true_type {};
template <class T> inline constexpr bool is_cooperative_tensor_v = is_cooperative_tensor<T>::value;
} // namespace metal

#endif
