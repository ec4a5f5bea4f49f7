// out[n] = a[k] · wᵀ as in matmul_quant.metal, for one row of a. A SIMD group keeps its slice of a in registers, for each lane as
// many elements as there are codes in 16 bytes, and multiplies it by one row of w after another, so that meanwhile it reads
// nothing but w. The SIMD groups of a threadgroup split k and take the same rows of w.

#include "common.h"
#include "codes.h"
#include "scales.h"
#include "params/gemm.h"

constant int ahead [[function_constant(QUANT_AHEAD)]]; // rows of w that are prefetched: 4 or 8

// A threadgroup's rows of w, from row `first` on, and a thread's position along k.
struct Work {
    device const float *a;
    device const uchar *q;
    device const uchar *scale, *zero;
    uint first, rows, k, block, blocks;
    uint simd, simds, lane;
};

// A SIMD group's scratch space in threadgroup memory.
struct Scratch {
    static constant constexpr uint BATCH = 16, APART = BATCH + 4; // rows of w; padding puts neighboring lanes in different banks
    threadgroup float *all;

    // Stores a lane's sums of four rows of a batch.
    void put(uint row, float4 sums, uint lane) const { *(threadgroup float4 *)(all + lane * APART + row) = sums; }

    // The sum over all lanes of row lane % BATCH.
    float sum(uint lane) const {
        simdgroup_barrier(mem_flags::mem_threadgroup);
        float part[2] = {};
        for (uint i = 0; i < BATCH; i++) part[i % 2] += all[(lane / BATCH * BATCH + i) * APART + lane % BATCH];
        simdgroup_barrier(mem_flags::mem_threadgroup);
        const float half_of = part[0] + part[1];
        return half_of + simd_shuffle_xor(half_of, ushort(BATCH));
    }
};

// A lane's part of a, prepared for unsigned codes.
template <typename Q>
struct Slice {
    static constant constexpr uint SIZE = 128 / Q::BITS, WORD = 32 / Q::BITS, CHAINS = 2;
    float a[SIZE], sum, half_sum; // the sum of a, and that times −(half the range of codes)

    // Loads n elements of a, 0 past the end. Lanes read neighboring elements from device memory and exchange them through
    // threadgroup memory, which holds 16 per lane at a time.
    void load(device const float *from, uint n, uint lane, threadgroup float *memory) {
        constexpr uint PASSES = SIZE / 16, LANES = SIMD / PASSES, APART = SIZE + 4;
        float4 v[SIZE / 4];
        for (uint i = 0; i < SIZE / 4; i++) {
            const uint at = 4 * (lane + SIMD * i);
            v[i] = at < n ? *(device const float4 *)(from + at) : float4(0.0f);
        }
        for (uint p = 0; p < PASSES; p++) {
            simdgroup_barrier(mem_flags::mem_threadgroup); // the elements of the previous pass have been read
            for (uint i = 0; i < 4; i++) {
                const uint at = 4 * (lane + SIMD * i);
                *(threadgroup float4 *)(memory + at / SIZE * APART + at % SIZE) = v[4 * p + i];
            }
            simdgroup_barrier(mem_flags::mem_threadgroup);
            if (lane / LANES != p) continue;
            for (uint i = 0; i < SIZE; i += 4) {
                const float4 four = *(threadgroup const float4 *)(memory + lane % LANES * APART + i);
                for (uint j = 0; j < 4; j++) a[i + j] = four[j];
            }
        }
        simdgroup_barrier(mem_flags::mem_threadgroup);
        sum = 0.0f;
        for (uint i = 0; i < SIZE; i += 4) sum += (a[i] + a[i + 1]) + (a[i + 2] + a[i + 3]);
        half_sum = -float(1 << (Q::BITS - 1)) * sum;
        for (uint i = 1; Q::BITS == 4 && i < SIZE; i += 2) a[i] *= 0.0625f; // their codes are read as 16 times their value
    }

    // The sum of products with codes. Integer-to-float conversion is slow, so the bits of a code are read as those of a half. It
    // is subnormal, which GPUs of Apple and of NVIDIA preserve in a half (but not in a float).
    float times(uint4 codes) const {
        float part[CHAINS] = {};
        for (uint w = 0; w < 4; w++) {
            for (uint b = 0; b < 2; b++) { // bytes b and b + 2
                const uint pair = codes[w] >> (8 * b), at = w * WORD + b * WORD / 4;
                if (Q::BITS == 8) part[w % CHAINS] = two(at, pair & 0x00ff00ffu, part[w % CHAINS]);
                else part[w % CHAINS] = two(at + 1, pair & 0x00f000f0u, two(at, pair & 0x000f000fu, part[w % CHAINS]));
            }
        }
        return part[0] + part[1];
    }

    float two(uint at, uint bits, float part) const {
        const half2 c = as_type<half2>(bits);
        return fma(a[at + WORD / 2], float(c.y), fma(a[at], float(c.x), part));
    }
};

// The address of a lane's part of the first row of w, and the strides from row to row in bytes.
struct Place {
    device const uchar *q, *scale, *zero;
    uint codes, blocks, last; // the last row, counted from the first
};

// A lane's part of a row of w.
struct Pack {
    uint4 codes;
    float scale, zero;

    void load(thread const Place &p, uint row) {
        row = min(row, p.last); // rows past the end are not stored
        codes = *(device const uint4 *)(p.q + size_t(row) * p.codes);
        scale = scale_at(p.scale + size_t(row) * p.blocks, 0);
        zero = scale_at(p.zero + size_t(row) * p.blocks, 0);
    }
};

