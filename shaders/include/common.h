// What every kernel file includes first.
//
// Compile with fast math off (MTLMathModeSafe; before macOS 15, fastMathEnabled = NO). Metal's default is fast math,
// under which NaN and infinity are undefined: comparisons with NaN in act_relu, infinite sums in GELU and the products,
// and the infinities that quantize starts from would not be what the references say.
#include <metal_stdlib>
using namespace metal;

// Threads of a SIMD group, on every Apple GPU.
constant constexpr uint SIMD = 32;
