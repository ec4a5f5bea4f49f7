// out[m,n] = act(a · b + bias[n]) as in matmul.metal, with simdgroup_matrix. Four SIMD groups, two by two, compute a 32×32 or
// 64×64 tile; each keeps a quarter of it in registers. Fragments are loaded from threadgroup memory or, where the tile lies
// wholly inside the matrices, straight from device memory. Sums are in float and pass through threadgroup memory to the epilogue.

#include "common.h"
#include "matmul.h"

constant int tile [[function_constant(MATMUL_TILE)]];       // rows and columns of a threadgroup's tile: 32 or 64
constant int staging [[function_constant(MATMUL_STAGING)]]; // 0: load fragments from device memory where possible

constant constexpr uint DEPTH = 16; // k per iteration
constant constexpr uint PAD = 8;    // elements of padding, so that lines begin in different banks
constant constexpr uint THREADS = 128;

// The accumulators of a SIMD group.
template <uint SIDE>
struct Sums {
    simdgroup_float8x8 at[SIDE][SIDE];
};

// A part of an operand in some address space. `apart` is the stride in elements, from line to line if `along`, otherwise from
// depth to depth.
template <typename P>
struct Part {
    P data;
    uint apart;
    bool along;

    P address(uint line, uint d) const { return data + (along ? size_t(line) * apart + d : size_t(d) * apart + line); }
};

// Adds the products along `depth` elements of k, a multiple of 8.
template <typename T, uint SIDE, typename P>
static inline void add_products(thread Sums<SIDE> &sums, Part<P> a, Part<P> b, uint depth) {
    for (uint d = 0; d < depth; d += 8) {
        simdgroup_matrix<T, 8, 8> va[SIDE], vb[SIDE];
        for (uint i = 0; i < SIDE; i++) {
            simdgroup_load(va[i], a.address(8 * i, d), a.apart, ulong2(0), !a.along);
            simdgroup_load(vb[i], b.address(8 * i, d), b.apart, ulong2(0), b.along);
        }
        for (uint i = 0; i < SIDE; i++)
            for (uint j = 0; j < SIDE; j++) simdgroup_multiply_accumulate(sums.at[i][j], va[i], vb[j], sums.at[i][j]);
    }
}

// Stages TILE lines from `first` on, DEPTH elements of each from k0 on, in the layout of device memory; 0 past the end.
template <uint TILE, typename T>
static inline Part<threadgroup T *> stage(thread const Lines<T> &from, uint first, uint k0, threadgroup T *to, uint id) {
    const uint inner = from.along ? DEPTH : TILE, apart = inner + PAD;
    const bool whole = first + TILE <= from.count && k0 + DEPTH <= from.k && from.apart() % 4 == 0;
    const uint each = whole ? 4 : 1;
    for (uint e = id * each; e < TILE * DEPTH; e += THREADS * each) {
        const uint outer = e / inner, in = e % inner;
        const uint line = from.along ? outer : in, d = from.along ? in : outer;
        threadgroup T *at = to + outer * apart + in;
        if (whole) *(threadgroup vec<T, 4> *)at = *(device const vec<T, 4> *)from.address(first + line, k0 + d);
        else *at = T(from.at(first + line, k0 + d));
    }
    return {to, apart, from.along};
}

// The sums of a SIMD group, whose quarter begins at row ya and column xb of the tile.
template <uint TILE, typename T>
static inline Sums<TILE / 16> tile_sums(thread const Lines<T> &a, thread const Lines<T> &b, uint row0, uint col0, uint ya,
                                        uint xb, uint id, threadgroup T *memory) {
    Sums<TILE / 16> sums;
    for (uint i = 0; i < TILE / 16; i++)
        for (uint j = 0; j < TILE / 16; j++) sums.at[i][j] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
    uint k0 = 0;
    if (staging == 0 && row0 + TILE <= a.count && col0 + TILE <= b.count) {
        k0 = a.k / 8 * 8;
        const Part<device const T *> pa = {a.address(row0 + ya, 0), a.apart(), a.along};
        const Part<device const T *> pb = {b.address(col0 + xb, 0), b.apart(), b.along};
        add_products<T>(sums, pa, pb, k0);
    }
    for (; k0 < a.k; k0 += DEPTH) {
        Part<threadgroup T *> pa = stage<TILE>(a, row0, k0, memory, id);
        Part<threadgroup T *> pb = stage<TILE>(b, col0, k0, memory + TILE * (DEPTH + PAD), id);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        pa.data = pa.address(ya, 0);
        pb.data = pb.address(xb, 0);
        add_products<T>(sums, pa, pb, DEPTH);
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    return sums;
}

template <uint TILE, typename T>
static inline void multiply(device const T *a, device const T *b, device const T *bias, device T *out,
                            constant MatmulParams &p, uint3 group, uint id, uint simd, threadgroup float4 *memory) {
    constexpr uint ROW = TILE + 4;
    const Lines<T> rows = rows_of(a, p, group.z), columns = columns_of(b, p, group.z);
    const uint row0 = group.y * TILE, col0 = group.x * TILE, y = simd / 2 * (TILE / 2), x = simd % 2 * (TILE / 2);
    const Sums<TILE / 16> sums = tile_sums<TILE>(rows, columns, row0, col0, y, x, id, (threadgroup T *)memory);
    threadgroup float *all = (threadgroup float *)memory;
    for (uint i = 0; i < TILE / 16; i++)
        for (uint j = 0; j < TILE / 16; j++) simdgroup_store(sums.at[i][j], all + (y + 8 * i) * ROW + x + 8 * j, ROW);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint e = id; e < TILE * TILE; e += THREADS) {
        const uint r = row0 + e / TILE, c = col0 + e % TILE;
        if (r < p.m && c < p.n)
            out[(size_t(group.z) * p.m + r) * p.n + c] = T(finished(all[e / TILE * ROW + e % TILE], bias, c));
    }
}

template <typename T>
kernel void matmul_simd(device const T *a [[buffer(0)]],
                        device const T *b [[buffer(1)]],
                        device const T *bias [[buffer(2), function_constant(has_bias)]],
                        device T *out [[buffer(3)]],
                        constant MatmulParams &p [[buffer(4)]],
                        threadgroup float4 *memory [[threadgroup(0)]],
                        uint3 group [[threadgroup_position_in_grid]],
                        uint id [[thread_index_in_threadgroup]],
                        uint simd [[simdgroup_index_in_threadgroup]]) {
    if (tile == 32) multiply<32>(a, b, bias, out, p, group, id, simd, memory);
    else multiply<64>(a, b, bias, out, p, group, id, simd, memory);
}

#define INSTANTIATE(name, type)                                                                                \
    template [[host_name(name)]] kernel void matmul_simd<type>(                                                \
        device const type *, device const type *, device const type *, device type *, constant MatmulParams &, \
        threadgroup float4 *, uint3, uint, uint);

INSTANTIATE("matmul_simd_f32", float)
INSTANTIATE("matmul_simd_f16", half)
#if __METAL_VERSION__ >= 310
INSTANTIATE("matmul_simd_bf16", bfloat)
#endif
