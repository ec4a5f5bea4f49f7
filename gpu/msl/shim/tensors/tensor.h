// Tensors: views of memory with extents and strides, as <metal_tensor> has them. Elements of dimension 0 lie together; for
// a matrix, that is the column.
#ifndef ASSAY_MSL_TENSOR_H
#define ASSAY_MSL_TENSOR_H

#include "long_vec.h"

namespace metal {
inline constexpr size_t dynamic_extent = ~size_t(0);
template <class T> inline constexpr T dynamic_length_v = T(-1);

template <class I, size_t... E> struct extents {
    using index_type = I;
    using size_type = make_unsigned_t<I>;
    using rank_type = size_t;
    static constexpr size_t rank() { return sizeof...(E); }
    static constexpr size_t rank_dynamic() { return (size_t(E == dynamic_extent) + ... + 0); }
    static constexpr size_t static_extent(size_t r) {
        const size_t all[] = {E..., 0};
        return all[r];
    }
    constexpr extents() : of{(E == dynamic_extent ? I(0) : I(E))...} {}
    // All extents are given, or those that are not constants.
    template <class... V, MSL_IF(sizeof...(V) > 0 && (is_convertible_v<V, I> && ...))> constexpr extents(V... v) : extents() {
        static_assert(sizeof...(V) == rank() || sizeof...(V) == rank_dynamic(), "a number for each extent");
        const I given[] = {I(v)...};
        size_t next = 0;
        for (size_t r = 0; r < rank(); r++)
            if (sizeof...(V) == rank())
                of[r] = given[r];
            else if (static_extent(r) == dynamic_extent)
                of[r] = given[next++];
    }
    template <class V> constexpr extents(const array<V, sizeof...(E)> &v) {
        for (size_t r = 0; r < rank(); r++) of[r] = I(v[r]);
    }
    constexpr I extent(size_t r) const { return of[r]; }

private:
    I of[sizeof...(E) ? sizeof...(E) : 1];
};
template <class I, size_t R, size_t... E> struct _dextents : _dextents<I, R - 1, dynamic_extent, E...> {};
template <class I, size_t... E> struct _dextents<I, 0, E...> { using type = extents<I, E...>; };
template <class I, size_t R> using dextents = typename _dextents<I, R>::type;

// What a tensor is bound to.
struct tensor_handle {};
struct tensor_inline {};
struct tensor_offset {};

// Elements of four bits, two in a byte, the first in the lower half.
struct int4b_format {};
struct uint4b_format {};
} // namespace metal

namespace msl {
// stored is how the elements of a tensor lie in memory; E includes the address space.
template <class E> struct stored {
    using pointer = E *;
    using value = metal::remove_cv_t<metal::remove_addrspace_t<E>>;
    static MSL_INLINE value read(pointer p, long i) { return p[i]; }
    static MSL_INLINE void write(pointer p, long i, value v) { p[i] = v; }
};
#define MSL_FOUR_BITS(space)                                                                                        \
    template <> struct stored<space metal::int4b_format> {                                                          \
        using pointer = const space uchar *;                                                                        \
        using value = int8_t;                                                                                       \
        static MSL_INLINE value read(pointer p, long i) { return value(value(p[i >> 1] << (i & 1 ? 0 : 4)) >> 4); } \
    };                                                                                                              \
    template <> struct stored<space metal::uint4b_format> {                                                         \
        using pointer = const space uchar *;                                                                        \
        using value = uint8_t;                                                                                      \
        static MSL_INLINE value read(pointer p, long i) { return p[i >> 1] >> (i & 1 ? 4 : 0) & 15; }               \
    };
MSL_FOUR_BITS(MSL_DEVICE)
MSL_FOUR_BITS(MSL_THREADGROUP)
#undef MSL_FOUR_BITS

// indices are those of one element, written t[i, j]: the translator puts index_list between the brackets.
template <size_t N> struct indices {
    long at[N];
};
template <class... I> constexpr indices<sizeof...(I)> index_list(I... i) { return {{long(i)...}}; }
} // namespace msl

