// Template: loops over elements, and the functions that an epilogue shares with them.
#include "map.h"

INLINE vf v_relu(vf x) { return v_max(v_set1(0), x); } // keeps NaN

// e^r for |r| ≤ ln2/2: the Taylor polynomial of degree 7, with an error of 5e-9 at most.
INLINE vf v_exp_near_0(vf r) {
    vf p = v_set1(1.0f / 5040);
    p = v_fma(p, r, v_set1(1.0f / 720));
    p = v_fma(p, r, v_set1(1.0f / 120));
    p = v_fma(p, r, v_set1(1.0f / 24));
    p = v_fma(p, r, v_set1(1.0f / 6));
    p = v_fma(p, r, v_set1(0.5f));
    p = v_fma(p, r, v_set1(1));
    return v_fma(p, r, v_set1(1));
}

// e^t: 2^n·e^r. It is ∞ from 89 on, and below −87 it is clamped to e^−87, since processors take a hundred times as long for
// subnormal results.
INLINE vf v_exp(vf t) {
    t = v_min(v_set1(100), v_max(v_set1(-87), t));
    const vf n = v_rint(t * v_set1(1.44269504f));
    vf r = v_fma(n, v_set1(-0.693359375f), t); // ln2 in two parts: n times the first is exact
    r = v_fma(n, v_set1(2.12194440e-4f), r);
    return v_scale(v_exp_near_0(r), n);
}

#if !defined(EXP2)
// 2^(x·factor) = 2^n·2^r for products from −126 to 128, with a polynomial for |r| ≤ ½ whose error is 3e-9 plus its roundings.
INLINE vf v_exp2_within(vf x, const float factor) {
    const vf rounder = v_set1(0x1.8p23f + 127); // the low bits of a sum with it are n + 127, the exponent of 2^n
    const vf sum = v_fma(x, v_set1(factor), rounder), r = v_fma(x, v_set1(factor), rounder - sum);
    vf p = v_set1(1.55946776e-4f);
    p = v_fma(p, r, v_set1(1.34066439e-3f));
    p = v_fma(p, r, v_set1(9.61769297e-3f));
    p = v_fma(p, r, v_set1(5.55031055e-2f));
    p = v_fma(p, r, v_set1(0.240226528f));
    p = v_fma(p, r, v_set1(0.693147215f));
    p = v_fma(p, r, v_set1(1));
    return p * (vf)((vu)sum << 23);
}
// The same for any x: products below −125.9 are clamped there, and above 127.5 the result is ∞.
INLINE vf v_exp2_times(vf x, const float factor) {
    const float low = (factor > 0 ? -125.9f : 128) / factor, high = (factor > 0 ? 128 : -125.9f) / factor;
    return v_exp2_within(v_max(v_set1(low), v_min(v_set1(high), x)), factor);
}
// The same for x ≤ 0 and factor > 0, but 0 for products below −125.9, whatever the polynomial gives: masked elements must not
// become subnormal numbers, which slow down later arithmetic a hundredfold.
INLINE vf v_exp2_below(vf x, const float factor) {
    return (vf)((vi)v_exp2_within(x, factor) & ~(vi)(x < v_set1(-125.9f / factor)));
}
INLINE vf v_exp2(vf t) { return v_exp2_times(t, 1); }
#else
INLINE vf v_exp2_times(vf x, const float factor) { return v_exp2(x * v_set1(factor)); }
INLINE vf v_exp2_below(vf x, const float factor) { return v_exp2(x * v_set1(factor)); }
#endif

#define LOG2_E 1.4426950408889634f

// GELU, tanh form, as x·σ(2u), where e^−2u is a power of 2 of x·(c + c·0.044715·x²).
INLINE vf v_gelu(vf x) {
    const float c = -2 * 0.7978845608028654f * LOG2_E;
    return x * v_reciprocal(v_set1(1) + v_exp2(x * v_fma(x * x, v_set1(0.044715f * c), v_set1(c))));
}

INLINE vf v_silu(vf x) { return x * v_reciprocal(v_set1(1) + v_exp2_times(x, -LOG2_E)); }