template <typename Q, uint AHEAD>
static inline void add_packs(thread const Work &x, threadgroup float *partial, threadgroup float *memory) {
    constexpr uint SIZE = Slice<Q>::SIZE, EACH = 8 / Q::BITS, BATCH = Scratch::BATCH;
    const Scratch scratch = {memory + x.simd * SIMD * Scratch::APART};
    const uint from = x.simd * SIMD * SIZE;
    for (uint d0 = from; d0 < x.k; d0 += x.simds * SIMD * SIZE) {
        const uint d = min(d0 + x.lane * SIZE, x.k - SIZE); // past k, a is 0
        const size_t at = (size_t(x.first) * x.blocks + (x.block == 0 ? 0 : d / x.block)) * scale_bytes();
        const uint bytes = x.k / EACH;
        const Place place = {x.q + size_t(x.first) * bytes + d / EACH, x.scale + at, x.zero + at, bytes,
                             x.blocks * scale_bytes(), x.rows - 1};
        Pack next[AHEAD];
        for (uint o = 0; o < AHEAD; o++) next[o].load(place, o);
        Slice<Q> a;
        a.load(x.a + d0, x.k - d0, x.lane, scratch.all);
#pragma unroll(1)
        for (uint r = 0; r < x.rows; r += AHEAD) {
            float4 sums;
            for (uint o = 0; o < AHEAD; o++) {
                const uint4 codes = next[o].codes ^ (Q::BITS == 4 ? 0x88888888u : 0x80808080u); // plus half their range, so unsigned
                const float scale = next[o].scale, offset = fma(-next[o].zero, a.sum, a.half_sum);
                next[o].load(place, r + AHEAD + o);
                if (Q::BITS == 8) simdgroup_barrier(mem_flags::mem_none); // else the compiler would load later
                sums[o % 4] = scale * fma(a.times(codes), 0x1p24f, offset);
                if (o % 4 == 3) scratch.put((r + o - 3) % BATCH, sums, x.lane);
            }
            if ((r + AHEAD) % BATCH != 0 && r + AHEAD < x.rows) continue;
            const float sum = scratch.sum(x.lane);
            threadgroup float *to = partial + x.simd * QUANT_KEPT_ROWS + r / BATCH * BATCH + x.lane;
            if (x.lane < BATCH) *to = d0 == from ? sum : *to + sum;
        }
    }
}

// One weight at a time, for rows or blocks that are not multiples of 16 bytes of codes.
template <typename Q>
static inline void multiply_each(thread const Work &x, device float *out) {
    for (uint r = x.simd; r < x.rows; r += x.simds) {
        const uint row = x.first + r;
        float sum = 0.0f;
        for (uint d = x.lane; d < x.k; d += SIMD) sum = fma(x.a[d], weight_at<Q>(x.q, x.scale, x.zero, row, d, x.k, x.block), sum);
        sum = simd_sum(sum);
        if (x.lane == 0) out[row] = sum;
    }
}

template <typename Q>
static inline void multiply_packs(thread const Work &x, device float *out, threadgroup float *partial, threadgroup float *memory) {
    if (ahead == 4) add_packs<Q, 4>(x, partial, memory);
    else add_packs<Q, 8>(x, partial, memory);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint r = x.simd * SIMD + x.lane; r < x.rows; r += x.simds * SIMD) {
        float all = 0.0f;
        for (uint s = 0; s < x.simds; s++) all += partial[s * QUANT_KEPT_ROWS + r];
        out[x.first + r] = all;
    }
}

// Engines compile it for threadgroups of at most QUANT_KEPT_THREADS threads; see shaders.AttributeTunable.
template <typename Q>
kernel void matmul_quant_kept(
    device const float *a [[buffer(0)]],
    device const uchar *q [[buffer(1)]],
    device const uchar *scale [[buffer(2)]],
    device const uchar *zero [[buffer(3)]],
    device float *out [[buffer(4)]],
    constant QuantMatmulParams &p [[buffer(5)]],
    threadgroup float *partial [[threadgroup(0)]],
    threadgroup float *memory [[threadgroup(1)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint3 groups [[threadgroups_per_grid]],
    uint3 size [[threads_per_threadgroup]],
    uint simd [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
    const uint each = (p.n + groups.x * 4 - 1) / (groups.x * 4) * 4, first = group.x * each; // rows: a multiple of four
    if (first >= p.n) return;
    const Work x = {a, q, scale, zero, first, min(each, p.n - first), p.k, p.block, blocks_per_row(p.k, p.block), simd, size.x / SIMD, lane};
    if (p.k % Slice<Q>::SIZE == 0 && p.block % Slice<Q>::SIZE == 0) multiply_packs<Q>(x, out, partial, memory);
    else multiply_each<Q>(x, out);
}

#define INSTANTIATE(name, codes)                                                                         \
    template [[host_name(name)]] kernel void matmul_quant_kept<codes>(                                   \
        device const float *, device const uchar *, device const uchar *, device const uchar *,          \
        device float *, constant QuantMatmulParams &, threadgroup float *, threadgroup float *, uint3, \
        uint3, uint3, uint, uint);

INSTANTIATE("matmul_quant_vector_kept_int8", Int8)
INSTANTIATE("matmul_quant_vector_kept_int4", Int4)
