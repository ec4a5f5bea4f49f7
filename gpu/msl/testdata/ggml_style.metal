// Quantized products in the style of language model runtimes: block structs, dequantizers as template arguments, one
// struct of arguments, instances by typedef.
#include <metal_stdlib>

using namespace metal;

#define N_SIMDWIDTH 32
#define FC_BASE 100
#define MAX_OF(x, y) ((x) > (y) ? (x) : (y))
#define FOR_UNROLL(x) _Pragma("clang loop unroll(full)") for (x)
#define QK 32

typedef struct {
    half    d;
    uint8_t qs[QK / 2];
} block_nibble;
static_assert(sizeof(block_nibble) == sizeof(half) + QK / 2, "wrong block size");

typedef struct {
    half   d;
    int8_t qs[QK];
} block_byte;

enum kernel_index { INDEX_ARGS = 0, INDEX_SRC, INDEX_ROWS, INDEX_DST };

typedef struct {
    int32_t  ne00;
    int32_t  ne01;
    uint64_t nb01;
    float    scale;
} kargs_rows;

static constant float kvalues[16] = {
    -127.f, -104.f, -83.f, -65.f, -49.f, -35.f, -22.f, -10.f, 1.f, 13.f, 25.f, 38.f, 53.f, 69.f, 89.f, 113.f,
};

constant short FC_rows [[function_constant(FC_BASE + 0)]];
constant bool FC_scaled [[function_constant(FC_BASE + 1)]];
constant bool scaled = is_function_constant_defined(FC_scaled) ? FC_scaled : false;

// half4x4 holds 16 values of a block
template <typename type4x4>
void dequantize_nibble(device const block_nibble * xb, short il, thread type4x4 & reg) {
    device const uint16_t * qs = ((device const uint16_t *)xb + 1);
    const float  d1    = il ? (xb->d / 16.h) : xb->d;
    const float  md    = -8.h * xb->d;
    const ushort mask0 = il ? 0x00F0 : 0x000F;
    const ushort mask1 = mask0 << 8;
    float4x4 reg_f;
    for (int i = 0; i < 8; i++) {
        reg_f[i / 2][2 * (i % 2) + 0] = d1 * (qs[i] & mask0) + md;
        reg_f[i / 2][2 * (i % 2) + 1] = d1 / 256.f * (qs[i] & mask1) + md;
    }
    reg = (type4x4) reg_f;
}

template <typename type4x4>
void dequantize_byte(device const block_byte * xb, short il, thread type4x4 & reg) {
    device const int8_t * qs = ((device const int8_t *)xb->qs);
    const half d = xb->d;
    for (int i = 0; i < 16; i++) {
        reg[i / 4][i % 4] = (qs[i + 16 * il] * d);
    }
}

template <typename block_q, short nl, void (*dequantize_func)(device const block_q *, short, thread float4x4 &)>
kernel void kernel_get_rows_q(
        constant kargs_rows & args [[buffer(INDEX_ARGS)]],
        device const   void * src0 [[buffer(INDEX_SRC)]],
        device const   void * src1 [[buffer(INDEX_ROWS)]],
        device        float * dst  [[buffer(INDEX_DST)]],
        uint3   tgpig[[threadgroup_position_in_grid]],
        ushort  tiitg[[thread_index_in_threadgroup]],
        ushort3 ntg  [[threads_per_threadgroup]]) {
    const int64_t r = ((const device int32_t *) src1)[tgpig.x];
    for (int64_t ind = tiitg; ind < args.ne00 / 16; ind += ntg.x) {
        float4x4 temp;
        dequantize_func(((device const block_q *) ((const device char *) src0 + r * args.nb01)) + ind / nl, ind % nl, temp);
        *(((device float4x4 *) ((device char *) dst + tgpig.x * args.ne00 * sizeof(float))) + ind) = temp;
    }
}

typedef decltype(kernel_get_rows_q<block_nibble, 2, dequantize_nibble>) get_rows_q_t;

template [[host_name("kernel_get_rows_nibble")]] kernel get_rows_q_t kernel_get_rows_q<block_nibble, 2, dequantize_nibble>;
template [[host_name("kernel_get_rows_byte")]] kernel get_rows_q_t kernel_get_rows_q<block_byte, 2, dequantize_byte>;

kernel void kernel_soft_max_rows(
        constant kargs_rows & args,
        device const char * src0,
        device       char * dst,
        threadgroup float * buf [[threadgroup(0)]],
        uint   tgpig[[threadgroup_position_in_grid]],
        ushort tpitg[[thread_position_in_threadgroup]],
        ushort sgitg[[simdgroup_index_in_threadgroup]],
        ushort tiisg[[thread_index_in_simdgroup]],
        ushort tptg [[threads_per_threadgroup]]) {
    device const float * psrc = (device const float *) (src0 + tgpig * args.nb01);
    device       float * pdst = (device float *) (dst + tgpig * args.nb01);
    float lmax = -INFINITY;
    for (int i = tpitg; i < args.ne00; i += tptg) {
        lmax = MAX_OF(lmax, psrc[i] * (scaled ? args.scale : 1.0f));
    }
    float max_val = simd_max(lmax);
    if (tptg > N_SIMDWIDTH) {
        if (sgitg == 0) {
            buf[tiisg] = -INFINITY;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (tiisg == 0) {
            buf[sgitg] = max_val;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        max_val = simd_max(buf[tiisg]);
    }
    float lsum = 0.0f;
    for (int i = tpitg; i < args.ne00; i += tptg) {
        const float e = exp(psrc[i] * (scaled ? args.scale : 1.0f) - max_val);
        lsum += e;
        pdst[i] = e;
    }
    const float sum = simd_sum(lsum) + kvalues[FC_rows & 15] * 0.0f;
    FOR_UNROLL (short j = 0; j < 1; ++j) {
        for (int i = tpitg; i < args.ne00; i += tptg) {
            pdst[i] /= sum;
        }
    }
}
