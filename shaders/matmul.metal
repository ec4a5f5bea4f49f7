// out[m,n] = act(a[m,k] · b + bias[n]), row-major, b as [k,n] or, with transpose_b, as [n,k]; sums in float.
//
// A threadgroup of 16×16 threads makes a 64×64 tile of the output, 4×4 elements a thread; both operands pass through
// threadgroup memory 16 columns (rows) at a time. Needs no simdgroup_matrix, so it runs on every Metal GPU.

constant bool transpose_b [[function_constant(0)]];
constant bool has_bias [[function_constant(1)]];
constant int activation [[function_constant(2)]]; // 0 none, 1 ReLU, 2 GELU

struct MatmulParams {
    uint m;
    uint n;
    uint k;
};

constant constexpr uint TILE = 64;  // rows and columns of a threadgroup's tile
constant constexpr uint DEPTH = 16; // k taken at a time
constant constexpr uint SIDE = 16;  // threads along a side
constant constexpr uint EACH = TILE / SIDE;

static inline float activate(float x) {
    if (activation == 1) return relu_nan(x);
    if (activation == 2) return gelu_tanh(x);
    return x;
}

template <typename T>
kernel void matmul(device const T *a [[buffer(0)]],
                   device const T *b [[buffer(1)]],
                   device const T *bias [[buffer(2), function_constant(has_bias)]],
                   device T *out [[buffer(3)]],
                   constant MatmulParams &p [[buffer(4)]],
                   uint2 group [[threadgroup_position_in_grid]],
                   uint2 local [[thread_position_in_threadgroup]]) {
    threadgroup float ta[DEPTH][TILE + 1]; // one column more, so that stores do not share a bank
    threadgroup float tb[DEPTH][TILE + 1];
    const uint row0 = group.y * TILE, col0 = group.x * TILE;
    const uint id = local.y * SIDE + local.x;
    float acc[EACH][EACH] = {};

    for (uint k0 = 0; k0 < p.k; k0 += DEPTH) {
        for (uint e = id; e < TILE * DEPTH; e += SIDE * SIDE) {
            const uint r = e / DEPTH, d = e % DEPTH;
            const bool in = row0 + r < p.m && k0 + d < p.k;
            ta[d][r] = in ? float(a[size_t(row0 + r) * p.k + k0 + d]) : 0.0f;
        }
        for (uint e = id; e < TILE * DEPTH; e += SIDE * SIDE) {
            // neighbouring threads read neighbouring addresses in either layout
            const uint c = transpose_b ? e / DEPTH : e % TILE, d = transpose_b ? e % DEPTH : e / TILE;
            const bool in = col0 + c < p.n && k0 + d < p.k;
            const size_t at = transpose_b ? size_t(col0 + c) * p.k + k0 + d : size_t(k0 + d) * p.n + col0 + c;
            tb[d][c] = in ? float(b[at]) : 0.0f;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        const uint depth = min(DEPTH, p.k - k0); // padding must not meet an infinity: 0·∞ is NaN
        for (uint d = 0; d < depth; d++) {
            float va[EACH], vb[EACH];
            for (uint i = 0; i < EACH; i++) va[i] = ta[d][local.y + SIDE * i];
            for (uint j = 0; j < EACH; j++) vb[j] = tb[d][local.x + SIDE * j];
            for (uint i = 0; i < EACH; i++)
                for (uint j = 0; j < EACH; j++) acc[i][j] = fma(va[i], vb[j], acc[i][j]);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }

    for (uint i = 0; i < EACH; i++) {
        for (uint j = 0; j < EACH; j++) {
            const uint r = row0 + local.y + SIDE * i, c = col0 + local.x + SIDE * j;
            if (r >= p.m || c >= p.n) continue;
            float v = acc[i][j];
            if (has_bias) v += float(bias[c]);
            out[size_t(r) * p.n + c] = T(activate(v));
        }
    }
}

template [[host_name("matmul_f32")]] kernel void matmul<float>(
    device const float *, device const float *, device const float *, device float *,
    constant MatmulParams &, uint2, uint2);
template [[host_name("matmul_f16")]] kernel void matmul<half>(
    device const half *, device const half *, device const half *, device half *,
    constant MatmulParams &, uint2, uint2);
