// Memory-bound kernels that measure the available bandwidth: copy (out = x), scale (out = s·x) and triad (out = a + s·b). A
// thread takes `width` neighboring elements, as far as possible in vectors of two or four.

#include "common.h"
#include "params/stream.h"

constant int width [[function_constant(STREAM_WIDTH)]];

// Component by component, because clang's PTX copies whole structs 8 bytes at a time.
static inline float whole(float v) { return v; }
static inline float2 whole(float2 v) { return float2(v.x, v.y); }
static inline float4 whole(float4 v) { return float4(v.x, v.y, v.z, v.w); }

template <typename V>
static inline V get(device const float *x, uint i) { return whole(*(device const V *)(x + i)); }

template <typename V>
static inline void put(device float *out, uint i, V v) { *(device V *)(out + i) = v; }

struct Copy {
    device const float *x;
    device float *out;

    void take(uint i) const { out[i] = x[i]; }
    void take2(uint i) const { put(out, i, get<float2>(x, i)); }
    void take4(uint i) const { put(out, i, get<float4>(x, i)); }
};

// From an address that is not aligned for vector loads.
struct CopyLoose {
    device const float *x;
    device float *out;

    void take(uint i) const { out[i] = x[i]; }
    void take2(uint i) const { put(out, i, float2(x[i], x[i + 1])); }
    void take4(uint i) const { put(out, i, float4(x[i], x[i + 1], x[i + 2], x[i + 3])); }
};

struct Scale {
    device const float *x;
    device float *out;
    float s;

    void take(uint i) const { out[i] = s * x[i]; }
    void take2(uint i) const { put(out, i, s * get<float2>(x, i)); }
    void take4(uint i) const { put(out, i, s * get<float4>(x, i)); }
};

struct Triad {
    device const float *a;
    device const float *b;
    device float *out;
    float s;

    void take(uint i) const { out[i] = fma(s, b[i], a[i]); }
    void take2(uint i) const { put(out, i, fma(float2(s), get<float2>(b, i), get<float2>(a, i))); }
    void take4(uint i) const { put(out, i, fma(float4(s), get<float4>(b, i), get<float4>(a, i))); }
};

template <typename F>
static inline void each(thread const F &f, uint n, uint id) {
    uint i = id * uint(width);
    const uint last = min(i + uint(width), n);
    if (width >= 4) {
        for (; i + 4 <= last; i += 4) f.take4(i);
    } else if (width == 2) {
        for (; i + 2 <= last; i += 2) f.take2(i);
    }
    for (; i < last; i++) f.take(i);
}

kernel void copy_f32(device const float *x [[buffer(0)]],
                     device float *out [[buffer(1)]],
                     constant CopyParams &p [[buffer(2)]],
                     uint id [[thread_position_in_grid]]) {
    if (p.first % min(uint(width), 4u) == 0) {
        const Copy f = {x + p.first, out};
        each(f, p.n, id);
    } else {
        const CopyLoose f = {x + p.first, out};
        each(f, p.n, id);
    }
}

kernel void scale_f32(device const float *x [[buffer(0)]],
                      device float *out [[buffer(1)]],
                      constant ScaleParams &p [[buffer(2)]],
                      uint id [[thread_position_in_grid]]) {
    const Scale f = {x, out, p.s};
    each(f, p.n, id);
}

kernel void triad_f32(device const float *a [[buffer(0)]],
                      device const float *b [[buffer(1)]],
                      device float *out [[buffer(2)]],
                      constant TriadParams &p [[buffer(3)]],
                      uint id [[thread_position_in_grid]]) {
    const Triad f = {a, b, out, p.s};
    each(f, p.n, id);
}
