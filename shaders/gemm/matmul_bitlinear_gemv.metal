// out[m,n] as in matmul_bitlinear.metal, for up to GEMV_MAX_ROWS rows of a. A SIMD group takes OUTPUTS rows of w, and a lane
// loads 8 bytes of codes of each at once. Their products with a are summed as floats, which is exact for so few, and these sums
// are added as integers.

#include "common.h"
#include "codes.h"
#include "params/gemm.h"

constant constexpr uint OUTPUTS = 4;
constant constexpr uint PACK = 32; // codes in 8 bytes

// The operands, from some row of a on, and the position of a SIMD group and its lane.
struct Work {
    device const char *a;
    device const uchar *q;
    uint m, n, k;
    uint first, lane; // first: row of w

    uint row(uint o) const { return min(first + o, n - 1); } // rows past the end are not stored
    device const char *activations(uint r) const { return a + size_t(min(r, m - 1)) * k; }
};

template <uint ROWS>
static inline void add_packs(thread const Work &x, thread int (&sums)[ROWS][OUTPUTS]) {
    for (uint d = x.lane * PACK; d < x.k; d += SIMD * PACK) {
        uint2 codes[OUTPUTS];
        for (uint o = 0; o < OUTPUTS; o++) codes[o] = *(device const uint2 *)(x.q + (size_t(x.row(o)) * x.k + d) / 4);
        for (uint r = 0; r < ROWS; r++) {
            device const uint4 *from = (device const uint4 *)(x.activations(r) + d);
            const uint4 a[2] = {from[0], from[1]};
            float part[OUTPUTS] = {};
            for (uint i = 0; i < PACK; i += 4) {
                const float4 v = float4(as_type<char4>(a[i / 16][i % 16 / 4]));
                for (uint o = 0; o < OUTPUTS; o++)
                    for (uint j = 0; j < 4; j++) part[o] = fma(v[j], Ternary::at(codes[o][i / 16], i % 16 + j), part[o]);
            }
            for (uint o = 0; o < OUTPUTS; o++) sums[r][o] += int(part[o]);
        }
    }
}

// One weight at a time, for rows that are not whole packs.
template <uint ROWS>
static inline void add_each(thread const Work &x, thread int (&sums)[ROWS][OUTPUTS]) {
    for (uint d = x.lane; d < x.k; d += SIMD) {
        for (uint o = 0; o < OUTPUTS; o++) {
            const int w = int(x.q[x.row(o) * row_bytes<Ternary>(x.k) + d / 4] >> (d % 4 * 2) & 3) - 1;
            for (uint r = 0; r < ROWS; r++) sums[r][o] += int(x.activations(r)[d]) * w;
        }
    }
}

template <uint ROWS>
static inline void multiply(thread const Work &x, device const float *a_scale, float scale, device float *out) {
    int sums[ROWS][OUTPUTS] = {};
    if (x.k % PACK == 0) add_packs<ROWS>(x, sums);
    else add_each<ROWS>(x, sums);
    for (uint r = 0; r < ROWS; r++) {
        for (uint o = 0; o < OUTPUTS; o++) {
            int sum = sums[r][o];
            for (uint far = SIMD / 2; far > 0; far /= 2) sum += simd_shuffle_xor(sum, ushort(far));
            if (x.lane == 0 && r < x.m && x.first + o < x.n) out[size_t(r) * x.n + x.first + o] = float(sum) * (a_scale[r] * scale);
        }
    }
}

kernel void matmul_bitlinear_gemv_ternary(device const char *a [[buffer(0)]],
                                          device const float *a_scale [[buffer(1)]],
                                          device const uchar *q [[buffer(2)]],
                                          device const float *scale [[buffer(3)]],
                                          device float *out [[buffer(4)]],
                                          constant BitLinearParams &p [[buffer(5)]],
                                          uint3 group [[threadgroup_position_in_grid]],
                                          uint3 size [[threads_per_threadgroup]],
                                          uint lane [[thread_index_in_simdgroup]],
                                          uint simd [[simdgroup_index_in_threadgroup]]) {
    Work x = {a, q, p.m, p.n, p.k, (group.x * (size.x / SIMD) + simd) * OUTPUTS, lane};
    if (p.m == 1) multiply<1>(x, a_scale, scale[0], out);
    else if (p.m == 2) multiply<2>(x, a_scale, scale[0], out);
    else {
        for (uint r = 0; r < p.m; r += 4) {
            x.a = a + size_t(r) * p.k;
            x.m = min(4u, p.m - r);
            multiply<4>(x, a_scale + r, scale[0], out + size_t(r) * p.n);
        }
    }
}
