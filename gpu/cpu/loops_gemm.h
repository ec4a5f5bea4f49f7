// Template: the parts of a GEMM that touch vectors.
#include "gemm.h"

#include "params/activation.h"

#if !defined(FMA_TO)
INLINE void v_fma_to(vf a, vf b, vf *c) { *c = v_fma(a, b, *c); }
#endif
#if !defined(WIDE_VECTORS)
#define WIDE_VECTORS KERNEL_VECTORS
#define WIDE_ROWS KERNEL_ROWS
#endif
#if !defined(BROAD_VECTORS)
#define BROAD_VECTORS KERNEL_VECTORS
#define BROAD_ROWS KERNEL_ROWS
#endif

// Rows of a are addressed with a few pointers and one distance, so that not every address needs a register.
#define ROWS_A_BASE 3
#define BASES ((KERNEL_ROWS + ROWS_A_BASE - 1) / ROWS_A_BASE)
typedef float a_steps[8]; // of a row: an array, so that GCC does not keep an index of each element in a register

// Floats from one row of b to the next.
INLINE size_t b_step_of(const enum b_layout layout, const struct tile *t) { return layout == B_PACKED ? WIDE_VECTORS * VL : t->b_step; }

// Adds `steps` products to each of mr by nv vectors of sums, and copies vectors of b.
INLINE void ukr_steps(const int mr, const int nv, const enum b_layout layout, const int steps, vf sum[KERNEL_ROWS][MAX_NV],
                      const float *const base[BASES], const struct tile *t, const float *b, float *copy) {
    const size_t b_step = b_step_of(layout, t);
    UNROLL
    for (int d = 0; d < steps; d++, b += b_step) {
        vf row[MAX_NV];
        UNROLL
        for (int v = 0; v < nv; v++) {
            row[v] = v_load(b + v * VL);
            if (layout == B_COPIED) v_store(copy + (size_t)(d * nv + v) * VL, row[v]);
        }
        UNROLL
        for (int r = 0; r < mr; r++) {
            const vf x = v_set1((*(const a_steps *)(base[r / ROWS_A_BASE] + (size_t)(r % ROWS_A_BASE) * t->a_row))[d]);
            UNROLL
            for (int v = 0; v < nv; v++) v_fma_to(x, row[v], &sum[r][v]);
        }
    }
}

// What a micro-kernel prefetches as it runs, a row every few steps so that operands do not wait for all of them: its rows of c,
// then the next operands.
struct fetching {
    const float *at;
    size_t step, left; // rows
    size_t next;       // rows of the next operands
};

INLINE void fetch(struct fetching *f, const struct tile *t, int n) {
    UNROLL
    for (int i = 0; i < n; i += 16) __builtin_prefetch(f->at + i);
    f->at += f->step;
    if (--f->left > 0) return;
    f->left = SIZE_MAX, f->step = 0;
    if (f->next == 0) return;
    f->at = t->next, f->step = t->next_step, f->left = f->next, f->next = 0;
}

// The last vector of a row may be partial.
INLINE vf ukr_load(const float *p, int whole, size_t n) { return whole ? v_load(p) : v_load_n(p, n); }
INLINE void ukr_store(float *p, vf x, int whole, size_t n) {
    if (whole) v_store(p, x);
    else v_store_n(p, x, n);
}

INLINE void ukr_finish(const int mr, const int nv, const struct tile *t, vf sum[KERNEL_ROWS][MAX_NV], const int whole) {
    float *c = t->c; // kept in registers: stores might alias the tile
    const size_t ldc = t->ldc, last = t->last;
    if (t->add) {
        const float *row = c;
        UNROLL
        for (int r = 0; r < mr; r++, row += ldc) {
            UNROLL
            for (int v = 0; v < nv; v++) sum[r][v] += ukr_load(row + v * VL, whole || v < nv - 1, last);
        }
    }
    if (t->last_sums) {
        const vf floor = v_set1(t->floor);
        UNROLL
        for (int v = 0; v < nv; v++) {
            vf bias = v_set1(-0.0f); // x + −0 is x for every x
            if (t->bias) bias = ukr_load(t->bias + v * VL, whole || v < nv - 1, last);
            UNROLL
            for (int r = 0; r < mr; r++) sum[r][v] = v_max(floor, sum[r][v] + bias);
        }
    }
    UNROLL
    for (int r = 0; r < mr; r++, c += ldc) {
        UNROLL
        for (int v = 0; v < nv; v++) ukr_store(c + v * VL, sum[r][v], whole || v < nv - 1, last);
    }
}

