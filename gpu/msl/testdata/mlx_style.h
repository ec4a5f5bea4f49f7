#pragma once

#define instantiate_kernel(name, func, ...) \
  template [[host_name(name)]] [[kernel]] decltype(func<__VA_ARGS__>) func<__VA_ARGS__>;

#define TILE_CONST static constant constexpr const
#define TILE_UNROLL _Pragma("clang loop unroll(full)")

namespace tile {

template <typename T>
struct pointee {};
template <typename T>
struct pointee<thread T*> {
  using type = metal::remove_cv_t<T>;
};
template <typename T>
struct pointee<device T*> {
  using type = metal::remove_cv_t<T>;
};
template <typename T>
struct pointee<threadgroup T*> {
  using type = metal::remove_cv_t<T>;
};
template <typename T>
using pointee_t = typename pointee<metal::remove_cv_t<T>>::type;

struct complex32 {
  float real;
  float imag;

  complex32() = default;
  constexpr complex32(float re, float im) : real(re), imag(im) {}

  template <typename T, typename = typename metal::enable_if<metal::is_arithmetic_v<T>>::type>
  constexpr complex32(T x) thread : real(x), imag(0) {}
  template <typename T, typename = typename metal::enable_if<metal::is_arithmetic_v<T>>::type>
  constexpr complex32(T x) threadgroup : real(x), imag(0) {}
  template <typename T, typename = typename metal::enable_if<metal::is_arithmetic_v<T>>::type>
  constexpr complex32(T x) device : real(x), imag(0) {}
  template <typename T, typename = typename metal::enable_if<metal::is_arithmetic_v<T>>::type>
  constexpr complex32(T x) constant : real(x), imag(0) {}

  constexpr operator float() const thread {
    return real;
  }
  constexpr operator float() const threadgroup {
    return real;
  }
  constexpr operator float() const device {
    return real;
  }
  constexpr operator float() const constant {
    return real;
  }
};

constexpr complex32 operator*(complex32 a, complex32 b) {
  return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
}
constexpr complex32 operator+(complex32 a, complex32 b) {
  return {a.real + b.real, a.imag + b.imag};
}

} // namespace tile
