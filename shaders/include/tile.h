// The loop of the tiled matrix products. A threadgroup of 16×16 threads makes a tile of the output, EACH×EACH elements a
// thread; both operands pass through threadgroup memory 16 columns (rows) at a time. Sums are in float.

constant constexpr uint DEPTH = 16;     // k taken at a time
constant constexpr uint SIDE = 16;      // threads along a side
constant constexpr uint MAX_TILE = 64;  // rows and columns of the largest tile
constant constexpr uint PANELS = 2 * DEPTH * (MAX_TILE + 1); // floats that a threadgroup holds of both operands

// The sums of one thread: rows local.y + SIDE·i and columns local.x + SIDE·j of the tile.
template <uint EACH>
struct Sums {
    float at[EACH][EACH];
};

// The elements of an operand that a threadgroup needs next; one column more, so that stores do not share a bank.
template <uint TILE, typename A>
static inline void put_panel(thread const A &a, uint first, uint k0, uint id, threadgroup float *panel) {
    for (uint e = id; e < TILE * DEPTH; e += SIDE * SIDE) {
        const bool by_depth = a.by_depth();
        const uint line = by_depth ? e / DEPTH : e % TILE, d = by_depth ? e % DEPTH : e / TILE;
        panel[d * (TILE + 1) + line] = a.at(first + line, k0 + d);
    }
}

// A and B are the operands: at(row, d) of a, at(column, d) of b, with 0 outside. by_depth says that neighbors in memory
// are neighbors along k, so that neighboring threads read neighboring addresses.
template <uint EACH, typename A, typename B>
static inline Sums<EACH> tile_sums(thread const A &a, thread const B &b, uint k, uint2 group, uint2 local,
                                   threadgroup float *panels) {
    constexpr uint TILE = EACH * SIDE, ROW = TILE + 1;
    threadgroup float *panel_a = panels, *panel_b = panels + DEPTH * ROW;
    const uint id = local.y * SIDE + local.x;
    Sums<EACH> sums = {};
    for (uint k0 = 0; k0 < k; k0 += DEPTH) {
        put_panel<TILE>(a, group.y * TILE, k0, id, panel_a);
        put_panel<TILE>(b, group.x * TILE, k0, id, panel_b);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        const uint depth = min(DEPTH, k - k0); // padding must not meet an infinity: 0·∞ is NaN
        for (uint d = 0; d < depth; d++) {
            float va[EACH], vb[EACH];
            for (uint i = 0; i < EACH; i++) va[i] = panel_a[d * ROW + local.y + SIDE * i];
            for (uint j = 0; j < EACH; j++) vb[j] = panel_b[d * ROW + local.x + SIDE * j];
            for (uint i = 0; i < EACH; i++)
                for (uint j = 0; j < EACH; j++) sums.at[i][j] = fma(va[i], vb[j], sums.at[i][j]);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    return sums;
}

// Rows of a [rows, k] matrix.
template <typename T>
struct Rows {
    device const T *data;
    uint rows, k;

    bool by_depth() const { return true; }

    float at(uint row, uint d) const {
        return row < rows && d < k ? float(data[size_t(row) * k + d]) : 0.0f;
    }
};
