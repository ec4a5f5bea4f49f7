// out[m,n] = act(a · b + bias[n]) as matmul.metal has it, for up to GEMV_MAX_ROWS rows of a: b is read once, straight from device
// memory. Where b is [n,k], a SIMD group takes several rows of b and sums along k across its lanes; where it is [k,n], each lane
// takes four columns, and the SIMD groups of a threadgroup meet in threadgroup memory.

#include "common.h"
#include "matmul.h"

constant int outputs [[function_constant(MATMUL_OUTPUTS)]]; // rows of b that a SIMD group takes: 1 or 4


template <typename T>
static inline float4 load4(device const T *at) {
    return float4(*(device const vec<T, 4> *)at);
}

// Where a threadgroup works.
struct Place {
    uint3 group;
    uint lane, simd, simds;
};

template <uint ROWS, uint OUTPUTS, typename T>
static inline void by_rows(thread const Lines<T> &a, thread const Lines<T> &b, device const T *bias, device T *out,
                           thread const Place &at) {
    const uint first = (at.group.x * at.simds + at.simd) * OUTPUTS;
    float sums[ROWS][OUTPUTS] = {};
    const bool vectors = a.along && a.k % 4 == 0;
    const uint each = vectors ? 4 : 1;
    for (uint d = at.lane * each; d < a.k; d += SIMD * each) {
        float4 va[ROWS];
        for (uint r = 0; r < ROWS; r++) {
            const uint row = min(r, a.count - 1); // rows that do not exist are not stored
            va[r] = vectors ? load4(a.address(row, d)) : float4(a.at(row, d), 0.0f, 0.0f, 0.0f);
        }
        for (uint o = 0; o < OUTPUTS; o++) {
            const uint c = min(first + o, b.count - 1);
            const float4 vb = vectors ? load4(b.address(c, d)) : float4(b.at(c, d), 0.0f, 0.0f, 0.0f);
            for (uint r = 0; r < ROWS; r++) sums[r][o] += dot(va[r], vb);
        }
    }
    for (uint r = 0; r < ROWS; r++) {
        for (uint o = 0; o < OUTPUTS; o++) {
            const float sum = simd_sum(sums[r][o]);
            const uint c = first + o;
            if (at.lane == 0 && r < a.count && c < b.count) out[size_t(r) * b.count + c] = T(finished(sum, bias, c));
        }
    }
}

// Four neighboring columns of b; 0 beyond the last one.
template <typename T>
static inline float4 columns4(thread const Lines<T> &b, uint c, uint d) {
    if (b.count % 4 == 0 && c < b.count) return load4(b.address(c, d));
    return float4(b.at(c, d), b.at(c + 1, d), b.at(c + 2, d), b.at(c + 3, d));
}

template <uint ROWS, typename T>
static inline void by_columns(thread const Lines<T> &a, thread const Lines<T> &b, device const T *bias, device T *out,
                              thread const Place &at, threadgroup float4 *partial) {
    const uint first = (at.group.x * SIMD + at.lane) * 4;
    float4 sums[ROWS] = {};
    for (uint d = at.simd; d < a.k; d += at.simds) {
        const float4 vb = columns4(b, first, d);
        for (uint r = 0; r < ROWS; r++) sums[r] = fma(float4(a.at(r, d)), vb, sums[r]);
    }
    for (uint r = 0; r < ROWS && r < a.count; r++) {
        partial[at.simd * SIMD + at.lane] = sums[r];
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (at.simd == 0) {
            float4 sum = 0.0f;
            for (uint s = 0; s < at.simds; s++) sum += partial[s * SIMD + at.lane];
            for (uint i = 0; i < 4 && first + i < b.count; i++)
                out[size_t(r) * b.count + first + i] = T(finished(sum[i], bias, first + i));
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
}

template <uint ROWS, typename T>
static inline void multiply(thread const Lines<T> &a, thread const Lines<T> &b, device const T *bias, device T *out,
                            thread const Place &at, threadgroup float4 *partial) {
    if (!transpose_b) by_columns<ROWS>(a, b, bias, out, at, partial);
    else if (outputs == 1) by_rows<ROWS, 1>(a, b, bias, out, at);
    else by_rows<ROWS, 4>(a, b, bias, out, at);
}

template <typename T>
kernel void matmul_gemv(device const T *a [[buffer(0)]],
                        device const T *b [[buffer(1)]],
                        device const T *bias [[buffer(2), function_constant(has_bias)]],
                        device T *out [[buffer(3)]],
                        constant MatmulParams &p [[buffer(4)]],
                        threadgroup float4 *partial [[threadgroup(0)]],
                        uint3 group [[threadgroup_position_in_grid]],
                        uint3 size [[threads_per_threadgroup]],
                        uint lane [[thread_index_in_simdgroup]],
                        uint simd [[simdgroup_index_in_threadgroup]]) {
    const Lines<T> rows = rows_of(a, p, group.z), columns = columns_of(b, p, group.z);
    const Place at = {group, lane, simd, size.x / SIMD};
    device T *to = out + size_t(group.z) * p.m * p.n;
    if (p.m == 1) multiply<1>(rows, columns, bias, to, at, partial);
    else if (p.m == 2) multiply<2>(rows, columns, bias, to, at, partial);
    else if (p.m <= 4) multiply<4>(rows, columns, bias, to, at, partial);
    else multiply<GEMV_MAX_ROWS>(rows, columns, bias, to, at, partial);
}

#define INSTANTIATE(name, type)                                                                                \
    template [[host_name(name)]] kernel void matmul_gemv<type>(                                                \
        device const type *, device const type *, device const type *, device type *, constant MatmulParams &, \
        threadgroup float4 *, uint3, uint3, uint, uint);

INSTANTIATE("matmul_gemv_f32", float)
INSTANTIATE("matmul_gemv_f16", half)
#if __METAL_VERSION__ >= 310
INSTANTIATE("matmul_gemv_bf16", bfloat)
#endif
