// out[m,n] as in matmul_blocks_int8.metal, for a few rows of a, four at a time. A SIMD group takes OUTPUTS rows of w, and a lane
// LANE_WEIGHTS weights of each at once. Products of codes are summed as floats, which is exact for so few.

#include "common.h"
#include "blocks.h"
#include "params/blocks.h"

constant constexpr uint OUTPUTS = 4, LANE_WEIGHTS = 32;

// The operands, from some row of a on, and the position of a SIMD group and its lane.
struct Work {
    device const char *a;
    device const float *a_scale;
    device const uchar *w;
    uint m, n, k, scales, first, lane; // scales: per row of a; first: row of w

    device const char *activations(uint r) const { return a + size_t(min(r, m - 1)) * k; }
    float scale(uint r, uint at) const { return a_scale[size_t(min(r, m - 1)) * scales + at]; }
    size_t row(uint o) const { return min(first + o, n - 1); } // rows past the end are not stored
};

// Adds the products of the weights that a lane takes at once.
template <typename B, uint ROWS>
static inline void add_blocks(thread const Work &x, uint d, thread float (&sums)[ROWS][OUTPUTS]) {
    constexpr uint GROUP = 64 / max(B::SCALES, 2u), FOURS = GROUP / 4;
    for (uint g = 0; g < LANE_WEIGHTS; g += GROUP) {
        float4 v[ROWS][FOURS];
        float of_a[ROWS] = {};
        for (uint r = 0; r < ROWS; r++) {
            device const char4 *from = (device const char4 *)(x.activations(r) + d + g);
            for (uint i = 0; i < FOURS; i++) {
                v[r][i] = float4(from[i]);
                of_a[r] += (v[r][i].x + v[r][i].y) + (v[r][i].z + v[r][i].w);
            }
        }
        for (uint o = 0; o < OUTPUTS; o++) {
            device const uchar *block = x.w + (x.row(o) * (x.k / B::WEIGHTS) + d / B::WEIGHTS) * B::BYTES;
            const uint at = d % B::WEIGHTS + g;
            float part[ROWS] = {};
            for (uint i = 0; i < FOURS; i++) {
                const float4 codes = four_floats(B::codes(block, at + 4 * i), B::BIAS);
                for (uint r = 0; r < ROWS; r++)
                    for (uint j = 0; j < 4; j++) part[r] = fma(v[r][i][j], codes[j], part[r]);
            }
            for (uint r = 0; r < ROWS; r++) {
                float sum = B::scale(block, at) * part[r];
                if (B::OFFSETS) sum = fma(B::offset(block, at), of_a[r], sum);
                sums[r][o] = fma(x.scale(r, d / B::WEIGHTS), sum, sums[r][o]);
            }
        }
    }
}

template <typename B, uint ROWS>
static inline void multiply(thread const Work &x, device float *out) {
    float sums[ROWS][OUTPUTS] = {};
    for (uint d = x.lane * LANE_WEIGHTS; d < x.k; d += SIMD * LANE_WEIGHTS) add_blocks<B, ROWS>(x, d, sums);
    for (uint r = 0; r < ROWS; r++) {
        for (uint o = 0; o < OUTPUTS; o++) {
            const float sum = simd_sum(sums[r][o]);
            if (x.lane == 0 && r < x.m && x.first + o < x.n) out[size_t(r) * x.n + x.first + o] = sum;
        }
    }
}

template <typename B>
kernel void matmul_blocks_int8_gemv(device const char *a [[buffer(0)]],
                                    device const float *a_scale [[buffer(1)]],
                                    device const uchar *w [[buffer(2)]],
                                    device float *out [[buffer(3)]],
                                    constant BlockMatmulParams &p [[buffer(4)]],
                                    uint3 group [[threadgroup_position_in_grid]],
                                    uint3 size [[threads_per_threadgroup]],
                                    uint lane [[thread_index_in_simdgroup]],
                                    uint simd [[simdgroup_index_in_threadgroup]]) {
    Work x = {a, a_scale, w, p.m, p.n, p.k, p.k / B::WEIGHTS, (group.x * (size.x / SIMD) + simd) * OUTPUTS, lane};
    if (p.m == 1) multiply<B, 1>(x, out);
    else if (p.m == 2) multiply<B, 2>(x, out);
    else {
        for (uint r = 0; r < p.m; r += 4) {
            x.a = a + size_t(r) * p.k;
            x.a_scale = a_scale + size_t(r) * x.scales;
            x.m = min(4u, p.m - r);
            multiply<B, 4>(x, out + size_t(r) * p.n);
        }
    }
}

#define INSTANTIATE(name, blocks)                                                                           \
    template [[host_name("matmul_blocks_int8_gemv_" name)]] kernel void matmul_blocks_int8_gemv<blocks>(    \
        device const char *, device const float *, device const uchar *, device float *, constant BlockMatmulParams &, uint3, uint3, uint, uint);

INSTANTIATE("q8_0", Q8_0)
INSTANTIATE("q6_K", Q6_K)
INSTANTIATE("q4_1", Q4_1)
INSTANTIATE("q4_K", Q4_K)
INSTANTIATE("q4_0", Q4_0)
