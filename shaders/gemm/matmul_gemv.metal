// out[m,n] = act(a · b + bias[n]) as in matmul.metal, for up to GEMV_MAX_ROWS rows of a. b is read once, straight from device
// memory: a lane loads 16 bytes at a time, and has several of these loads in flight.
//
// Where b is [n,k], a SIMD group takes several rows of b and sums along k across its lanes. Where it is [k,n], a thread takes
// neighboring columns of b; the threads of a column of the threadgroup split k and combine their sums in threadgroup memory.

#include "common.h"
#include "matmul.h"

constant int outputs [[function_constant(MATMUL_OUTPUTS)]]; // rows of b per SIMD group: 1, 2 or 4

// What a thread loads at once: 16 bytes of neighboring elements.
template <typename T>
struct Pack {
    static constant constexpr uint SIZE = 16 / sizeof(T), HALF = SIZE / 2;
    uint4 raw;

    Pack() = default;
    explicit Pack(device const T *at) : raw(*(device const uint4 *)at) {}

    float operator[](uint i) const {
        return i < HALF ? float(as_type<vec<T, HALF>>(raw.xy)[i]) : float(as_type<vec<T, HALF>>(raw.zw)[i - HALF]);
    }
};

// A thread's position.
struct Place {
    uint3 group;
    uint2 local, size;
    uint lane, simd, simds;
};

// Adds the products of STEPS packs of each row to the sums, from element d on. Rows past the end are not stored.
template <uint ROWS, uint OUTPUTS, uint STEPS, typename T>
static inline void add_packs(thread const Lines<T> &a, thread const Lines<T> &b, uint first, uint d,
                             thread float (&sums)[ROWS][OUTPUTS]) {
    Pack<T> vb[STEPS][OUTPUTS];
    for (uint o = 0; o < OUTPUTS; o++) {
        device const T *from = b.address(min(first + o, b.count - 1), d);
        for (uint s = 0; s < STEPS; s++) vb[s][o] = Pack<T>(from + s * SIMD * Pack<T>::SIZE);
    }
    for (uint r = 0; r < ROWS; r++) {
        device const T *from = a.address(min(r, a.count - 1), d);
        for (uint s = 0; s < STEPS; s++) {
            const Pack<T> va(from + s * SIMD * Pack<T>::SIZE);
            for (uint o = 0; o < OUTPUTS; o++)
                for (uint i = 0; i < Pack<T>::SIZE; i++) sums[r][o] = fma(va[i], vb[s][o][i], sums[r][o]);
        }
    }
}

// Multiplies OUTPUTS rows of b, from row `first` on, by ROWS rows of a.
template <uint ROWS, uint OUTPUTS, uint STEPS, typename T>
static inline void rows_times(thread const Lines<T> &a, thread const Lines<T> &b, device const T *bias, device T *out,
                              thread const Place &at, uint first) {
    constexpr uint SIZE = Pack<T>::SIZE, STEP = SIMD * SIZE;
    float sums[ROWS][OUTPUTS] = {};
    if (a.along && a.k % SIZE == 0) {
        uint d = at.lane * SIZE;
        for (; d + (STEPS - 1) * STEP < a.k; d += STEPS * STEP) add_packs<ROWS, OUTPUTS, STEPS>(a, b, first, d, sums);
        for (; d < a.k; d += STEP) add_packs<ROWS, OUTPUTS, 1>(a, b, first, d, sums);
    } else {
        for (uint d = at.lane; d < a.k; d += SIMD)
            for (uint o = 0; o < OUTPUTS; o++)
                for (uint r = 0; r < ROWS; r++) sums[r][o] = fma(a.at(r, d), b.at(first + o, d), sums[r][o]);
    }
    for (uint r = 0; r < ROWS; r++) {
        for (uint o = 0; o < OUTPUTS; o++) {
            const float sum = simd_sum(sums[r][o]);
            const uint c = first + o;
            if (at.lane == 0 && r < a.count && c < b.count) out[size_t(r) * b.count + c] = T(finished(sum, bias, c));
        }
    }
}

// With many rows of a, takes fewer rows of b at a time and fewer packs of each, which must fit into registers with the sums.
template <uint ROWS, uint OUTPUTS, typename T>
static inline void by_rows(thread const Lines<T> &a, thread const Lines<T> &b, device const T *bias, device T *out,
                           thread const Place &at) {
    constexpr uint TOGETHER = min(OUTPUTS, ROWS > 2 ? 2u : 4u), STEPS = (ROWS > 2 ? 2 : 4) / TOGETHER;
    const uint first = (at.group.x * at.simds + at.simd) * OUTPUTS;
    for (uint o = 0; o < OUTPUTS; o += TOGETHER) rows_times<ROWS, TOGETHER, STEPS>(a, b, bias, out, at, first + o);
}

constant constexpr uint WIDE_ROWS = 2; // rows of a up to which a thread takes 16 bytes of columns instead of four columns

// Four neighboring elements of a row of a; 0 past the end.
template <typename T>
static inline float4 next4(thread const Lines<T> &a, uint row, uint d) {
    if (a.along && a.k % 4 == 0 && row < a.count && d < a.k) return float4(*(device const vec<T, 4> *)a.address(row, d));
    return float4(a.at(row, d), a.at(row, d + 1), a.at(row, d + 2), a.at(row, d + 3));
}

// Neighboring columns of b at one depth, four at a time.
template <uint FOURS, typename T>
struct Columns {
    vec<T, 4> at[FOURS];
};

