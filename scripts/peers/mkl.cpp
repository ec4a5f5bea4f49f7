// Intel's MKL, if the loader finds libmkl_rt.so; it is not a build dependency.
#include "peers.hpp"

#include <dlfcn.h>

namespace {

enum { ROW_MAJOR = 101, AS_IS = 111, GNU_THREADS = 3 };

// The functions of its C interface that are used here; none if it is not available.
struct MKL {
    int (*threading_layer)(int);
    void (*threads)(int);
    void (*gemm)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
    void (*gemv)(int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
    bool there;

    explicit MKL(void *library) {
        const auto find = [&](auto &f, const char *name) { return (f = (std::decay_t<decltype(f)>)dlsym(library, name)) != nullptr; };
        there = library && find(threading_layer, "MKL_Set_Threading_Layer") && find(threads, "MKL_Set_Num_Threads") &&
                find(gemm, "cblas_sgemm") && find(gemv, "cblas_sgemv");
    }
};

} // namespace

Run make_mkl(const Item &t, int threads) {
    if (t.type != Type::f32 || (t.kind != Kind::gemm && t.kind != Kind::gemv)) return {};
    const MKL mkl(dlopen("libmkl_rt.so", RTLD_NOW | RTLD_LOCAL));
    if (!mkl.there) return {};
    mkl.threading_layer(GNU_THREADS);
    mkl.threads(threads);
    Array a = floats(t.m * t.k), b = floats(t.k * t.n * t.copies()), out = floats(t.m * t.n);
    const int m = (int)t.m, n = (int)t.n, k = (int)t.k;
    if (t.kind == Kind::gemv) {
        auto turn = std::make_shared<size_t>(0);
        const size_t copies = t.copies(), each = t.k * t.n;
        return [=] {
            const float *w = (const float *)b.at() + (*turn)++ % copies * each;
            mkl.gemv(ROW_MAJOR, AS_IS, n, k, 1, w, k, (const float *)a.at(), 1, 0, (float *)out.at(), 1);
        };
    }
    return [=] {
        mkl.gemm(ROW_MAJOR, AS_IS, AS_IS, m, n, k, 1, (const float *)a.at(), k, (const float *)b.at(), n, 0, (float *)out.at(), n);
    };
}
