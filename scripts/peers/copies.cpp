// Copies as others write them: the C library's, and the STREAM loop, as compiled and with non-temporal stores.
#include "peers.hpp"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__AVX512F__)
using Vector = __m512;
static void store_past(Vector *to, Vector v) { _mm512_stream_ps((float *)to, v); }
#else
using Vector = __m128;
static void store_past(Vector *to, Vector v) { _mm_stream_ps((float *)to, v); }
#endif
#endif

// A copy of n floats from one array to another with `threads` threads.
template <class Copy> static Run copies(const Item &t, int threads, Copy copy) {
    if (t.kind != Kind::copy) return {};
    const size_t n = t.m * t.n;
    Array from = floats(n), to = floats(n);
    return [=] { copy((const float *)from.at(), (float *)to.at(), n, threads); };
}

// Each thread copies its part.
Run make_memcpy(const Item &t, int threads) {
    return copies(t, threads, [](const float *from, float *to, size_t n, int parts) {
#pragma omp parallel for num_threads(parts) schedule(static)
        for (int i = 0; i < parts; i++) {
            const size_t first = n * (size_t)i / (size_t)parts, last = n * (size_t)(i + 1) / (size_t)parts;
            memcpy(to + first, from + first, 4 * (last - first));
        }
    });
}

// c[j] = a[j] on doubles.
static void stream(const float *from, float *to, size_t n, int parts) {
    const double *a = (const double *)from;
    double *c = (double *)to;
#pragma omp parallel for num_threads(parts) schedule(static)
    for (size_t j = 0; j < n / 2; j++) c[j] = a[j];
}

Run make_stream(const Item &t, int threads) { return copies(t, threads, stream); }

// As many bytes as the item moves, in the same rotation, half of them read and half written.
Run make_plain_copy(const Item &t, int threads) {
    const size_t n = (size_t)(t.moved() / 8) / 16 * 16;
    if (t.copy_goal == 0) return {};
    const Array from = floats(n * t.copies()), to = floats(n * t.copies());
    auto turn = std::make_shared<size_t>(0);
    return [=, copies = t.copies()] {
        const size_t at = (*turn)++ % copies;
        stream((const float *)from.at(at, 4 * n), (float *)to.at(at, 4 * n), n, threads);
    };
}

// The STREAM loop with non-temporal stores, as Intel's compiler generates them.
Run make_stream_past(const Item &t, int threads) {
#if defined(__x86_64__)
    return copies(t, threads, [](const float *from, float *to, size_t n, int parts) {
        const auto *a = (const Vector *)from;
        auto *c = (Vector *)to;
#pragma omp parallel num_threads(parts)
        {
#pragma omp for schedule(static)
            for (size_t j = 0; j < n / (sizeof(Vector) / 4); j++) store_past(c + j, a[j]);
            _mm_sfence();
        }
    });
#else
    return {};
#endif
}
