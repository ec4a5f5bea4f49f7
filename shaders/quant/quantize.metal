// Block quantization of a [rows, cols] float matrix.
//
// A block is `block` neighboring elements of a row; the last block of a row may be shorter. quantize_tensor.metal takes a whole
// tensor as one block. Code q stands for (q − zero)·scale. Affine: scale = (max − min)/(top − bottom), zero = bottom − min/scale.
// Symmetric, and for code types without zero points: scale = absmax/top, zero = 0. A constant block has scale = its value and
// zero = 0, so that it is restored exactly, up to the rounding of an f16 scale. Ternary: scale = the mean magnitude. Where the
// scale would not be a normal number, scale = 1 and zero = 0.
//
// 1 << QUANTIZE_DOUBLED lanes of a SIMD group share a block. Each keeps QUANTIZE_KEPT vectors of four elements in registers; the
// rest of a long block is read twice.

#include "common.h"
#include "codes.h"
#include "scale_zero.h"
#include "params/quant.h"

constant bool symmetric [[function_constant(QUANTIZE_SYMMETRIC)]];

// pack() makes the codes of four values; put_four() stores them, and put_some() only the first `count` of them, at a new byte.
template <typename Q>
static inline uint pack(float4 v, float2 sz) {
    return code_for<Q>(v.x, sz) | code_for<Q>(v.y, sz) << Q::BITS | code_for<Q>(v.z, sz) << (2 * Q::BITS) | code_for<Q>(v.w, sz) << (3 * Q::BITS);
}
static inline void put_four(device uchar *q, uint four, uint bits) {
    if (bits == 8) *(device uint *)q = four;
    else if (bits == 4) *(device ushort *)q = ushort(four);
    else *q = uchar(four);
}
static inline void put_some(device uchar *q, uint four, uint count, uint bits) {
    if (count < 4) four &= (1u << (count * bits)) - 1;
    for (uint b = 0; b < bits / 2; b++)
        if (8 * b < count * bits) q[b] = uchar(four >> (8 * b));
}

// One lane's part of a block of `size` elements. WHOLE: the block's size and start are multiples of four.
template <typename Q, bool WHOLE>
struct Share {
    device const float *x;
    device uchar *q;
    uint size, local, lanes;

    uint at(uint i) const { return (local + i * lanes) * 4; }

    // Four elements; past the block, they repeat some of it.
    float4 four(uint i) const {
        if (WHOLE) return *(device const float4 *)(x + min(at(i), size - 4));
        float4 v;
        for (uint e = 0; e < 4; e++) v[e] = x[min(at(i) + e, size - 1)];
        return v;
    }

    // The sum of the magnitudes of those that lie in the block.
    float sum(uint i, float4 v) const {
        const float4 m = abs(v);
        if (WHOLE) return at(i) < size ? m.x + m.y + (m.z + m.w) : 0.0f;
        float sum = 0.0f;
        for (uint e = 0; e < 4; e++) sum += at(i) + e < size ? m[e] : 0.0f;
        return sum;
    }

    void put(uint i, float4 v, float2 sz) const {
        if (at(i) >= size) return;
        if (WHOLE) put_four(q + at(i) * Q::BITS / 8, pack<Q>(v, sz), Q::BITS);
        else put_some(q + at(i) * Q::BITS / 8, pack<Q>(v, sz), size - at(i), Q::BITS);
    }
};

static inline float lowest(float4 v) { return min(min(v.x, v.y), min(v.z, v.w)); }
static inline float highest(float4 v) { return max(max(v.x, v.y), max(v.z, v.w)); }

template <typename Q, bool WHOLE>
static inline void quantize_block(device const float *x, device uchar *q, device uchar *scale, device uchar *zero,
                                  constant QuantParams &p, uint id) {
    const uint doubled = QUANTIZE_DOUBLED(p.block), lanes = 1u << doubled, per_row = blocks_per_row(p.cols, p.block);
    const uint index = min(id >> doubled, p.rows * per_row - 1); // clamped: all lanes of a SIMD group must reach the shuffles
    const uint row = index / per_row, first = index % per_row * p.block;
    const Share<Q, WHOLE> mine = {
        x + size_t(row) * p.cols + first, q + row * row_bytes<Q>(p.cols) + size_t(first) * Q::BITS / 8, min(p.block, p.cols - first),
        id & (lanes - 1), lanes,
    };
    float4 kept[QUANTIZE_KEPT];
    for (uint i = 0; i < QUANTIZE_KEPT; i++) kept[i] = mine.four(i);
    float lo = lowest(kept[0]), hi = highest(kept[0]), sum = 0.0f;
    for (uint i = 1; i < QUANTIZE_KEPT; i++) lo = min(lo, lowest(kept[i])), hi = max(hi, highest(kept[i]));
    for (uint i = 0; Q::MEAN && i < QUANTIZE_KEPT; i++) sum += mine.sum(i, kept[i]);
    for (uint i = QUANTIZE_KEPT; mine.at(i) < mine.size; i++) {
        const float4 v = mine.four(i);
        lo = min(lo, lowest(v)), hi = max(hi, highest(v));
        if (Q::MEAN) sum += mine.sum(i, v);
    }
    for (uint step = 1; step < lanes; step *= 2) {
        lo = min(lo, simd_shuffle_xor(lo, ushort(step)));
        hi = max(hi, simd_shuffle_xor(hi, ushort(step)));
        if (Q::MEAN) sum += simd_shuffle_xor(sum, ushort(step));
    }
    if (id >> doubled > index) return;
    const float2 sz = scale_zero<Q>(lo, hi, sum, float(mine.size), symmetric);
    for (uint i = 0; i < QUANTIZE_KEPT; i++) mine.put(i, kept[i], sz);
    for (uint i = QUANTIZE_KEPT; mine.at(i) < mine.size; i++) mine.put(i, mine.four(i), sz);
    if (mine.local > 0) return;
    put_scale(scale, index, sz.x);
    if (Q::ZEROS) put_scale(zero, index, sz.y);
}

template <typename Q>
kernel void quantize(device const float *x [[buffer(0)]],
                     device uchar *q [[buffer(1)]],
                     device uchar *scale [[buffer(2)]],
                     device uchar *zero [[buffer(3)]],
                     constant QuantParams &p [[buffer(4)]],
                     uint id [[thread_position_in_grid]]) {
    if (p.cols % 4 == 0 && p.block % 4 == 0) quantize_block<Q, true>(x, q, scale, zero, p, id);
    else quantize_block<Q, false>(x, q, scale, zero, p, id);
}

#define INSTANTIATE(name, codes)                                 \
    template [[host_name(name)]] kernel void quantize<codes>(    \
        device const float *, device uchar *, device uchar *, device uchar *, constant QuantParams &, uint);

INSTANTIATE("quantize_int8", ToInt8)
INSTANTIATE("quantize_int4", ToInt4)
INSTANTIATE("quantize_e4m3", ToE4M3)
INSTANTIATE("quantize_e5m2", ToE5M2)
INSTANTIATE("quantize_ternary", ToTernary)
