// A product in the style of array libraries on Metal 4: the SIMD group keeps fragments of 16 by 16 in registers, in the order
// in which the GPU's matrix units take them, and copies them into cooperative tensors. Loops over fragments are lambdas.
#include <metal_simdgroup>
#include <metal_stdlib>

#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>

using namespace metal;

namespace frags {

struct Sizes {
  const int m, n, k;
  const int transposes;  // 1: the left operand is k rows of m; 2: the right one is n rows of k
};

template <int N>
using Int = integral_constant<int, N>;

template <int from, int to, typename F>
METAL_FUNC void unrolled(F f) {
  if constexpr (from < to) {
    f(Int<from>{});
    unrolled<from + 1, to, F>(f);
  }
}

template <typename T>
using Frag = vec<T, 8>;

// Where a lane's first element is, as column and row; four more columns and another row 8 below belong to it.
METAL_FUNC short2 corner() {
  const ushort lane = __metal_get_thread_index_in_simdgroup(ushort());
  const short quad = lane >> 2;
  return short2{short(((quad & 2) | (lane & 1)) * 4), short((quad & 4) | ((lane >> 1) & 3))};
}

template <typename T, int ROWS, int COLS>
struct Tile {
  Frag<T> frags[ROWS * COLS];

  METAL_FUNC void clear() thread {
    for (short i = 0; i < ROWS * COLS; i++) {
      frags[i] = Frag<T>(0);
    }
  }
  METAL_FUNC thread Frag<T>& at(const short row, const short col) thread { return frags[row * COLS + col]; }

  // Elements beyond the limits are zeros.
  METAL_FUNC void load(const device T* from, const int pitch, const int2 limit) thread {
    const short2 first = corner();
    unrolled<0, ROWS>([&](auto row) {
      unrolled<0, COLS>([&](auto col) {
        thread Frag<T>& f = at(row.value, col.value);
        for (short i = 0; i < 8; i++) {
          const int x = col.value * 16 + first.x + i % 4, y = row.value * 16 + first.y + i / 4 * 8;
          f[i] = x < limit.x && y < limit.y ? from[y * pitch + x] : T(0);
        }
      });
    });
  }
  template <typename U>
  METAL_FUNC void store(device U* to, const int pitch, const int2 limit) thread {
    const short2 first = corner();
    unrolled<0, ROWS>([&](auto row) {
      unrolled<0, COLS>([&](auto col) {
        for (short i = 0; i < 8; i++) {
          const int x = col.value * 16 + first.x + i % 4, y = row.value * 16 + first.y + i / 4 * 8;
          if (x < limit.x && y < limit.y) {
            to[y * pitch + x] = static_cast<U>(at(row.value, col.value)[i]);
          }
        }
      });
    });
  }
};

template <typename T, typename A, bool transpose_a, bool transpose_b>
METAL_FUNC void multiply(
    thread Frag<A>& c0, thread Frag<A>& c1, const thread Frag<T>& a, const thread Frag<T>& b0, const thread Frag<T>& b1) {
  constexpr auto desc = mpp::tensor_ops::matmul2d_descriptor(
      16, 32, 16, transpose_a, transpose_b, true, mpp::tensor_ops::matmul2d_descriptor::mode::multiply_accumulate);
  mpp::tensor_ops::matmul2d<desc, metal::execution_simdgroup> op;
  auto left = op.template get_left_input_cooperative_tensor<T, T, A>();
  auto right = op.template get_right_input_cooperative_tensor<T, T, A>();
  auto sum = op.template get_destination_cooperative_tensor<
      metal::remove_addrspace_t<decltype(left)>, metal::remove_addrspace_t<decltype(right)>, A>();
  for (short i = 0; i < 8; i++) {
    left[i] = a[i];
    right[i] = b0[i];
    right[8 + i] = b1[i];
    sum[i] = c0[i];
    sum[8 + i] = c1[i];
  }
  op.run(left, right, sum);
  for (short i = 0; i < 8; i++) {
    c0[i] = sum[i];
    c1[i] = sum[8 + i];
  }
}

// gemm is the 32 by 32 elements of one SIMD group.
template <typename T, typename A, bool transpose_a, bool transpose_b>
METAL_FUNC void gemm(const device T* a, const device T* b, device A* c, constant Sizes& sizes, const int row, const int col) {
  const int lda = transpose_a ? sizes.m : sizes.k, ldb = transpose_b ? sizes.k : sizes.n;
  Tile<A, 2, 2> sums;
  sums.clear();
  for (int k = 0; k < sizes.k; k += 16) {
    Tile<T, transpose_a ? 1 : 2, transpose_a ? 2 : 1> left;
    Tile<T, transpose_b ? 2 : 1, transpose_b ? 1 : 2> right;
    if constexpr (transpose_a) {
      left.load(a + k * lda + row, lda, int2(sizes.m - row, sizes.k - k));
    } else {
      left.load(a + row * lda + k, lda, int2(sizes.k - k, sizes.m - row));
    }
    if constexpr (transpose_b) {
      right.load(b + col * ldb + k, ldb, int2(sizes.k - k, sizes.n - col));
    } else {
      right.load(b + k * ldb + col, ldb, int2(sizes.n - col, sizes.k - k));
    }
    for (short i = 0; i < 2; i++) {
      multiply<T, A, transpose_a, transpose_b>(sums.at(i, 0), sums.at(i, 1), left.frags[i], right.frags[0], right.frags[1]);
    }
  }
  sums.store(c + row * sizes.n + col, sizes.n, int2(sizes.n - col, sizes.m - row));
}

template <typename T, typename A>
[[kernel, max_total_threads_per_threadgroup(128)]] void product(
    const device T* a [[buffer(0)]],
    const device T* b [[buffer(1)]],
    device A* c [[buffer(2)]],
    constant Sizes& sizes [[buffer(3)]],
    uint2 group [[threadgroup_position_in_grid]],
    uint simd [[simdgroup_index_in_threadgroup]]) {
  const int row = int(group.y) * 64 + int(simd / 2) * 32, col = int(group.x) * 64 + int(simd % 2) * 32;
  switch (sizes.transposes) {
    case 0: return gemm<T, A, false, false>(a, b, c, sizes, row, col);
    case 1: return gemm<T, A, true, false>(a, b, c, sizes, row, col);
    case 2: return gemm<T, A, false, true>(a, b, c, sizes, row, col);
    default: return gemm<T, A, true, true>(a, b, c, sizes, row, col);
  }
}

} // namespace frags

#define instantiate(name, T, A) \
  template [[host_name("nax_product_" #name)]] [[kernel]] decltype(frags::product<T, A>) frags::product<T, A>;

instantiate(float16, half, float)
instantiate(bfloat16, bfloat, float)
instantiate(float32, float, float)
instantiate(int8, int8_t, int)
