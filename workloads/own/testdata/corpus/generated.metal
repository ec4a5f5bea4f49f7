#include <metal_stdlib>
using namespace metal;

kernel void E_16_4(device float *data0, const device float *data1, const device float *data2, uint3 gid [[threadgroup_position_in_grid]], uint3 lid [[thread_position_in_threadgroup]]) {
  int gidx0 = gid.x; int lidx0 = lid.x;
  int alu0 = (gidx0 << 6) + (lidx0 << 2);
  float4 val0 = *((const device float4 *)((data1 + alu0)));
  float4 val1 = *((const device float4 *)((data2 + alu0)));
  *((device float4 *)((data0 + alu0))) = float4((val0.x * val1.x), (val0.y * val1.y), (val0.z * val1.z), (val0.w * val1.w));
}

kernel void r_32_16(device float *data0, const device float *data1, uint3 gid [[threadgroup_position_in_grid]], uint3 lid [[thread_position_in_threadgroup]]) {
  threadgroup __attribute__((aligned(16))) float temp0[16];
  int gidx0 = gid.x; int lidx0 = lid.x;
  float acc0 = 0.0f;
  for (int ridx0 = 0; ridx0 < 4; ridx0++) { acc0 = (acc0 + data1[(gidx0 << 6) + (lidx0 << 2) + ridx0]); }
  temp0[lidx0] = acc0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (((bool)(lidx0) != 1)) {
    float acc1 = 0.0f;
    for (int ridx1 = 0; ridx1 < 16; ridx1++) { acc1 = (acc1 + temp0[ridx1]); }
    data0[gidx0] = acc1;
  }
}
