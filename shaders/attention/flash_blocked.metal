// out = softmax(q·kᵀ/√dim + mask)·v for a block of queries of one head, in one dispatch, register-blocked with scalar
// multiply-adds instead of simdgroup_matrix: each thread keeps the scores of 8 queries with up to 8 keys, then 8×8 sums, in
// registers. Operands are loaded and staged four elements at a time. Computed in float, rounded once.
//
// LANES threads of a SIMD group share their queries: 8 for up to 64 columns, 16 for more. With 16, a threadgroup takes half as
// many queries and keys at a time, so that its threads and threadgroup memory stay the same.

#include "common.h"
#include "attention.h"

constant int tile_queries [[function_constant(3)]]; // queries (with 8 LANES) and threads of a threadgroup
constant int tile_keys [[function_constant(4)]];    // keys per iteration (with 8 LANES)

constant uint THREADS = uint(tile_queries);
constant constexpr uint EACH = 8;    // queries and columns per thread
constant constexpr uint FETCHED = 8; // vectors that a thread loads at a time
constant constexpr uint STEP = 8;    // columns, then keys, per iteration of an inner loop

// A matrix stored column-major in threadgroup memory, so that the neighboring rows that a thread reads are contiguous. Vectors of
// four are swizzled by column; otherwise, threads that store many columns of few rows would hit few banks.
struct Turned {
    threadgroup float *data;
    uint lines; // rows: a power of two, at least 16

    // The address of row `line` in column d, a multiple of four. Columns d to d + 3 are `lines` floats apart.
    threadgroup float *at(uint line, uint d) const {
        const uint turn = d / 4 % min(lines / 4, 8u);
        return data + d * lines + (line / 4 ^ turn) * 4 + line % 4;
    }
};

// Rows of a [count][dim] matrix in device memory, `wide` columns of each, 0 past dim. Rows past the end repeat the last one; what
// they yield is masked or not stored.
template <typename T>
struct Rows {
    device const T *data;
    uint count, dim, wide;

    template <bool WHOLE>
    vec<T, 4> four(uint row, uint d) const {
        device const T *from = data + size_t(min(row, count - 1)) * dim + d;
        vec<T, 4> v = vec<T, 4>(T(0.0f));
        if (WHOLE) return d < dim ? *(device const vec<T, 4> *)from : v;
        for (uint i = 0; i < 4; i++)
            if (d + i < dim) v[i] = from[i];
        return v;
    }

    // Eight threads take 32 neighboring columns of a row, so that the number of vectors in `rows` rows is a multiple of THREADS.
    // place() returns the row and column of a thread's vector after `from` others.
    uint vectors(uint rows) const { return (wide + 31) / 32 * 8 * rows; }
    static uint2 place(uint rows, uint from, uint id) {
        return uint2(from / 8 % rows + id / 8, from / (8 * rows) * 32 + id % 8 * 4);
    }

    template <bool WHOLE>
    void fetch_fours(uint first, uint rows, uint from, uint id, thread vec<T, 4> *fetched) const {
        for (uint i = 0; i < FETCHED; i++) {
            const uint2 at = place(rows, from + i * THREADS, id);
            if (from + i * THREADS < vectors(rows)) fetched[i] = four<WHOLE>(first + at.x, at.y);
        }
    }

    void fetch(uint first, uint rows, uint from, uint id, thread vec<T, 4> *fetched) const {
        if (dim % 4 == 0) fetch_fours<true>(first, rows, from, id, fetched);
        else fetch_fours<false>(first, rows, from, id, fetched);
    }

    // Stages fetched vectors of to.lines rows, times `scale`.
    void put(uint from, float scale, Turned to, uint id, thread const vec<T, 4> *fetched) const {
        for (uint i = 0; i < FETCHED; i++) {
            const uint2 at = place(to.lines, from + i * THREADS, id);
            if (from + i * THREADS >= vectors(to.lines) || at.y >= wide) continue;
            threadgroup float *column = to.at(at.x, at.y);
            for (uint j = 0; j < 4; j++) column[j * to.lines] = float(fetched[i][j]) * scale;
        }
    }