// Sums a tile of mr rows by nv vectors in registers; mr, nv and layout are constants wherever this is inlined. Where another
// thread shares the core, the instruction count decides the speed: iterations are long, and remaining steps come first, after
// which GCC leaves the sums in their registers.
INLINE void ukr(const int mr, const int nv, const enum b_layout layout, const struct tile *t) {
    vf sum[KERNEL_ROWS][MAX_NV];
    const float *base[BASES], *b = t->b;
    float *copy = t->copy;
    struct fetching f = {t->c, t->ldc, (size_t)mr, t->next_rows};
    UNROLL
    for (int i = 0; i < BASES; i++) base[i] = t->a + (size_t)(i * ROWS_A_BASE) * t->a_row;
    UNROLL
    for (int r = 0; r < mr; r++) {
        UNROLL
        for (int v = 0; v < nv; v++) sum[r][v] = (vf){0};
    }
    const size_t b_step = b_step_of(layout, t);
    const int steps = layout == B_PACKED ? 8 : 4; // of an iteration
    for (size_t left = t->k % (size_t)steps; left > 0; left--, b += b_step, copy += nv * VL) {
        ukr_steps(mr, nv, layout, 1, sum, base, t, b, copy);
        UNROLL
        for (int i = 0; i < BASES; i++) base[i]++;
    }
    for (size_t turns = t->k / (size_t)steps; turns > 0; turns--, b += steps * b_step, copy += steps * nv * VL) {
        if (nv == WIDE_VECTORS) fetch(&f, t, nv * VL);
        ukr_steps(mr, nv, layout, steps, sum, base, t, b, copy);
        UNROLL
        for (int i = 0; i < BASES; i++) base[i] += steps;
    }
    if (t->last == VL) ukr_finish(mr, nv, t, sum, 1);
    else ukr_finish(mr, nv, t, sum, 0);
}

#define UKR(mr)                                                               \
    static void ukr_##mr##_1(const struct tile *t) { ukr(mr, 1, B_STRIDED, t); } \
    static void ukr_##mr##_2(const struct tile *t) { ukr(mr, 2, B_STRIDED, t); } \
    WIDE_UKR(mr)
#if WIDE_VECTORS == 2
#define WIDE_UKR(mr)                                                                   \
    static void packed_ukr_##mr##_2(const struct tile *t) { ukr(mr, 2, B_PACKED, t); } \
    static void copying_ukr_##mr##_2(const struct tile *t) { ukr(mr, 2, B_COPIED, t); }
#else
#define WIDE_UKR(mr)                                                                     \
    static void packed_ukr_##mr##_3(const struct tile *t) { ukr(mr, 3, B_PACKED, t); }   \
    static void copying_ukr_##mr##_3(const struct tile *t) { ukr(mr, 3, B_COPIED, t); } \
    BROAD_UKR(mr)
#define BROAD_UKR(mr) \
    static void ukr_##mr##_4(const struct tile *t) { ukr(mr, 4, B_STRIDED, t); }
#endif
UKR(1)
UKR(2)
UKR(3)
UKR(4)
#if KERNEL_ROWS > 4
UKR(5)
UKR(6)
#endif
#if KERNEL_ROWS > 6
#undef BROAD_UKR
#define BROAD_UKR(mr)
UKR(7)
UKR(8)
UKR(9)
#if WIDE_ROWS < 10
#undef WIDE_UKR
#define WIDE_UKR(mr)
#endif
UKR(10)
UKR(11)
UKR(12)
#endif

