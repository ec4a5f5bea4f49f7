// Block quantisation of a [rows, cols] float matrix to int8 or int4, and back.
//
// A block is `block` neighbours of one row (the last block of a row may be shorter), or with block = 0 the whole
// tensor. Code q stands for (q − zero)·scale. Affine: scale = (max − min)/(qmax − qmin), zero = qmin − min/scale.
// Symmetric: scale = absmax/qmax, zero = 0. A constant block has scale = its value and zero = 0, so it comes back
// exactly. Where the scale would be no normal number it is 1 and zero = 0. int4 codes lie two to a byte, the even column in the low nibble, each row from a new byte.

constant bool symmetric [[function_constant(0)]];

struct QuantParams {
    uint rows;
    uint cols;
    uint block;
};

constant constexpr float SMALLEST = 1.17549435e-38f; // least normal float: below it GPUs flush to zero

struct Int8 {
    static constant constexpr float qmin = -128.0f, qmax = 127.0f;
};
struct Int4 {
    static constant constexpr float qmin = -8.0f, qmax = 7.0f;
};

// One threadgroup quantises one block: `size` elements from `first`, in rows of which the block's part is contiguous.
struct Span {
    uint row, first, size, rows;
};

static inline Span span_of(constant QuantParams &p, uint index) {
    if (p.block == 0) return {0, 0, p.cols, p.rows};
    const uint per_row = p.cols / p.block + (p.cols % p.block != 0);
    const uint row = index / per_row, first = (index % per_row) * p.block;
    return {row, first, min(p.block, p.cols - first), 1};
}

static inline float reduce_group(float v, bool is_max, threadgroup float *scratch, uint lane, uint simd, uint simds) {
    v = is_max ? simd_max(v) : simd_min(v);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (lane == 0) scratch[simd] = v;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = 0; i < simds; i++) v = is_max ? max(v, scratch[i]) : min(v, scratch[i]);
    return v;
}

// Scale (x) and zero point (y) of a block whose values lie in [lo, hi].
template <typename Q>
static inline float2 scale_zero(float lo, float hi) {
    if (lo == hi) return float2(abs(lo) < SMALLEST ? 1.0f : lo, 0.0f);
    const float scale = symmetric ? max(abs(lo), abs(hi)) / Q::qmax : (hi - lo) / (Q::qmax - Q::qmin);
    if (scale < SMALLEST) return float2(1.0f, 0.0f);
    return float2(scale, symmetric ? 0.0f : Q::qmin - lo / scale);
}

template <typename Q>
static inline int encode(float x, float2 sz) {
    return int(clamp(rint(x / sz.x + sz.y), Q::qmin, Q::qmax));
}

static inline uint nibble(int code) { return uint(code) & 15u; }

template <typename Q>
static inline float2 block_scale(device const float *x, constant QuantParams &p, Span s, uint id, uint threads,
                                 threadgroup float *scratch, uint lane, uint simd, uint simds) {
    float lo = INFINITY, hi = -INFINITY;
    for (uint r = s.row; r < s.row + s.rows; r++)
        for (uint c = id; c < s.size; c += threads) {
            const float v = x[size_t(r) * p.cols + s.first + c];
            lo = min(lo, v);
            hi = max(hi, v);
        }
    lo = reduce_group(lo, false, scratch, lane, simd, simds);
    hi = reduce_group(hi, true, scratch, lane, simd, simds);
    return scale_zero<Q>(lo, hi);
}

kernel void quantise_i8(device const float *x [[buffer(0)]],
                        device char *q [[buffer(1)]],
                        device float *scale [[buffer(2)]],
                        device float *zero [[buffer(3)]],
                        constant QuantParams &p [[buffer(4)]],
                        uint index [[threadgroup_position_in_grid]],
                        uint id [[thread_position_in_threadgroup]],
                        uint threads [[threads_per_threadgroup]],
                        uint lane [[thread_index_in_simdgroup]],
                        uint simd [[simdgroup_index_in_threadgroup]],
                        uint simds [[simdgroups_per_threadgroup]]) {
    threadgroup float scratch[32];
    const Span s = span_of(p, index);
    const float2 sz = block_scale<Int8>(x, p, s, id, threads, scratch, lane, simd, simds);
    for (uint r = s.row; r < s.row + s.rows; r++)
        for (uint c = id; c < s.size; c += threads) {
            const size_t at = size_t(r) * p.cols + s.first + c;
            q[at] = char(encode<Int8>(x[at], sz));
        }
    if (id == 0) {
        scale[index] = sz.x;
        zero[index] = sz.y;
    }
}

kernel void quantise_i4(device const float *x [[buffer(0)]],
                        device uchar *q [[buffer(1)]],
                        device float *scale [[buffer(2)]],
                        device float *zero [[buffer(3)]],
                        constant QuantParams &p [[buffer(4)]],
                        uint index [[threadgroup_position_in_grid]],
                        uint id [[thread_position_in_threadgroup]],
                        uint threads [[threads_per_threadgroup]],
                        uint lane [[thread_index_in_simdgroup]],
                        uint simd [[simdgroup_index_in_threadgroup]],
                        uint simds [[simdgroups_per_threadgroup]]) {
    threadgroup float scratch[32];
    const Span s = span_of(p, index);
    const float2 sz = block_scale<Int4>(x, p, s, id, threads, scratch, lane, simd, simds);
    const uint stride = (p.cols + 1) / 2;
    for (uint r = s.row; r < s.row + s.rows; r++)
        for (uint c = 2 * id; c < s.size; c += 2 * threads) { // a byte a thread: both its nibbles are in this block
            const size_t at = size_t(r) * p.cols + s.first + c;
            uint byte = nibble(encode<Int4>(x[at], sz));
            if (c + 1 < s.size) byte |= nibble(encode<Int4>(x[at + 1], sz)) << 4;
            q[size_t(r) * stride + (s.first + c) / 2] = uchar(byte);
        }
    if (id == 0) {
        scale[index] = sz.x;
        zero[index] = sz.y;
    }
}

static inline uint block_of(constant QuantParams &p, uint row, uint col) {
    return p.block == 0 ? 0 : row * (p.cols / p.block + (p.cols % p.block != 0)) + col / p.block;
}

kernel void dequantise_i8(device const char *q [[buffer(0)]],
                          device const float *scale [[buffer(1)]],
                          device const float *zero [[buffer(2)]],
                          device float *out [[buffer(3)]],
                          constant QuantParams &p [[buffer(4)]],
                          uint2 id [[thread_position_in_grid]]) {
    if (id.x >= p.cols || id.y >= p.rows) return;
    const uint b = block_of(p, id.y, id.x);
    const size_t at = size_t(id.y) * p.cols + id.x;
    out[at] = (float(q[at]) - zero[b]) * scale[b];
}

kernel void dequantise_i4(device const uchar *q [[buffer(0)]],
                          device const float *scale [[buffer(1)]],
                          device const float *zero [[buffer(2)]],
                          device float *out [[buffer(3)]],
                          constant QuantParams &p [[buffer(4)]],
                          uint2 id [[thread_position_in_grid]]) {
    if (id.x >= p.cols || id.y >= p.rows) return;
    const uint b = block_of(p, id.y, id.x);
    const uchar byte = q[size_t(id.y) * ((p.cols + 1) / 2) + id.x / 2];
    const int code = int(id.x % 2 == 0 ? byte & 15 : byte >> 4);
    out[size_t(id.y) * p.cols + id.x] = (float(code < 8 ? code : code - 16) - zero[b]) * scale[b];
}
