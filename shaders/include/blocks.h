// Blocks of weights in ggml's formats; internal/ggml describes them. Weight `at` of a block is (code − BIAS)·scale + offset.
//
// Codes are read four at a time, as the bytes of a word, from a multiple of four on. A part is 16 weights whose codes lie
// together: four groups of four, group i of which begins at weight place(part, i) of the block. A part has SCALES scales.

// Blocks are only 2-byte aligned, so four bytes are read as two 16-bit halves.
static inline uint word_at(device const uchar *p) {
    device const ushort *halves = (device const ushort *)p;
    return uint(halves[0]) | uint(halves[1]) << 16;
}

static inline float half_at(device const uchar *p) { return float(*(device const half *)p); }

// The low or the high nibbles of four bytes.
static inline uint nibbles(uint word, uint upper) { return word >> (4 * upper) & 0x0f0f0f0fu; }

// Two bytes minus a bias. Integer-to-float conversion is slow, so the bits go straight into the significand of a float whose last
// place is worth 1 or, for the byte that lies 8 bits further up, 1/256.
static inline float2 two_floats(uint bytes, float bias) {
    const float first = as_type<float>((bytes & 0xffu) | 150u << 23), second = as_type<float>((bytes & 0xff00u) | 142u << 23);
    return float2(first - (8388608.0f + bias), second - (32768.0f + bias));
}

static inline float4 four_floats(uint bytes, float bias) { return float4(two_floats(bytes, bias), two_floats(bytes >> 16, bias)); }

// A scale, then a signed byte per weight.
struct Q8_0 {
    static constant constexpr uint WEIGHTS = 32, BYTES = 34, SCALES = 1;
    static constant constexpr float BIAS = 128.0f;
    static constant constexpr bool OFFSETS = false;

    static uint codes(device const uchar *block, uint at) { return word_at(block + 2 + at) ^ 0x80808080u; }
    static float scale(device const uchar *block, uint) { return half_at(block); }
    static float offset(device const uchar *, uint) { return 0.0f; }
    static uint place(uint part, uint i) { return 16 * part + 4 * i; }
};

// A scale, then nibbles: byte j has weight j in its low nibble and weight j + 16 in its high one.
struct Q4_0 {
    static constant constexpr uint WEIGHTS = 32, BYTES = 18, SCALES = 1;
    static constant constexpr float BIAS = 8.0f;
    static constant constexpr bool OFFSETS = false;

    static uint codes(device const uchar *block, uint at) { return nibbles(word_at(block + 2 + at % 16), at / 16); }
    static float scale(device const uchar *block, uint) { return half_at(block); }
    static float offset(device const uchar *, uint) { return 0.0f; }
    static uint place(uint part, uint i) { return 8 * part + 4 * (i % 2) + 16 * (i / 2); }
};

// A scale and an offset, then nibbles laid out as in Q4_0.
struct Q4_1 {
    static constant constexpr uint WEIGHTS = 32, BYTES = 20, SCALES = 1;
    static constant constexpr float BIAS = 0.0f;
    static constant constexpr bool OFFSETS = true;

    static uint codes(device const uchar *block, uint at) { return nibbles(word_at(block + 4 + at % 16), at / 16); }
    static float scale(device const uchar *block, uint) { return half_at(block); }
    static float offset(device const uchar *block, uint) { return half_at(block + 2); }
    static uint place(uint part, uint i) { return Q4_0::place(part, i); }
};

// A scale for the scales and one for the minima, then eight of each in six bits, then nibbles. A group is 32 weights; byte 32·p +
// i has weight i of group 2·p in its low nibble and that of group 2·p + 1 in its high one.
struct Q4_K {
    static constant constexpr uint WEIGHTS = 256, BYTES = 144, SCALES = 2;
    static constant constexpr float BIAS = 0.0f;
    static constant constexpr bool OFFSETS = true;

    static uint codes(device const uchar *block, uint at) {
        return nibbles(word_at(block + 16 + at / 64 * 32 + at % 32), at / 32 % 2);
    }
    // The six-bit scales (kind 0) or minima (kind 1) of groups 2·pair and 2·pair + 1, each in the low bits of a byte. The last
    // four groups keep their two upper bits in the upper bits of the first four's bytes.
    static uint six_bits(device const uchar *block, uint pair, uint kind) {
        device const ushort *packed = (device const ushort *)(block + 4);
        const uint first = packed[2 * kind + pair % 2];
        if (pair < 2) return first & 0x3f3fu;
        return (uint(packed[4 + pair % 2]) >> (4 * kind) & 0x0f0fu) | (first >> 2 & 0x3030u);
    }
    static float six(device const uchar *block, uint at, uint kind) {
        return float(six_bits(block, at / 64, kind) >> (at / 32 % 2 * 8) & 63u);
    }
    static float scale(device const uchar *block, uint at) { return half_at(block) * six(block, at, 0); }
    static float offset(device const uchar *block, uint at) { return -half_at(block + 2) * six(block, at, 1); }
    static uint place(uint part, uint i) { return part / 4 * 64 + part % 4 * 8 + 4 * (i % 2) + 32 * (i / 2); }
};

// The low four bits of all codes, then their upper two, a signed byte per group of 16 for its scale, and a scale for the scales.
struct Q6_K {
    static constant constexpr uint WEIGHTS = 256, BYTES = 210, SCALES = 4;
    static constant constexpr float BIAS = 32.0f;
    static constant constexpr bool OFFSETS = false;

    static uint codes(device const uchar *block, uint at) {
        const uint side = at / 128, quarter = at / 32 % 4, i = at % 32;
        const uint high = word_at(block + 128 + 32 * side + i) >> (2 * quarter) & 0x03030303u;
        return nibbles(word_at(block + 64 * side + 32 * (quarter % 2) + i), quarter / 2) | high << 4;
    }
    static float scale(device const uchar *block, uint at) { return half_at(block + 208) * float(as_type<char>(block[192 + at / 16])); }
    static float offset(device const uchar *, uint) { return 0.0f; }
    static uint place(uint part, uint i) { return part / 8 * 128 + part % 8 * 4 + 32 * i; }
};

// Four weights, from `at` on.
template <typename B>
static inline float4 four_weights(device const uchar *block, uint at) {
    const float4 codes = four_floats(B::codes(block, at), B::BIAS);
    if (B::OFFSETS) return fma(codes, float4(B::scale(block, at)), float4(B::offset(block, at)));
    return codes * B::scale(block, at);
}
