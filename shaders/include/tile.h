// The main loop of the tiled GEMMs. A threadgroup of 16×16 threads computes a tile of the output, EACH×EACH elements per thread.
// Both operands pass through threadgroup memory, DEPTH of k at a time. Sums are in V: float, or int for integers.

constant constexpr uint DEPTH = 16;     // k per iteration
constant constexpr uint SIDE = 16;      // threads along a side of the tile
constant constexpr uint MAX_TILE = 64;  // rows and columns of the largest tile
constant constexpr uint PANELS = 2 * DEPTH * (MAX_TILE + 1); // elements of both operands in threadgroup memory

// One thread's sums: rows local.y + SIDE·i and columns local.x + SIDE·j of the tile.
template <uint EACH, typename V>
struct Sums {
    V at[EACH][EACH];
};

static inline float multiply_add(float a, float b, float c) { return fma(a, b, c); }
static inline int multiply_add(int a, int b, int c) { return a * b + c; }

// Stages the elements of an operand that the threadgroup needs next. A column of padding keeps stores in different banks.
template <uint TILE, typename A, typename V>
static inline void put_panel(thread const A &a, uint first, uint k0, uint id, threadgroup V *panel) {
    for (uint e = id; e < TILE * DEPTH; e += SIDE * SIDE) {
        const bool by_depth = a.by_depth();
        const uint line = by_depth ? e / DEPTH : e % TILE, d = by_depth ? e % DEPTH : e / TILE;
        panel[d * (TILE + 1) + line] = a.at(first + line, k0 + d);
    }
}

// Operand a provides at(row, d), b at(column, d), each 0 outside the matrix. by_depth() reports whether neighbors in memory are
// neighbors along k, so that neighboring threads can read neighboring addresses.
template <uint EACH, typename A, typename B, typename V>
static inline Sums<EACH, V> tile_sums(thread const A &a, thread const B &b, uint k, uint2 group, uint2 local,
                                      threadgroup V *panels) {
    constexpr uint TILE = EACH * SIDE, ROW = TILE + 1;
    threadgroup V *panel_a = panels, *panel_b = panels + DEPTH * ROW;
    const uint id = local.y * SIDE + local.x;
    Sums<EACH, V> sums = {};
    for (uint k0 = 0; k0 < k; k0 += DEPTH) {
        put_panel<TILE>(a, group.y * TILE, k0, id, panel_a);
        put_panel<TILE>(b, group.x * TILE, k0, id, panel_b);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        const uint depth = min(DEPTH, k - k0); // elements past k are 0 and need not be added
        for (uint d = 0; d < depth; d++) {
            V va[EACH], vb[EACH];
            for (uint i = 0; i < EACH; i++) va[i] = panel_a[d * ROW + local.y + SIDE * i];
            for (uint j = 0; j < EACH; j++) vb[j] = panel_b[d * ROW + local.x + SIDE * j];
            for (uint i = 0; i < EACH; i++)
                for (uint j = 0; j < EACH; j++) sums.at[i][j] = multiply_add(va[i], vb[j], sums.at[i][j]);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    return sums;
}

// Rows of a [rows, k] matrix, converted to V.
template <typename T, typename V = float>
struct Rows {
    device const T *data;
    uint rows, k;

    bool by_depth() const { return true; }

    V at(uint row, uint d) const {
        return row < rows && d < k ? V(data[size_t(row) * k + d]) : V(0);
    }
};
