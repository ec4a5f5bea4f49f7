// out[m,n] = a[m,k] · wᵀ as in matmul_quant.metal, for up to GEMV_MAX_ROWS rows of a. Weights are read straight from device
// memory: a lane loads 8 or 16 bytes of codes, and prefetches the next while it multiplies these. Lanes need elements of a that
// lie far apart, and reading those from device memory would make lanes wait for each other. So the part of a that a threadgroup
// needs is staged in threadgroup memory, where what lanes read at once is contiguous.

#include "common.h"
#include "codes.h"
#include "scales.h"
#include "params/gemm.h"

constant int lanes [[function_constant(QUANT_LANES)]];     // lanes along k; the rest of the SIMD group takes other rows of w
constant int outputs [[function_constant(QUANT_OUTPUTS)]]; // rows of w per lane: 2 or 4

// What a lane loads of a row of w at once.
template <typename Q>
struct Pack {
    static constant constexpr uint WORD = 32 / Q::BITS, SIZE = sizeof(typename Q::Words) / 4 * WORD;
    typename Q::Words codes;
    float scale, zero;
};

// The operands: a[m,k], and w[n,k] as codes with scales and zero points.
struct Operands {
    device const float *a;
    device const uchar *q;
    device const uchar *scale, *zero;
    uint m, n, k, block, blocks;
};

// A thread's position: its first row of w and the distance to its next ones, its lane along k, and its index in the threadgroup.
struct Place {
    uint row, apart, x, id, threads;
};

template <typename Q, uint OUTPUTS>
static inline void load_packs(thread const Operands &x, thread const Place &at, uint d, thread Pack<Q> (&packs)[OUTPUTS]) {
    const uint block = x.block == 0 ? 0 : d / x.block;
    for (uint o = 0; o < OUTPUTS; o++) {
        const uint w = min(at.row + o * at.apart, x.n - 1); // rows past the end are not stored
        packs[o].codes = *(device const typename Q::Words *)(x.q + (size_t(w) * x.k + d) / (8 / Q::BITS));
        packs[o].scale = scale_at(x.scale, w * x.blocks + block);
        packs[o].zero = Q::ZEROS ? scale_at(x.zero, w * x.blocks + block) : 0.0f;
    }
}

// Stages a pack of a for each of the lanes along k, from element d on: the first four elements of every pack, then the next four.
// One place of padding keeps stores in different banks.
template <typename Q, uint ROWS>
static inline void stage(thread const Operands &x, thread const Place &at, uint d, threadgroup float4 *staged) {
    constexpr uint FOURS = Pack<Q>::SIZE / 4;
    const uint count = lanes * FOURS;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = at.id; i < ROWS * count; i += at.threads) {
        const uint r = i / count, f = i % count;
        if (r < x.m && d + 4 * f < x.k)
            staged[(r * FOURS + f % FOURS) * (lanes + 1) + f / FOURS] = *(device const float4 *)(x.a + size_t(r) * x.k + d + 4 * f);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
}

// Adds the products of a pack of each row of w with ROWS rows of a. With few rows of a, scales and zero points are applied to
// sums, otherwise to each weight.
template <typename Q, uint ROWS, uint OUTPUTS>
static inline void add_packs(threadgroup const float4 *staged, thread const Pack<Q> (&packs)[OUTPUTS],
                             thread float (&sums)[ROWS][OUTPUTS]) {
    constexpr bool LATER = ROWS <= 2;
    constexpr uint FOURS = Pack<Q>::SIZE / 4, WORD = Pack<Q>::WORD;
    float part[ROWS][OUTPUTS] = {}, of_a[ROWS] = {};
    for (uint o = 0; o < OUTPUTS; o++) {
        const float odd = Q::odd(packs[o].codes);
        for (uint r = 0; r < ROWS; r++) part[r][o] = odd;
    }
    for (uint i = 0; i < FOURS; i++) {
        float4 va[ROWS];
        for (uint r = 0; r < ROWS; r++) {
            va[r] = staged[(r * FOURS + i) * (lanes + 1)];
            if (LATER && Q::ZEROS) of_a[r] += va[r].x + va[r].y + (va[r].z + va[r].w);
        }
        for (uint o = 0; o < OUTPUTS; o++) {
            for (uint j = 0; j < 4; j++) {
                const float q = code_at<Q>(packs[o].codes[4 * i / WORD], 4 * i % WORD + j);
                const float w = LATER ? q : (Q::ZEROS ? q - packs[o].zero : q) * packs[o].scale;
                for (uint r = 0; r < ROWS; r++) {
                    if (LATER) part[r][o] = fma(va[r][j], w, part[r][o]);
                    else sums[r][o] = fma(va[r][j], w, sums[r][o]);
                }
            }
        }
    }
    for (uint r = 0; r < ROWS; r++) {
        for (uint o = 0; o < OUTPUTS; o++) {
            const float all = LATER && Q::ZEROS ? fma(-packs[o].zero, of_a[r], part[r][o]) : part[r][o];
            if (LATER) sums[r][o] = fma(packs[o].scale, all, sums[r][o]);
            else sums[r][o] += part[r][o]; // 0, or NaN if a code is
        }
    }
}

