// Products of tensors in memory, as Apple's examples of Metal 4 have them: slices for each threadgroup, whose edges the
// operation checks, and sums that stay in registers for what follows.
#include <metal_stdlib>
#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>

using namespace metal;
using namespace mpp::tensor_ops;

struct Sizes {
  int m, n, k;
};

// C = A·B, with the depth that the tensors have.
kernel void plain(device half *a [[buffer(0)]], device half *b [[buffer(1)]], device float *c [[buffer(2)]],
                  constant Sizes &s [[buffer(3)]], uint2 group [[threadgroup_position_in_grid]]) {
  auto A = tensor<device half, dextents<int32_t, 2>, tensor_inline>(a, dextents<int32_t, 2>(s.k, s.m));
  auto B = tensor(b, dextents<int, 2>(s.n, s.k));
  auto C = tensor(c, dextents<int, 2>{s.n, s.m});
  constexpr auto descriptor = matmul2d_descriptor(64, 32, static_cast<int>(dynamic_extent));
  matmul2d<descriptor, execution_simdgroups<4>> op;
  auto left = A.slice(0, group.y * 64);
  auto right = B.slice(group.x * 32, 0);
  auto result = C.slice(group.x * 32, group.y * 64);
  op.run(left, right, result);
}

// C = max(A·Bᵀ + row's bias, 0), with B staged in threadgroup memory 32 columns at a time, and the sums in registers.
kernel void staged(device bfloat *a [[buffer(0)]], device bfloat *b [[buffer(1)]], device float *c [[buffer(2)]],
                   constant Sizes &s [[buffer(3)]], device float *bias [[buffer(4)]], uint2 group [[threadgroup_position_in_grid]],
                   uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup bfloat stage[32 * 32];
  const tensor A(a, dextents<int, 2>(s.k, s.m), array<int, 2>{1, s.k});
  auto C = tensor(c, dextents<int, 2>(s.n, s.m));
  tensor<threadgroup bfloat, extents<int, 32, 32>, tensor_inline> right(stage, extents<int, 32, 32>());
  constexpr matmul2d_descriptor descriptor(32, 32, 32, false, true, false, matmul2d_descriptor::mode::multiply_accumulate);
  matmul2d<descriptor, execution_simdgroups<2>> op;
  auto first = A.slice<32, 32>(0, 0);
  auto sums = op.get_destination_cooperative_tensor<decltype(first), decltype(right), float>();
  for (ushort i = 0; i < sums.get_capacity(); i++)
    if (sums.is_valid_element(i)) sums[i] = 0;
  for (int k = 0; k < s.k; k += 32) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = thread_index; i < 32 * 32; i += 64) {
      const int col = int(group.x) * 32 + int(i / 32), at = k + int(i % 32);
      stage[i] = col < s.n && at < s.k ? b[col * s.k + at] : bfloat(0);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    auto left = A.slice(k, int(group.y) * 32);
    op.run(left, right, sums);
  }
  for (ushort i = 0; i < sums.get_capacity(); i++) {
    const auto at = sums.get_multidimensional_index(i);
    const int row = int(group.y) * 32 + at[1];
    if (sums.get_mask(i) && row < s.m) sums[i] = max(sums[i] + bias[row], 0.0f);
  }
  auto result = C.slice(int(group.x) * 32, int(group.y) * 32);
  sums.store(result);
}

// Two products without memory between them: (A·B)·B, of matrices of 16 by 16.
kernel void chained(device half *a [[buffer(0)]], device half *b [[buffer(1)]], device float *c [[buffer(2)]]) {
  constexpr matmul2d_descriptor descriptor(16, 16, 16);
  matmul2d<descriptor, execution_simdgroup> op;
  auto A = tensor(a, extents<int, 16, 16>()), B = tensor(b, extents<int, 16, 16>());
  auto left = op.get_left_input_cooperative_tensor<half, half, float>();
  auto right = op.get_right_input_cooperative_tensor<half, half, float>();
  left.load(A);
  right.load(B);
  auto sums = op.get_destination_cooperative_tensor<decltype(left), decltype(right), float>();
  op.run(left, right, sums);
  if (!op.is_compatible_as_left_input<half, half, float>(sums)) return;
  auto again = op.get_left_input_cooperative_tensor<half, half, float>(sums);
  op.run(again, B, sums);
  sums.store(tensor(c, extents<int, 16, 16>()));
}

// Weights of four bits, and a row for each thread.
kernel void packed(device half *a [[buffer(0)]], device uchar *b [[buffer(1)]], device float *c [[buffer(2)]],
                   constant Sizes &s [[buffer(3)]], uint row [[thread_position_in_grid]]) {
  auto A = tensor(a + int(row) * s.k, dextents<int, 2>(s.k, 1));
  tensor<device int4b_format, dextents<int, 2>, tensor_inline> B(b, dextents<int, 2>(s.k, 4), array<int, 2>{1, s.k});
  tensor<device uint4b_format, dextents<int, 2>, tensor_inline> unsigned_B(b, dextents<int, 2>(s.k, 4), array<int, 2>{1, s.k});
  auto C = tensor(c + int(row) * 8, dextents<int, 2>(4, 1)), unsigned_C = tensor(c + int(row) * 8 + 4, dextents<int, 2>(4, 1));
  constexpr matmul2d_descriptor descriptor(1, 4, 0, false, true);
  matmul2d<descriptor, execution_thread> op;
  op.run(A, B, C);
  op.run(A, unsigned_B, unsigned_C);
}

// Softmax of the rows of A·Bᵀ, of 32 by 48, by reductions in registers; behind them the sums of its columns.
template <bool relaxed>
kernel void softmax(device half *a [[buffer(0)]], device half *b [[buffer(1)]], device float *c [[buffer(2)]]) {
  constexpr matmul2d_descriptor descriptor(32, 48, 16, false, true, relaxed);
  matmul2d<descriptor, execution_simdgroup> op;
  auto A = tensor(a, extents<int, 16, 32>());
  auto B = tensor(b, extents<int, 16, 48>());
  auto sums = op.template get_destination_cooperative_tensor<decltype(A), decltype(B), float>();
  op.run(A, B, sums);
  auto rows = op.template get_row_reduction_destination_cooperative_tensor<decltype(A), decltype(B), float>();
  auto columns = op.template get_column_reduction_destination_cooperative_tensor<decltype(A), decltype(B), float>();
  if (!is_iterator_compatible(sums, rows)) return;
  reduce_rows(sums, rows, reduction_operation::max, reduction_operation_identity<float>::max_identity);
  for (auto it = sums.begin(); it != sums.end(); it++) *it = exp(*it - *rows.map_iterator(it));
  reduce_rows(sums, rows);
  for (auto it = sums.begin(); it != sums.end(); ++it) *it /= *rows.map_iterator(it);
  reduce_columns(sums, columns);
  sums.store(tensor(c, extents<int, 48, 32>()));
  columns.store(tensor(c + 32 * 48, extents<int, 48>()));
}
template [[host_name("softmax")]] kernel void softmax<false>(device half *, device half *, device float *);
template [[host_name("softmax_relaxed")]] kernel void softmax<true>(device half *, device half *, device float *);
