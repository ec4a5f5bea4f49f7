// Assay's C kernels beside other libraries: what is measured, and what each library makes of it.
#ifndef PEERS_H
#define PEERS_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

enum class Kind { gemm, gemm_int8, gemm_rounded, gemv, gemv_rounded, bias_relu, attention, softmax, layernorm, rmsnorm, gelu, silu, widen, copy, quantize };
enum class Type { f32, f16, bf16, int8, int4, e4m3, ternary, q8_0, q6_K, q4_1, q4_K, q4_0 }; // the last five are blocks of ggml

// gemm_rounded and gemv_rounded have activations that are rounded to int8, in the blocks of the weights, as part of it, as ggml does in every
// product with blocks.
// One line of the table. Operands marked `memory` are rotated through more than the caches hold.
struct Item {
    std::string name;
    Kind kind;
    Type type = Type::f32;
    size_t m = 0, n = 0, k = 0; // of a product; of attention queries, keys and head dimension; otherwise m rows of n, in blocks of k
    bool memory = false;
    double goal = 0; // ratio to the best peer that the table is read against; 0: none
    size_t heads = 0;
    double copy_goal = 0; // the same beside a plain copy of as many bytes
    size_t block = 32;    // weights that share a scale and a zero point, of int8 and int4, or rounded activations that share a scale

    bool rounded() const { return kind == Kind::gemm_rounded || kind == Kind::gemv_rounded; }
    bool vector() const { return kind == Kind::gemv || kind == Kind::gemv_rounded; }
    bool product() const { return kind == Kind::gemm || kind == Kind::gemm_int8 || kind == Kind::bias_relu || vector() || rounded(); }
    double ops() const { return 2.0 * (double)m * (double)n * (double)k; }
    double weight_bytes() const;
    size_t copies() const; // of the operands, so that the last cache does not hold them
    double moved() const;  // bytes read and written, of what mostly moves memory; 0: of other items
    std::string rate(double seconds) const;
};

double bytes_of(Type t);
bool in_blocks(Type t);

// A kernel made ready to run; empty if the library has none.
using Run = std::function<void()>;

// Copies of as many bytes as the item moves, which show what memory allows: they are no other library.
enum class Copy { none, past, plain }; // past the caches; through them, as a loop or the C library does

// A column of the table. make() is called in a process of its own.
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
Run make_plain_copy(const Item &, int threads); // empty if the item has no goal beside it
Run make_onednn(const Item &, int threads);
Run make_openblas(const Item &, int threads);
Run make_mkl(const Item &, int threads); // where there is none: empty
Run make_memcpy(const Item &, int threads);
Run make_stream(const Item &, int threads);
Run make_stream_past(const Item &, int threads);
Run make_ggml(const Item &, int threads); // without ggml: empty

// Memory on a cache line, filled with small values that differ.
struct Array {
    std::shared_ptr<void> memory;
    size_t bytes = 0;
    void *at(size_t copy = 0, size_t each = 0) const { return (char *)memory.get() + copy * each; }
};
Array floats(size_t n);              // in −1…1
Array raw(size_t bytes, int seed);   // halves, bfloat16 or codes that are finite and small

#endif
