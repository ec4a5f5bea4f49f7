// OpenBLAS.
#include "peers.hpp"

#include <cblas.h>

Run make_openblas(const Item &t, int threads) {
    if (t.type != Type::f32 || (t.kind != Kind::gemm && t.kind != Kind::gemv)) return {};
    openblas_set_num_threads(threads);
    Array a = floats(t.m * t.k), b = floats(t.k * t.n * t.copies()), out = floats(t.m * t.n);
    const int m = (int)t.m, n = (int)t.n, k = (int)t.k;
    auto turn = std::make_shared<size_t>(0);
    const size_t copies = t.copies(), each = t.k * t.n;
    if (t.kind == Kind::gemv) {
        return [=] {
            const float *w = (const float *)b.at() + (*turn)++ % copies * each;
            cblas_sgemv(CblasRowMajor, CblasNoTrans, n, k, 1, w, k, (float *)a.at(), 1, 0, (float *)out.at(), 1);
        };
    }
    return [=] {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, (float *)a.at(), k, (float *)b.at(), n, 0, (float *)out.at(), n);
    };
}
