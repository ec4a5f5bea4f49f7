#include <metal_stdlib>
using namespace metal;

#define QK4_0 32
typedef struct { half d; uchar qs[QK4_0 / 2]; } block_q4_0;

typedef struct { int ne00; int ne01; float eps; float scale; } args_t;

kernel void kernel_rms_norm(constant args_t &args, device const char *src0, device char *dst,
                            threadgroup float *shmem [[threadgroup(0)]], uint tgpig [[threadgroup_position_in_grid]],
                            ushort tpitg [[thread_position_in_threadgroup]], ushort sgitg [[simdgroup_index_in_threadgroup]],
                            ushort tiisg [[thread_index_in_simdgroup]], ushort ntg [[threads_per_threadgroup]]) {
    if (sgitg == 0) shmem[tiisg] = 0.0f;
    device const float *x = (device const float *)src0 + tgpig * args.ne00;
    float sumf = 0.0f;
    for (int i = tpitg; i < args.ne00; i += ntg) sumf += x[i] * x[i];
    sumf = simd_sum(sumf);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (tiisg == 0) shmem[sgitg] = sumf;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sumf = simd_sum(shmem[tiisg]);
    const float scale = 1.0f / sqrt(sumf / args.ne00 + args.eps);
    device float *y = (device float *)dst + tgpig * args.ne00;
    for (int i = tpitg; i < args.ne00; i += ntg) y[i] = x[i] * scale;
}

kernel void kernel_soft_max(constant args_t &args, device const float *src0, device float *dst,
                            uint row [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
    device const float *x = src0 + row * args.ne00;
    float top = -INFINITY;
    for (int i = lane; i < args.ne00; i += 32) top = max(top, x[i] * args.scale);
    top = simd_max(top);
    float sum = 0;
    for (int i = lane; i < args.ne00; i += 32) {
        float e = exp(x[i] * args.scale - top);
        sum += e;
        dst[row * args.ne00 + i] = e;
    }
    sum = simd_sum(sum);
    for (int i = lane; i < args.ne00; i += 32) dst[row * args.ne00 + i] /= sum;
}

kernel void kernel_diag_mask_inf(constant args_t &args, device const float *src0, device float *dst, constant int &n_past,
                                 uint2 at [[thread_position_in_grid]]) {
    const int i = at.y * args.ne00 + at.x;
    dst[i] = int(at.x) > n_past + int(at.y) ? -INFINITY : src0[i];
}

kernel void kernel_get_rows(constant args_t &args, device const float *src0, device const int *ids, device float *dst,
                            uint row [[threadgroup_position_in_grid]], uint t [[thread_position_in_threadgroup]],
                            uint ntg [[threads_per_threadgroup]]) {
    for (int i = t; i < args.ne00; i += ntg) dst[row * args.ne00 + i] = src0[ids[row] * args.ne00 + i];
}

kernel void kernel_rope(constant args_t &args, device const float *src0, device const int *pos, device float *dst,
                        uint2 at [[thread_position_in_grid]]) {
    const int pair = at.x;
    const float theta = pos[at.y] * pow(10000.0f, -2.0f * pair / args.ne00);
    const float c = cos(theta), s = sin(theta);
    const int i = at.y * args.ne00 + 2 * pair;
    const float x0 = src0[i], x1 = src0[i + 1];
    dst[i] = x0 * c - x1 * s;
    dst[i + 1] = x0 * s + x1 * c;
}

kernel void kernel_dequantize_q4_0(device const block_q4_0 *src0, device float *dst, uint i [[thread_position_in_grid]]) {
    device const block_q4_0 &b = src0[i / QK4_0];
    const uint j = i % QK4_0;
    const int q = j < 16 ? b.qs[j] & 0xF : b.qs[j - 16] >> 4;
    dst[i] = (q - 8) * float(b.d);
}

kernel void kernel_gelu_quick(device const float4 *src0, device float4 *dst, uint i [[thread_position_in_grid]]) {
    device const float4 &x = src0[i];
    dst[i] = x * (1.0f / (1.0f + exp(-1.702f * x)));
}

kernel void kernel_mul_mv_f16_f32(constant args_t &args, device const half *src0, device const float *src1, device float *dst,
                                  uint row [[threadgroup_position_in_grid]], ushort tiisg [[thread_index_in_simdgroup]]) {
    device const half4 *x = (device const half4 *)(src0 + row * args.ne00);
    device const float4 *y = (device const float4 *)src1;
    float sum = 0;
    for (int i = tiisg; i < args.ne00 / 4; i += 32) sum += dot(float4(x[i]), y[i]);
    sum = simd_sum(sum);
    if (tiisg == 0) dst[row] = sum;
}
