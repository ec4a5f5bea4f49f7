// out[m,n] = act(a · b + bias[n]) as in matmul.metal, register-blocked with scalar multiply-adds instead of simdgroup_matrix:
// each thread keeps 8×8 elements of the threadgroup's tile in registers. Operands are loaded and staged four elements at a time.

#include "common.h"
#include "matmul.h"

constant int tile_rows [[function_constant(4)]];
constant int tile_cols [[function_constant(5)]];
constant int tile_depth [[function_constant(6)]]; // k per iteration
// 1: double-buffered. The next operands are loaded into registers while the current ones are multiplied, then stored in the other
// half of threadgroup memory.
constant int buffered [[function_constant(7)]];

constant uint ROWS = uint(tile_rows);
constant uint COLS = uint(tile_cols);
constant uint DEPTH = uint(tile_depth);
constant uint THREADS = ROWS * COLS / 64;
constant constexpr uint FETCHED = 8; // maximum vectors of a panel that a thread loads

// A panel of `lines` rows of a or columns of b in threadgroup memory, as [depth][line]. Rows are padded by 16 bytes to begin in
// different banks.
template <typename T>
struct Panel {
    threadgroup T *data;
    uint lines;

    static uint row(uint lines) { return lines + 16 / sizeof(T); }

    float4 four(uint d, uint line) const {
        return float4(*(threadgroup const vec<T, 4> *)(data + d * row(lines) + line));
    }

    // The number of vectors of four.
    uint vectors() const { return lines * DEPTH / 4; }

    // Vector e of the lines from `first` on and the depths from k0 on: four neighbors along k, or of neighboring lines. 0 past
    // the end.
    vec<T, 4> fetch(thread const Lines<T> &from, uint first, uint k0, uint e) const {
        const uint line = first + (from.along ? e / (DEPTH / 4) : e % (lines / 4) * 4);
        const uint d = k0 + (from.along ? e % (DEPTH / 4) * 4 : e / (lines / 4));
        if (first + lines <= from.count && k0 + DEPTH <= from.k && from.apart() % 4 == 0)
            return *(device const vec<T, 4> *)from.address(line, d);
        vec<T, 4> v;
        for (uint i = 0; i < 4; i++) v[i] = T(from.along ? from.at(line, d + i) : from.at(line + i, d));
        return v;
    }

    void put(bool along, uint e, vec<T, 4> v) const {
        if (along) {
            threadgroup T *at = data + e % (DEPTH / 4) * 4 * row(lines) + e / (DEPTH / 4);
            for (uint i = 0; i < 4; i++) at[i * row(lines)] = v[i];
        } else {
            *(threadgroup vec<T, 4> *)(data + e / (lines / 4) * row(lines) + e % (lines / 4) * 4) = v;
        }
    }

    void load(thread const Lines<T> &from, uint first, uint k0, uint id, thread vec<T, 4> *fetched) const {
        for (uint i = 0; i < FETCHED; i++)
            if (i * THREADS < vectors() && id + i * THREADS < vectors())
                fetched[i] = fetch(from, first, k0, id + i * THREADS);
    }

    void store(bool along, uint id, thread const vec<T, 4> *fetched) const {
        for (uint i = 0; i < FETCHED; i++)
            if (i * THREADS < vectors() && id + i * THREADS < vectors()) put(along, id + i * THREADS, fetched[i]);
    }
};

// Four neighboring elements of the bias, from c on; 0 where there is none.
template <typename T>
static inline float4 bias_at(device const T *bias, uint c, uint n) {
    float4 v = float4(0.0f);
    if (has_bias)
        for (uint i = 0; i < 4; i++)
            if (c + i < n) v[i] = float(bias[c + i]);
    return v;
}

// Stores four neighboring elements of a row of the output, or as many as it has, after the activation.
template <typename T>
static inline void put_out(device T *row, uint c, uint n, float4 v) {
    for (uint i = 0; i < 4; i++) v[i] = activate(activation, v[i]);
    if (n % 4 == 0) {
        if (c < n) *(device vec<T, 4> *)(row + c) = vec<T, 4>(v);
        return;
    }
    for (uint i = 0; i < 4; i++)
        if (c + i < n) row[c + i] = T(v[i]);
}

// One thread's sums: rows (columns) 4·at to 4·at + 3 of the first half of the tile, and the same of the second half.
struct Sums {
    float4 of[8][2];

