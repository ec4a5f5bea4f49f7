// Activation functions, shared by the epilogues and the elementwise kernels.
#include "params/activation.h"

// ReLU that propagates NaN, as the reference does.
static inline float act_relu(float x) { return x < 0.0f ? 0.0f : x; }

// GELU, tanh form: 0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))), written as x·σ(2u) to need only one exp.
static inline float act_gelu(float x) {
    const float u = x * (-2.3022081984f - 0.1029432407f * x * x); // −2u·log₂ e
    return fast::divide(x, 1.0f + fast::exp2(u));
}

// The activation that a function constant selects.
static inline float activate(int activation, float x) {
    switch (activation) {
#define ACTIVATION(value, name) \
    case value: return act_##name(x);
        ACTIVATIONS(ACTIVATION)
#undef ACTIVATION
    }
    return x;
}
