// The GEMM family.
#ifndef ASSAY_GEMM_H
#define ASSAY_GEMM_H

#include "quant.h"

#define MAX_MR 12   // rows of the tallest micro-kernel
#define MAX_NV 4    // vectors of the widest
#define ROW_PAD 16  // floats between packed rows of a, to avoid cache conflicts
#define MAX_KC 384 // up to 1024 a float holds a sum of this many int8 products exactly

#define AXPY_STEPS 4 // rows of b added together

#define ACT_NONE 0 // the others are in params/activation.h
#define ACT_RELU 1

// How a micro-kernel reads rows of b: b_step floats apart; the same for full panels, copying them as it reads; or packed in
// panels.
enum b_layout { B_STRIDED, B_COPIED, B_PACKED, B_LAYOUTS };

// One tile of the output: the sums over k of rows of a, a_row floats apart, times vectors of b, b_step floats apart.
struct tile {
    size_t k;
    const float *a, *b;
    size_t a_row, b_step;
    float *copy;           // where micro-kernels that copy vectors of b put them
    const float *next;     // rows needed soon
    size_t next_step, next_rows;
    float *c;
    size_t ldc;
    size_t last;       // columns of its last vector
    int add;           // c holds the sums of earlier products
    int last_sums;     // complete after this: the bias of the tile's columns is added, unless it is NULL, and…
    const float *bias;
    float floor;       // …smaller values become this: 0 for ReLU, −∞ for no limit
};
typedef void ukr_fn(const struct tile *t);

// What is done to a sum once it is complete.
struct epilogue {
    const void *bias; // NULL: none
    int type;         // of bias and output: one of GEMM_TYPES
    int activation;
};

// The element types of operands and output. Sums are floats: narrow operands are widened.
#define GEMM_NARROW(X) X(F16) X(BF16)
#define GEMM_TYPES(X) X(F32) GEMM_NARROW(X)

struct gemm_loops {
    int mr, nv;           // micro-kernel of mr rows by nv vectors, for b in place
    int wide_mr, wide_nv; // the same for packed b
    int broad_mr, broad_nv; // and for b in place whose rows hold several times as many vectors
    int kc;               // depth of a packed panel
    void (*widen[CPU_TYPES])(const void *in, float *out, size_t n); // from the types of GEMM_NARROW, and int8
    // dst[k][stride] = transpose of src[rows ≤ vl][k], `count` floats for each k; missing rows are 0.
    void (*interleave)(const float *src, size_t ld, int rows, size_t k, float *dst, size_t stride, int count);
    // Copies k rows of `cols` elements, src[k][ld], to panels dst[·][k][NR] side by side, with 0 beyond the columns to the end of
    // their vector.
    void (*pack[CPU_TYPES])(const void *src, size_t ld, size_t cols, size_t k, float *dst);
    ukr_fn *ukr[B_LAYOUTS][MAX_NV][MAX_MR + 1]; // [enum b_layout][vectors − 1][rows]
    // out[i] = act(sum[i] + bias[col + i]) for i < n; indexed by e->type. sum may be out.
    void (*store[CPU_TYPES])(const float *sum, size_t n, size_t col, const struct epilogue *e, void *out);
    void (*add_integers)(const float *sum, size_t n, int add, int32_t *out); // out[i] (+)= sum[i]
    // acc[i] += a[i·lda + ·]·b over k elements of a row of b, for i < m ≤ GEMV_ROWS.
    void (*dot[CPU_TYPES])(const void *b, const float *a, size_t lda, int m, size_t k, float *acc);
    // acc[i] = a·b[i·ld + ·] over k elements of `rows` rows of b: 4, or `beside`, which is 4 or 8.
    void (*dot_beside[CPU_TYPES])(const void *b, size_t ld, const float *a, size_t k, int rows, float *acc);
    int beside;
    // acc[i·ld + ·] += Σ a[i·lda + d]·b[d·ldb + ·] over d < steps ≤ AXPY_STEPS, for i < m.
    void (*axpy)(float *acc, size_t ld, const float *a, size_t lda, int m, const float *b, size_t ldb, int steps, size_t n);
};

// The operand layouts of a GEMM: a[m][k], or a[k][m] if a has columns; b[k][n], or w[n][k] if b has rows (or is quantized).
struct gemm {
    size_t m, n, k;
    const void *a, *b;
    int a_type, a_cols, b_rows;
    size_t a_apart; // elements from one k to the next in columns of a: m, or more if a is part of another matrix
    struct quantized w; // codes is NULL unless b is quantized
    const int8_t *rounded; // what a was made from, with the scales of a row's blocks in rounded_scale; NULL: a was not rounded
    const float *rounded_scale;
    void *out;
    struct epilogue end;
};

// `rows` rows of a or b from `row` on, k floats of each from k0 on: in place or put in tmp[rows][k]. *ld is the distance between
// them. copy_a_rows puts them `apart` floats apart.
const float *a_rows(const struct isa *isa, const struct gemm *g, size_t row, size_t rows, size_t k0, size_t k, float *tmp,
                    size_t *ld);
void copy_a_rows(const struct isa *isa, const struct gemm *g, size_t row, size_t rows, size_t k0, size_t k, float *to, size_t apart);
const float *b_rows(const struct isa *isa, const struct gemm *g, size_t row, size_t rows, size_t k0, size_t k, float *tmp,
                    size_t *ld);

// The panels of an operand.
struct panels {
    size_t count, most; // most: in a part
    size_t bytes;       // of a panel
};

// A GEMM is divided into parts. A task packs panels of both operands in its thread's scratch memory, since cores are slow to
// write lines that others have read, and waiting for another core costs more than packing again.
struct parts {
    size_t rows, cols; // panels of a, and of b
    size_t across, count;
};

// Divides a GEMM into parts for threads that each do at least `least` of its `work`, minimizing the bytes read.
struct parts divide(const struct panels *a, const struct panels *b, int threads, double work, double least);

// The same if a thread keeps panels of a for the next part that has the same ones: parts may have all of them.
struct parts divide_columns(const struct panels *a, const struct panels *b, int threads, double work, double least);

// Multiplies packed panels, or for m ≤ GEMV_ROWS without packing; 0 if there is no scratch memory.
void run_packed(cpu_stream *s, const struct gemm *g);
int run_gemv(cpu_stream *s, const struct gemm *g);

#endif