INLINE void widen(enum cpu_type type, const void *in, float *out, size_t n) {
    size_t i = 0;
    for (; i + 4 * VL <= n; i += 4 * VL) {
        UNROLL
        for (int v = 0; v < 4; v++) v_store(out + i + v * VL, get(in, i + v * VL, type));
    }
    for (; i + VL <= n; i += VL) v_store(out + i, get(in, i, type));
    if (i < n) v_store_n(out + i, get_n(in, i, n - i, type), n - i);
}

#define WIDEN(type)   \
    WANT_FLOAT(type); \
    static void widen_##type(const void *in, float *out, size_t n) { widen(CPU_##type, in, out, n); }
GEMM_NARROW(WIDEN)

static void widen_codes(const void *in, float *out, size_t n) {
    const int8_t *codes = in;
    size_t i = 0;
    for (; i + VL <= n; i += VL) v_store(out + i, v_load_i8(codes + i));
    for (; i < n; i++) out[i] = codes[i];
}

static void interleave(const float *src, size_t ld, int rows, size_t k, float *dst, size_t stride, int count) {
    for (size_t d = 0; d < k; d += VL) {
        const size_t part = min_size(VL, k - d);
        vf t[VL];
        for (int r = 0; r < VL; r++) {
            if (r >= rows) t[r] = (vf){0};
            else t[r] = part == VL ? v_load(src + r * ld + d) : v_load_n(src + r * ld + d, part);
        }
        v_transpose(t);
        for (size_t i = 0; i < part; i++) {
            float *to = dst + (d + i) * stride;
            if (count == VL) v_store(to, t[i]);
            else v_store_n(to, t[i], count);
        }
    }
}

INLINE void pack(enum cpu_type type, const char *src, size_t ld, size_t cols, size_t k, float *dst) {
    const size_t wide = WIDE_VECTORS * VL, size = width_of(type);
    for (size_t d = 0; d < k; d++, src += ld * size, dst += wide) {
        size_t i = 0;
        for (; i + VL <= cols; i += VL) v_store(dst + i / wide * wide * k + i % wide, get(src, i, type));
        if (i < cols) v_store(dst + i / wide * wide * k + i % wide, get_n(src, i, cols - i, type));
    }
}

#define PACK(type)                                                                           \
    WANT_FLOAT(type);                                                                        \
    static void pack_##type(const void *src, size_t ld, size_t cols, size_t k, float *dst) { \
        pack(CPU_##type, src, ld, cols, k, dst);                                             \
    }
GEMM_TYPES(PACK)

INLINE vf activated(vf x, vf bias, int activation) {
    x += bias;
    switch (activation) {
#define ACTIVATION(value, name) \
    case value: return v_##name(x);
        ACTIVATIONS(ACTIVATION)
#undef ACTIVATION
    }
    return x;
}

INLINE void store_sums(enum cpu_type type, const float *sum, size_t n, size_t col, const struct epilogue *e, void *out) {
    const vf none = v_set1(-0.0f); // x + −0 is x for every x
    const void *const bias = e->bias;
    const int activation = e->activation;
    size_t i = 0;
    for (; !bias && activation == ACT_NONE && i + 4 * VL <= n; i += 4 * VL) { // only a conversion
        UNROLL
        for (size_t v = 0; v < 4; v++) put(out, i + v * VL, v_load(sum + i + v * VL), type);
    }
    for (; i + VL <= n; i += VL) {
        const vf add = bias ? get(bias, col + i, type) : none;
        put(out, i, activated(v_load(sum + i), add, activation), type);
    }
    if (i < n) {
        const vf add = bias ? get_n(bias, col + i, n - i, type) : none;
        put_n(out, i, activated(v_load_n(sum + i, n - i), add, activation), n - i, type);
    }
}

