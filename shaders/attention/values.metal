// out[h][i] = Σ probabilities[h][i][j]·v[h'][j] over j: the last dispatch of naive attention. h' is the head of values that h
// shares. A threadgroup computes a 64×64 tile of a head's output (see tile.h); sums are in float.

#include "common.h"
#include "tile.h"
#include "params/attention.h"

constant constexpr uint EACH = 4, TILE = EACH * SIDE;

template <typename T>
struct Values {
    device const T *data;
    uint keys, dim;

    bool by_depth() const { return false; }

    float at(uint col, uint d) const { return col < dim && d < keys ? float(data[size_t(d) * dim + col]) : 0.0f; }
};

template <typename T>
kernel void attention_values(device const T *probabilities [[buffer(0)]],
                             device const T *v [[buffer(1)]],
                             device T *out [[buffer(2)]],
                             constant AttentionParams &p [[buffer(3)]],
                             uint3 group [[threadgroup_position_in_grid]],
                             uint3 local [[thread_position_in_threadgroup]]) {
    threadgroup float panels[PANELS];
    const size_t head = group.z, kv_head = head / (p.heads / p.kvheads);
    const Rows<T> rows = {probabilities + head * p.queries * p.keys, p.queries, p.keys};
    const Values<T> values = {v + kv_head * p.keys * p.dim, p.keys, p.dim};
    const Sums<EACH, float> sums = tile_sums<EACH>(rows, values, p.keys, group.xy, local.xy, panels);
    for (uint i = 0; i < EACH; i++) {
        for (uint j = 0; j < EACH; j++) {
            const uint r = group.y * TILE + local.y + SIDE * i, c = group.x * TILE + local.x + SIDE * j;
            if (r < p.queries && c < p.dim) out[(head * p.queries + r) * p.dim + c] = T(sums.at[i][j]);
        }
    }
}

#define INSTANTIATE(name, type)                                                                                      \
    template [[host_name(name)]] kernel void attention_values<type>(device const type *, device const type *,        \
                                                                    device type *, constant AttentionParams &, uint3, uint3);

INSTANTIATE("attention_values_tiled_f32", float)
INSTANTIATE("attention_values_tiled_f16", half)
#if __METAL_VERSION__ >= 310
INSTANTIATE("attention_values_tiled_bf16", bfloat)
#endif
