// What one instruction set offers: the vector loops that pool.c, map.c, gemm.c and quant.c drive. Each isa_*.c fills
// one table by including vec_*.h and the loops_*.h templates.
#ifndef ASSAY_ISA_H
#define ASSAY_ISA_H

#include "cpu.h"

#define MAX_MR 14 // rows of the largest micro-kernel
#define MAX_VL 16 // floats in the longest vector
#define MAX_KC 384
#define GEMV_ROWS 4 // up to so many rows of a, b is streamed once instead of packed

// A map computes elements [first, last) of out; stream asks for stores that pass the caches by.
typedef void map_fn(void *const *arg, float s, size_t first, size_t last, int stream);

// c[mr][nr] (+)= a·b for panels a[k][mr] and b[k][NR].
typedef void ukr_fn(size_t k, const float *a, const float *b, float *c, size_t ldc, int accumulate);

// What becomes of a sum once it is complete.
struct epilogue {
    const void *bias; // NULL: none
    int type;         // of bias and output: CPU_F32 or CPU_F16
    int activation;
};

struct isa {
    const char *name;
    int vl, mr, nv, kc; // vector length; micro-kernel of mr rows by nv vectors; depth of a packed panel
    map_fn *map[CPU_MAPS][2];
    void (*widen)(const uint16_t *in, float *out, size_t n); // f16 to f32
    // out[i] = (q[first + i] − zero[b])·scale[b] for int8 and int4; b counts the blocks of q.
    void (*dequant[2])(const void *q, size_t block, const float *zero, const float *scale, size_t first, size_t n,
                       float *out);
    // acc[i] += a[i·lda + ·]·w over the n weights w = (q − zero[b])·scale[b] of int8 or int4 codes q, for i < m ≤ 4.
    void (*quant_dot[2])(const void *q, size_t block, const float *zero, const float *scale, const float *a, size_t lda,
                         int m, size_t n, float *acc);
    void (*encode)(const float *x, float scale, float zero, float qmin, float qmax, int8_t *q, size_t n);
    void (*range)(const float *x, size_t n, float *lo, float *hi);
    // dst[k][stride] = transpose of src[rows ≤ vl][k], `count` floats of each k; rows that are missing are 0.
    void (*interleave)(const float *src, size_t ld, int rows, size_t k, float *dst, size_t stride, int count);
    // Copies k rows of `cols` floats or halves, src[k][ld], to panels dst[·][k][NR] side by side; what lies beyond the
    // columns is 0 to the end of their vector.
    void (*pack)(const void *src, int half, size_t ld, size_t cols, size_t k, float *dst);
    ukr_fn *ukr[2][MAX_MR + 1]; // [1 or 2 vectors wide − 1][rows]
    // out[i] = act(sum[i] + bias[col + i]) for i < n, stored as e->type; sum may be out.
    void (*finish)(const float *sum, size_t n, size_t col, const struct epilogue *e, void *out);
    // acc[i] += a[i·lda + ·]·b over k floats, for i < m.
    void (*dot)(const float *b, const float *a, size_t lda, int m, size_t k, float *acc);
    // acc += Σ a[i]·b[i·ldb + ·] over rows i < rows ≤ 4.
    void (*axpy)(float *acc, const float *a, const float *b, size_t ldb, int rows, size_t n);
};

extern const struct isa isa_plain, isa_avx2, isa_avx512, isa_neon;

// Calls fn(arg, i) for every i < n, on all threads, and returns when all are done.
typedef void task_fn(void *arg, int i);
void pool_run(cpu_pool *p, int n, task_fn *fn, void *arg);
int pool_threads(const cpu_pool *p);
const struct isa *pool_isa(const cpu_pool *p);
size_t pool_cached_bytes(const cpu_pool *p); // outputs beyond this are stored past the caches
size_t find_cached_bytes(void);

// At least `bytes` of memory that lasts until the next call; NULL if there is none.
void *stream_scratch(cpu_stream *s, size_t bytes);
cpu_pool *stream_pool(const cpu_stream *s);

// Runs one launch; 0 if there is no scratch memory.
int run_launch(cpu_stream *s, const cpu_dispatch *d);

// The operations. The matrix products are 0 if there is no scratch memory.
void run_map(cpu_pool *p, const cpu_dispatch *d);
void run_add_bias(cpu_pool *p, const cpu_dispatch *d);
int run_matmul(cpu_stream *s, const cpu_dispatch *d);
int run_gemv(cpu_stream *s, const cpu_dispatch *d);
void run_quantise(cpu_pool *p, const cpu_dispatch *d);
void run_dequantise(cpu_pool *p, const cpu_dispatch *d);

// A quantised [rows, cols] matrix. dot_quantised adds the products of its row `row` and each row of a[m][cols], m ≤ 4;
// load_quantised gives n floats of the row from column `first` on.
struct quantised {
    const void *codes;
    const float *scale, *zero;
    int type;
    size_t cols, block;
};
void dot_quantised(const struct isa *isa, const struct quantised *q, size_t row, const float *a, int m, float *acc);
void load_quantised(const struct isa *isa, const struct quantised *q, size_t row, size_t first, size_t n, float *out);

// How the arguments of a matrix product are laid out: a[m][k]; b[k][n], or with rows of b (or quantised) w[n][k].
struct product {
    size_t m, n, k;
    const void *a, *b;
    int a_type, b_rows;
    struct quantised w; // codes are NULL unless b is quantised
    void *out;
    struct epilogue end;
};
struct product product_of(const cpu_dispatch *d);

// `rows` rows of b from `row` on, k floats of each from k0 on: in place or put in tmp[rows][k]. *ld is their distance.
const float *b_rows(const struct isa *isa, const struct product *p, size_t row, size_t rows, size_t k0, size_t k,
                    float *tmp, size_t *ld);

static inline size_t width_of(int type) { return type == CPU_F16 ? 2 : 4; }
static inline size_t min_size(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t max_size(size_t a, size_t b) { return a > b ? a : b; }
static inline size_t ceil_div(size_t a, size_t b) { return (a + b - 1) / b; }

#endif
