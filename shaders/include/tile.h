// The loop of the tiled matrix products. A threadgroup of 16×16 threads makes a 64×64 tile of the output, 4×4 elements a
// thread; both operands pass through threadgroup memory 16 columns (rows) at a time. Sums are in float.

constant constexpr uint TILE = 64;  // rows and columns of a threadgroup's tile
constant constexpr uint DEPTH = 16; // k taken at a time
constant constexpr uint SIDE = 16;  // threads along a side
constant constexpr uint EACH = TILE / SIDE;

// What a threadgroup holds of both operands; one column more, so that stores do not share a bank.
struct Panels {
    float a[DEPTH][TILE + 1], b[DEPTH][TILE + 1];
};

// The sums of one thread: rows local.y + SIDE·i and columns local.x + SIDE·j of the tile.
struct Sums {
    float at[EACH][EACH];
};

// A and B are the operands: at(row, d) of a, at(column, d) of b, with 0 outside. by_depth says that neighbors in memory
// are neighbors along k, so that neighboring threads read neighboring addresses.
template <typename A, typename B>
static inline Sums tile_sums(thread const A &a, thread const B &b, uint k, uint2 group, uint2 local,
                             threadgroup Panels &panels) {
    const uint row0 = group.y * TILE, col0 = group.x * TILE;
    const uint id = local.y * SIDE + local.x;
    Sums sums = {};
    for (uint k0 = 0; k0 < k; k0 += DEPTH) {
        for (uint e = id; e < TILE * DEPTH; e += SIDE * SIDE) {
            const bool by_depth = a.by_depth();
            const uint r = by_depth ? e / DEPTH : e % TILE, d = by_depth ? e % DEPTH : e / TILE;
            panels.a[d][r] = a.at(row0 + r, k0 + d);
        }
        for (uint e = id; e < TILE * DEPTH; e += SIDE * SIDE) {
            const bool by_depth = b.by_depth();
            const uint c = by_depth ? e / DEPTH : e % TILE, d = by_depth ? e % DEPTH : e / TILE;
            panels.b[d][c] = b.at(col0 + c, k0 + d);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        const uint depth = min(DEPTH, k - k0); // padding must not meet an infinity: 0·∞ is NaN
        for (uint d = 0; d < depth; d++) {
            float va[EACH], vb[EACH];
            for (uint i = 0; i < EACH; i++) va[i] = panels.a[d][local.y + SIDE * i];
            for (uint j = 0; j < EACH; j++) vb[j] = panels.b[d][local.x + SIDE * j];
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