    template <typename T>
    void add(thread const Panel<T> &rows, thread const Panel<T> &cols, uint2 at) {
        for (uint d = 0; d < DEPTH; d++) { // past k both are 0
            const float4 va[2] = {rows.four(d, 4 * at.y), rows.four(d, ROWS / 2 + 4 * at.y)};
            const float4 vb[2] = {cols.four(d, 4 * at.x), cols.four(d, COLS / 2 + 4 * at.x)};
            for (uint i = 0; i < 8; i++)
                for (uint j = 0; j < 2; j++) of[i][j] = fma(float4(va[i / 4][i % 4]), vb[j], of[i][j]);
        }
    }
};

template <typename T>
kernel void matmul_blocked(device const T *a [[buffer(0)]],
                           device const T *b [[buffer(1)]],
                           device const T *bias [[buffer(2), function_constant(has_bias)]],
                           device T *out [[buffer(3)]],
                           constant MatmulParams &p [[buffer(4)]],
                           threadgroup T *memory [[threadgroup(0)]],
                           uint3 group [[threadgroup_position_in_grid]],
                           uint id [[thread_index_in_threadgroup]]) {
    const uint half_size = DEPTH * (Panel<T>::row(ROWS) + Panel<T>::row(COLS));
    Panel<T> rows = {memory, ROWS}, cols = {memory + DEPTH * Panel<T>::row(ROWS), COLS};
    const Lines<T> in_a = rows_of(a, p, group.z), in_b = columns_of(b, p, group.z);
    const uint row0 = group.y * ROWS, col0 = group.x * COLS;
    // A SIMD group has 4×8 threads, which share most of the operands that they read.
    const uint lane = id % SIMD, simd = id / SIMD, across = COLS / 64;
    const uint2 at = uint2(simd % across * 8 + lane % 8, simd / across * 4 + lane / 8);
    vec<T, 4> fetched_a[FETCHED], fetched_b[FETCHED];
    Sums sums = {};
    rows.load(in_a, row0, 0, id, fetched_a);
    cols.load(in_b, col0, 0, id, fetched_b);
    for (uint k0 = 0; k0 < p.k; k0 += DEPTH) {
        rows.store(in_a.along, id, fetched_a);
        cols.store(in_b.along, id, fetched_b);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        const bool more = k0 + DEPTH < p.k;
        if (more && buffered) {
            rows.load(in_a, row0, k0 + DEPTH, id, fetched_a);
            cols.load(in_b, col0, k0 + DEPTH, id, fetched_b);
        }
        sums.add(rows, cols, at);
        if (buffered) { // the other half, so that stores need not wait for threads that still read this one
            const uint other = k0 / DEPTH % 2 == 0 ? half_size : 0;
            rows.data = memory + other;
            cols.data = memory + other + DEPTH * Panel<T>::row(ROWS);
        } else if (more) {
            threadgroup_barrier(mem_flags::mem_threadgroup);
            rows.load(in_a, row0, k0 + DEPTH, id, fetched_a);
            cols.load(in_b, col0, k0 + DEPTH, id, fetched_b);
        }
    }
    const uint cols_at[2] = {col0 + 4 * at.x, col0 + COLS / 2 + 4 * at.x};
    const float4 offset[2] = {bias_at(bias, cols_at[0], p.n), bias_at(bias, cols_at[1], p.n)};
    for (uint i = 0; i < 8; i++) {
        const uint r = row0 + i / 4 * (ROWS / 2) + 4 * at.y + i % 4;
        if (r >= p.m) continue;
        device T *row = out + (size_t(group.z) * p.m + r) * p.n;
        for (uint j = 0; j < 2; j++) put_out(row, cols_at[j], p.n, has_bias ? sums.of[i][j] + offset[j] : sums.of[i][j]);
    }
}

#define INSTANTIATE(name, type)                                                                             \
    template [[host_name(name)]] kernel void matmul_blocked<type>(device const type *, device const type *,  \
                                                                  device const type *, device type *,        \
                                                                  constant MatmulParams &, threadgroup type *, \
                                                                  uint3, uint);

INSTANTIATE("matmul_blocked_f32", float)
INSTANTIATE("matmul_blocked_f16", half)
#if __METAL_VERSION__ >= 310
INSTANTIATE("matmul_blocked_bf16", bfloat)
#endif
