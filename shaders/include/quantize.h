// Shared by the quantizers. The code types that they write are structs like those of codes.h, with
//   MEAN: the scale is the mean magnitude; otherwise the largest magnitude becomes `top`
//   bits(x): the code nearest to x, clamped to the range of codes

constant constexpr float SMALLEST = 1.17549435e-38f; // the smallest normal float: GPUs flush smaller ones to zero

template <uint BITS>
static inline uint integer_bits(float x) {
    constexpr float HALF = 1 << (BITS - 1);
    return uint(int(clamp(rint(x), -HALF, HALF - 1.0f))) & ((1u << BITS) - 1);
}

struct ToInt8 : Int8 {
    static constant constexpr bool MEAN = false;
    static constant constexpr float bottom = -128.0f, top = 127.0f;
    static uint bits(float x) { return integer_bits<8>(x); }
};

struct ToInt4 : Int4 {
    static constant constexpr bool MEAN = false;
    static constant constexpr float bottom = -8.0f, top = 7.0f;
    static uint bits(float x) { return integer_bits<4>(x); }
};

struct ToTernary : Ternary {
    static constant constexpr bool MEAN = true;
    static constant constexpr float bottom = -1.0f, top = 1.0f;
    static uint bits(float x) { return uint(int(clamp(rint(x), -1.0f, 1.0f)) + 1); }
};

// The bits of an 8-bit float. x is rounded at the end of the code's significand or, below the smallest normal value, 2^LOWEST, to
// a multiple of the subnormal step.
template <uint SIGNIFICAND, int LOWEST>
static inline uint minifloat_bits(float x, float top) {
    constexpr uint DROPPED = 23 - SIGNIFICAND;
    const uint sign = as_type<uint>(x) >> 24 & 128;
    const float size = min(abs(x), top);
    const uint all = as_type<uint>(size), even = all >> DROPPED & 1;
    const uint normal = ((all + ((1u << (DROPPED - 1)) - 1) + even) >> DROPPED) - (uint(126 + LOWEST) << SIGNIFICAND);
    const float smallest = as_type<float>(uint(127 + LOWEST) << 23), steps = as_type<float>(uint(127 + int(SIGNIFICAND) - LOWEST) << 23);
    return sign | (size < smallest ? uint(rint(size * steps)) : normal);
}

struct ToE4M3 : E4M3 {
    static constant constexpr bool MEAN = false;
    static constant constexpr float bottom = -448.0f, top = 448.0f;
    static uint bits(float x) { return minifloat_bits<3, -6>(x, top); }
};

struct ToE5M2 : E5M2 {
    static constant constexpr bool MEAN = false;
    static constant constexpr float bottom = -57344.0f, top = 57344.0f;
    static uint bits(float x) { return minifloat_bits<2, -14>(x, top); }
};

// The code of x, given its block's scale and zero point. x is multiplied by the scale's reciprocal; where that of a large scale
// would be flushed to zero, both x and the scale are made smaller first.
template <typename Q>
static inline uint code_for(float x, float2 sz) {
    const float small = abs(sz.x) > 1e37f ? 1.0f / 1024 : 1.0f, inverse = 1.0f / (sz.x * small);
    return Q::bits(fma(x * small, inverse, sz.y));
}