    void put(uint from, uint rows, threadgroup float *to, uint id, thread const vec<T, 4> *fetched) const {
        for (uint i = 0; i < FETCHED; i++) {
            const uint2 at = place(rows, from + i * THREADS, id);
            if (from + i * THREADS < vectors(rows)) *(threadgroup float4 *)(to + at.x * wide + at.y) = float4(fetched[i]);
        }
    }

    // Loads and stages rows from `first` on, beginning with their vector `from`.
    void stage(uint first, uint from, float scale, Turned to, uint id) const {
        for (; from < vectors(to.lines); from += FETCHED * THREADS) {
            vec<T, 4> fetched[FETCHED];
            fetch(first, to.lines, from, id, fetched);
            put(from, scale, to, id, fetched);
        }
    }

    void stage(uint first, uint from, uint rows, threadgroup float *to, uint id) const {
        for (; from < vectors(rows); from += FETCHED * THREADS) {
            vec<T, 4> fetched[FETCHED];
            fetch(first, rows, from, id, fetched);
            put(from, rows, to, id, fetched);
        }
    }
};

static inline float4 four(threadgroup const float *from) { return *(threadgroup const float4 *)from; }

// A thread's position and its sums.
template <uint LANES>
struct Block {
    static constant constexpr uint ACROSS = SIMD / LANES;   // threads of a SIMD group with different queries
    static constant constexpr uint OWN = EACH * ACROSS;     // queries per SIMD group
    static constant constexpr uint WIDE = EACH * LANES;     // columns of the values
    static uint queries() { return THREADS * EACH / LANES; }
    static uint keys() { return uint(tile_keys) * 8 / LANES; }
    static uint each() { return keys() / LANES; }            // keys per thread
    static uint near() { return min(each(), 4u); }           // of these, those that are neighbors
    static uint part() { return near() * LANES; }            // keys whose exponentials are staged at a time

    uint x, y, simd;
    float top[EACH], sum[EACH]; // sum: over the thread's keys
    float4 acc[EACH][2], s[EACH][2];

    // Neighboring lanes differ in both x and y, so that lanes that are served together read few addresses.
    void begin(uint id) {
        const uint lane = id % SIMD;
        simd = id / SIMD;
        x = lane / 2 % LANES;
        y = lane % 2 + lane / (2 * LANES) * 2;
        for (uint r = 0; r < EACH; r++) {
            top[r] = LOWEST;
            sum[r] = 0.0f;
            acc[r][0] = acc[r][1] = float4(0.0f);
        }
    }

    // The index in the block of the thread's query r, and of its key i of part c.
    uint query(uint r) const { return simd * OWN + r / 4 * 4 * ACROSS + 4 * y + r % 4; }
    uint key(uint c, uint i) const { return c * part() + near() * x + i; }

    // The thread's keys of one part, in one column.
    float4 near_keys(threadgroup const float *from) const {
        if (near() == 4) return four(from);
        if (near() == 2) return float4(*(threadgroup const float2 *)from, 0.0f, 0.0f);
        return float4(*from, 0.0f, 0.0f, 0.0f);
    }

    void scores(Turned q, Turned k, uint dim) {
        for (uint r = 0; r < EACH; r++) s[r][0] = s[r][1] = float4(0.0f);
        for (uint d0 = 0; d0 < dim; d0 += STEP) {
            for (uint d = d0; d < d0 + STEP; d += 4) {
                threadgroup const float *from_q[2] = {q.at(query(0), d), q.at(query(4), d)};
                threadgroup const float *from_k[2] = {k.at(key(0, 0), d), k.at(key(each() > 4 ? 1 : 0, 0), d)};
                for (uint i = 0; i < 4; i++) {
                    const float4 a[2] = {four(from_q[0] + i * q.lines), four(from_q[1] + i * q.lines)};
                    for (uint c = 0; c < 2; c++) {
                        if (c * 4 >= each()) continue;
                        const float4 b = near_keys(from_k[c] + i * k.lines);
                        for (uint r = 0; r < EACH; r++) s[r][c] = fma(float4(a[r / 4][r % 4]), b, s[r][c]);
                    }
                }
            }
        }
    }

