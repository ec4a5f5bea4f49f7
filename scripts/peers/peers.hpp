// Compares Assay's C kernels with other libraries: the items that are measured, and each library's implementation.
#ifndef PEERS_H
#define PEERS_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

enum class Kind { gemm, gemm_int8, gemm_rounded, gemv, gemv_rounded, bias_relu, attention, softmax, layernorm, rmsnorm, gelu, silu, widen, narrow, copy, quantize };
enum class Type { f32, f16, bf16, int8, int4, e4m3, ternary, q8_0, q6_K, q4_1, q4_K, q4_0 }; // the last five are ggml blocks

// gemm_rounded and gemv_rounded include rounding the activations to int8, in the blocks of the weights, as ggml does in every
// GEMM with blocks.
// An item is a line of the table. Operands marked `memory` are rotated through more than the caches hold.
struct Item {
    std::string name;
    Kind kind;
    Type type = Type::f32;
    size_t m = 0, n = 0, k = 0; // of a GEMM; for attention queries, keys and head dimension; otherwise m rows of n, in blocks of k
    bool memory = false;
    double goal = 0; // target ratio to the best peer; 0: none
    size_t heads = 0;
    double copy_goal = 0; // the same for a plain copy of as many bytes
    size_t block = 32;    // weights that share a scale and a zero point, for int8 and int4, or rounded activations that share a scale

    bool rounded() const { return kind == Kind::gemm_rounded || kind == Kind::gemv_rounded; }
    bool vector() const { return kind == Kind::gemv || kind == Kind::gemv_rounded; }
    bool product() const { return kind == Kind::gemm || kind == Kind::gemm_int8 || kind == Kind::bias_relu || vector() || rounded(); }
    double ops() const { return 2.0 * (double)m * (double)n * (double)k; }
    double weight_bytes() const;
    size_t copies() const; // of the operands, so that they exceed the LLC
    double moved() const;  // bytes read and written, for items that mostly move memory; 0: other items
    std::string rate(double seconds) const;
};

double bytes_of(Type t);
bool in_blocks(Type t);

// A kernel ready to run a number of times; empty if the library has none. A function that takes no number is called that many times.
class Run {
    std::function<void(int)> times;

public:
    Run() = default;
    template <class F> Run(F f) {
        if constexpr (std::is_invocable_v<F, int>) times = std::move(f);
        else times = [f = std::move(f)](int repeat) { for (; repeat > 0; repeat--) f(); };
    }
    explicit operator bool() const { return bool(times); }
    void operator()(int repeat) const { times(repeat); }
};

// Copies of as many bytes as the item moves, which show what memory allows; they are not other libraries.
enum class Copy { none, past, plain }; // with non-temporal stores; through the caches, like a loop or the C library

// A column of the table. make() is called in a separate process.
struct Peer {
    std::string name;
    bool assay;
    Copy copy;
    Run (*make)(const Item &, int threads);
};

std::string assay_instructions(); // that Assay uses here
Run make_assay(const Item &, int threads);
Run make_assay_separate(const Item &, int threads);
Run make_copy(const Item &, int threads); // empty if the item has no moved()
Run make_plain_copy(const Item &, int threads); // empty if the item has no target for it
Run make_onednn(const Item &, int threads);
Run make_openblas(const Item &, int threads);
Run make_mkl(const Item &, int threads); // empty if it is not available
Run make_memcpy(const Item &, int threads);
Run make_stream(const Item &, int threads);
Run make_stream_past(const Item &, int threads);
Run make_ggml(const Item &, int threads); // empty without ggml

// Memory aligned to a cache line, filled with small values that differ.
struct Array {
    std::shared_ptr<void> memory;
    size_t bytes = 0;
    void *at(size_t copy = 0, size_t each = 0) const { return (char *)memory.get() + copy * each; }
};
Array floats(size_t n);              // in −1…1
Array raw(size_t bytes, int seed);   // finite, small f16 or bfloat16 values, or codes

#endif
