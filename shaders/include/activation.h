// Activations, which epilogues share with the elementwise kernels.

// GELU, tanh form: 0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))), written as x·σ(2u) so that it needs one exp.
static inline float gelu_tanh(float x) {
    const float u = 0.7978845608028654f * (x + 0.044715f * x * x * x);
    return x / (1.0f + exp(-2.0f * u));
}

// ReLU that keeps NaN, as the reference does.
static inline float relu_nan(float x) { return x < 0.0f ? 0.0f : x; }
