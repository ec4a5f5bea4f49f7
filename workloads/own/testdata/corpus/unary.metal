#include <metal_stdlib>
using namespace metal;

struct Exp { template <typename T> T operator()(T x) { return exp(x); } };
struct Square { template <typename T> T operator()(T x) { return x * x; } };
struct Sigmoid { template <typename T> T operator()(T x) { T y = T(1 / (1 + exp(abs(float(x))))); return (x < T(0)) ? y : T(1 - y); } };
struct Rsqrt { template <typename T> T operator()(T x) { return rsqrt(x); } };
struct Sign { template <typename T> T operator()(T x) { return (x > T(0)) - (x < T(0)); } };

template <typename T, typename Op>
[[kernel]] void unary_v(device const T *in, device T *out, constant uint &size, uint index [[thread_position_in_grid]]) {
    if (index < size) out[index] = Op()(in[index]);
}

#define instantiate(name, T, op) \
    template [[host_name(name)]] [[kernel]] void unary_v<T, op>(device const T *, device T *, constant uint &, uint);
instantiate("v_exp_float", float, Exp)
instantiate("v_exp_half", half, Exp)
instantiate("v_square_float", float, Square)
instantiate("v_square_int", int, Square)
instantiate("v_sigmoid_float", float, Sigmoid)
instantiate("v_sigmoid_bfloat", bfloat, Sigmoid)
instantiate("v_rsqrt_float", float, Rsqrt)
instantiate("v_sign_float", float, Sign)
