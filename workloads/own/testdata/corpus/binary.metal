#include <metal_stdlib>
using namespace metal;

struct Add { template <typename T> T operator()(T x, T y) { return x + y; } };
struct Maximum { template <typename T> T operator()(T x, T y) { return metal::max(x, y); } };
struct Remainder { template <typename T> T operator()(T x, T y) { return x % y; } };

template <typename T, typename U, typename Op>
[[kernel]] void binary_g(device const T *a [[buffer(0)]], device const T *b [[buffer(1)]], device U *c [[buffer(2)]],
                         constant const int *shape [[buffer(3)]], constant const size_t *b_strides [[buffer(4)]],
                         uint2 index [[thread_position_in_grid]], uint2 grid_dim [[threads_per_grid]]) {
    size_t at = index.x + grid_dim.x * size_t(index.y);
    c[at] = Op()(a[at], b[index.y * b_strides[0] + index.x * b_strides[1]]);
}

template [[host_name("g2_add_float")]] [[kernel]] void binary_g<float, float, Add>(device const float *, device const float *, device float *, constant const int *, constant const size_t *, uint2, uint2);
template [[host_name("g2_maximum_half")]] [[kernel]] void binary_g<half, half, Maximum>(device const half *, device const half *, device half *, constant const int *, constant const size_t *, uint2, uint2);
template [[host_name("g2_remainder_uint")]] [[kernel]] void binary_g<uint, uint, Remainder>(device const uint *, device const uint *, device uint *, constant const int *, constant const size_t *, uint2, uint2);
