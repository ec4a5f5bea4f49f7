// Nothing but products of 8×8 matrices that stay in registers: each SIMD group repeatedly multiplies all its tiles of a by all
// its tiles of b, with an accumulator for each pair.

#include "common.h"
#include "params/peak.h"

constant constexpr uint TILE = 8 * 8, SIMDS = 4; // elements; SIMD groups per threadgroup

template <typename T>
kernel void multiply_add_tiles(device const T *a [[buffer(0)]],
                               device const T *b [[buffer(1)]],
                               device float *out [[buffer(2)]],
                               constant TileStepsParams &p [[buffer(3)]],
                               uint group [[threadgroup_position_in_grid]],
                               uint simd [[simdgroup_index_in_threadgroup]]) {
    const uint id = group * SIMDS + simd;
    if (id >= p.simds) return;
    simdgroup_matrix<T, 8, 8> va[STEP_TILES], vb[STEP_TILES];
    simdgroup_float8x8 sums[STEP_TILES][STEP_TILES];
    for (uint i = 0; i < STEP_TILES; i++) {
        simdgroup_load(va[i], a + i * TILE, 8);
        simdgroup_load(vb[i], b + i * TILE, 8);
        for (uint j = 0; j < STEP_TILES; j++) sums[i][j] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
    }
    for (uint s = 0; s < p.steps; s++)
        for (uint i = 0; i < STEP_TILES; i++)
            for (uint j = 0; j < STEP_TILES; j++) simdgroup_multiply_accumulate(sums[i][j], va[i], vb[j], sums[i][j]);
    for (uint i = 0; i < STEP_TILES; i++)
        for (uint j = 0; j < STEP_TILES; j++)
            simdgroup_store(sums[i][j], out + (size_t(id) * STEP_TILES * STEP_TILES + i * STEP_TILES + j) * TILE, 8);
}

#define INSTANTIATE(name, type)                                                                                     \
    template [[host_name(name)]] kernel void multiply_add_tiles<type>(device const type *, device const type *,     \
                                                                      device float *, constant TileStepsParams &,   \
                                                                      uint, uint);
INSTANTIATE("multiply_add_tiles_f32", float)
INSTANTIATE("multiply_add_tiles_f16", half)
#if __METAL_VERSION__ >= 310
INSTANTIATE("multiply_add_tiles_bf16", bfloat)
#endif
