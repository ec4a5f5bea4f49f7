// Kernels in the style of a framework's own library: helpers in nested namespaces, functors, names in full, arrays of sizes
// as template parameters, registration macros.
#include <metal_atomic>
#include <metal_stdlib>

namespace c10ish {
namespace metal {

namespace detail {
template <typename T>
struct OpMath {
  using type = T;
};
template <>
struct OpMath<half> {
  using type = float;
};
template <>
struct OpMath<bfloat> {
  using type = float;
};
} // namespace detail

template <typename T>
using opmath_t = typename detail::OpMath<T>::type;

template <typename T, unsigned N>
struct array {
  using size_type = uint;
  T elems[N];

  constexpr constant T& operator[](size_type i) constant {
    return elems[i];
  }
  T operator[](size_type i) const thread {
    return elems[i];
  }
};

template <typename T, ::metal::enable_if_t<::metal::is_integral_v<T>, bool> = true>
inline T floor_divide(T a, T b) {
  return a / b;
}
template <typename T, ::metal::enable_if_t<!::metal::is_integral_v<T>, bool> = true>
inline T floor_divide(T a, T b) {
  return ::metal::floor(a / b);
}

template <typename T>
inline ::metal::enable_if_t<::metal::is_floating_point_v<T>, T> max_nan(T a, T b) {
  return (::metal::isunordered(a, b) ? T(NAN) : ::metal::max(a, b));
}
template <typename T>
inline ::metal::enable_if_t<::metal::is_integral_v<T>, T> max_nan(T a, T b) {
  return ::metal::max(a, b);
}

} // namespace metal
} // namespace c10ish

using namespace c10ish::metal;

struct add_functor {
  template <typename T>
  inline T operator()(const T a, const T b, const T alpha) {
    return static_cast<T>(a + opmath_t<T>(alpha) * b);
  }
};

struct lerp_functor {
  template <typename T>
  inline T operator()(const T a, const T b, const T w) {
    return static_cast<T>(::metal::fma(opmath_t<T>(b) - opmath_t<T>(a), opmath_t<T>(w), opmath_t<T>(a)));
  }
};

template <typename T, typename F>
kernel void alpha_dense(
    device T* output [[buffer(0)]],
    constant T* input [[buffer(1)]],
    constant T* other [[buffer(2)]],
    constant T& alpha [[buffer(3)]],
    uint tid [[thread_position_in_grid]]) {
  F f;
  output[tid] = f(input[tid], other[tid], alpha);
}

template <typename T, unsigned N = 4>
kernel void offsets(
    device T* output [[buffer(0)]],
    constant array<long, N>& sizes [[buffer(1)]],
    constant ::metal::array<uint, 2>& counts [[buffer(2)]],
    device ::metal::atomic<float>* total [[buffer(3)]],
    uint2 tid [[thread_position_in_grid]],
    uint2 grid [[threads_per_grid]]) {
  T v = 0;
  for (unsigned i = 0; i < N; ++i) {
    v = max_nan(v, static_cast<T>(floor_divide<long>(sizes[i], 2)));
  }
  output[tid.y * grid.x + tid.x] = v;
  ::metal::atomic_fetch_add_explicit(total, static_cast<float>(v) + counts[0], ::metal::memory_order_relaxed);
}

#define REGISTER_ALPHA(NAME, DTYPE)                                         \
  template [[host_name(#NAME "_dense_" #DTYPE)]] kernel void ::alpha_dense< \
      DTYPE,                                                                \
      NAME##_functor>(                                                      \
      device DTYPE * output [[buffer(0)]],                                  \
      constant DTYPE * input [[buffer(1)]],                                 \
      constant DTYPE * other [[buffer(2)]],                                 \
      constant DTYPE & alpha [[buffer(3)]],                                 \
      uint tid [[thread_position_in_grid]])

#define REGISTER_OFFSETS(DTYPE)                                            \
  template [[host_name("offsets_" #DTYPE)]] kernel void offsets<DTYPE>(    \
      device DTYPE*, constant array<long, 4>&, constant ::metal::array<uint, 2>&, \
      device ::metal::atomic<float>*, uint2, uint2)

REGISTER_ALPHA(add, float);
REGISTER_ALPHA(add, half);
REGISTER_ALPHA(add, bfloat);
REGISTER_ALPHA(add, long);
REGISTER_ALPHA(lerp, float);
REGISTER_ALPHA(lerp, half);
REGISTER_OFFSETS(float);
REGISTER_OFFSETS(int);
