// Prepended to every kernel file, because MSL compiled at run time has no include path.
//
// Compile with fast math off (MTLMathModeSafe; before macOS 15, fastMathEnabled = NO). Metal's default is fast math,
// under which NaN and infinity are undefined: comparisons with NaN in relu_nan, infinite sums in GELU and the products,
// and the infinities that quantise starts from would not be what the references say.
#include <metal_stdlib>
using namespace metal;

// GELU, tanh form: 0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))), written as x·σ(2u) so that it needs one exp.
static inline float gelu_tanh(float x) {
    const float u = 0.7978845608028654f * (x + 0.044715f * x * x * x);
    return x / (1.0f + exp(-2.0f * u));
}

// ReLU that keeps NaN, as the reference does.
static inline float relu_nan(float x) { return x < 0.0f ? 0.0f : x; }