namespace metal {
template <class E, class X, class Descriptor = tensor_handle, class... Tags> struct tensor {
    using element_type = E;
    using value_type = typename msl::stored<E>::value;
    using extents_type = X;
    using index_type = typename X::index_type;
    using data_handle_type = typename msl::stored<E>::pointer;
    static constexpr size_t get_rank() { return X::rank(); }
    static constexpr size_t get_static_extent(size_t r) { return X::static_extent(r); }

    tensor() = default;
    // Without strides, the elements lie without gaps.
    tensor(data_handle_type p, const X &x) : p(p), x(x) {
        made_here();
        long next = 1;
        for (size_t r = 0; r < get_rank(); next *= x.extent(r++)) strides[r] = next;
    }
    template <class S> tensor(data_handle_type p, const X &x, const array<S, X::rank()> &s) : p(p), x(x) {
        made_here();
        for (size_t r = 0; r < get_rank(); r++) strides[r] = long(s[r]);
    }
    const X &get_extents() const { return x; }
    index_type get_extent(size_t r) const { return x.extent(r); }
    index_type get_stride(size_t r) const { return index_type(strides[r]); }
    data_handle_type data_handle() const { return p; }

    // What slice returns: one of a tensor that the host binds says so in its type.
    template <class Y> using sliced = conditional_t<is_same_v<Descriptor, tensor_handle>, tensor<E, Y, Descriptor, tensor_offset>, tensor<E, Y, Descriptor>>;

    // slice moves the origin. An extent that is not given ends where the tensor does; one that is given is not checked.
    template <size_t... S, class... I, MSL_IF(sizeof...(S) == X::rank() && sizeof...(I) == X::rank())>
    sliced<extents<index_type, S...>> slice(I... index) const {
        const long at[] = {long(index)...};
        const size_t given[] = {S...};
        array<index_type, X::rank()> left;
        long offset = 0;
        for (size_t r = 0; r < get_rank(); r++) {
            long rest = long(x.extent(r)) - at[r];
            left[r] = given[r] != dynamic_extent ? index_type(given[r]) : index_type(rest > 0 ? rest : 0);
            offset += at[r] * strides[r];
        }
        sliced<extents<index_type, S...>> t;
        t.p = moved(offset);
        t.x = extents<index_type, S...>(left);
        for (size_t r = 0; r < get_rank(); r++) t.strides[r] = strides[r];
        return t;
    }
    template <class... I, MSL_IF(sizeof...(I) == X::rank())> auto slice(I... index) const {
        return slice_to(dextents<index_type, X::rank()>(), index...);
    }

    auto &operator[](const array<index_type, X::rank()> &at) const {
        long offset = 0;
        for (size_t r = 0; r < get_rank(); r++) offset += long(at[r]) * strides[r];
        return element(offset);
    }
    template <size_t N> auto &operator[](const msl::indices<N> &i) const {
        static_assert(N == X::rank(), "an element of a tensor has as many indices as the tensor has dimensions");
        long offset = 0;
        for (size_t r = 0; r < get_rank(); r++) offset += i.at[r] * strides[r];
        return element(offset);
    }
    template <class I, MSL_IF(X::rank() == 1 && is_integral_v<I>)> auto &operator[](I i) const { return element(long(i) * strides[0]); }

    // Elements of a matrix, by column and row. Beyond its extents are zeros, which cannot be written.
    MSL_INLINE bool holds(long col, long row) const {
        return col >= 0 && row >= 0 && col < long(x.extent(0)) && (get_rank() < 2 || row < long(x.extent(get_rank() > 1)));
    }
    MSL_INLINE value_type at(long col, long row) const {
        return holds(col, row) ? msl::stored<E>::read(p, index(col, row)) : value_type(0);
    }
    MSL_INLINE void put(long col, long row, value_type v) const {
        if (holds(col, row)) msl::stored<E>::write(p, index(col, row), v);
    }

    data_handle_type p;
    X x;
    long strides[X::rank()];

private:
    static constexpr bool four_bits =
        is_same_v<remove_cv_t<remove_addrspace_t<E>>, int4b_format> || is_same_v<remove_cv_t<remove_addrspace_t<E>>, uint4b_format>;
    static void made_here() {
        static_assert(is_same_v<Descriptor, tensor_inline>, "a kernel cannot make a tensor_handle, which the host binds: want tensor_inline");
    }
    MSL_INLINE auto &element(long offset) const {
        static_assert(!four_bits, "an element of four bits has no address of its own");
        return p[offset];
    }
    MSL_INLINE long index(long col, long row) const { return col * strides[0] + (get_rank() > 1 ? row * strides[get_rank() > 1] : 0); }
    data_handle_type moved(long elements) const {
        if constexpr (four_bits)
            return p + elements / 2; // slices begin with a byte
        else
            return p + elements;
    }
    template <size_t... S, class... I> auto slice_to(extents<index_type, S...>, I... index) const { return slice<S...>(index...); }
};
template <class E, class I, size_t... S> tensor(E *, extents<I, S...>) -> tensor<E, extents<I, S...>, tensor_inline>;
template <class E, class I, size_t... S, class N, size_t R>
tensor(E *, extents<I, S...>, array<N, R>) -> tensor<E, extents<I, S...>, tensor_inline>;

template <class T> struct is_tensor_handle : false_type {};
template <class T> struct is_tensor_inline : false_type {};
template <class E, class X, class... G> struct is_tensor_handle<tensor<E, X, tensor_handle, G...>> : true_type {};
template <class E, class X, class... G> struct is_tensor_inline<tensor<E, X, tensor_inline, G...>> : true_type {};
template <class T> inline constexpr bool is_tensor_handle_v = is_tensor_handle<T>::value;
template <class T> inline constexpr bool is_tensor_inline_v = is_tensor_inline<T>::value;
} // namespace metal

namespace msl {
// shapes are the extents, then the strides, of each tensor that the host binds, one tensor after the other.
template <unsigned N> struct shapes {
    int64_t of[N];
};
// tensor_arg is a tensor whose elements are in buffer N, and whose shape begins at number At of the All in buffer S.
template <unsigned N, unsigned S, unsigned At, unsigned Rank, unsigned All> struct tensor_arg {};

template <class E, class X, class... Tags, unsigned N, unsigned S, unsigned At, unsigned Rank, unsigned All>
struct argument<metal::tensor<E, X, metal::tensor_handle, Tags...>, tensor_arg<N, S, At, Rank, All>> {
    using tensor = metal::tensor<E, X, metal::tensor_handle, Tags...>;
    static_assert(X::rank() == Rank, "the number of dimensions of the tensor cannot be told from the text of its type");
    argument<typename tensor::data_handle_type, buffer<N>> elements;
    argument<MSL_CONSTANT shapes<All> &, buffer<S>> all;
    MSL_INLINE explicit argument(const msl_call *c) : elements(c), all(c) {}
    MSL_INLINE tensor get() const {
        tensor t;
        t.p = elements.get();
        MSL_CONSTANT shapes<All> &s = all.get();
        metal::array<typename X::index_type, Rank> extents;
        for (unsigned r = 0; r < Rank; r++) {
            extents[r] = typename X::index_type(s.of[At + r]);
            t.strides[r] = long(s.of[At + Rank + r]);
        }
        t.x = X(extents);
        return t;
    }
};
} // namespace msl

#endif
