// Elementwise kernels in the style of tensor libraries: macros that make kernels, arguments without attributes.
#include <metal_stdlib>
using namespace metal;

METAL_FUNC uint strided_index(uint idx, constant size_t &num_dims, constant size_t *dims, constant size_t *strides) {
    uint at = 0;
    for (uint d = 0; d < num_dims; d++) {
        uint dim = num_dims - 1 - d;
        at += (idx % dims[dim]) * strides[dim];
        idx /= dims[dim];
    }
    return at;
}

template <typename T> METAL_FUNC T sqr(T in) { return in * in; }
template <typename T> METAL_FUNC T relu_of(T in) { return in > T(0) ? in : T(0); }
template <typename T> constexpr METAL_FUNC int wide() { return sizeof(T) < 4 ? 4 : 1; }

#define UNARY(FN, TYPENAME, FN_NAME, FN_NAME_STRIDED) \
kernel void FN_NAME( \
    constant size_t &dim, \
    device const TYPENAME *input, \
    device TYPENAME *output, \
    uint tid [[ thread_position_in_grid ]] \
) { \
    if (tid >= dim) { \
        return; \
    } \
    output[tid] = TYPENAME(FN(float(input[tid]))); \
} \
kernel void FN_NAME_STRIDED( \
    constant size_t &dim, \
    constant size_t &num_dims, \
    constant size_t *dims, \
    constant size_t *strides, \
    device const TYPENAME *input, \
    device TYPENAME *output, \
    uint tid [[ thread_position_in_grid ]] \
) { \
    if (tid >= dim) { \
        return; \
    } \
    output[tid] = TYPENAME(FN(float(input[strided_index(tid, num_dims, dims, strides)]))); \
}

#define UNARY_OP(NAME) \
UNARY(NAME, float, NAME##_f32, NAME##_f32_strided); \
UNARY(NAME, half, NAME##_f16, NAME##_f16_strided);

UNARY_OP(sqr)
UNARY_OP(relu_of)
UNARY_OP(tanh)

#if __METAL_VERSION__ >= 310
UNARY(sqr, bfloat, sqr_bf16, sqr_bf16_strided)
#endif

template <typename T, uint BLOCK>
METAL_FUNC void sum_rows(constant size_t &src_numel, device const T *src, device T *dst, threadgroup T *shared, uint id, uint dst_id) {
    T sum = 0;
    for (uint i = id; i < src_numel; i += BLOCK) {
        sum += src[dst_id * src_numel + i];
    }
    shared[id] = sum;
    threadgroup_barrier(mem_flags::mem_none);
    #pragma unroll
    for (uint s = BLOCK / 2; s > 0; s >>= 1) {
        if (id < s) {
            shared[id] += shared[id + s];
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (id == 0) dst[dst_id] = shared[0];
}

#define CASE(T, N) \
    case N: { \
        threadgroup T shared[N]; \
        sum_rows<T, N>(src_numel, src, dst, shared, id, dst_id); \
        break; \
    }

#define SUM(NAME, T) \
kernel void NAME(constant size_t &src_numel, device const T *src, device T *dst, \
    uint id [[ thread_position_in_threadgroup ]], uint dst_id [[ threadgroup_position_in_grid ]], \
    uint block [[ threads_per_threadgroup ]]) { \
    switch (block) { \
        CASE(T, 64) \
        CASE(T, 32) \
        default: break; \
    } \
}

SUM(sum_f32, float)
SUM(sum_u32, uint)
