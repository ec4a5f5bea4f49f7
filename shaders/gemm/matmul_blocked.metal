// out[m,n] = act(a · b + bias[n]) as matmul.metal has it, with scalar multiplications and without simdgroup_matrix: 64 threads
// make a 64×64 tile, 8×8 elements each in registers. Operands are loaded and staged four elements at a time.

#include "common.h"
#include "matmul.h"

constant constexpr uint TILE = 64;    // rows and columns of a threadgroup's tile
constant constexpr uint DEPTH = 16;   // k taken at a time
constant constexpr uint SIDE = 8;     // threads along a side
constant constexpr uint HALF = TILE / 2; // a thread has four neighboring rows (columns) of either half
constant constexpr uint THREADS = SIDE * SIDE;

// A panel holds [depth][line]; rows are padded by 16 bytes, so that they begin in different banks.
template <typename T>
struct Panel {
    static constant constexpr uint ROW = TILE + 16 / sizeof(T);

    threadgroup T *data;

    float4 four(uint d, uint line) const { return float4(*(threadgroup const vec<T, 4> *)(data + d * ROW + line)); }

    // Lines from `first` on, DEPTH elements from k0 on; 0 beyond the end.
    void put(thread const Lines<T> &from, uint first, uint k0, uint id) const {
        const bool whole = first + TILE <= from.count && k0 + DEPTH <= from.k && from.apart() % 4 == 0;
        if (!whole) put_each(from, first, k0, id);
        else if (from.along) put_along(from, first, k0, id);
        else put_across(from, first, k0, id);
    }

    void put_each(thread const Lines<T> &from, uint first, uint k0, uint id) const {
        for (uint e = id; e < TILE * DEPTH; e += THREADS) {
            const uint line = from.along ? e / DEPTH : e % TILE, d = from.along ? e % DEPTH : e / TILE;
            data[d * ROW + line] = T(from.at(first + line, k0 + d));
        }
    }

    void put_along(thread const Lines<T> &from, uint first, uint k0, uint id) const {
        for (uint e = id; e < TILE * DEPTH / 4; e += THREADS) {
            const uint line = e / (DEPTH / 4), d = e % (DEPTH / 4) * 4;
            const vec<T, 4> v = *(device const vec<T, 4> *)from.address(first + line, k0 + d);
            for (uint i = 0; i < 4; i++) data[(d + i) * ROW + line] = v[i];
        }
    }

    void put_across(thread const Lines<T> &from, uint first, uint k0, uint id) const {
        for (uint e = id; e < TILE * DEPTH / 4; e += THREADS) {
            const uint line = e % (TILE / 4) * 4, d = e / (TILE / 4);
            *(threadgroup vec<T, 4> *)(data + d * ROW + line) =
                *(device const vec<T, 4> *)from.address(first + line, k0 + d);
        }
    }
};

// Four neighboring elements of a row of the output, or as many as it has.
template <typename T>
static inline void put_out(device T *row, device const T *bias, uint c, uint n, float4 sums) {
    if (n % 4 == 0 && c < n) {
        float4 v;
        for (uint i = 0; i < 4; i++) v[i] = finished(sums[i], bias, c + i);
        *(device vec<T, 4> *)(row + c) = vec<T, 4>(v);
        return;
    }
    for (uint i = 0; i < 4 && c + i < n; i++) row[c + i] = T(finished(sums[i], bias, c + i));
}

template <typename T>
kernel void matmul_blocked(device const T *a [[buffer(0)]],
                           device const T *b [[buffer(1)]],
                           device const T *bias [[buffer(2), function_constant(has_bias)]],
                           device T *out [[buffer(3)]],
                           constant MatmulParams &p [[buffer(4)]],
                           uint3 group [[threadgroup_position_in_grid]],
                           uint3 local [[thread_position_in_threadgroup]]) {
    threadgroup vec<T, 4> memory[2 * DEPTH * Panel<T>::ROW / 4];
    const Panel<T> rows = {(threadgroup T *)memory}, columns = {(threadgroup T *)memory + DEPTH * Panel<T>::ROW};
    const Lines<T> in_a = rows_of(a, p, group.z), in_b = columns_of(b, p, group.z);
    const uint id = local.y * SIDE + local.x, row0 = group.y * TILE, col0 = group.x * TILE;
    float4 sums[8][2] = {}; // of rows (columns) 4·local to 4·local + 3 of the first half, then of the second
    for (uint k0 = 0; k0 < p.k; k0 += DEPTH) {
        rows.put(in_a, row0, k0, id);
        columns.put(in_b, col0, k0, id);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        const uint depth = min(DEPTH, p.k - k0);
        for (uint d = 0; d < depth; d++) {
            const float4 va[2] = {rows.four(d, 4 * local.y), rows.four(d, HALF + 4 * local.y)};
            const float4 vb[2] = {columns.four(d, 4 * local.x), columns.four(d, HALF + 4 * local.x)};
            for (uint i = 0; i < 8; i++)
                for (uint j = 0; j < 2; j++) sums[i][j] = fma(float4(va[i / 4][i % 4]), vb[j], sums[i][j]);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    for (uint i = 0; i < 8; i++) {
        const uint r = row0 + i / 4 * HALF + 4 * local.y + i % 4;
        if (r >= p.m) continue;
        device T *row = out + (size_t(group.z) * p.m + r) * p.n;
        for (uint j = 0; j < 2; j++) put_out(row, bias, col0 + j * HALF + 4 * local.x, p.n, sums[i][j]);
    }
}

#define INSTANTIATE(name, type)                                                                          \
    template [[host_name(name)]] kernel void matmul_blocked<type>(device const type *, device const type *, \
                                                                  device const type *, device type *,       \
                                                                  constant MatmulParams &, uint3, uint3);

INSTANTIATE("matmul_blocked_f32", float)
INSTANTIATE("matmul_blocked_f16", half)
#if __METAL_VERSION__ >= 310
INSTANTIATE("matmul_blocked_bf16", bfloat)
#endif
