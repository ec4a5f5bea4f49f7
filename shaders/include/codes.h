// Integer codes of quantized matrices. int4 codes lie two to a byte, the even column in the low nibble, each row from a
// new byte.

struct Int8 {
    static constant constexpr uint BITS = 8;
    static constant constexpr float qmin = -128.0f, qmax = 127.0f;

    static float code(device const uchar *q, uint row, uint col, uint cols) {
        return float(as_type<char>(q[size_t(row) * cols + col]));
    }
};

struct Int4 {
    static constant constexpr uint BITS = 4;
    static constant constexpr float qmin = -8.0f, qmax = 7.0f;

    static float code(device const uchar *q, uint row, uint col, uint cols) {
        const uchar byte = q[size_t(row) * ((cols + 1) / 2) + col / 2];
        const int c = int(col % 2 == 0 ? byte & 15 : byte >> 4);
        return float(c < 8 ? c : c - 16);
    }
};

// Blocks in a row of `cols` columns; 0 where one block is the whole tensor.
static inline uint blocks_per_row(uint cols, uint block) {
    return block == 0 ? 0 : cols / block + (cols % block != 0);
}

// The block of element (row, col).
static inline uint block_of(uint row, uint col, uint cols, uint block) {
    return block == 0 ? 0 : row * blocks_per_row(cols, block) + col / block;
}

// Code i of a word of codes, without a conversion from an integer, which is slow: bits of a code that lie in the significand of a
// float whose last place is worth 1 where they begin are added to it as they are. The sign bit is flipped, and with it goes
// half of the range, so that codes are not negative.
template <typename Q>
static inline float code_at(uint word, uint i) {
    constexpr uint FIT = 23 / Q::BITS; // codes in a significand
    const uint shift = i % FIT * Q::BITS, half = 1u << (Q::BITS - 1);
    const uint base = (150 - shift) << 23; // 2^(23 - shift) as a float
    const uint bits = ((word >> (i / FIT * FIT * Q::BITS)) & (2 * half - 1) << shift) ^ (base | half << shift);
    return as_type<float>(bits) - (as_type<float>(base) + float(half));
}
