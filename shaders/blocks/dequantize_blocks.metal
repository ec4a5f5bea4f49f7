// Dequantizes the blocks of a [rows, cols] matrix to floats, four weights per thread.

#include "common.h"
#include "blocks.h"
#include "params/blocks.h"

template <typename B>
kernel void dequantize_blocks(device const uchar *blocks [[buffer(0)]],
                              device float *out [[buffer(1)]],
                              constant BlockParams &p [[buffer(2)]],
                              uint group [[threadgroup_position_in_grid]],
                              uint local [[thread_position_in_threadgroup]],
                              uint size [[threads_per_threadgroup]]) {
    constexpr uint FOURS = B::WEIGHTS / 4;
    const size_t four = size_t(group) * size + local;
    if (four >= size_t(p.rows) * (p.cols / 4)) return;
    const size_t block = four / FOURS;
    *(device float4 *)(out + 4 * four) = four_weights<B>(blocks + block * B::BYTES, 4 * uint(four - block * FOURS));
}

#define INSTANTIATE(name, blocks)                                                            \
    template [[host_name("dequantize_blocks_" name)]] kernel void dequantize_blocks<blocks>( \
        device const uchar *, device float *, constant BlockParams &, uint, uint, uint);

INSTANTIATE("q8_0", Q8_0)
INSTANTIATE("q6_K", Q6_K)
INSTANTIATE("q4_1", Q4_1)
INSTANTIATE("q4_K", Q4_K)
INSTANTIATE("q4_0", Q4_0)
