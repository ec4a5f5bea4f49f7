// What the quantizers share: scales and codes.

constant constexpr float SMALLEST = 1.17549435e-38f; // smallest normal float: below it GPUs flush to zero

// Scale (x) and zero point (y) of a block whose values lie in [lo, hi].
template <typename Q>
static inline float2 scale_zero(float lo, float hi, bool symmetric) {
    if (lo == hi) return float2(abs(lo) < SMALLEST ? 1.0f : lo, 0.0f);
    const float scale = symmetric ? max(abs(lo), abs(hi)) / Q::qmax : (hi - lo) / (Q::qmax - Q::qmin);
    if (scale < SMALLEST) return float2(1.0f, 0.0f);
    return float2(scale, symmetric ? 0.0f : Q::qmin - lo / scale);
}

// The code of x, by the reciprocal of the scale, which is that of its block. Where that of a large scale would be flushed to
// zero, x and the scale are made smaller first.
template <typename Q>
static inline int code_for(float x, float2 sz) {
    const float small = abs(sz.x) > 1e37f ? 1.0f / 1024 : 1.0f, inverse = 1.0f / (sz.x * small);
    return int(clamp(rint(fma(x * small, inverse, sz.y)), Q::qmin, Q::qmax));
}

static inline uint nibble(int code) { return uint(code) & 15u; }
