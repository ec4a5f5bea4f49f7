// The family of elementwise kernels.
#ifndef ASSAY_MAP_H
#define ASSAY_MAP_H

#include "isa.h"

// An operation's name, its inputs, and the result vector as an expression of input vectors a, b and c and the factor s.
#define ELEMENTWISE(MAP)            \
    MAP(add, 2, a + b)              \
    MAP(mul, 2, a * b)               \
    MAP(relu, 1, v_relu(a))         \
    MAP(gelu, 1, v_gelu(a))         \
    MAP(gelu_erf, 1, v_gelu_erf(a)) \
    MAP(silu, 1, v_silu(a))         \
    MAP(add_relu, 2, v_relu(a + b)) \
    MAP(mul_relu, 2, v_relu(a * b))  \
    MAP(silu_mul, 2, v_silu(a) * b) \
    MAP(affine, 3, v_fma(a, b, c))
#define MOVES(MAP)  \
    MAP(copy, 1, a) \
    MAP(scale, 1, a * v_set1(s)) \
    MAP(triad, 2, v_fma(b, v_set1(s), a))

// The element types of the elementwise operations, and of those that move memory.
#define ELEMENTWISE_TYPES(X, ...) X(F32, __VA_ARGS__) X(F16, __VA_ARGS__)
#define MOVES_TYPES(X, ...) X(F32, __VA_ARGS__)

enum map_op {
#define MAP(name, inputs, result) MAP_##name,
    ELEMENTWISE(MAP) MOVES(MAP) MAPS,
#undef MAP
};

// Computes elements [first, last) of out; stream asks for non-temporal stores, 2 for alternating between several pages.
typedef void map_fn(void *const *arg, float s, size_t first, size_t last, int stream);

struct map_loops {
    map_fn *map[MAPS][CPU_TYPES];
};

#endif