static void add_integers(const float *sum, size_t n, int add, int32_t *out) {
    for (size_t i = 0; i < n; i++) out[i] = (add ? out[i] : 0) + (int32_t)sum[i];
}

#define STORE(type)                                                                                         \
    static void store_##type(const float *sum, size_t n, size_t col, const struct epilogue *e, void *out) { \
        store_sums(CPU_##type, sum, n, col, e, out);                                                        \
    }
GEMM_TYPES(STORE)

#define DOT_AHEAD 2048 // prefetch distance in b, in bytes: hardware prefetching stops at a page boundary
#define BESIDE_AHEAD 4096 // the same for each of four rows

INLINE void dot_rows(enum cpu_type type, const int m, const void *b, const float *a, size_t lda, size_t k, float *acc) {
    const int nv = m > 2 ? 2 : 4; // chains of additions per row
    vf s[GEMV_ROWS][4];
    UNROLL
    for (int r = 0; r < m; r++) {
        UNROLL
        for (int v = 0; v < nv; v++) s[r][v] = (vf){0};
    }
    size_t d = 0;
    for (; d + (size_t)nv * VL <= k; d += (size_t)nv * VL) {
        UNROLL
        for (size_t at = 0; at < (size_t)nv * VL * width_of(type); at += 64)
            __builtin_prefetch((const char *)b + d * width_of(type) + at + DOT_AHEAD);
        UNROLL
        for (int v = 0; v < nv; v++) {
            const size_t i = d + (size_t)v * VL;
            const vf w = get(b, i, type);
            UNROLL
            for (int r = 0; r < m; r++) s[r][v] = v_fma(v_load(a + (size_t)r * lda + i), w, s[r][v]);
        }
    }
    for (; d < k; d += VL) {
        const size_t n = min_size(VL, k - d);
        const vf w = n == VL ? get(b, d, type) : get_n(b, d, n, type);
        UNROLL
        for (int r = 0; r < m; r++) s[r][0] = v_fma(v_load_n(a + (size_t)r * lda + d, n), w, s[r][0]);
    }
    for (int r = 0; r < m; r++) acc[r] += sum_of(nv == 2 ? s[r][0] + s[r][1] : (s[r][0] + s[r][1]) + (s[r][2] + s[r][3]));
}

#define BESIDE (VL > 4 ? 8 : 4)       // rows of b
#define BESIDE_SUMS (VL == 8 ? 1 : 2) // per row, as the registers allow

// One row of a times `rows` rows of b, ld elements apart: parallel streams. With eight of them hardware prefetching suffices.
INLINE void dot_beside(enum cpu_type type, const int rows, const void *b, size_t ld, const float *a, size_t k, float *acc) {
    vf s[BESIDE][BESIDE_SUMS] = {{{0}}};
    size_t d = 0;
    for (; d + 2 * VL <= k; d += 2 * VL) {
        UNROLL
        for (int r = 0; r < rows; r++) {
            const char *at = (const char *)b + ((size_t)r * ld + d) * width_of(type);
            if (rows < 8) __builtin_prefetch(at + BESIDE_AHEAD, 0, 2);
            if (rows < 8 && 2 * VL * width_of(type) > 64) __builtin_prefetch(at + BESIDE_AHEAD + 64, 0, 2);
            UNROLL
            for (int v = 0; v < 2; v++)
                s[r][v % BESIDE_SUMS] = v_fma(v_load(a + d + v * VL), get(b, (size_t)r * ld + d + (size_t)v * VL, type), s[r][v % BESIDE_SUMS]);
        }
    }
    for (; d < k; d += VL) {
        const size_t n = min_size(VL, k - d);
        UNROLL
        for (int r = 0; r < rows; r++) s[r][0] = v_fma(v_load_n(a + d, n), get_n(b, (size_t)r * ld + d, n, type), s[r][0]);
    }
    for (int r = 0; r < rows; r++) acc[r] = sum_of(BESIDE_SUMS == 2 ? s[r][0] + s[r][BESIDE_SUMS - 1] : s[r][0]);
}