template <typename T>
static inline Columns<1, T> columns_at(device const vec<T, 4> *from, Columns<1, T>) {
    return {{*from}};
}
template <typename T>
static inline Columns<2, T> columns_at(device const vec<T, 4> *from, Columns<2, T>) {
    const uint4 raw = *(device const uint4 *)from;
    return {{as_type<vec<T, 4>>(raw.xy), as_type<vec<T, 4>>(raw.zw)}};
}

constant constexpr uint DEPTH = 4; // rows of b that a thread loads at once

template <uint FOURS, typename T>
static inline void load_columns(thread const Lines<T> &b, uint first, uint d, thread Columns<FOURS, T> (&vb)[DEPTH]) {
    if (b.count % (4 * FOURS) == 0 && first < b.count && d + DEPTH <= b.k) {
        device const T *from = b.address(first, d);
        for (uint u = 0; u < DEPTH; u++) vb[u] = columns_at<T>((device const vec<T, 4> *)(from + size_t(u) * b.count), vb[u]);
        return;
    }
    for (uint u = 0; u < DEPTH; u++)
        for (uint i = 0; i < 4 * FOURS; i++) vb[u].at[i / 4][i % 4] = T(b.at(first + i, d + u));
}

template <uint ROWS, uint FOURS, typename T>
static inline void by_columns(thread const Lines<T> &a, thread const Lines<T> &b, device const T *bias, device T *out,
                              thread const Place &at, threadgroup float4 *partial) {
    const uint across = at.size.x * FOURS, first = at.group.x * across * 4;
    float4 sums[ROWS][FOURS] = {};
    for (uint d = at.local.y * DEPTH; d < a.k; d += at.size.y * DEPTH) {
        Columns<FOURS, T> vb[DEPTH];
        load_columns(b, first + at.local.x * FOURS * 4, d, vb);
        for (uint r = 0; r < ROWS; r++) {
            const float4 va = next4(a, r, d);
            for (uint u = 0; u < DEPTH; u++)
                for (uint f = 0; f < FOURS; f++) sums[r][f] = fma(float4(va[u]), float4(vb[u].at[f]), sums[r][f]);
        }
    }
    for (uint apart = SIMD / 2; apart >= at.size.x; apart /= 2)
        for (uint r = 0; r < ROWS; r++)
            for (uint f = 0; f < FOURS; f++) sums[r][f] += simd_shuffle_xor(sums[r][f], apart);
    for (uint r = 0; r < ROWS; r++) {
        if (at.lane < at.size.x)
            for (uint f = 0; f < FOURS; f++) partial[at.simd * across + at.lane * FOURS + f] = sums[r][f];
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint i = at.simd * SIMD + at.lane; i < across * 4 && first + i < b.count; i += at.simds * SIMD) {
            float sum = 0.0f;
            for (uint s = 0; s < at.simds; s++) sum += ((threadgroup float *)partial)[s * across * 4 + i];
            if (r < a.count) out[size_t(r) * b.count + first + i] = T(finished(sum, bias, first + i));
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
}

template <uint ROWS, typename T>
static inline void multiply(thread const Lines<T> &a, thread const Lines<T> &b, device const T *bias, device T *out,
                            thread const Place &at, threadgroup float4 *partial) {
    if (!transpose_b) by_columns<ROWS, ROWS <= WIDE_ROWS ? Pack<T>::SIZE / 4 : 1>(a, b, bias, out, at, partial);
    else if (outputs == 1) by_rows<ROWS, 1>(a, b, bias, out, at);
    else if (outputs == 2) by_rows<ROWS, 2>(a, b, bias, out, at);
    else by_rows<ROWS, 4>(a, b, bias, out, at);
}

template <typename T>
kernel void matmul_gemv(device const T *a [[buffer(0)]],
                        device const T *b [[buffer(1)]],
                        device const T *bias [[buffer(2), function_constant(has_bias)]],
                        device T *out [[buffer(3)]],
                        constant MatmulParams &p [[buffer(4)]],
                        threadgroup float4 *partial [[threadgroup(0)]],
                        uint3 group [[threadgroup_position_in_grid]],
                        uint3 local [[thread_position_in_threadgroup]],
                        uint3 size [[threads_per_threadgroup]],
                        uint lane [[thread_index_in_simdgroup]],
                        uint simd [[simdgroup_index_in_threadgroup]]) {
    const Lines<T> rows = rows_of(a, p, group.z), columns = columns_of(b, p, group.z);
    const Place at = {group, local.xy, size.xy, lane, simd, size.x * size.y / SIMD};
    device T *to = out + size_t(group.z) * p.m * p.n;
    if (p.m == 1) multiply<1>(rows, columns, bias, to, at, partial);
    else if (p.m == 2) multiply<2>(rows, columns, bias, to, at, partial);
    else if (p.m <= 4) multiply<4>(rows, columns, bias, to, at, partial);
    else multiply<GEMV_MAX_ROWS>(rows, columns, bias, to, at, partial);
}

#define INSTANTIATE(name, type)                                                                                \
    template [[host_name(name)]] kernel void matmul_gemv<type>(                                                \
        device const type *, device const type *, device const type *, device type *, constant MatmulParams &, \
        threadgroup float4 *, uint3, uint3, uint3, uint, uint);

INSTANTIATE("matmul_gemv_f32", float)
INSTANTIATE("matmul_gemv_f16", half)
#if __METAL_VERSION__ >= 310
INSTANTIATE("matmul_gemv_bf16", bfloat)
#endif
