// out[n] = a[k] · wᵀ as in matmul_quant.metal, for one row of a. A SIMD group takes `outputs` rows of w, and a lane loads 8 or 16
// bytes of codes of each at once; what the lane reads of a serves all of them. The SIMD groups of a threadgroup split k and take
// the same rows of w.

#include "common.h"
#include "codes.h"
#include "scales.h"
#include "params/gemm.h"

constant int outputs [[function_constant(QUANT_OUTPUTS)]]; // rows of w per SIMD group: 4, 8 or 16

// A threadgroup's rows of w, from row `first` on, and a thread's position along k.
struct Work {
    device const float *a;
    device const uchar *q;
    device const uchar *scale, *zero;
    uint first, last, k, block, blocks; // last: last row of w, counted from the first
    uint at, step;                      // in threads
};

// Lanes read neighboring elements of a from device memory, and the SIZE elements for their own weights from threadgroup memory.
// 16 bytes of padding per lane put neighboring lanes in different banks.
template <uint SIZE>
struct Staged {
    static constant constexpr uint APART = SIZE + 4;
    threadgroup float *all; // the SIMD group's part of threadgroup memory

    // Stages n elements of a, 0 past the end.
    void load(device const float *a, uint n, uint lane) const {
        float4 v[SIZE / 4];
        for (uint i = 0; i < SIZE / 4; i++) {
            const uint at = 4 * (lane + SIMD * i);
            v[i] = at < n ? *(device const float4 *)(a + at) : float4(0.0f);
        }
        simdgroup_barrier(mem_flags::mem_threadgroup); // the previous elements have been read
        for (uint i = 0; i < SIZE / 4; i++) {
            const uint at = 4 * (lane + SIMD * i);
            *(threadgroup float4 *)(all + at / SIZE * APART + at % SIZE) = v[i];
        }
        simdgroup_barrier(mem_flags::mem_threadgroup);
    }

    float4 four(uint lane, uint i) const { return *(threadgroup const float4 *)(all + lane * APART + i); }
};

template <typename Q, uint OUTPUTS>
static inline void add_packs(thread const Work &x, threadgroup float *memory, thread float (&sums)[OUTPUTS]) {
    constexpr uint WORD = 32 / Q::BITS, SIZE = sizeof(typename Q::Words) / 4 * WORD, EACH = 8 / Q::BITS;
    const uint bytes = x.k / EACH, lane = x.at % SIMD;
    const Staged<SIZE> staged = {memory + x.at / SIMD * SIMD * Staged<SIZE>::APART};
    for (uint d0 = x.at / SIMD * SIMD * SIZE; d0 < x.k; d0 += x.step * SIZE) {
        const uint d = min(d0 + lane * SIZE, x.k - SIZE); // past k, staged elements are 0
        const uint block = x.first * x.blocks + (x.block == 0 ? 0 : d / x.block);
        device const uchar *q = x.q + size_t(x.first) * bytes + d / EACH;
        typename Q::Words codes[OUTPUTS];
        float scale[OUTPUTS], zero[OUTPUTS], part[OUTPUTS], of_a = 0.0f;
        for (uint o = 0; o < OUTPUTS; o++) {
            const uint row = min(o, x.last); // rows past the end are not stored
            codes[o] = *(device const typename Q::Words *)(q + size_t(row) * bytes);
            scale[o] = scale_at(x.scale, block + row * x.blocks);
            zero[o] = Q::ZEROS ? scale_at(x.zero, block + row * x.blocks) : 0.0f;
            part[o] = Q::odd(codes[o]);
        }
        staged.load(x.a + d0, x.k - d0, lane);
        for (uint i = 0; i < SIZE; i += 4) {
            const float4 a = staged.four(lane, i);
            if (Q::ZEROS) of_a += a.x + a.y + (a.z + a.w);
            for (uint o = 0; o < OUTPUTS; o++)
                for (uint j = 0; j < 4; j++) part[o] = fma(a[j], code_at<Q>(codes[o][i / WORD], i % WORD + j), part[o]);
        }
        for (uint o = 0; o < OUTPUTS; o++) sums[o] = fma(scale[o], Q::ZEROS ? fma(-zero[o], of_a, part[o]) : part[o], sums[o]);
    }
    for (uint o = 0; o < OUTPUTS; o++) sums[o] *= Q::UNIT;
}

