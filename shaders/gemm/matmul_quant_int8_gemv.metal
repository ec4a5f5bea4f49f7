// out[m,n] as in matmul_quant_int8.metal, for up to GEMV_MAX_ROWS rows of a. A SIMD group takes OUTPUTS rows of w, and a lane
// loads PACK codes of each at once, all of one block. Their products with a are summed as floats, which is exact for so few.

#include "common.h"
#include "codes.h"
#include "scales.h"
#include "params/gemm.h"

constant constexpr uint OUTPUTS = 4;
constant constexpr uint PACK = 32; // codes of a row that a lane loads at once

// The operands, from some row of a on, and the position of a SIMD group and its lane.
struct Work {
    device const char *a;
    device const float *a_scale;
    device const uchar *q;
    device const uchar *scale, *zero;
    uint m, n, k, block, blocks; // block: of a row of a; blocks: in that row
    bool whole;                  // w is one block
    uint first, lane;            // first: row of w

    uint row(uint o) const { return min(first + o, n - 1); } // rows past the end are not stored
    device const char *activations(uint r) const { return a + size_t(min(r, m - 1)) * k; }
    float activation_scale(uint r, uint b) const { return a_scale[min(r, m - 1) * blocks + b]; }
    uint block_of(uint o, uint b) const { return whole ? 0 : row(o) * blocks + b; }
};

template <typename Q>
struct Pack {
    static constant constexpr uint WORD = 32 / Q::BITS, FOURS = PACK / WORD / 4;
    uint4 codes[FOURS];
    float scale, zero;

    void load(thread const Work &x, uint o, uint d, uint b) {
        device const uint4 *from = (device const uint4 *)(x.q + (size_t(x.row(o)) * x.k + d) / (8 / Q::BITS));
        for (uint i = 0; i < FOURS; i++) codes[i] = from[i];
        scale = scale_at(x.scale, x.block_of(o, b));
        zero = scale_at(x.zero, x.block_of(o, b));
    }
    float at(uint i) const { return Q::at(codes[i / WORD / 4][i / WORD % 4], i % WORD); }
};

template <typename Q, uint ROWS>
static inline void add_packs(thread const Work &x, thread float (&sums)[ROWS][OUTPUTS]) {
    for (uint d = x.lane * PACK; d < x.k; d += SIMD * PACK) {
        const uint b = d / x.block;
        Pack<Q> w[OUTPUTS];
        for (uint o = 0; o < OUTPUTS; o++) w[o].load(x, o, d, b);
        for (uint r = 0; r < ROWS; r++) {
            device const uint4 *from = (device const uint4 *)(x.activations(r) + d);
            const uint4 a[2] = {from[0], from[1]};
            float part[OUTPUTS] = {}, of_a = 0.0f;
            for (uint i = 0; i < PACK; i += 4) {
                const float4 v = float4(as_type<char4>(a[i / 16][i % 16 / 4]));
                of_a += (v.x + v.y) + (v.z + v.w);
                for (uint o = 0; o < OUTPUTS; o++)
                    for (uint j = 0; j < 4; j++) part[o] = fma(v[j], w[o].at(i + j), part[o]);
            }
            const float by = x.activation_scale(r, b);
            for (uint o = 0; o < OUTPUTS; o++) sums[r][o] = fma(fma(-w[o].zero, of_a, part[o]), by * w[o].scale, sums[r][o]);
        }
    }
}

// One code at a time, for rows or blocks that are not whole packs.
template <typename Q, uint ROWS>
static inline void add_each(thread const Work &x, thread float (&sums)[ROWS][OUTPUTS]) {
    for (uint b = 0; b < x.blocks; b++) {
        int part[ROWS][OUTPUTS] = {}, of_a[ROWS] = {};
        const uint end = min(x.k - b * x.block, x.block) + b * x.block;
        for (uint d = b * x.block + x.lane; d < end; d += SIMD) {
            for (uint r = 0; r < ROWS; r++) of_a[r] += int(x.activations(r)[d]);
            for (uint o = 0; o < OUTPUTS; o++) {
                const int code = int(code_of<Q>(x.q, x.row(o), d, x.k));
                for (uint r = 0; r < ROWS; r++) part[r][o] += int(x.activations(r)[d]) * code;
            }
        }
        for (uint o = 0; o < OUTPUTS; o++) {
            const uint of_w = x.block_of(o, b);
            for (uint r = 0; r < ROWS; r++) {
                const float levels = fma(-scale_at(x.zero, of_w), float(of_a[r]), float(part[r][o]));
                sums[r][o] = fma(levels, x.activation_scale(r, b) * scale_at(x.scale, of_w), sums[r][o]);
            }
        }
    }
}

template <typename Q, uint ROWS>
static inline void multiply(thread const Work &x, device float *out) {
    float sums[ROWS][OUTPUTS] = {};
    if (x.k % PACK == 0 && x.block % PACK == 0) add_packs<Q, ROWS>(x, sums);
    else add_each<Q, ROWS>(x, sums);
    for (uint r = 0; r < ROWS; r++) {
        for (uint o = 0; o < OUTPUTS; o++) {
            const float sum = simd_sum(sums[r][o]);
            if (x.lane == 0 && r < x.m && x.first + o < x.n) out[size_t(r) * x.n + x.first + o] = sum;
        }
    }
}

template <typename Q>
kernel void matmul_quant_int8_gemv(device const char *a [[buffer(0)]],
                                   device const float *a_scale [[buffer(1)]],
                                   device const uchar *q [[buffer(2)]],
                                   device const uchar *scale [[buffer(3)]],
                                   device const uchar *zero [[buffer(4)]],
                                   device float *out [[buffer(5)]],
                                   constant QuantInt8MatmulParams &p [[buffer(6)]],
                                   uint3 group [[threadgroup_position_in_grid]],
                                   uint3 size [[threads_per_threadgroup]],
                                   uint lane [[thread_index_in_simdgroup]],
                                   uint simd [[simdgroup_index_in_threadgroup]]) {
    const uint block = p.block == 0 ? p.k : min(p.block, p.k), blocks = p.k == 0 ? 0 : (p.k - 1) / block + 1;
    Work x = {a, a_scale, q, scale, zero, p.m, p.n, p.k, block, blocks, p.block == 0, (group.x * (size.x / SIMD) + simd) * OUTPUTS, lane};
    if (p.m == 1) multiply<Q, 1>(x, out);
    else if (p.m == 2) multiply<Q, 2>(x, out);
    else {
        for (uint r = 0; r < p.m; r += 4) {
            x.a = a + size_t(r) * p.k;
            x.a_scale = a_scale + size_t(r) * blocks;
            x.m = min(4u, p.m - r);
            multiply<Q, 4>(x, out + size_t(r) * p.n);
        }
    }
}

#define INSTANTIATE(name, codes)                                                                                            \
    template [[host_name(name)]] kernel void matmul_quant_int8_gemv<codes>(                                                 \
        device const char *, device const float *, device const uchar *, device const uchar *, device const uchar *,        \
        device float *, constant QuantInt8MatmulParams &, uint3, uint3, uint, uint);

INSTANTIATE("matmul_quant_int8_gemv_int8", Int8)
INSTANTIATE("matmul_quant_int8_gemv_int4", Int4)