    template <typename T>
    void mask_scores(device const T *mask, constant AttentionParams &p, uint first, uint base) {
        for (uint r = 0; r < EACH; r++)
            for (uint i = 0; i < each(); i++)
                s[r][i / 4][i % 4] = masked(s[r][i / 4][i % 4], mask, p, first + query(r), base + key(i / 4, i % 4));
    }

    // Turns scores into exponentials, and rescales the sums so far.
    void weigh() {
        for (uint r = 0; r < EACH; r++) {
            float above = top[r], more = 0.0f;
            for (uint i = 0; i < each(); i++) above = max(above, s[r][i / 4][i % 4]);
            for (uint step = 2; step < 2 * LANES; step *= 2) above = max(above, simd_shuffle_xor(above, ushort(step)));
            for (uint i = 0; i < each(); i++) {
                const float power = exp2(s[r][i / 4][i % 4] - above);
                s[r][i / 4][i % 4] = power;
                more += power;
            }
            const float decay = exp2(top[r] - above);
            top[r] = above;
            sum[r] = fma(sum[r], decay, more);
            for (uint j = 0; j < 2; j++) acc[r][j] *= decay;
        }
    }

    // The offset of the exponentials of query vector v with a key, in the SIMD group's own memory.
    static uint power_at(uint key, uint v) {
        const uint four = key / 4, turn = (four * 2 | four / 4 % 2) % (OWN / 4);
        return key * OWN + (v ^ turn) * 4;
    }

    // Adds the values of part c, `count` of them, each times its exponential. Lanes exchange these through the SIMD group's own
    // memory.
    void add_values(uint c, uint count, threadgroup float *powers, threadgroup const float *values) {
        for (uint i = 0; i < near(); i++)
            for (uint h = 0; h < 2; h++)
                *(threadgroup float4 *)(powers + power_at(key(0, i), y + h * ACROSS)) =
                    float4(s[4 * h][c][i], s[4 * h + 1][c][i], s[4 * h + 2][c][i], s[4 * h + 3][c][i]);
        simdgroup_barrier(mem_flags::mem_threadgroup);
        for (uint key0 = 0; key0 < min(part(), count); key0 += STEP) {
            for (uint key = key0; key < key0 + STEP; key++) { // past `count`, exponentials are 0
                threadgroup const float *row = values + (c * part() + key) * WIDE + 4 * x;
                const float4 a[2] = {four(powers + power_at(key, y)), four(powers + power_at(key, y + ACROSS))};
                const float4 b[2] = {four(row), four(row + WIDE / 2)};
                for (uint r = 0; r < EACH; r++)
                    for (uint j = 0; j < 2; j++) acc[r][j] = fma(float4(a[r / 4][r % 4]), b[j], acc[r][j]);
            }
        }
        simdgroup_barrier(mem_flags::mem_threadgroup);
    }

    template <typename T>
    void finish(device T *out, uint first, uint count, uint dim) {
        for (uint r = 0; r < EACH; r++) {
            for (uint step = 2; step < 2 * LANES; step *= 2) sum[r] += simd_shuffle_xor(sum[r], ushort(step));
            const float share = 1.0f / sum[r];
            if (first + query(r) >= count) continue;
            device T *row = out + size_t(first + query(r)) * dim;
            for (uint j = 0; j < 2; j++) {
                const uint d = 4 * x + j * (WIDE / 2);
                if (dim % 4 == 0 && d < dim) *(device vec<T, 4> *)(row + d) = vec<T, 4>(acc[r][j] * share);
                for (uint i = 0; i < 4; i++)
                    if (dim % 4 != 0 && d + i < dim) row[d + i] = T(acc[r][j][i] * share);
            }
        }
    }
};

