// out[m,n] = a[m,k] · wᵀ, a in float, w[n,k] as int8 or int4 codes with a scale and zero point per block (see
// quantise.metal for the layout). Weights are turned into floats on their way into threadgroup memory; sums in float.

struct QuantMatmulParams {
    uint m;
    uint n;
    uint k;
    uint block; // 0: one scale for the whole tensor
};

constant constexpr uint TILE = 64;
constant constexpr uint DEPTH = 16;
constant constexpr uint SIDE = 16;
constant constexpr uint EACH = TILE / SIDE;

struct Int8 {
    static float code(device const uchar *q, uint row, uint col, uint cols) {
        return float(as_type<char>(q[size_t(row) * cols + col]));
    }
};
struct Int4 {
    static float code(device const uchar *q, uint row, uint col, uint cols) {
        const uchar byte = q[size_t(row) * ((cols + 1) / 2) + col / 2];
        const int c = int(col % 2 == 0 ? byte & 15 : byte >> 4);
        return float(c < 8 ? c : c - 16);
    }
};

template <typename Q>
kernel void matmul_quant(device const float *a [[buffer(0)]],
                         device const uchar *q [[buffer(1)]],
                         device const float *scale [[buffer(2)]],
                         device const float *zero [[buffer(3)]],
                         device float *out [[buffer(4)]],
                         constant QuantMatmulParams &p [[buffer(5)]],
                         uint2 group [[threadgroup_position_in_grid]],
                         uint2 local [[thread_position_in_threadgroup]]) {
    threadgroup float ta[DEPTH][TILE + 1];
    threadgroup float tw[DEPTH][TILE + 1];
    const uint row0 = group.y * TILE, col0 = group.x * TILE;
    const uint id = local.y * SIDE + local.x;
    const uint per_row = p.block == 0 ? 0 : p.k / p.block + (p.k % p.block != 0);
    float acc[EACH][EACH] = {};

    for (uint k0 = 0; k0 < p.k; k0 += DEPTH) {
        for (uint e = id; e < TILE * DEPTH; e += SIDE * SIDE) {
            const uint r = e / DEPTH, d = e % DEPTH;
            const bool in = k0 + d < p.k;
            ta[d][r] = in && row0 + r < p.m ? a[size_t(row0 + r) * p.k + k0 + d] : 0.0f;
            float w = 0.0f;
            if (in && col0 + r < p.n) {
                const uint b = p.block == 0 ? 0 : (col0 + r) * per_row + (k0 + d) / p.block;
                w = (Q::code(q, col0 + r, k0 + d, p.k) - zero[b]) * scale[b];
            }
            tw[d][r] = w;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        const uint depth = min(DEPTH, p.k - k0); // padding must not meet an infinity: 0·∞ is NaN
        for (uint d = 0; d < depth; d++) {
            float va[EACH], vw[EACH];
            for (uint i = 0; i < EACH; i++) va[i] = ta[d][local.y + SIDE * i];
            for (uint j = 0; j < EACH; j++) vw[j] = tw[d][local.x + SIDE * j];
            for (uint i = 0; i < EACH; i++)
                for (uint j = 0; j < EACH; j++) acc[i][j] = fma(va[i], vw[j], acc[i][j]);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }

    for (uint i = 0; i < EACH; i++) {
        for (uint j = 0; j < EACH; j++) {
            const uint r = row0 + local.y + SIDE * i, c = col0 + local.x + SIDE * j;
            if (r < p.m && c < p.n) out[size_t(r) * p.n + c] = acc[i][j];
        }
    }
}

template [[host_name("matmul_i8")]] kernel void matmul_quant<Int8>(
    device const float *, device const uchar *, device const float *, device const float *, device float *,
    constant QuantMatmulParams &, uint2, uint2);
template [[host_name("matmul_i4")]] kernel void matmul_quant<Int4>(
    device const float *, device const uchar *, device const float *, device const float *, device float *,
    constant QuantMatmulParams &, uint2, uint2);