#define DOT_BESIDE(type)                                                                                        \
    static void dot_beside_##type(const void *b, size_t ld, const float *a, size_t k, int rows, float *acc) {  \
        if (rows == 4) dot_beside(CPU_##type, 4, b, ld, a, k, acc);                                             \
        else dot_beside(CPU_##type, BESIDE, b, ld, a, k, acc);                                                  \
    }
GEMM_TYPES(DOT_BESIDE)

#define DOT(type)                                                                                              \
    static void dot_##type(const void *b, const float *a, size_t lda, int m, size_t k, float *acc) {          \
        switch (m) {                                                                                          \
        case 4: dot_rows(CPU_##type, 4, b, a, lda, k, acc); break;                                            \
        case 3: dot_rows(CPU_##type, 3, b, a, lda, k, acc); break;                                            \
        case 2: dot_rows(CPU_##type, 2, b, a, lda, k, acc); break;                                            \
        default: dot_rows(CPU_##type, 1, b, a, lda, k, acc);                                                  \
        }                                                                                                     \
    }
GEMM_TYPES(DOT)

#define AXPY_ROWS (VL == 8 ? 2 : 4) // of acc that share loads of b, as the registers allow

// A vector of each row: a whole one if `whole`, otherwise the last, of n elements.
INLINE void axpy_vector(const int m, const int steps, float *acc, size_t ld, vf x[][AXPY_STEPS], const float *b, size_t ldb, const int whole, size_t n) {
    vf row[AXPY_STEPS];
    UNROLL
    for (int d = 0; d < steps; d++) row[d] = ukr_load(b + (size_t)d * ldb, whole, n);
    UNROLL
    for (int r = 0; r < m; r++, acc += ld) {
        vf s = ukr_load(acc, whole, n);
        UNROLL
        for (int d = 0; d < steps; d++) s = v_fma(x[r][d], row[d], s);
        ukr_store(acc, s, whole, n);
    }
}

INLINE void axpy_rows(const int m, const int steps, float *acc, size_t ld, const float *a, size_t lda, const float *b, size_t ldb, size_t n) {
    vf x[4][AXPY_STEPS];
    UNROLL
    for (int r = 0; r < m; r++) {
        UNROLL
        for (int d = 0; d < steps; d++) x[r][d] = v_set1(a[(size_t)r * lda + (size_t)d]);
    }
    size_t i = 0;
    for (; i + VL <= n; i += VL) axpy_vector(m, steps, acc + i, ld, x, b + i, ldb, 1, VL);
    if (i < n) axpy_vector(m, steps, acc + i, ld, x, b + i, ldb, 0, n - i);
}

// Separate functions, so that one does not compute what only another needs.
#define AXPY(m, steps)                                                                                                                  \
    static void axpy_##m##_##steps(float *acc, size_t ld, const float *a, size_t lda, const float *b, size_t ldb, size_t n) {          \
        axpy_rows(m, steps, acc, ld, a, lda, b, ldb, n);                                                                                \
    }
#define AXPY_M(m) AXPY(m, 1) AXPY(m, 4)
AXPY_M(1) AXPY_M(2) AXPY_M(3) AXPY_M(4)
typedef void axpy_fn(float *acc, size_t ld, const float *a, size_t lda, const float *b, size_t ldb, size_t n);
static axpy_fn *const axpy_of[2][5] = {{NULL, axpy_1_1, axpy_2_1, axpy_3_1, axpy_4_1}, {NULL, axpy_1_4, axpy_2_4, axpy_3_4, axpy_4_4}};

static void axpy(float *acc, size_t ld, const float *a, size_t lda, int m, const float *b, size_t ldb, int steps, size_t n) {
    const int together = steps == AXPY_STEPS ? AXPY_STEPS : 1;
    for (int d = 0; d < steps; d += together) {
        for (int r = 0, rows; r < m; r += rows) {
            rows = m - r < AXPY_ROWS ? m - r : AXPY_ROWS;
            axpy_of[together == AXPY_STEPS][rows](acc + (size_t)r * ld, ld, a + (size_t)r * lda + d, lda, b + (size_t)d * ldb, ldb, n);
        }
    }
}

#define ROWS_UP(name, nv) {NULL, name##_1_##nv, name##_2_##nv, name##_3_##nv, name##_4_##nv FIVE_UP(name, nv) SEVEN_UP(name, nv) TEN_UP(name, nv)}
#define WIDE_ROWS_UP(name, nv) {NULL, name##_1_##nv, name##_2_##nv, name##_3_##nv, name##_4_##nv FIVE_UP(name, nv) SEVEN_UP(name, nv) WIDE_TEN_UP(name, nv)}
#define BROAD_ROWS_UP(name, nv) {NULL, name##_1_##nv, name##_2_##nv, name##_3_##nv, name##_4_##nv FIVE_UP(name, nv)}
#if KERNEL_ROWS > 4
#define FIVE_UP(name, nv) , name##_5_##nv, name##_6_##nv
#else
#define FIVE_UP(name, nv)
#endif
#if KERNEL_ROWS > 6
#define SEVEN_UP(name, nv) , name##_7_##nv, name##_8_##nv, name##_9_##nv
#define TEN_UP(name, nv) , name##_10_##nv, name##_11_##nv, name##_12_##nv
#else
#define SEVEN_UP(name, nv)
#define TEN_UP(name, nv)
#endif
#if WIDE_ROWS > 9
#define WIDE_TEN_UP(name, nv) TEN_UP(name, nv)
#else
#define WIDE_TEN_UP(name, nv)
#endif
#if WIDE_VECTORS == 2
#define STRIDED_TABLE {ROWS_UP(ukr, 1), ROWS_UP(ukr, 2)}
#define COPIED_TABLE {{NULL}, WIDE_ROWS_UP(copying_ukr, 2)}
#define PACKED_TABLE {ROWS_UP(ukr, 1), WIDE_ROWS_UP(packed_ukr, 2)}
#else
#define STRIDED_TABLE {ROWS_UP(ukr, 1), ROWS_UP(ukr, 2), {NULL}, BROAD_ROWS_UP(ukr, 4)}
#define COPIED_TABLE {{NULL}, {NULL}, WIDE_ROWS_UP(copying_ukr, 3)}
#define PACKED_TABLE {ROWS_UP(ukr, 1), ROWS_UP(ukr, 2), WIDE_ROWS_UP(packed_ukr, 3)}
#endif
#define WIDEN_ENTRY(type) [CPU_##type] = widen_##type,
#define PACK_ENTRY(type) [CPU_##type] = pack_##type,
#define BESIDE_ENTRY(type) [CPU_##type] = dot_beside_##type,
#define GEMM_DOT_ENTRY(type) [CPU_##type] = dot_##type,
#define STORE_ENTRY(type) [CPU_##type] = store_##type,
static const struct gemm_loops gemm_loops = {
    .mr = KERNEL_ROWS,
    .nv = KERNEL_VECTORS,
    .kc = KERNEL_DEPTH,
    .widen = {GEMM_NARROW(WIDEN_ENTRY)[CPU_I8] = widen_codes},
    .add_integers = add_integers,
    .interleave = interleave,
    .pack = {GEMM_TYPES(PACK_ENTRY)},
    .wide_mr = WIDE_ROWS,
    .wide_nv = WIDE_VECTORS,
    .broad_mr = BROAD_ROWS,
    .broad_nv = BROAD_VECTORS,
    .ukr = {[B_STRIDED] = STRIDED_TABLE, [B_COPIED] = COPIED_TABLE, [B_PACKED] = PACKED_TABLE},
    .store = {GEMM_TYPES(STORE_ENTRY)},
    .dot_beside = {GEMM_TYPES(BESIDE_ENTRY)}, .beside = BESIDE,
    .dot = {GEMM_TYPES(GEMM_DOT_ENTRY)},
    .axpy = axpy,
};