// GELU, erf form: x·½·erfc(−x/√2), where erfc of a positive number is a polynomial times exp(−x²/2), with an error of 1.5e-7 at
// most (Abramowitz and Stegun, 7.1.26).
INLINE vf v_gelu_erf(vf x) {
    const vf size = v_max(x, v_set1(0) - x), t = v_reciprocal(v_fma(size, v_set1(0.3275911f * 0.70710678f), v_set1(1)));
    vf p = v_fma(t, v_set1(1.061405429f), v_set1(-1.453152027f));
    p = v_fma(t, p, v_set1(1.421413741f));
    p = v_fma(t, p, v_set1(-0.284496736f));
    p = v_fma(t, p, v_set1(0.254829592f));
    const vf tail = v_set1(0.5f) * t * p * v_exp2(x * x * v_set1(-0.5f * LOG2_E));
    const vi positive = x > v_set1(0);
    return x * (vf)(((vi)(v_set1(1) - tail) & positive) | ((vi)tail & ~positive)); // which keeps ∞ and NaN
}

// The element types that get and put convert. A loop for another type does not compile.
#define FLOAT_TYPES(X) X(F32) X(F16) X(BF16)
#define WANT_FLOAT(type) _Static_assert(TYPE_BITS(FLOAT_TYPES(TYPE_BIT)) >> CPU_##type & 1, "no loads and stores of " #type)

#define BLOCK_CASE(type, ...) case CPU_##type:
#define NOT_FLOATS                                                                                              \
    case CPU_I8: case CPU_I4: case CPU_I32: case CPU_U32: case CPU_E4M3: case CPU_E5M2: case CPU_TERNARY:      \
    CPU_BLOCK_LIST(BLOCK_CASE) case CPU_TYPES

// Elements of an array from i on, as floats. type is one of FLOAT_TYPES, and a constant wherever this is inlined.
INLINE vf get(const void *p, size_t i, enum cpu_type type) {
    switch (type) {
    case CPU_F32: return v_load((const float *)p + i);
    case CPU_F16: return v_load_f16((const uint16_t *)p + i);
    case CPU_BF16: return v_load_bf16((const uint16_t *)p + i);
    NOT_FLOATS: break;
    }
    __builtin_trap();
}
INLINE vf get_n(const void *p, size_t i, size_t n, enum cpu_type type) {
    if (type == CPU_F32) return v_load_n((const float *)p + i, n);
    uint16_t part[VL] = {0};
    memcpy(part, (const uint16_t *)p + i, 2 * n);
    return get(part, 0, type);
}
INLINE void put(void *p, size_t i, vf x, enum cpu_type type) {
    switch (type) {
    case CPU_F32: v_store((float *)p + i, x); return;
    case CPU_F16: v_store_f16((uint16_t *)p + i, x); return;
    case CPU_BF16: v_store_bf16((uint16_t *)p + i, x); return;
    NOT_FLOATS: break;
    }
    __builtin_trap();
}
// A non-temporal put; p + i is aligned to a whole vector.
INLINE void put_stream(void *p, size_t i, vf x, enum cpu_type type) {
    switch (type) {
    case CPU_F32: v_stream((float *)p + i, x); return;
    case CPU_F16: v_stream_f16((uint16_t *)p + i, x); return;
    case CPU_BF16: NOT_FLOATS: put(p, i, x, type);
    }
}
INLINE void put_past(void *p, size_t i, vf x, enum cpu_type type, int stream) {
    if (stream) put_stream(p, i, x, type);
    else put(p, i, x, type);
}
INLINE void put_n(void *p, size_t i, vf x, size_t n, enum cpu_type type) {
    if (type == CPU_F32) {
        v_store_n((float *)p + i, x, n);
        return;
    }
    uint16_t part[VL];
    put(part, 0, x, type);
    memcpy((uint16_t *)p + i, part, 2 * n);
}

INLINE int inputs_of(int op) {
    switch (op) {
#define MAP(name, inputs, result) \
    case MAP_##name: return inputs;
        ELEMENTWISE(MAP) MOVES(MAP)
#undef MAP
    }
    return 0;
}

INLINE vf apply(int op, vf a, vf b, vf c, float s) {
    switch (op) {
#define MAP(name, inputs, result) \
    case MAP_##name: return result;
        ELEMENTWISE(MAP) MOVES(MAP)
#undef MAP
    }
    return a;
}

