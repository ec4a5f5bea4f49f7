// Code types of quantized matrices, each row of which starts at a new byte. A code type is a struct:
//   BITS: per code; Words: what a lane of the GEMVs loads at once; ZEROS: whether blocks have zero points
//   one(bits): the value of a code; at(word, i): the value of code i of a word, in units of UNIT
//   odd(words): NaN if a code is NaN and at() does not show it, else 0

// Code i of a word. Integer-to-float conversion is slow, so the code's bits stay in place and become part of the significand of a
// float, `base`, whose exponent makes their lowest bit worth 1. `flip` is XORed into codes first to make them non-negative;
// `offset` is subtracted from the result along with `base`.
template <uint BITS>
static inline float integer_at(uint word, uint i, uint flip, float offset) {
    constexpr uint FIT = 23 / BITS, MASK = (1u << BITS) - 1; // codes that fit into a significand
    const uint shift = i % FIT * BITS;
    const uint base = (150 - shift) << 23; // 2^(23 - shift) as a float
    const uint bits = ((word >> (i / FIT * FIT * BITS)) & MASK << shift) ^ (base | flip << shift);
    return as_type<float>(bits) - (as_type<float>(base) + offset);
}

struct Int8 {
    typedef uint4 Words;
    static constant constexpr uint BITS = 8;
    static constant constexpr bool ZEROS = true;
    static constant constexpr float UNIT = 1.0f;

    static float one(uint bits) { return float(as_type<char>(uchar(bits))); }
    static float at(uint word, uint i) { return integer_at<8>(word, i, 128, 128.0f); }
    static float odd(Words) { return 0.0f; }
};

// Two per byte, the even column in the low nibble.
struct Int4 {
    typedef uint4 Words;
    static constant constexpr uint BITS = 4;
    static constant constexpr bool ZEROS = true;
    static constant constexpr float UNIT = 1.0f;

    static float one(uint bits) { return float(bits < 8 ? int(bits) : int(bits) - 16); }
    static float at(uint word, uint i) { return integer_at<4>(word, i, 8, 8.0f); }
    static float odd(Words) { return 0.0f; }
};

// Four per byte, the first column in the lowest bits, each stored plus 1. A lane loads fewer words, so that a block may be as
// short as 32 codes.
struct Ternary {
    typedef uint2 Words;
    static constant constexpr uint BITS = 2;
    static constant constexpr bool ZEROS = false;
    static constant constexpr float UNIT = 1.0f;

    static float one(uint bits) { return float(int(bits) - 1); }
    static float at(uint word, uint i) { return integer_at<2>(word, i, 0, 1.0f); }
    static float odd(Words) { return 0.0f; }
};

// Four exponent bits, three significand bits. Read as the upper bits of a half, a code is worth 2^-8 of its value; only the code
// for NaN is not NaN there.
struct E4M3 {
    typedef uint4 Words;
    static constant constexpr uint BITS = 8;
    static constant constexpr bool ZEROS = false;
    static constant constexpr float UNIT = 256.0f;

    static float one(uint bits) {
        if ((bits & 127) == 127) return NAN;
        return float(as_type<half>(ushort((bits & 128) << 8 | (bits & 127) << 7))) * UNIT;
    }
    static float at(uint word, uint i) {
        const uint two = i % 2 == 0 ? word << 8 : word;
        const half2 h = as_type<half2>((two & 0x80008000u) | (two >> 1 & 0x3f803f80u));
        return float(i < 2 ? h.x : h.y);
    }
    static float odd(Words w) {
        const uint4 carried = (w & 0x7f7f7f7fu) + 0x01010101u;
        return ((carried.x | carried.y | carried.z | carried.w) & 0x80808080u) != 0 ? NAN : 0.0f;
    }
};

// Five exponent bits, two significand bits: the upper byte of a half.
struct E5M2 {
    typedef uint4 Words;
    static constant constexpr uint BITS = 8;
    static constant constexpr bool ZEROS = false;
    static constant constexpr float UNIT = 1.0f;

    static float one(uint bits) { return float(as_type<half>(ushort(bits << 8))); }
    static float at(uint word, uint i) {
        const half2 h = as_type<half2>((i % 2 == 0 ? word << 8 : word) & 0xff00ff00u);
        return float(i < 2 ? h.x : h.y);
    }
    static float odd(Words) { return 0.0f; }
};

// Bytes per row.
template <typename Q>
static inline size_t row_bytes(uint cols) {
    return Q::BITS == 8 ? cols : (size_t(cols) * Q::BITS + 7) / 8;
}

template <typename Q>
static inline float code_of(device const uchar *q, uint row, uint col, uint cols) {
    constexpr uint EACH = 8 / Q::BITS;
    return Q::one(q[row * row_bytes<Q>(cols) + col / EACH] >> (col % EACH * Q::BITS) & ((1u << Q::BITS) - 1));
}

// Blocks per row of `cols` columns; 0 if one block is the whole tensor.
static inline uint blocks_per_row(uint cols, uint block) {
    return block == 0 ? 0 : cols / block + (cols % block != 0);
}

// The index of the block of element (row, col).
static inline uint block_of(uint row, uint col, uint cols, uint block) {
    return block == 0 ? 0 : row * blocks_per_row(cols, block) + col / block;
}

template <typename Q>
static inline float code_at(uint word, uint i) { return Q::at(word, i); }
