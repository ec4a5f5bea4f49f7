// The minimum or maximum across a threadgroup of up to 32 SIMD groups; scratch holds one float for each.
static inline float reduce_group(float v, bool is_max, threadgroup float *scratch, uint lane, uint simd, uint simds) {
    v = is_max ? simd_max(v) : simd_min(v);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (lane == 0) scratch[simd] = v;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = 0; i < simds; i++) v = is_max ? max(v, scratch[i]) : min(v, scratch[i]);
    return v;
}

// The sum across a threadgroup.
static inline float sum_group(float v, threadgroup float *scratch, uint lane, uint simd, uint simds) {
    v = simd_sum(v);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (lane == 0) scratch[simd] = v;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float sum = 0.0f;
    for (uint i = 0; i < simds; i++) sum += scratch[i];
    return sum;
}
