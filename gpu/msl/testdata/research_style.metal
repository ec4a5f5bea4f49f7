// A product in the style of research code: everything is a function constant, tiles live in one block of threadgroup memory,
// simdgroup_matrix does the work.
#include <metal_stdlib>
using namespace metal;

constant uint M [[function_constant(0)]];
constant uint N [[function_constant(1)]];
constant uint K [[function_constant(2)]];
constant bool A_trans [[function_constant(10)]];
constant float alpha [[function_constant(20)]];
constant bool batched [[function_constant(100)]];
constant bool use_bias [[function_constant(50000)]];
constant bool has_bias = is_function_constant_defined(use_bias) ? use_bias : false;

constant ushort M_group [[function_constant(200)]];
constant ushort A_leading = A_trans ? M : K;

template <typename T>
METAL_FUNC thread simdgroup_matrix<T, 8, 8>* fragment(thread simdgroup_matrix<T, 8, 8>* all, ushort2 at, ushort width) {
  return all + at.y * width + at.x;
}

template <typename T>
METAL_FUNC void load_tile(device T* src, threadgroup T* dst, ushort2 size, uint pitch, ushort lane) {
  for (ushort i = lane; i < size.x * size.y; i += 32) {
    dst[i] = src[(i / size.x) * pitch + i % size.x];
  }
}

template <typename T>
void product_of(device T* A, device T* B, device T* C, device T* bias, threadgroup T* block, uint2 gid, ushort lane) {
  simdgroup_matrix<T, 8, 8> sram[3];
  *fragment(sram, ushort2(2, 0), 3) = simdgroup_matrix<T, 8, 8>(0);
  for (uint k = 0; k < K; k += 8) {
    load_tile(A + gid.y * 8 * A_leading + k, block, ushort2(8, 8), A_leading, lane);
    load_tile(B + k * N + gid.x * 8, block + 64, ushort2(8, 8), N, lane);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    simdgroup_load(sram[0], block, 8, ulong2(0), A_trans);
    simdgroup_load(sram[1], block + 64, 8);
    simdgroup_multiply_accumulate(sram[2], sram[0], sram[1], sram[2]);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  simdgroup_store(sram[2], block, 8);
  simdgroup_barrier(mem_flags::mem_threadgroup);
  for (ushort i = lane; i < 64; i += 32) {
    T v = block[i] * T(alpha);
    if (has_bias) {
      v += bias[gid.x * 8 + i % 8];
    }
    C[(gid.y * 8 + i / 8) * N + gid.x * 8 + i % 8] = v;
  }
}

kernel void hproduct(device half *A [[buffer(0)]],
                     device half *B [[buffer(1)]],
                     device half *C [[buffer(2)]],
                     device void *bias [[buffer(3), function_constant(use_bias)]],
                     constant ulong4 *offsets [[buffer(10), function_constant(batched)]],
                     threadgroup half *block [[threadgroup(0)]],
                     uint3 gid [[threadgroup_position_in_grid]],
                     ushort sidx [[simdgroup_index_in_threadgroup]],
                     ushort lane_id [[thread_index_in_simdgroup]]) {
  if (batched) {
    A = (device half*)((device uchar*)A + offsets[gid.z].x);
    B = (device half*)((device uchar*)B + offsets[gid.z].y);
  }
  product_of(A, B, C, (device half*)bias, block, gid.xy, lane_id);
}

kernel void sproduct(device float *A [[buffer(0)]],
                     device float *B [[buffer(1)]],
                     device float *C [[buffer(2)]],
                     device void *bias [[buffer(3), function_constant(use_bias)]],
                     threadgroup float *block [[threadgroup(0)]],
                     uint3 gid [[threadgroup_position_in_grid]],
                     ushort lane_id [[thread_index_in_simdgroup]]) {
  product_of(A, B, C, (device float*)bias, block, gid.xy, lane_id);
}
