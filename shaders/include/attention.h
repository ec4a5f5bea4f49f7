// Shared by the kernels that compute attention in one dispatch: scores never leave the threadgroup.
#include "attention_mask.h"

constant int head_dim [[function_constant(ATTENTION_HEAD_DIM)]]; // 0: use the parameters' dim

constant constexpr uint MAX_DIM = ATTENTION_MAX_DIM;
constant constexpr uint PAD = 4;                                  // floats of padding per tile row, to avoid bank conflicts
constant constexpr float LOWEST = -numeric_limits<float>::max(); // not −∞, because −∞ − (−∞) is NaN
constant constexpr float LOG2E = 1.44269504f;                     // exponentials use exp2, which GPUs have

static inline uint dim_of(constant AttentionParams &p) { return head_dim > 0 ? uint(head_dim) : p.dim; }

// A score in base 2 with the mask applied: −∞ for keys that are not visible.
template <typename T>
static inline float masked(float score, device const T *mask, constant AttentionParams &p, uint query, uint key) {
    if (query >= p.queries || key >= visible(p, query)) return -INFINITY;
    if (!has_mask) return score;
    const float m = float(mask[size_t(query) * p.keys + key]);
    return m < LOWEST ? m : max(fma(m, LOG2E, score), LOWEST); // scaling by log₂ e must not turn the lowest float into −∞
}

// All threads together stage rows [first, first + rows) of a [count][dim] matrix as floats times `scale`, `pitch` floats apart.
// Columns are padded with zeros to a multiple of 8; rows past the end are 0.
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
