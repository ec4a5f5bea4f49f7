// Block quantization of a [rows, cols] float matrix to int8 or int4.
//
// A block is `block` neighbors of one row; the last block of a row may be shorter. quantize_tensor.metal takes a whole
// tensor for a block. Code q stands for (q − zero)·scale. Affine: scale = (max − min)/(qmax − qmin), zero = qmin − min/scale.
// Symmetric: scale = absmax/qmax, zero = 0. A constant block has scale = its value and zero = 0, so it comes back
// exactly. Where the scale would not be a normal number it is 1 and zero = 0.
//
// 1 << QUANTIZE_DOUBLED lanes of a SIMD group share a block. Each keeps QUANTIZE_KEPT times four elements in registers; what a long block
// has beyond these is read twice.

#include "common.h"
#include "codes.h"
#include "quantize.h"
#include "params/quant.h"

constant bool symmetric [[function_constant(QUANTIZE_SYMMETRIC)]];

// Where the codes of a row lie, and how four of them are stored, or the first `count` of four.
struct Int8Row : Int8 {
    static size_t bytes(uint cols) { return cols; }
    static size_t place(uint col) { return col; }
    static void put4(device uchar *q, int4 c) {
        const uint4 b = uint4(c) & 255u;
        *(device uint *)q = b.x | b.y << 8 | b.z << 16 | b.w << 24;
    }
    static void put(device uchar *q, int4 c, uint count) {
        for (uint e = 0; e < 4; e++)
            if (e < count) q[e] = uchar(c[e]);
    }
};
struct Int4Row : Int4 {
    static size_t bytes(uint cols) { return (cols + 1) / 2; }
    static size_t place(uint col) { return col / 2; }
    static void put4(device uchar *q, int4 c) {
        const uint4 b = uint4(c) & 15u;
        *(device ushort *)q = ushort(b.x | b.y << 4 | b.z << 8 | b.w << 12);
    }
    static void put(device uchar *q, int4 c, uint count) {
        for (uint e = 0; e < 4; e += 2)
            if (e < count) q[e / 2] = uchar(nibble(c[e]) | (e + 1 < count ? nibble(c[e + 1]) << 4 : 0));
    }
};

// What one lane has of a block of `size` elements. WHOLE: they are a multiple of four, and begin at one.
template <typename Q, bool WHOLE>
struct Share {
    device const float *x;
    device uchar *q;
    uint size, local, lanes;

    uint at(uint i) const { return (local + i * lanes) * 4; }

    // Four elements; beyond the block they repeat some of it.
    float4 four(uint i) const {
        if (WHOLE) return *(device const float4 *)(x + min(at(i), size - 4));
        float4 v;
        for (uint e = 0; e < 4; e++) v[e] = x[min(at(i) + e, size - 1)];
        return v;
    }

    void put(uint i, float4 v, float2 sz) const {
        if (at(i) >= size) return;
        const int4 codes = int4(code_for<Q>(v.x, sz), code_for<Q>(v.y, sz), code_for<Q>(v.z, sz), code_for<Q>(v.w, sz));
        if (WHOLE) Q::put4(q + Q::place(at(i)), codes);
        else Q::put(q + Q::place(at(i)), codes, size - at(i));
    }
};

static inline float lowest(float4 v) { return min(min(v.x, v.y), min(v.z, v.w)); }
static inline float highest(float4 v) { return max(max(v.x, v.y), max(v.z, v.w)); }

template <typename Q, bool WHOLE>
static inline void quantize_block(device const float *x, device uchar *q, device float *scale, device float *zero,
                                  constant QuantParams &p, uint id) {
    const uint doubled = QUANTIZE_DOUBLED(p.block), lanes = 1u << doubled, per_row = blocks_per_row(p.cols, p.block);
    const uint index = min(id >> doubled, p.rows * per_row - 1); // all lanes of a SIMD group reach the shuffles
    const uint row = index / per_row, first = index % per_row * p.block;
    const Share<Q, WHOLE> mine = {
        x + size_t(row) * p.cols + first, q + size_t(row) * Q::bytes(p.cols) + Q::place(first), min(p.block, p.cols - first), id & (lanes - 1), lanes,
    };
    float4 kept[QUANTIZE_KEPT];
    for (uint i = 0; i < QUANTIZE_KEPT; i++) kept[i] = mine.four(i);
    float lo = lowest(kept[0]), hi = highest(kept[0]);
    for (uint i = 1; i < QUANTIZE_KEPT; i++) lo = min(lo, lowest(kept[i])), hi = max(hi, highest(kept[i]));
    for (uint i = QUANTIZE_KEPT; mine.at(i) < mine.size; i++) {
        const float4 v = mine.four(i);
        lo = min(lo, lowest(v)), hi = max(hi, highest(v));
    }
    for (uint step = 1; step < lanes; step *= 2) {
        lo = min(lo, simd_shuffle_xor(lo, ushort(step)));
        hi = max(hi, simd_shuffle_xor(hi, ushort(step)));
    }
    if (id >> doubled > index) return;
    const float2 sz = scale_zero<Q>(lo, hi, symmetric);
    for (uint i = 0; i < QUANTIZE_KEPT; i++) mine.put(i, kept[i], sz);
    for (uint i = QUANTIZE_KEPT; mine.at(i) < mine.size; i++) mine.put(i, mine.four(i), sz);
    if (mine.local > 0) return;
    scale[index] = sz.x;
    zero[index] = sz.y;
}

template <typename Q>
kernel void quantize(device const float *x [[buffer(0)]],
                     device uchar *q [[buffer(1)]],
                     device float *scale [[buffer(2)]],
                     device float *zero [[buffer(3)]],
                     constant QuantParams &p [[buffer(4)]],
                     uint id [[thread_position_in_grid]]) {
    if (p.cols % 4 == 0 && p.block % 4 == 0) quantize_block<Q, true>(x, q, scale, zero, p, id);
    else quantize_block<Q, false>(x, q, scale, zero, p, id);
}

template [[host_name("quantize_int8")]] kernel void quantize<Int8Row>(
    device const float *, device uchar *, device float *, device float *, constant QuantParams &, uint);
template [[host_name("quantize_int4")]] kernel void quantize<Int4Row>(
    device const float *, device uchar *, device float *, device float *, constant QuantParams &, uint);
