#include <metal_stdlib>
using namespace metal;

struct AdamArgs { float rate; float beta1; float beta2; float epsilon; uint step; };

kernel void adam(device float *w [[buffer(0)]], device const float *g [[buffer(1)]], device float *m [[buffer(2)]], device float *v [[buffer(3)]],
                 constant AdamArgs &a [[buffer(4)]], uint i [[thread_position_in_grid]]) {
    m[i] = a.beta1 * m[i] + (1 - a.beta1) * g[i];
    v[i] = a.beta2 * v[i] + (1 - a.beta2) * g[i] * g[i];
    const float mean = m[i] / (1 - pow(a.beta1, float(a.step))), var = v[i] / (1 - pow(a.beta2, float(a.step)));
    w[i] -= a.rate * mean / (sqrt(var) + a.epsilon);
}

kernel void heat(device const float *t [[buffer(0)]], device float *next [[buffer(1)]], constant uint &n [[buffer(2)]], constant float &k [[buffer(3)]],
                 uint2 at [[thread_position_in_grid]]) {
    const uint i = at.y * n + at.x;
    const bool edge = at.x == 0 || at.y == 0 || at.x == n - 1 || at.y == n - 1;
    next[i] = edge ? t[i] : t[i] + k * (t[i - 1] + t[i + 1] + t[i - n] + t[i + n] - 4 * t[i]);
}

kernel void nbody(device const float4 *p [[buffer(0)]], device float3 *force [[buffer(1)]], constant uint &n [[buffer(2)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]]) {
    threadgroup float4 near[32];
    float3 sum = 0;
    for (uint first = 0; first < n; first += 32) {
        near[t] = p[first + t];
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint j = 0; j < 32; j++) {
            const float3 d = near[j].xyz - p[i].xyz;
            const float r = rsqrt(dot(d, d) + 0.01f);
            sum += near[j].w * r * r * r * d;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    force[i] = sum;
}

kernel void conv1d(device const float *x [[buffer(0)]], constant float *taps [[buffer(1)]], device float *y [[buffer(2)]], constant int &width [[buffer(3)]],
                   uint i [[thread_position_in_grid]]) {
    float sum = 0;
    for (int k = 0; k < width; k++) sum = fma(x[i + k], taps[k], sum);
    y[i] = sum;
}

kernel void complex_multiply(device const float2 *a [[buffer(0)]], device const float2 *b [[buffer(1)]], device float2 *c [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    c[i] = float2(a[i].x * b[i].x - a[i].y * b[i].y, a[i].x * b[i].y + a[i].y * b[i].x);
}

kernel void max_pool(device const half *x [[buffer(0)]], device half *y [[buffer(1)]], constant uint &w [[buffer(2)]], uint2 at [[thread_position_in_grid]], uint2 grid [[threads_per_grid]]) {
    const uint i = 2 * at.y * w + 2 * at.x;
    y[at.y * grid.x + at.x] = max(max(x[i], x[i + 1]), max(x[i + w], x[i + w + 1]));
}

kernel void cross_entropy(device const float *logits [[buffer(0)]], device const int *labels [[buffer(1)]], device float *loss [[buffer(2)]], constant int &classes [[buffer(3)]],
                          uint row [[thread_position_in_grid]]) {
    device const float *x = logits + row * classes;
    float top = x[0], sum = 0;
    for (int i = 1; i < classes; i++) top = max(top, x[i]);
    for (int i = 0; i < classes; i++) sum += exp(x[i] - top);
    loss[row] = log(sum) + top - x[labels[row]];
}

kernel void layer_norm(device const bfloat *x [[buffer(0)]], device bfloat *y [[buffer(1)]], constant uint &n [[buffer(2)]], uint row [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
    float sum = 0, squares = 0;
    for (uint i = lane; i < n; i += 32) sum += float(x[row * n + i]);
    const float mean = simd_sum(sum) / n;
    for (uint i = lane; i < n; i += 32) squares += (float(x[row * n + i]) - mean) * (float(x[row * n + i]) - mean);
    const float scale = rsqrt(simd_sum(squares) / n + 1e-5f);
    for (uint i = lane; i < n; i += 32) y[row * n + i] = bfloat((float(x[row * n + i]) - mean) * scale);
}

kernel void quantize(device const float *x [[buffer(0)]], device char *q [[buffer(1)]], device float *scales [[buffer(2)]], uint i [[thread_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
    const float top = simd_max(abs(x[i])), scale = top / 127;
    q[i] = char(rint(x[i] / scale));
    if (lane == 0) scales[i / 32] = scale;
}