// The block of queries of a threadgroup. With a causal mask, the last blocks of all heads start first, because they see the most
// keys.
static inline uint block_of(constant AttentionParams &p, uint2 group, uint queries) {
    return causal ? (p.queries - 1) / queries - group.y : group.x;
}

template <typename T, uint LANES>
static inline void attend(device const T *q, device const T *k, device const T *v, device const T *mask, device T *out,
                          constant AttentionParams &p, uint dim, threadgroup float *memory, uint2 group, uint id) {
    Block<LANES> block;
    const uint queries = block.queries(), keys = block.keys(), wide = (dim + STEP - 1) / STEP * STEP;
    const uint first = block_of(p, group, queries) * queries;
    const size_t head = causal ? group.x : group.y, kv_head = head / (p.heads / p.kvheads);
    const Turned rows = {memory, queries}, cols = {memory + wide * queries, keys};
    threadgroup float *values = cols.data + max(wide * keys, block.part() * queries);
    threadgroup float *powers = cols.data + id / SIMD * block.part() * block.OWN; // in place of the keys
    const Rows<T> in_q = {q + head * p.queries * dim, p.queries, dim, wide}, in_k = {k + kv_head * p.keys * dim, p.keys, dim, wide},
                  in_v = {v + kv_head * p.keys * dim, p.keys, dim, block.WIDE};
    in_q.stage(first, 0, LOG2E / sqrt(float(dim)), rows, id);
    block.begin(id);
    const uint end = visible(p, min(first + queries, p.queries) - 1), whole = has_mask ? 0 : visible(p, first);
    // The next keys and the values are prefetched while other operands are multiplied, at points where few registers are in use.
    vec<T, 4> ahead_k[FETCHED], ahead_v[FETCHED];
    in_k.fetch(0, keys, 0, id, ahead_k);
    for (uint base = 0; base < end; base += keys) {
        in_k.put(0, 1.0f, cols, id, ahead_k);
        in_k.stage(base, FETCHED * THREADS, 1.0f, cols, id);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        block.scores(rows, cols, p.dim);
        in_v.fetch(base, keys, 0, id, ahead_v);
        if (base + keys > whole) block.mask_scores(mask, p, first, base);
        block.weigh();
        in_v.put(0, keys, values, id, ahead_v);
        in_v.stage(base, FETCHED * THREADS, keys, values, id);
        threadgroup_barrier(mem_flags::mem_threadgroup); // all have read the keys
        in_k.fetch(base + keys, keys, 0, id, ahead_k);
        block.add_values(0, end - base, powers, values);
        if (block.each() > 4 && base + block.part() < end) block.add_values(1, end - base - block.part(), powers, values);
        threadgroup_barrier(mem_flags::mem_threadgroup); // all have read the values
    }
    block.finish(out + head * p.queries * dim, first, p.queries, dim);
}

template <typename T>
kernel void attention(device const T *q [[buffer(0)]],
                      device const T *k [[buffer(1)]],
                      device const T *v [[buffer(2)]],
                      device const T *mask [[buffer(3), function_constant(has_mask)]],
                      device T *out [[buffer(4)]],
                      constant AttentionParams &p [[buffer(5)]],
                      threadgroup float *memory [[threadgroup(0)]],
                      uint2 group [[threadgroup_position_in_grid]],
                      uint id [[thread_index_in_threadgroup]]) {
    const uint dim = dim_of(p);
    if (dim <= 64) attend<T, 8>(q, k, v, mask, out, p, dim, memory, group, id);
    else attend<T, 16>(q, k, v, mask, out, p, dim, memory, group, id);
}

#define INSTANTIATE(name, type)                                                                                          \
    template [[host_name(name)]] kernel void attention<type>(device const type *, device const type *, device const type *, \
                                                             device const type *, device type *,                          \
                                                             constant AttentionParams &, threadgroup float *, uint2, uint);

INSTANTIATE("attention_flash_blocked_f32", float)
INSTANTIATE("attention_flash_blocked_f16", half)
#if __METAL_VERSION__ >= 310
INSTANTIATE("attention_flash_blocked_bf16", bfloat)
#endif
