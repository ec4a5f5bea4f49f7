// out = softmax(q·kᵀ/√dim + mask)·v for a block of queries of one head, in one dispatch, with simdgroup_matrix. Each SIMD group
// multiplies 8 queries by a tile of 32 keys, then the exponentials of the scores by the 32 values; keys and values pass through
// threadgroup memory. In between, four lanes per query turn the scores, also in threadgroup memory, into exponentials relative to
// the largest score so far. Computed in float, rounded once.

#include "common.h"
#include "attention.h"
#include <metal_simdgroup_matrix>

constant constexpr uint SIDE = 8;            // rows and columns of a simdgroup_matrix
constant constexpr uint KEYS = 32;           // keys per tile
constant constexpr uint LANES = SIMD / SIDE; // lanes per query
constant constexpr uint SCORES = KEYS + PAD; // floats from one query's scores to the next's

// A SIMD group's part of threadgroup memory: its scores, and each query's factor, repeated in a row of 8.
struct Own {
    float score[SIDE * SCORES], factor[SIDE * SIDE];
};

// Multiplies each query's sums by its factor.
static inline void scale(thread simdgroup_float8x8 *sums, uint count, threadgroup Own &mine, uint lane, float factor) {
    for (uint i = 0; i < SIDE / LANES; i++) mine.factor[lane * (SIDE / LANES) + i] = factor;
    simdgroup_barrier(mem_flags::mem_threadgroup);
    simdgroup_float8x8 by;
    simdgroup_load(by, mine.factor, SIDE);
    for (uint i = 0; i < MAX_DIM / SIDE; i++) {
        if (i >= count) break;
        for (uint e = 0; e < 2; e++) sums[i].thread_elements()[e] *= by.thread_elements()[e];
    }
}

template <typename T>
kernel void attention(device const T *q [[buffer(0)]],
                      device const T *k [[buffer(1)]],
                      device const T *v [[buffer(2)]],
                      device const T *mask [[buffer(3), function_constant(has_mask)]],
                      device T *out [[buffer(4)]],
                      constant AttentionParams &p [[buffer(5)]],
                      threadgroup float *tile [[threadgroup(0)]],
                      threadgroup Own *owned [[threadgroup(1)]],
                      uint2 group [[threadgroup_position_in_grid]],
                      uint2 place [[thread_position_in_threadgroup]],
                      uint2 size [[threads_per_threadgroup]],
                      uint lane [[thread_index_in_simdgroup]]) {
    const uint dim = dim_of(p), count = (dim + 7) / 8, pitch = count * 8 + PAD, local = place.x, threads = size.x;
    const uint simd = local / SIMD, block = threads / SIMD * SIDE, first = group.x * block;
    const uint query = first + simd * SIDE + lane / LANES, part = lane % LANES;
    const size_t head = group.y, kv_head = head / (p.heads / p.kvheads);
    threadgroup Own &mine = owned[simd];
    stage(q + head * p.queries * dim, first, block, p.queries, dim, LOG2E / sqrt(float(dim)), tile, pitch, local, threads);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    simdgroup_float8x8 rows[MAX_DIM / SIDE], sums[MAX_DIM / SIDE];
    for (uint i = 0; i < MAX_DIM / SIDE; i++) {
        if (i >= count) break;
        simdgroup_load(rows[i], tile + simd * SIDE * pitch + i * SIDE, pitch);
        sums[i] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup); // all have read the queries
    float top = LOWEST, sum = 0.0f;
    const uint end = visible(p, min(first + block, p.queries) - 1);
    for (uint base = 0; base < end; base += KEYS) {
        stage(k + kv_head * p.keys * dim, base, KEYS, p.keys, dim, 1.0f, tile, pitch, local, threads);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint c = 0; c < KEYS; c += SIDE) {
            simdgroup_float8x8 score = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
            for (uint i = 0; i < MAX_DIM / SIDE; i++) {
                if (i >= count) break;
                simdgroup_float8x8 keys;
                simdgroup_load(keys, tile + c * pitch + i * SIDE, pitch, ulong2(0, 0), true);
                simdgroup_multiply_accumulate(score, rows[i], keys, score);
            }
            simdgroup_store(score, mine.score + c, SCORES);
        }
        simdgroup_barrier(mem_flags::mem_threadgroup);
        threadgroup float *own = mine.score + lane / LANES * SCORES;
        float s[KEYS / LANES], largest = LOWEST, more = 0.0f;
        for (uint i = 0; i < KEYS / LANES; i++) {
            s[i] = masked(own[part + i * LANES], mask, p, query, base + part + i * LANES);
            largest = max(largest, s[i]);
        }
        for (uint step = 1; step < LANES; step *= 2) largest = max(largest, simd_shuffle_xor(largest, ushort(step)));
        const float above = max(top, largest), decay = exp2(top - above);
        for (uint i = 0; i < KEYS / LANES; i++) {
            const float power = exp2(s[i] - above);
            own[part + i * LANES] = power;
            more += power;
        }
        top = above;
        sum = fma(sum, decay, more); // over the lane's keys
        scale(sums, count, mine, lane, decay);
        threadgroup_barrier(mem_flags::mem_threadgroup); // all have read the keys
        stage(v + kv_head * p.keys * dim, base, KEYS, p.keys, dim, 1.0f, tile, pitch, local, threads);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint c = 0; c < KEYS; c += SIDE) {
            simdgroup_float8x8 power, values;
            simdgroup_load(power, mine.score + c, SCORES);
            for (uint i = 0; i < MAX_DIM / SIDE; i++) {
                if (i >= count) break;
                simdgroup_load(values, tile + c * pitch + i * SIDE, pitch);
                simdgroup_multiply_accumulate(sums[i], power, values, sums[i]);
            }
        }
        threadgroup_barrier(mem_flags::mem_threadgroup); // all have read the values
    }
    for (uint step = 1; step < LANES; step *= 2) sum += simd_shuffle_xor(sum, ushort(step));
    scale(sums, count, mine, lane, 1.0f / sum);
    for (uint i = 0; i < MAX_DIM / SIDE; i++) {
        if (i < count) simdgroup_store(sums[i], tile + simd * SIDE * pitch + i * SIDE, pitch);
    }
    simdgroup_barrier(mem_flags::mem_threadgroup);
    for (uint e = lane; e < SIDE * dim; e += SIMD) {
        const uint r = simd * SIDE + e / dim, d = e % dim;
        if (first + r < p.queries) out[(head * p.queries + first + r) * dim + d] = T(tile[r * pitch + d]);
    }
}

#define INSTANTIATE(name, type)                                                                        \
    template [[host_name(name)]] kernel void attention<type>(                                          \
        device const type *, device const type *, device const type *, device const type *,            \
        device type *, constant AttentionParams &, threadgroup float *, threadgroup Own *, uint2, uint2, uint2, uint);

INSTANTIATE("attention_flash_simd_f32", float)
INSTANTIATE("attention_flash_simd_f16", half)
#if __METAL_VERSION__ >= 310
INSTANTIATE("attention_flash_simd_bf16", bfloat)
#endif
