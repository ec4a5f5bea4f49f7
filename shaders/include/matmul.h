// Shared by the GEMMs: function constants, operands of a batch, epilogue.
#include "params/gemm.h"

constant bool transpose_b [[function_constant(MATMUL_TRANSPOSE_B)]];
constant bool has_bias [[function_constant(MATMUL_HAS_BIAS)]];
constant int activation [[function_constant(MATMUL_ACTIVATION)]];
constant bool transpose_a [[function_constant(MATMUL_TRANSPOSE_A)]];

#include "epilogue.h"

// Rows of a or columns of b, as `count` lines of k elements. `along`: neighbors in memory are neighbors along k; otherwise they
// are of neighboring lines.
template <typename T>
struct Lines {
    device const T *data;
    uint count, k;
    bool along;

    bool by_depth() const { return along; }

    // The stride in elements: from line to line if `along`, otherwise from depth to depth.
    uint apart() const { return along ? k : count; }

    device const T *address(uint line, uint d) const {
        return data + (along ? size_t(line) * k + d : size_t(d) * count + line);
    }

    float at(uint line, uint d) const { return line < count && d < k ? float(*address(line, d)) : 0.0f; }
};

template <typename T>
static inline Lines<T> rows_of(device const T *a, constant MatmulParams &p, uint batch) {
    return {a + size_t(batch) * p.m * p.k, p.m, p.k, !transpose_a};
}

template <typename T>
static inline Lines<T> columns_of(device const T *b, constant MatmulParams &p, uint batch) {
    return {b + size_t(batch) * p.n * p.k, p.n, p.k, transpose_b};
}
