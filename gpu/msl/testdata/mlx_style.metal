// A tiled product in the style of array libraries: loaders and fragments as class templates, instances by macro.
#include <metal_simdgroup>
#include <metal_simdgroup_matrix>
#include <metal_stdlib>

#include "mlx_style.h"

using namespace metal;

TILE_CONST bool has_residual [[function_constant(10)]];
TILE_CONST bool aligned [[function_constant(20)]];

namespace tile {

struct Sizes {
  const int m, n, k;
  const int64_t batch_stride[2];
};

template <typename T, short ROWS, short COLS, short PITCH, short THREADS>
struct Loader {
  TILE_CONST short each = (ROWS * COLS) / THREADS;
  TILE_CONST short per_row = COLS / each;

  const int pitch;
  const short row, col;
  threadgroup T* to;
  const device T* from;

  METAL_FUNC Loader(const device T* from_, const int pitch_, threadgroup T* to_, ushort lane [[thread_index_in_simdgroup]])
      : pitch(pitch_), row(lane / per_row), col((lane % per_row) * each), to(to_ + row * PITCH + col), from(from_ + row * pitch_ + col) {}

  METAL_FUNC void load() const {
    TILE_UNROLL
    for (short j = 0; j < each; j++) {
      to[j] = from[j];
    }
  }
  METAL_FUNC void load_safe(short2 left) const {
    for (short j = 0; j < each; j++) {
      to[j] = (row < left.y && col + j < left.x) ? from[j] : T(0);
    }
  }
  METAL_FUNC void next(int by) {
    from += by;
  }
};

template <typename T>
struct Fragment {
  typedef metal::vec<T, 2> frag_type;
  typedef metal::simdgroup_matrix<T, 8, 8> mat_type;
  frag_type data;

  METAL_FUNC constexpr thread T& elem(short i) {
    return reinterpret_cast<thread T*>(&data)[i];
  }
  template <typename P>
  METAL_FUNC void load(P src, int pitch, short2 at) {
    static_assert(is_same_v<pointee_t<P>, T>, "one type");
    data[0] = T(src[at.y * pitch + at.x]);
    data[1] = T(src[at.y * pitch + at.x + 1]);
  }
  METAL_FUNC static void mma(thread frag_type& d, thread const frag_type& a, thread const frag_type& b, thread const frag_type& c) {
    mat_type ma, mb, mc;
    reinterpret_cast<thread frag_type&>(ma.thread_elements()) = a;
    reinterpret_cast<thread frag_type&>(mb.thread_elements()) = b;
    reinterpret_cast<thread frag_type&>(mc.thread_elements()) = c;
    simdgroup_multiply_accumulate(mc, ma, mb, mc);
    d = reinterpret_cast<thread frag_type&>(mc.thread_elements());
  }
};

} // namespace tile

template <typename T, int BM = 8, int BK = 8>
[[kernel, max_total_threads_per_threadgroup(32)]] void product(
    const device T* a [[buffer(0)]],
    const device T* b [[buffer(1)]],
    device T* d [[buffer(2)]],
    const device T* residual [[buffer(3), function_constant(has_residual)]],
    const constant tile::Sizes* sizes [[buffer(4)]],
    const constant int64_t strides[2] [[buffer(5)]],
    uint lane [[thread_index_in_simdgroup]],
    uint3 tid [[threadgroup_position_in_grid]]) {
  threadgroup T as[BM * BK], bs[BK * 8];
  tile::Loader<T, BM, BK, BK, 32> loader_a(a + tid.y * strides[0], sizes->k, as, lane);
  tile::Loader<T, BK, 8, 8, 32> loader_b(b + tid.x * strides[1], sizes->n, bs, lane);
  tile::Fragment<T> fa, fb, fc;
  fc.data = 0;
  const short2 at = short2((lane % 4) * 2, lane / 4);
  for (int k = 0; k < sizes->k; k += BK) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (aligned) {
      loader_a.load();
      loader_b.load();
    } else {
      loader_a.load_safe(short2(sizes->k - k, sizes->m - int(tid.y) * BM));
      loader_b.load_safe(short2(sizes->n - int(tid.x) * 8, sizes->k - k));
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    fa.load((threadgroup T*)as, BK, at);
    fb.load((threadgroup T*)bs, 8, at);
    tile::Fragment<T>::mma(fc.data, fa.data, fb.data, fc.data);
    loader_a.next(BK);
    loader_b.next(BK * sizes->n);
  }
  const size_t to = (tid.y * BM + at.y) * size_t(sizes->n) + tid.x * 8 + at.x;
  for (short i = 0; i < 2; i++) {
    T v = fc.elem(i);
    if (has_residual) {
      v += residual[to + i];
    }
    d[to + i] = v;
  }
}

instantiate_kernel("product_float32", product, float)
instantiate_kernel("product_float16", product, half, 8, 8)
instantiate_kernel("product_" "bfloat16", product, bfloat)

template <typename T>
[[kernel]] void scale_by(device T* x, constant const T& by, uint i [[thread_position_in_grid]]) {
  x[i] = x[i] * by + T(1);
}
instantiate_kernel("scale_by_complex32", scale_by, tile::complex32)
instantiate_kernel("scale_by_int64", scale_by, int64_t)
