// out[c] = the sum of x[·,c]. A threadgroup takes only a few neighboring columns, so that there are many threadgroups: size.x
// threads take 16 bytes each of every size.y-th row. Rows are added within SIMD groups, then across them through threadgroup
// memory.

#include "common.h"
#include "wide.h"
#include "params/train.h"

constant constexpr uint AHEAD = 4; // rows that a thread loads before it adds them

// 16 bytes of a row of `cols` elements, from column `col` on; elements past the row are 0.
template <typename T, bool WHOLE>
static inline void part_of(device const T *row, uint col, uint cols, thread float4 *v) {
    if (WHOLE) {
        Wide<T>::load(row + col, v);
        return;
    }
    for (uint i = 0; i < Wide<T>::COUNT; i++) v[i / 4][i % 4] = col + i < cols ? float(row[col + i]) : 0.0f;
}

// Adds every step-th row from row r on.
template <typename T, bool WHOLE>
static inline void add_rows(device const T *x, constant ColumnSumParams &p, uint col, uint r, uint step, thread float4 *sum) {
    constexpr uint FOURS = Wide<T>::FOURS;
    for (; r + (AHEAD - 1) * step < p.rows; r += AHEAD * step) {
        float4 v[AHEAD * FOURS];
        for (uint i = 0; i < AHEAD; i++) part_of<T, WHOLE>(x + size_t(r + i * step) * p.cols, col, p.cols, v + i * FOURS);
        for (uint i = 0; i < AHEAD * FOURS; i++) sum[i % FOURS] += v[i];
    }
    for (; r < p.rows; r += step) {
        float4 v[FOURS];
        part_of<T, WHOLE>(x + size_t(r) * p.cols, col, p.cols, v);
        for (uint f = 0; f < FOURS; f++) sum[f] += v[f];
    }
}

template <typename T>
kernel void column_sum(device const T *x [[buffer(0)]],
                       device T *out [[buffer(1)]],
                       constant ColumnSumParams &p [[buffer(2)]],
                       threadgroup float *partial [[threadgroup(0)]],
                       uint2 group [[threadgroup_position_in_grid]],
                       uint2 local [[thread_position_in_threadgroup]],
                       uint2 size [[threads_per_threadgroup]],
                       uint lane [[thread_index_in_simdgroup]]) {
    constexpr uint COUNT = Wide<T>::COUNT, FOURS = Wide<T>::FOURS;
    const uint first = group.x * size.x * COUNT, across = size.x * COUNT, col = first + local.x * COUNT;
    const uint thread_index = local.y * size.x + local.x, threads = size.x * size.y;
    float4 sum[FOURS];
    for (uint f = 0; f < FOURS; f++) sum[f] = 0.0f;
    if (col < p.cols) {
        if (p.cols % COUNT == 0) add_rows<T, true>(x, p, col, local.y, size.y, sum);
        else add_rows<T, false>(x, p, col, local.y, size.y, sum);
    }
    for (uint step = size.x; step < SIMD; step *= 2)
        for (uint i = 0; i < COUNT; i++) sum[i / 4][i % 4] += simd_shuffle_xor(sum[i / 4][i % 4], ushort(step));
    if (lane < size.x)
        for (uint i = 0; i < COUNT; i++) partial[thread_index / SIMD * across + lane * COUNT + i] = sum[i / 4][i % 4];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint c = thread_index; c < min(across, p.cols - first); c += threads) {
        float all = 0.0f;
        for (uint s = 0; s < threads / SIMD; s++) all += partial[s * across + c];
        out[first + c] = T(all);
    }
}

template [[host_name("column_sum_f32")]] kernel void column_sum<float>(
    device const float *, device float *, constant ColumnSumParams &, threadgroup float *, uint2, uint2, uint2, uint);
template [[host_name("column_sum_f16")]] kernel void column_sum<half>(
    device const half *, device half *, constant ColumnSumParams &, threadgroup float *, uint2, uint2, uint2, uint);
