// out = softmax(q·kᵀ/√dim + mask)·v for a block of queries of one head, in one dispatch, with an online softmax: the scores of a
// tile of keys become exponentials relative to the largest score so far, and the sums are rescaled when that grows. Computed in
// float, rounded once.
//
// Each SIMD group takes EACH queries. Tiles of 32 keys, and then of their values, pass through threadgroup memory. A lane has one
// key of the tile, then one column of the output in every 32.

#include "common.h"
#include "attention.h"

constant constexpr uint EACH = 4; // queries per SIMD group

struct Flash {
    float top[EACH], sum[EACH], acc[EACH][MAX_DIM / SIMD]; // sum: over the lane's keys
};

// The scores of the lane's key with each query, in base 2.
static inline void scores(threadgroup const float *queries, threadgroup const float *keys, uint wide, uint pitch, uint lane,
                          thread float *s) {
    for (uint r = 0; r < EACH; r++) s[r] = 0.0f;
    for (uint d = 0; d < wide; d += 4) {
        const float4 key = *(threadgroup const float4 *)(keys + lane * pitch + d);
        for (uint r = 0; r < EACH; r++) s[r] += dot(*(threadgroup const float4 *)(queries + r * pitch + d), key);
    }
}

// Turns scores into exponentials, and rescales the sums so far.
static inline void weigh(thread Flash &f, thread float *s) {
    for (uint r = 0; r < EACH; r++) {
        const float above = max(f.top[r], simd_max(s[r])), decay = exp2(f.top[r] - above);
        s[r] = exp2(s[r] - above);
        f.top[r] = above;
        f.sum[r] = fma(f.sum[r], decay, s[r]);
        for (uint j = 0; j < MAX_DIM / SIMD; j++) f.acc[r][j] *= decay;
    }
}

// Adds the values of a tile, each times its exponential.
static inline void add_values(thread Flash &f, threadgroup const float *values, uint dim, uint pitch, uint lane,
                              thread const float *s) {
    for (uint key = 0; key < SIMD; key++) {
        float power[EACH];
        for (uint r = 0; r < EACH; r++) power[r] = simd_shuffle(s[r], ushort(key));
        for (uint j = 0; j < MAX_DIM / SIMD; j++) {
            if (j * SIMD >= dim) break;
            const float v = values[key * pitch + min(lane + j * SIMD, dim - 1)];
            for (uint r = 0; r < EACH; r++) f.acc[r][j] = fma(power[r], v, f.acc[r][j]);
        }
    }
}

template <typename T>
kernel void attention(device const T *q [[buffer(0)]],
                      device const T *k [[buffer(1)]],
                      device const T *v [[buffer(2)]],
                      device const T *mask [[buffer(3), function_constant(has_mask)]],
                      device T *out [[buffer(4)]],
                      constant AttentionParams &p [[buffer(5)]],
                      threadgroup float *rows [[threadgroup(0)]],
                      threadgroup float *tile [[threadgroup(1)]],
                      uint2 group [[threadgroup_position_in_grid]],
                      uint2 place [[thread_position_in_threadgroup]],
                      uint2 size [[threads_per_threadgroup]],
                      uint lane [[thread_index_in_simdgroup]]) {
    const uint dim = dim_of(p), wide = (dim + 7) / 8 * 8, pitch = wide + PAD, local = place.x, threads = size.x;
    const uint block = threads / SIMD * EACH, first = group.x * block, mine = local / SIMD * EACH;
    const size_t head = group.y, kv_head = head / (p.heads / p.kvheads);
    stage(q + head * p.queries * dim, first, block, p.queries, dim, LOG2E / sqrt(float(dim)), rows, pitch, local, threads);
    Flash f = {};
    for (uint r = 0; r < EACH; r++) f.top[r] = LOWEST;
    const uint end = visible(p, min(first + block, p.queries) - 1);
    for (uint base = 0; base < end; base += SIMD) {
        stage(k + kv_head * p.keys * dim, base, SIMD, p.keys, dim, 1.0f, tile, pitch, local, threads);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        float s[EACH];
        scores(rows + mine * pitch, tile, wide, pitch, lane, s);
        for (uint r = 0; r < EACH; r++) s[r] = masked(s[r], mask, p, first + mine + r, base + lane);
        weigh(f, s);
        threadgroup_barrier(mem_flags::mem_threadgroup); // all have read the keys
        stage(v + kv_head * p.keys * dim, base, SIMD, p.keys, dim, 1.0f, tile, pitch, local, threads);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        add_values(f, tile, dim, pitch, lane, s);
        threadgroup_barrier(mem_flags::mem_threadgroup); // all have read the values
    }
    for (uint r = 0; r < EACH; r++) {
        const uint query = first + mine + r;
        const float share = 1.0f / simd_sum(f.sum[r]);
        if (query >= p.queries) continue;
        for (uint j = 0; j < MAX_DIM / SIMD; j++) {
            const uint d = lane + j * SIMD;
            if (d < dim) out[(head * p.queries + query) * dim + d] = T(f.acc[r][j] * share);
        }
    }
}

#define INSTANTIATE(name, type)                                                                        \
    template [[host_name(name)]] kernel void attention<type>(                                          \
        device const type *, device const type *, device const type *, device const type *,            \
        device type *, constant AttentionParams &, threadgroup float *, threadgroup float *, uint2, uint2, uint2, uint);

INSTANTIATE("attention_flash_f32", float)
INSTANTIATE("attention_flash_f16", half)
#if __METAL_VERSION__ >= 310
INSTANTIATE("attention_flash_bf16", bfloat)
#endif
