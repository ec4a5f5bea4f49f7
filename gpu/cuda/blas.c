//go:build linux && (amd64 || arm64)

// cuBLAS, opened at run time: GEMMs on a queue's stream. TF32 is off, and half-precision GEMMs accumulate in floats.

#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct cublas *cublas_handle;

// X(member, symbol, arguments): all return a status, 0 on success.
#define CUBLAS_FUNCTIONS(X)                                                                                                \
    X(property, "cublasGetProperty", (int which, int *value))                                                              \
    X(create, "cublasCreate_v2", (cublas_handle * handle))                                                                 \
    X(destroy, "cublasDestroy_v2", (cublas_handle handle))                                                                 \
    X(set_stream, "cublasSetStream_v2", (cublas_handle handle, CUstream stream))                                           \
    X(set_math, "cublasSetMathMode", (cublas_handle handle, int mode))                                                     \
    X(single, "cublasGemmEx",                                                                                              \
      (cublas_handle handle, int transpose_a, int transpose_b, int m, int n, int k, const void *alpha, const void *a,      \
       int a_type, int lda, const void *b, int b_type, int ldb, const void *beta, void *c, int c_type, int ldc,            \
       int compute, int algorithm))                                                                                        \
    X(batch, "cublasGemmStridedBatchedEx",                                                                                 \
      (cublas_handle handle, int transpose_a, int transpose_b, int m, int n, int k, const void *alpha, const void *a,      \
       int a_type, int lda, long long a_stride, const void *b, int b_type, int ldb, long long b_stride, const void *beta,  \
       void *c, int c_type, int ldc, long long c_stride, int count, int compute, int algorithm))

struct cuda_blas {
#define X(member, symbol, arguments) int(*member) arguments;
    CUBLAS_FUNCTIONS(X)
#undef X
};

static const struct {
    const char *symbol;
    size_t at; // in cuda_blas
} functions[] = {
#define X(member, symbol, arguments) {symbol, offsetof(cuda_blas, member)},
    CUBLAS_FUNCTIONS(X)
#undef X
};

// The library stays loaded, like the driver.
cuda_blas *cuda_blas_open(const char *path, char *why, size_t size) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    cuda_blas *blas = library ? calloc(1, sizeof *blas) : NULL;
    if (!blas) {
        const char *text = dlerror();
        snprintf(why, size, "%s", text ? text : path);
        return NULL;
    }
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(library, functions[i].symbol);
        memcpy((char *)blas + functions[i].at, &function, sizeof function);
        if (function) continue;
        snprintf(why, size, "%s has no %s", path, functions[i].symbol);
        free(blas);
        return NULL;
    }
    return blas;
}

int cuda_blas_version(const cuda_blas *blas, int version[3]) {
    for (int i = 0; i < 3; i++)
        if (blas->property(i, &version[i])) return 0;
    return 1;
}

enum { DEFAULT_MATH = 0, SUM_IN_FLOATS = 16, COMPUTE_F32 = 68, DEFAULT_ALGORITHM = -1 };

// status returns the engine's code for a status of the library.
static int status(int value) { return value ? CUDA_BLAS - value : CUDA_OK; }

// handle_of returns the queue's handle, created for its first GEMM.
static int handle_of(cuda_queue *queue, const cuda_blas *blas, cublas_handle *handle) {
    int value = 0;
    if (!queue->blas_handle) {
        cublas_handle made = NULL;
        value = blas->create(&made);
        if (!value) value = blas->set_stream(made, queue->stream);
        if (!value) value = blas->set_math(made, DEFAULT_MATH | SUM_IN_FLOATS);
        if (value && made) blas->destroy(made);
        if (value) return status(value);
        queue->blas_handle = made;
        queue->blas = blas;
    }
    *handle = queue->blas_handle;
    return CUDA_OK;
}

void cuda_blas_leave(cuda_queue *queue) {
    if (queue->blas_handle) queue->blas->destroy(queue->blas_handle);
}

// The library's matrices are column-major: it computes the transposed product, bᵀ · aᵀ, whose columns are our rows.
int cuda_blas_product(cuda_queue *queue, const cuda_product *p) {
    static const int types[] = {[CUDA_PRODUCT_F32] = 0, [CUDA_PRODUCT_F16] = 2, [CUDA_PRODUCT_BF16] = 14}; // cudaDataType values
    const float one = 1, zero = 0;
    const int m = (int)p->m, n = (int)p->n, k = (int)p->k, type = types[p->type];
    const int transpose_a = p->transpose_b, transpose_b = p->transpose_a; // in the library's terms
    const int lda = transpose_a ? k : n, ldb = transpose_b ? m : k;
    const void *a = (const void *)(uintptr_t)p->b, *b = (const void *)(uintptr_t)p->a;
    void *c = (void *)(uintptr_t)p->out;
    cublas_handle handle = NULL;
    int code = handle_of(queue, p->blas, &handle);
    if (code) return code;
    if (p->batch == 1)
        return status(p->blas->single(handle, transpose_a, transpose_b, n, m, k, &one, a, type, lda, b, type, ldb, &zero, c, type, n,
                                      COMPUTE_F32, DEFAULT_ALGORITHM));
    return status(p->blas->batch(handle, transpose_a, transpose_b, n, m, k, &one, a, type, lda, (long long)k * n, b, type, ldb,
                                 (long long)m * k, &zero, c, type, n, (long long)m * n, (int)p->batch, COMPUTE_F32, DEFAULT_ALGORITHM));
}