INLINE vf map_at(int op, enum cpu_type type, void *const *arg, float s, size_t i) {
    const int inputs = inputs_of(op);
    const vf a = get(arg[0], i, type), none = {0};
    return apply(op, a, inputs > 1 ? get(arg[1], i, type) : none, inputs > 2 ? get(arg[2], i, type) : none, s);
}

INLINE void map_part(int op, enum cpu_type type, void *const *arg, float s, size_t i, size_t n) {
    const int inputs = inputs_of(op);
    const vf a = get_n(arg[0], i, n, type), none = {0};
    const vf b = inputs > 1 ? get_n(arg[1], i, n, type) : none, c = inputs > 2 ? get_n(arg[2], i, n, type) : none;
    put_n(arg[inputs], i, apply(op, a, b, c, s), n, type);
}

// The number of elements, of `size` bytes each, until p + i is aligned to a whole vector.
INLINE size_t to_aligned(const void *p, size_t i, size_t size) {
    const size_t past = ((uintptr_t)p + i * size) % (VL * size);
    return past == 0 ? 0 : (VL * size - past) / size;
}

// Non-temporal stores alternate between several pages, a few lines at a time: several streams keep more memory accesses in
// flight. The exception is AMD's processors, whose non-temporal stores are fastest in order.
enum { TURNS = 4, TURN_PAGE = 4096, TURN_BYTES = 256 };

// Computes the elements from i on that fill these pages, and returns the index of the first of the rest.
INLINE size_t map_pages(int op, enum cpu_type type, void *const *arg, float s, size_t i, size_t last) {
    void *out = arg[inputs_of(op)];
    const size_t page = TURN_PAGE / width_of(type), few = TURN_BYTES / width_of(type);
    for (; i + TURNS * page <= last; i += TURNS * page)
        for (size_t at = i; at < i + page; at += few)
            for (size_t turn = at; turn < at + TURNS * page; turn += page)
                for (size_t k = turn; k < turn + few; k += VL) put_stream(out, k, map_at(op, type, arg, s, k), type);
    return i;
}

// The arguments are copied to registers: a store might alias args, and reloading them after each one costs a third of a copy on
// Zen 5.
INLINE void map(int op, enum cpu_type type, void *const *args, float s, size_t i, size_t last, int stream, int turns) {
    const int inputs = inputs_of(op);
    void *const arg[4] = {args[0], args[1], inputs > 1 ? args[2] : NULL, inputs > 2 ? args[3] : NULL}, *const out = arg[inputs];
    if (stream) {
        const size_t head = min_size(to_aligned(out, i, width_of(type)), last - i);
        if (head > 0) map_part(op, type, arg, s, i, head);
        i += head;
        if (type == CPU_F32 && turns) i = map_pages(op, type, arg, s, i, last); // f16 and bf16 gain less than they lose in the caches
    }
    for (; i + VL <= last; i += VL) put_past(out, i, map_at(op, type, arg, s, i), type, stream);
    if (i < last) map_part(op, type, arg, s, i, last - i);
    if (stream) v_fence();
}

#define MAP_LOOP(type, name)                                                                           \
    WANT_FLOAT(type);                                                                                  \
    static void map_##name##_##type(void *const *arg, float s, size_t first, size_t last, int stream) { \
        if (STREAMS && stream) map(MAP_##name, CPU_##type, arg, s, first, last, 1, stream > 1);        \
        else map(MAP_##name, CPU_##type, arg, s, first, last, 0, 0);                                   \
    }
#define MAP(name, inputs, result) ELEMENTWISE_TYPES(MAP_LOOP, name)
ELEMENTWISE(MAP)
#undef MAP
#define MAP(name, inputs, result) MOVES_TYPES(MAP_LOOP, name)
MOVES(MAP)
#undef MAP

#define MAP_ENTRY(type, name) [CPU_##type] = map_##name##_##type,
static const struct map_loops map_loops = {{
#define MAP(name, inputs, result) [MAP_##name] = {ELEMENTWISE_TYPES(MAP_ENTRY, name)},
    ELEMENTWISE(MAP)
#undef MAP
#define MAP(name, inputs, result) [MAP_##name] = {MOVES_TYPES(MAP_ENTRY, name)},
    MOVES(MAP)
#undef MAP
}};
