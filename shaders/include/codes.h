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
