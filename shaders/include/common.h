// Included first by every kernel file.
//
// Compile with fast math off (MTLMathModeSafe; before macOS 15, fastMathEnabled = NO). Under fast math, Metal's default, NaN and
// infinity are undefined: comparisons with NaN in act_relu, infinite sums in GELU and the GEMMs, and the infinities that quantize
// starts from would not match the references.
#include <metal_stdlib>
using namespace metal;

// Threads per SIMD group, on every Apple GPU.
constant constexpr uint SIMD = 32;
