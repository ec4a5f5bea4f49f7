// Metal 4: tensors that the host binds, in the styles of Apple's samples and of generated kernels.
#include <metal_stdlib>
#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>

using namespace metal;
using namespace mpp::tensor_ops;

// C = A·B, a tile of 64 rows and 32 columns for each threadgroup.
kernel void tensor_product(tensor<device half, dextents<int32_t, 2>, tensor_handle> A [[buffer(0)]],
                           tensor<device half, dextents<int32_t, 2>, tensor_handle> B [[buffer(1)]],
                           tensor<device float, dextents<int32_t, 2>, tensor_handle> C [[buffer(2)]],
                           uint2 group [[threadgroup_position_in_grid]]) {
  constexpr auto descriptor = matmul2d_descriptor(64, 32, dynamic_length_v<int>, false, false, false, matmul2d_descriptor::mode::multiply);
  matmul2d<descriptor, execution_simdgroups<4>> op;
  auto left = A.slice(0, group.y * 64);
  auto right = B.slice(group.x * 32, 0);
  auto result = C.slice(group.x * 32, group.y * 64);
  op.run(left, right, result);
}

// Each row divided by its length: a SIMD group for each, an element by its two indices.
kernel void tensor_normalize(tensor<const device float, dextents<int, 2>, tensor_handle> input [[buffer(0)]],
                             tensor<device float, dextents<int, 2>, tensor_handle> output [[buffer(1)]], constant float &epsilon [[buffer(2)]],
                             uint row [[threadgroup_position_in_grid]], uint lane [[thread_index_in_threadgroup]]) {
  const int columns = input.get_extent(0);
  float sum = 0;
  for (int i = lane; i < columns; i += 32) sum = fma(input[i, row], input[i, row], sum);
  const float scale = rsqrt(max(simd_sum(sum), epsilon));
  for (int i = lane; i < columns; i += 32) output[i, row] = input[i, row] * scale;
}
