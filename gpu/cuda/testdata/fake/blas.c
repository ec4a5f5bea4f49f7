// The functions of cuBLAS that the engine calls, computed one element at a time.
#include "fake.h"

#include <stdlib.h>
#include <string.h>

struct cublas {
    struct stream *stream;
    int math;
};

enum { F32 = 0, F16 = 2, BF16 = 14 };

int cublasGetProperty(int which, int *value) {
    *value = 13 - which;
    return OK;
}

int cublasCreate_v2(struct cublas **handle) {
    int code = current() ? 1 : scripted("cublasCreate_v2", OK);
    if (!code) *handle = calloc(1, sizeof **handle);
    return code;
}

int cublasDestroy_v2(struct cublas *handle) {
    free(handle);
    return OK;
}

int cublasSetStream_v2(struct cublas *handle, struct stream *stream) {
    handle->stream = stream;
    return OK;
}

int cublasSetMathMode(struct cublas *handle, int mode) {
    handle->math = mode;
    return OK;
}

typedef struct product {
    int transpose_a, transpose_b, m, n, k, lda, ldb, ldc, type, count;
    long long a_stride, b_stride, c_stride;
    const void *a, *b;
    void *c;
} product;

static double load(const void *from, int type, long long i) {
    if (type == F32) return ((const float *)from)[i];
    uint16_t half = ((const uint16_t *)from)[i];
    uint32_t wide = (uint32_t)half << 16;
    float f;
    if (type == BF16) {
        memcpy(&f, &wide, sizeof f);
        return f;
    }
    uint32_t exponent = half >> 10 & 31, fraction = half & 1023;
    double value = exponent == 0    ? fraction * 0x1p-24
                   : exponent == 31 ? (fraction ? __builtin_nan("") : __builtin_inf())
                                    : (1024 + fraction) * __builtin_ldexp(1, (int)exponent - 25);
    return half >> 15 ? -value : value;
}

// store rounds to the nearest of the type's values, without care for ties.
static void store(void *to, int type, long long i, double value) {
    float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    if (type == F32) ((float *)to)[i] = f;
    if (type == BF16) ((uint16_t *)to)[i] = value != value ? 0x7fc0 : (uint16_t)((bits + 0x8000) >> 16);
    if (type != F16) return;
    uint16_t best = 0;
    double magnitude = f < 0 ? -f : f;
    for (int bit = 14; bit >= 0; bit--) { // values grow with their bits
        uint16_t with = best | (uint16_t)(1 << bit);
        if (with <= 0x7c00 && load(&with, F16, 0) <= magnitude) best = with;
    }
    uint16_t next = best < 0x7bff ? best + 1 : best;
    if (load(&next, F16, 0) - magnitude < magnitude - load(&best, F16, 0)) best = next;
    ((uint16_t *)to)[i] = value != value ? 0x7e00 : (uint16_t)(best | (bits >> 16 & 0x8000));
}

static void multiply(void *argument) {
    const product *p = argument;
    for (int b = 0; b < p->count; b++)
        for (int j = 0; j < p->n; j++)
            for (int i = 0; i < p->m; i++) {
                double sum = 0;
                for (int l = 0; l < p->k; l++)
                    sum += load(p->a, p->type, b * p->a_stride + (p->transpose_a ? l + (long long)i * p->lda : i + (long long)l * p->lda)) *
                           load(p->b, p->type, b * p->b_stride + (p->transpose_b ? j + (long long)l * p->ldb : l + (long long)j * p->ldb));
                store(p->c, p->type, b * p->c_stride + i + (long long)j * p->ldc, sum);
            }
}

int cublasGemmStridedBatchedEx(struct cublas *handle, int transpose_a, int transpose_b, int m, int n, int k, const void *alpha, const void *a,
                               int a_type, int lda, long long a_stride, const void *b, int b_type, int ldb, long long b_stride,
                               const void *beta, void *c, int c_type, int ldc, long long c_stride, int count, int compute, int algorithm) {
    int code = scripted("cublasGemmStridedBatchedEx", OK);
    if (code) return code;
    if (a_type != b_type || a_type != c_type || compute != 68 || algorithm != -1 || handle->math != 16) return 7;
    if (*(const float *)alpha != 1 || *(const float *)beta != 0 || !m || !n || !k) return 7;
    if (lda < (transpose_a ? k : m) || ldb < (transpose_b ? n : k) || ldc < m) return 7;
    product p = {transpose_a, transpose_b, m, n, k, lda, ldb, ldc, a_type, count, a_stride, b_stride, c_stride, a, b, c};
    return call_later(handle->stream, multiply, &p, sizeof p) ? 13 : OK;
}

int cublasGemmEx(struct cublas *handle, int transpose_a, int transpose_b, int m, int n, int k, const void *alpha, const void *a, int a_type, int lda,
                 const void *b, int b_type, int ldb, const void *beta, void *c, int c_type, int ldc, int compute, int algorithm) {
    int code = scripted("cublasGemmEx", OK);
    if (code) return code;
    return cublasGemmStridedBatchedEx(handle, transpose_a, transpose_b, m, n, k, alpha, a, a_type, lda, 0, b, b_type, ldb, 0, beta, c, c_type, ldc, 0, 1,
                                      compute, algorithm);
}
