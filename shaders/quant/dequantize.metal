// int8 and int4 codes of a [rows, cols] matrix back to floats; see quantize.metal for what they stand for. A thread takes PIECES
// times four codes of a row.

#include "common.h"
#include "codes.h"
#include "params/quant.h"

constant constexpr uint PIECES = 2;

// The four codes of a row from column `col` on, a multiple of four, in a row of a multiple of four.
struct Int8Fours : Int8 {
    static uint bits(device const uchar *q, size_t row, uint col, uint cols) { return *(device const uint *)(q + row * cols + col); }
    static float4 codes(uint bits) { return float4(as_type<char4>(bits)); }
};
struct Int4Fours : Int4 {
    static uint bits(device const uchar *q, size_t row, uint col, uint cols) {
        return *(device const ushort *)(q + row * (cols / 2) + col / 2);
    }
    static float4 codes(uint bits) {
        const uint4 nibbles = uint4(bits, bits >> 4, bits >> 8, bits >> 12) & 15u;
        return float4(int4(nibbles ^ 8u) - 8);
    }
};

// Four codes, and what they stand for.
template <typename Q>
struct Piece {
    uint bits;
    float scale, zero;

    float4 floats() const { return (Q::codes(bits) - zero) * scale; }
};

template <typename Q>
kernel void dequantize(device const uchar *q [[buffer(0)]],
                       device const float *scale [[buffer(1)]],
                       device const float *zero [[buffer(2)]],
                       device float *out [[buffer(3)]],
                       constant QuantParams &p [[buffer(4)]],
                       uint2 group [[threadgroup_position_in_grid]],
                       uint2 local [[thread_position_in_threadgroup]],
                       uint2 size [[threads_per_threadgroup]]) {
    const uint all = PIECES * 4 * size.x, parts = (p.cols + all - 1) / all; // of a row
    const uint row = group.x / parts * size.y + local.y, begin = group.x % parts * all;
    if (row >= p.rows) return;
    device float *to = out + size_t(row) * p.cols;
    if (p.cols % 4 != 0 || p.block % 4 != 0) {
        for (uint c = begin + local.x; c < min(begin + all, p.cols); c += size.x) {
            const uint b = block_of(row, c, p.cols, p.block);
            to[c] = (Q::code(q, row, c, p.cols) - zero[b]) * scale[b];
        }
        return;
    }
    const uint first = begin + 4 * local.x, apart = 4 * size.x;
    const uint block = p.block == 0 ? p.cols : p.block, row_block = row * blocks_per_row(p.cols, p.block);
    Piece<Q> pieces[PIECES];
    for (uint i = 0; i < PIECES; i++) { // all loads come before the first store
        const uint c = min(first + i * apart, p.cols - 4), b = row_block + c / block;
        pieces[i] = {Q::bits(q, row, c, p.cols), scale[b], zero[b]};
    }
    for (uint i = 0; i < PIECES; i++)
        if (first + i * apart < p.cols) *(device float4 *)(to + first + i * apart) = pieces[i].floats();
}

template [[host_name("dequantize_int8")]] kernel void dequantize<Int8Fours>(
    device const uchar *, device const float *, device const float *, device float *, constant QuantParams &, uint2, uint2, uint2);
template [[host_name("dequantize_int4")]] kernel void dequantize<Int4Fours>(
    device const uchar *, device const float *, device const float *, device float *, constant QuantParams &, uint2, uint2, uint2);