// One weight at a time, for rows or blocks that are not whole multiples of SIZE.
template <typename Q, uint OUTPUTS>
static inline void add_each(thread const Work &x, thread float (&sums)[OUTPUTS]) {
    for (uint d = x.at; d < x.k; d += x.step) {
        for (uint o = 0; o < OUTPUTS; o++) {
            sums[o] = fma(x.a[d], weight_at<Q>(x.q, x.scale, x.zero, x.first + min(o, x.last), d, x.k, x.block), sums[o]);
        }
    }
}

// Adds the sums of 2N rows across a SIMD group. Each half of the lanes hands its sums of N rows to the other half and takes over
// those of the other N, and so on, until each lane holds part of the sum of one row.
template <uint N>
struct Across {
    static float sum(thread float *sums, uint lane, uint far) {
        const bool upper = lane & far;
        for (uint i = 0; i < N; i++) {
            const float low = sums[i], high = sums[i + N];
            sums[i] = (upper ? high : low) + simd_shuffle_xor(upper ? low : high, ushort(far));
        }
        return Across<N / 2>::sum(sums, lane, far / 2);
    }
};

template <>
struct Across<0> {
    static float sum(thread float *sums, uint, uint far) {
        float one = sums[0];
        for (; far > 0; far /= 2) one += simd_shuffle_xor(one, ushort(far));
        return one;
    }
};

template <typename Q, uint OUTPUTS>
static inline void multiply(thread const Work &x, device float *out, threadgroup float *partial, threadgroup float *memory, uint simd, uint simds, uint lane) {
    constexpr uint SIZE = 8 * sizeof(typename Q::Words) / Q::BITS, LANES = SIMD / OUTPUTS; // lanes that hold the sum of a row
    float sums[OUTPUTS] = {};
    if (x.k % SIZE == 0 && x.block % SIZE == 0) add_packs<Q, OUTPUTS>(x, memory, sums);
    else add_each<Q, OUTPUTS>(x, sums);
    const float sum = Across<OUTPUTS / 2>::sum(sums, lane, SIMD / 2);
    if (lane % LANES == 0) partial[simd * OUTPUTS + lane / LANES] = sum;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (simd > 0 || lane >= OUTPUTS || lane > x.last) return;
    float all = 0.0f;
    for (uint s = 0; s < simds; s++) all += partial[s * OUTPUTS + lane];
    out[x.first + lane] = all;
}

template <typename Q>
kernel void matmul_quant_vector(device const float *a [[buffer(0)]],
                                device const uchar *q [[buffer(1)]],
                                device const uchar *scale [[buffer(2)]],
                                device const uchar *zero [[buffer(3)]],
                                device float *out [[buffer(4)]],
                                constant QuantMatmulParams &p [[buffer(5)]],
                                threadgroup float *partial [[threadgroup(0)]],
                                threadgroup float *memory [[threadgroup(1)]],
                                uint3 group [[threadgroup_position_in_grid]],
                                uint3 size [[threads_per_threadgroup]],
                                uint lane [[thread_index_in_simdgroup]],
                                uint simd [[simdgroup_index_in_threadgroup]]) {
    const uint first = group.x * outputs;
    const Work x = {a, q, scale, zero, first, p.n - 1 - first, p.k, p.block, blocks_per_row(p.k, p.block), simd * SIMD + lane, size.x};
    if (outputs == 4) multiply<Q, 4>(x, out, partial, memory, simd, size.x / SIMD, lane);
    else if (outputs == 8) multiply<Q, 8>(x, out, partial, memory, simd, size.x / SIMD, lane);
    else multiply<Q, 16>(x, out, partial, memory, simd, size.x / SIMD, lane);
}

#define INSTANTIATE(name, codes)                                                                                  \
    template [[host_name(name)]] kernel void matmul_quant_vector<codes>(                                          \
        device const float *, device const uchar *, device const uchar *, device const uchar *, device float *, \
        constant QuantMatmulParams &, threadgroup float *, threadgroup float *, uint3, uint3, uint, uint);

INSTANTIATE("matmul_quant_vector_int8", Int8)
INSTANTIATE("matmul_quant_vector_int4", Int4)
INSTANTIATE("matmul_quant_vector_e4m3", E4M3)
INSTANTIATE("matmul_quant_vector_e5m2", E5M2)
INSTANTIATE("matmul_quant_vector_ternary", Ternary)
