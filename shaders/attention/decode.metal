// out = softmax(q·kᵀ/√dim + mask)·v for one query of one head per threadgroup, in one dispatch. The SIMD groups split the keys
// and combine their sums in threadgroup memory; the lanes of a SIMD group share each key and split dim. Computed in float,
// rounded once.

#include "common.h"
#include "attention.h"

constant constexpr uint EACH = MAX_DIM / SIMD; // columns per lane

template <typename T>
kernel void attention(device const T *q [[buffer(0)]],
                      device const T *k [[buffer(1)]],
                      device const T *v [[buffer(2)]],
                      device const T *mask [[buffer(3), function_constant(has_mask)]],
                      device T *out [[buffer(4)]],
                      constant AttentionParams &p [[buffer(5)]],
                      threadgroup float2 *found [[threadgroup(0)]],
                      threadgroup float *parts [[threadgroup(1)]],
                      uint2 group [[threadgroup_position_in_grid]],
                      uint2 place [[thread_position_in_threadgroup]],
                      uint2 size [[threads_per_threadgroup]],
                      uint lane [[thread_index_in_simdgroup]]) {
    const uint dim = dim_of(p), query = group.x, simd = place.x / SIMD, simds = size.x / SIMD;
    const size_t head = group.y, kv_head = head / (p.heads / p.kvheads), at = (head * p.queries + query) * dim;
    float row[EACH], acc[EACH];
    for (uint j = 0; j < EACH; j++) {
        const uint d = lane + j * SIMD;
        row[j] = d < dim ? float(q[at + d]) * (LOG2E / sqrt(float(dim))) : 0.0f;
        acc[j] = 0.0f;
    }
    float top = LOWEST, sum = 0.0f;
    const uint end = visible(p, query);
    for (uint key = simd; key < end; key += simds) {
        const size_t first = (kv_head * p.keys + key) * dim;
        float score = 0.0f;
        for (uint j = 0; j < EACH; j++) {
            const uint d = lane + j * SIMD;
            if (d < dim) score = fma(row[j], float(k[first + d]), score);
        }
        score = masked(simd_sum(score), mask, p, query, key);
        const float above = max(top, score), decay = exp2(top - above), power = exp2(score - above);
        top = above;
        sum = fma(sum, decay, power);
        for (uint j = 0; j < EACH; j++) {
            const uint d = lane + j * SIMD;
            if (d < dim) acc[j] = fma(acc[j], decay, power * float(v[first + d]));
        }
    }
    if (lane == 0) found[simd] = float2(top, sum);
    for (uint j = 0; j < EACH; j++) {
        const uint d = lane + j * SIMD;
        if (d < dim) parts[simd * dim + d] = acc[j];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = 0; i < simds; i++) top = max(top, found[i].x);
    float all = 0.0f;
    for (uint i = 0; i < simds; i++) all = fma(found[i].y, exp2(found[i].x - top), all);
    for (uint d = place.x; d < dim; d += size.x) {
        float total = 0.0f;
        for (uint i = 0; i < simds; i++) total = fma(parts[i * dim + d], exp2(found[i].x - top), total);
        out[at + d] = T(total / all);
    }
}

#define INSTANTIATE(name, type)                                                             \
    template [[host_name(name)]] kernel void attention<type>(                               \
        device const type *, device const type *, device const type *, device const type *, \
        device type *, constant AttentionParams &, threadgroup float2 *, threadgroup float *, uint2, uint2, uint2, uint);

INSTANTIATE("attention_decode_f32", float)
INSTANTIATE("attention_decode_f16", half)
#if __METAL_VERSION__ >= 310
INSTANTIATE("attention_decode_bf16", bfloat)
#endif
