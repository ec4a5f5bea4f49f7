// Shared by the byte-entropy kernels: windows, and the terms of the sum.
#include "params/entropy.h"

constant constexpr uint CODES = 256;

struct Window {
    uint first, last;
    uint bytes() const { return last - first; }
};

// Window `index`, whose center lies in the array.
static inline Window window_of(uint index, constant EntropyParams &p) {
    const uint center = index * p.stride;
    return {center > ENTROPY_HALF ? center - ENTROPY_HALF : 0, p.n - center > ENTROPY_HALF ? center + ENTROPY_HALF : p.n};
}

static inline float term(uint count) { return count > 1 ? float(count) * log2(float(count)) : 0.0f; }

// For counts c of T bytes, the entropy is log2(T) − Σ c·log2(c) / T.
static inline float entropy_of(float sum, Window w) {
    const float bytes = float(w.bytes());
    return (log2(bytes) - sum / bytes) / 8.0f;
}
