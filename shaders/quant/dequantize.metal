// Dequantizes the codes of a [rows, cols] matrix to floats; see quantize.metal for what they stand for. A thread takes PIECES
// vectors of four codes of a row.

#include "common.h"
#include "codes.h"
#include "scales.h"
#include "params/quant.h"

constant constexpr uint PIECES = 2;

// Four codes of a row, from column `col` on. Both `col` and the length of the row are multiples of four.
static inline uint load_four(device const uchar *q, size_t row, uint col, uint cols, uint bits) {
    device const uchar *at = q + (row * cols + col) / (8 / bits);
    return bits == 8 ? *(device const uint *)at : bits == 4 ? *(device const ushort *)at : *at;
}
template <typename Q>
struct Fours : Q {
    static float4 codes(uint four) {
        constexpr uint MASK = (1u << Q::BITS) - 1;
        return float4(Q::one(four & MASK), Q::one(four >> Q::BITS & MASK), Q::one(four >> (2 * Q::BITS) & MASK), Q::one(four >> (3 * Q::BITS)));
    }
};
struct Int8Fours : Int8 {
    static float4 codes(uint four) { return float4(as_type<char4>(four)); }
};
struct Int4Fours : Int4 {
    static float4 codes(uint four) {
        const uint4 nibbles = uint4(four, four >> 4, four >> 8, four >> 12) & 15u;
        return float4(int4(nibbles ^ 8u) - 8);
    }
};

// Four codes, and their block's scale and zero point.
template <typename Q>
struct Piece {
    uint bits;
    float scale, zero;

    float4 floats() const { return (Q::ZEROS ? Q::codes(bits) - zero : Q::codes(bits)) * scale; }
};

template <typename Q>
kernel void dequantize(device const uchar *q [[buffer(0)]],
                       device const uchar *scale [[buffer(1)]],
                       device const uchar *zero [[buffer(2)]],
                       device float *out [[buffer(3)]],
                       constant QuantParams &p [[buffer(4)]],
                       uint2 group [[threadgroup_position_in_grid]],
                       uint2 local [[thread_position_in_threadgroup]],
                       uint2 size [[threads_per_threadgroup]]) {
    const uint all = PIECES * 4 * size.x, parts = (p.cols + all - 1) / all; // parts: per row
    const uint row = group.x / parts * size.y + local.y, begin = group.x % parts * all;
    if (row >= p.rows) return;
    device float *to = out + size_t(row) * p.cols;
    if (p.cols % 4 != 0 || p.block % 4 != 0) {
        for (uint c = begin + local.x; c < min(begin + all, p.cols); c += size.x) to[c] = weight_at<Q>(q, scale, zero, row, c, p.cols, p.block);
        return;
    }
    const uint first = begin + 4 * local.x, apart = 4 * size.x;
    const uint block = p.block == 0 ? p.cols : p.block, row_block = row * blocks_per_row(p.cols, p.block);
    Piece<Q> pieces[PIECES];
    for (uint i = 0; i < PIECES; i++) { // all loads come before the first store
        const uint c = min(first + i * apart, p.cols - 4), b = row_block + c / block;
        pieces[i] = {load_four(q, row, c, p.cols, Q::BITS), scale_at(scale, b), Q::ZEROS ? scale_at(zero, b) : 0.0f};
    }
    for (uint i = 0; i < PIECES; i++)
        if (first + i * apart < p.cols) *(device float4 *)(to + first + i * apart) = pieces[i].floats();
}

#define INSTANTIATE(name, codes)                                    \
    template [[host_name(name)]] kernel void dequantize<codes>(     \
        device const uchar *, device const uchar *, device const uchar *, device float *, constant QuantParams &, uint2, uint2, uint2);

INSTANTIATE("dequantize_int8", Int8Fours)
INSTANTIATE("dequantize_int4", Int4Fours)
INSTANTIATE("dequantize_e4m3", Fours<E4M3>)
INSTANTIATE("dequantize_e5m2", Fours<E5M2>)
INSTANTIATE("dequantize_ternary", Fours<Ternary>)
