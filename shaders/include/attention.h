// What the kernels share that compute attention in one dispatch: no score leaves the threadgroup.
#include "attention_mask.h"

constant int head_dim [[function_constant(ATTENTION_HEAD_DIM)]]; // 0: that of the parameters

constant constexpr uint MAX_DIM = ATTENTION_MAX_DIM;
constant constexpr uint PAD = 4;                                  // floats between rows of a tile, so that rows do not share a bank
constant constexpr float LOWEST = -numeric_limits<float>::max(); // −∞ would be NaN in differences
constant constexpr float LOG2E = 1.44269504f;                     // powers are of 2, which GPUs have

static inline uint dim_of(constant AttentionParams &p) { return head_dim > 0 ? uint(head_dim) : p.dim; }

// What a score is in base 2, with the mask: −∞ for keys that are not visible.
template <typename T>
static inline float masked(float score, device const T *mask, constant AttentionParams &p, uint query, uint key) {
    if (query >= p.queries || key >= visible(p, query)) return -INFINITY;
    if (!has_mask) return score;
    const float m = float(mask[size_t(query) * p.keys + key]);
    return m < LOWEST ? m : max(fma(m, LOG2E, score), LOWEST); // base 2 must not make the lowest float an infinity
}

// Rows [first, first + rows) of a [count][dim] matrix as floats times `scale`, `pitch` apart, by all threads. What is
// missing to a multiple of 8 columns, and to `rows`, is 0.
template <typename T>
static inline void stage(device const T *from, uint first, uint rows, uint count, uint dim, float scale,
                         threadgroup float *to, uint pitch, uint local, uint threads) {
    const uint wide = (dim + 7) / 8 * 8;
    for (uint e = local; e < rows * wide; e += threads) {
        const uint r = e / wide, d = e % wide;
        const bool inside = first + r < count && d < dim;
        to[r * pitch + d] = inside ? float(from[size_t(first + r) * dim + d]) * scale : 0.0f;
    }
}