// One weight at a time, for rows or blocks that are not whole packs.
template <typename Q, uint ROWS, uint OUTPUTS>
static inline void add_each(thread const Operands &x, thread const Place &at, thread float (&sums)[ROWS][OUTPUTS]) {
    for (uint d = at.x; d < x.k; d += lanes) {
        for (uint o = 0; o < OUTPUTS; o++) {
            const float v = weight_at<Q>(x.q, x.scale, x.zero, min(at.row + o * at.apart, x.n - 1), d, x.k, x.block);
            for (uint r = 0; r < ROWS; r++) sums[r][o] = fma(x.a[size_t(min(r, x.m - 1)) * x.k + d], v, sums[r][o]);
        }
    }
}

template <typename Q, uint ROWS, uint OUTPUTS>
static inline void add_all(thread const Operands &x, thread const Place &at, threadgroup float4 *staged,
                           thread float (&sums)[ROWS][OUTPUTS]) {
    constexpr uint SIZE = Pack<Q>::SIZE;
    const uint step = lanes * SIZE, own = at.x * SIZE;
    Pack<Q> packs[OUTPUTS];
    if (own < x.k) load_packs(x, at, own, packs);
    for (uint d = 0; d < x.k; d += step) {
        stage<Q, ROWS>(x, at, d, staged);
        Pack<Q> next[OUTPUTS];
        for (uint o = 0; o < OUTPUTS; o++) next[o] = packs[o];
        if (d + step + own < x.k) load_packs(x, at, d + step + own, next);
        if (d + own < x.k) add_packs<Q, ROWS, OUTPUTS>(staged + at.x, packs, sums);
        for (uint o = 0; o < OUTPUTS; o++) packs[o] = next[o];
    }
    for (uint r = 0; r < ROWS; r++)
        for (uint o = 0; o < OUTPUTS; o++) sums[r][o] *= Q::UNIT;
}

template <typename Q, uint ROWS, uint OUTPUTS>
static inline void multiply(thread const Operands &x, thread const Place &at, device float *out, threadgroup float4 *staged) {
    float sums[ROWS][OUTPUTS] = {};
    if (x.k % Pack<Q>::SIZE == 0 && x.block % Pack<Q>::SIZE == 0) add_all<Q, ROWS, OUTPUTS>(x, at, staged, sums);
    else add_each<Q, ROWS, OUTPUTS>(x, at, sums);
    for (uint r = 0; r < ROWS; r++) {
        for (uint o = 0; o < OUTPUTS; o++) {
            float sum = sums[r][o];
            for (int far = lanes / 2; far > 0; far /= 2) sum += simd_shuffle_xor(sum, ushort(far));
            const uint c = at.row + o * at.apart;
            if (at.x == 0 && r < x.m && c < x.n) out[size_t(r) * x.n + c] = sum;
        }
    }
}

// Takes up to four rows of a at a time, so that the sums fit into registers.
template <typename Q, uint OUTPUTS>
static inline void multiply_all(thread Operands &x, thread const Place &at, device float *out, threadgroup float4 *staged) {
    if (x.m == 1) multiply<Q, 1, OUTPUTS>(x, at, out, staged);
    else if (x.m == 2) multiply<Q, 2, OUTPUTS>(x, at, out, staged);
    else {
        const uint m = x.m;
        device const float *a = x.a;
        for (uint r = 0; r < m; r += 4) {
            x.m = min(4u, m - r);
            x.a = a + size_t(r) * x.k;
            multiply<Q, 4, OUTPUTS>(x, at, out + size_t(r) * x.n, staged);
        }
    }
}

template <typename Q>
kernel void matmul_quant_gemv(device const float *a [[buffer(0)]],
                              device const uchar *q [[buffer(1)]],
                              device const uchar *scale [[buffer(2)]],
                              device const uchar *zero [[buffer(3)]],
                              device float *out [[buffer(4)]],
                              constant QuantMatmulParams &p [[buffer(5)]],
                              threadgroup float4 *staged [[threadgroup(0)]],
                              uint3 group [[threadgroup_position_in_grid]],
                              uint3 size [[threads_per_threadgroup]],
                              uint lane [[thread_index_in_simdgroup]],
                              uint simd [[simdgroup_index_in_threadgroup]]) {
    Operands x = {a, q, scale, zero, p.m, p.n, p.k, p.block, blocks_per_row(p.k, p.block)};
    const uint apart = SIMD / lanes, first = (group.x * (size.x / SIMD) + simd) * apart * outputs;
    const Place at = {first + lane / lanes, apart, lane % lanes, simd * SIMD + lane, size.x};
    if (outputs == 2) multiply_all<Q, 2>(x, at, out, staged);
    else multiply_all<Q, 4>(x, at, out, staged);
}

#define INSTANTIATE(name, codes)                                                                                    template [[host_name(name)]] kernel void matmul_quant_gemv<codes>(                                                  device const float *, device const uchar *, device const uchar *, device const uchar *, device float *,         constant QuantMatmulParams &, threadgroup float4 *, uint3, uint3, uint, uint);

INSTANTIATE("matmul_quant_gemv_int8", Int8)
INSTANTIATE("matmul_quant_gemv_int4", Int4)
INSTANTIATE("matmul_quant_gemv_e4m3", E4M3)
INSTANTIATE("matmul_quant_gemv_e5m2", E5M2)
INSTANTIATE("matmul_quant_gemv_ternary", Ternary)
