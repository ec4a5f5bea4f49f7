// out[h][i][j] = q[h][i]·k[h'][j]/√dim + mask[i][j], or −∞ where a causal mask hides the key: the scores that naive attention
// stores. h' is the head of keys that h shares. A threadgroup computes a 64×64 tile of the scores (see tile.h); sums are in
// float.

#include "common.h"
#include "tile.h"
#include "attention_mask.h"

constant constexpr uint EACH = 4, TILE = EACH * SIDE;

// Keys are columns of the output.
template <typename T>
struct Keys {
    Rows<T> rows;

    bool by_depth() const { return true; }

    float at(uint key, uint d) const { return rows.at(key, d); }
};

template <typename T>
kernel void attention_scores(device const T *q [[buffer(0)]],
                             device const T *k [[buffer(1)]],
                             device const T *mask [[buffer(2), function_constant(has_mask)]],
                             device T *out [[buffer(3)]],
                             constant AttentionParams &p [[buffer(4)]],
                             uint3 group [[threadgroup_position_in_grid]],
                             uint3 local [[thread_position_in_threadgroup]]) {
    threadgroup float panels[PANELS];
    const size_t head = group.z, kv_head = head / (p.heads / p.kvheads);
    const Rows<T> rows = {q + head * p.queries * p.dim, p.queries, p.dim};
    const Keys<T> keys = {{k + kv_head * p.keys * p.dim, p.keys, p.dim}};
    const Sums<EACH, float> sums = tile_sums<EACH>(rows, keys, p.dim, group.xy, local.xy, panels);
    const float scale = 1.0f / sqrt(float(p.dim));
    for (uint i = 0; i < EACH; i++) {
        for (uint j = 0; j < EACH; j++) {
            const uint r = group.y * TILE + local.y + SIDE * i, c = group.x * TILE + local.x + SIDE * j;
            if (r >= p.queries || c >= p.keys) continue;
            float s = sums.at[i][j] * scale;
            if (has_mask) s += float(mask[size_t(r) * p.keys + c]);
            if (c >= visible(p, r)) s = -INFINITY;
            out[(head * p.queries + r) * p.keys + c] = T(s);
        }
    }
}

#define INSTANTIATE(name, type)                                                                                      \
    template [[host_name(name)]] kernel void attention_scores<type>(device const type *, device const type *,        \
                                                                    device const type *, device type *,              \
                                                                    constant AttentionParams &, uint3, uint3);

INSTANTIATE("attention_scores_tiled_f32", float)
INSTANTIATE("attention_scores_tiled_f16", half)
#if __METAL_VERSION__ >= 310
INSTANTIATE("attention_scores_tiled_bf16", bfloat)
#endif
