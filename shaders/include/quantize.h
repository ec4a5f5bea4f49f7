// What the quantizers share: extremes of a threadgroup, scales and codes.

constant constexpr float SMALLEST = 1.17549435e-38f; // smallest normal float: below it GPUs flush to zero

// The extreme of a threadgroup of up to 32 SIMD groups; scratch holds a float for each.
static inline float reduce_group(float v, bool is_max, threadgroup float *scratch, uint lane, uint simd, uint simds) {
    v = is_max ? simd_max(v) : simd_min(v);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (lane == 0) scratch[simd] = v;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = 0; i < simds; i++) v = is_max ? max(v, scratch[i]) : min(v, scratch[i]);
    return v;
}

// Scale (x) and zero point (y) of a block whose values lie in [lo, hi].
template <typename Q>
static inline float2 scale_zero(float lo, float hi, bool symmetric) {
    if (lo == hi) return float2(abs(lo) < SMALLEST ? 1.0f : lo, 0.0f);
    const float scale = symmetric ? max(abs(lo), abs(hi)) / Q::qmax : (hi - lo) / (Q::qmax - Q::qmin);
    if (scale < SMALLEST) return float2(1.0f, 0.0f);
    return float2(scale, symmetric ? 0.0f : Q::qmin - lo / scale);
}

template <typename Q>
static inline int code_for(float x, float2 sz) {
    return int(clamp(rint(x / sz.x + sz.y), Q::qmin, Q::qmax));
}

static inline uint nibble(int code) { return uint(code) & 15u; }
