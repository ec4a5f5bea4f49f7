// Tensors that the host binds, in the styles of Apple's samples (slices given to matmul2d) and of generated kernels (an element by
// several indices, the innermost dimension first).
#include <metal_stdlib>
#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>

using namespace metal;
using namespace mpp::tensor_ops;

// C = A·B, a tile of 64 rows and 32 columns for each threadgroup.
kernel void product(tensor<device half, dextents<int32_t, 2>> A [[buffer(0)]], tensor<device half, dextents<int32_t, 2>> B [[buffer(1)]],
                    tensor<device float, dextents<int32_t, 2>, tensor_handle> C [[buffer(2)]], uint2 group [[threadgroup_position_in_grid]]) {
  constexpr auto descriptor = matmul2d_descriptor(64, 32, dynamic_length_v<int>, false, false, false, matmul2d_descriptor::mode::multiply);
  matmul2d<descriptor, execution_simdgroups<4>> op;
  auto left = A.slice(0, group.y * 64);
  auto right = B.slice(group.x * 32, 0);
  auto result = C.slice(group.x * 32, group.y * 64);
  static_assert(is_tensor_handle_v<decltype(left)>);
  op.run(left, right, result);
}

// Rows of a weight times tokens: a SIMD group for each row, four in a threadgroup.
template <typename T>
kernel void rows(tensor<const device T, dextents<int, 3>, tensor_handle> x, tensor<device const T, dextents<int, 2>, tensor_handle> weight,
                 tensor<device float, dextents<int, 3>, tensor_handle> output, constant float &scale, uint2 group [[threadgroup_position_in_grid]],
                 uint lane [[thread_index_in_simdgroup]], uint simd [[simdgroup_index_in_threadgroup]]) {
  const uint row = group.x * 4 + simd, token = group.y;
  if (row >= uint(weight.get_extent(1))) return;
  float sum = 0;
  for (uint k = lane; k < uint(weight.get_extent(0)); k += 32) sum += float(x[k, token, 0]) * float(weight[k, row]);
  sum = simd_sum(sum);
  if (lane == 0) output[row, token, 0] = sum * scale;
}
template [[host_name("rows_half")]] kernel void rows<half>(tensor<const device half, dextents<int, 3>, tensor_handle> x,
    tensor<device const half, dextents<int, 2>, tensor_handle> weight, tensor<device float, dextents<int, 3>, tensor_handle> output,
    constant float &scale, uint2 group, uint lane, uint simd);

// Each element of x twice, which have gaps between them.
kernel void doubled(tensor<device float, extents<int, 4, dynamic_extent>> x, tensor<device float, dextents<int, 1>> y, uint i [[thread_position_in_grid]]) {
  y[i] = 2 * x[i % 4, i / 4] + float(x.get_stride(1));
}
