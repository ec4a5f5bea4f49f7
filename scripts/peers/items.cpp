// The items that are measured.
#include "items.hpp"

#include <algorithm>
#include <cstdio>
#include <sys/mman.h>
#include <tuple>
#include <unistd.h>

// More than any cache holds: some machines have LLCs of 300 MB.
static double uncached_bytes() {
#ifdef _SC_LEVEL3_CACHE_SIZE
    return std::max(256e6, 2.0 * (double)sysconf(_SC_LEVEL3_CACHE_SIZE));
#else
    return 256e6;
#endif
}

double bytes_of(Type t) {
    switch (t) {
    case Type::f32: return 4;
    case Type::f16: case Type::bf16: return 2;
    case Type::int8: return 1;
    case Type::int4: return 0.5;
    case Type::e4m3: return 1;
    case Type::ternary: return 0.25;
    case Type::q8_0: return 34.0 / 32;
    case Type::q6_K: return 210.0 / 256;
    case Type::q4_1: return 20.0 / 32;
    case Type::q4_K: return 144.0 / 256;
    case Type::q4_0: return 18.0 / 32;
    }
    return 0;
}

static const std::vector<std::pair<const char *, Type>> blocks = {
    {"q8_0", Type::q8_0}, {"q6_K", Type::q6_K}, {"q4_1", Type::q4_1}, {"q4_K", Type::q4_K}, {"q4_0", Type::q4_0}};

bool in_blocks(Type t) {
    for (auto [name, type] : blocks)
        if (type == t) return true;
    return false;
}

// Weights of a ggml block.
static size_t weights_of(Type t) { return t == Type::q6_K || t == Type::q4_K ? 256 : 32; }

double Item::weight_bytes() const { return (double)n * (double)k * bytes_of(type); }

size_t Item::copies() const { return memory ? (size_t)(uncached_bytes() / (vector() ? weight_bytes() : moved())) + 1 : 1; }

// For a GEMV, the row of activations and the result are small compared with the weights. int8 and int4 have a scale and a zero
// point per block, others a scale.
double Item::moved() const {
    const double elements = (double)m * (double)n, scales = type == Type::int8 || type == Type::int4 ? 8 : 4;
    switch (kind) {
    case Kind::gemv: case Kind::gemv_rounded: return weight_bytes() + (type == Type::int8 || type == Type::int4 ? (double)n * (double)k / (double)block * scales : 0);
    case Kind::quantize: return elements * (4 + bytes_of(type) + scales / (double)k);
    case Kind::softmax: case Kind::layernorm: case Kind::rmsnorm: case Kind::gelu: case Kind::silu: return 8 * elements;
    default: return 0;
    }
}

std::string Item::rate(double seconds) const {
    char text[64];
    if (kind == Kind::gemm || kind == Kind::gemm_int8 || kind == Kind::gemm_rounded || kind == Kind::bias_relu) snprintf(text, sizeof text, "%.0f GFLOP/s", ops() / seconds / 1e9);
    else if (vector()) snprintf(text, sizeof text, "%.1f GB/s", weight_bytes() / seconds / 1e9);
    else if (kind == Kind::copy) snprintf(text, sizeof text, "%.1f GB/s", 8.0 * (double)(m * n) / seconds / 1e9);
    else if (kind == Kind::quantize) snprintf(text, sizeof text, "%.1f GB/s", moved() / seconds / 1e9);
    else if (kind == Kind::widen || kind == Kind::narrow) snprintf(text, sizeof text, "%.1f G/s", (double)(m * n) / seconds / 1e9);
    else snprintf(text, sizeof text, "%.0f us", seconds * 1e6);
    return text;
}

Array raw(size_t bytes, int seed) {
    const size_t page = bytes >= 4 << 20 ? 2 << 20 : 4096, size = (bytes / page + 1) * page;
    void *p = aligned_alloc(page, size);
    if (!p) throw std::bad_alloc();
    madvise(p, size, MADV_HUGEPAGE); // like the engine's buffers
    uint32_t state = 2463534242u + (uint32_t)seed;
    auto *to = (uint16_t *)p;
    for (size_t i = 0; i < size / 2; i++) {
        state ^= state << 13, state ^= state >> 17, state ^= state << 5;
        to[i] = (uint16_t)((state & 0x83ff) | 0x3800); // ±0.5…1 as f16, small as bfloat16, any codes
    }
    return {std::shared_ptr<void>(p, free), bytes};
}

Array floats(size_t n) {
    Array a = raw(4 * n, 1);
    auto *to = (float *)a.at();
    uint32_t state = 88172645u;
    for (size_t i = 0; i < n; i++) {
        state ^= state << 13, state ^= state >> 17, state ^= state << 5;
        to[i] = (float)(int32_t)state * 0x1p-31f;
    }
    return a;
}

std::vector<Item> all_items() {
    std::vector<Item> items;
    for (size_t n : {64, 128, 256, 512, 1024, 2048}) {
        items.push_back({"GEMM f32 " + std::to_string(n), Kind::gemm, Type::f32, n, n, n, false, 0.95});
    }
    items.push_back({"GEMM f16 512", Kind::gemm, Type::f16, 512, 512, 512});
    items.push_back({"GEMM bf16 512", Kind::gemm, Type::bf16, 512, 512, 512, false, 0.9});
    items.push_back({"GEMM bf16 2048x2048x512", Kind::gemm, Type::bf16, 2048, 2048, 512, false, 0.9});
    items.push_back({"GEMM int8 x int8 512", Kind::gemm_int8, Type::int8, 512, 512, 512, false, 0.9});
    items.push_back({"GEMM int8 x int8 2048x2048x512", Kind::gemm_int8, Type::int8, 2048, 2048, 512, false, 0.9});
    items.push_back({"GEMM int8 weights 512", Kind::gemm, Type::int8, 512, 512, 512, false, 2});
    items.push_back({"GEMM int4 weights 512", Kind::gemm, Type::int4, 512, 512, 512, false, 2});
    items.push_back({"GEMM int8 weights and activations 512", Kind::gemm_rounded, Type::int8, 512, 512, 512, false, 2});
    items.push_back({"GEMM int4 weights, int8 activations 512", Kind::gemm_rounded, Type::int4, 512, 512, 512, false, 2});
    for (auto [name, type] : blocks) items.push_back({std::string("GEMM ") + name + " weights, int8 activations 512", Kind::gemm_rounded, type, 512, 512, 512, false, 2, 0, 0, weights_of(type)});
    for (auto [name, type] : blocks) items.push_back({std::string("GEMM ") + name + " weights 512", Kind::gemm, type, 512, 512, 512, false, 2});
    for (size_t n : {64, 128, 256, 512, 1024}) {
        items.push_back({"matmul+bias+ReLU " + std::to_string(n), Kind::bias_relu, Type::f32, n, n, n, false, 1});
    }
    items.push_back({"GEMV f32 4096 from memory", Kind::gemv, Type::f32, 1, 4096, 4096, true, 0.9});
    items.push_back({"GEMV f16 4096 from memory", Kind::gemv, Type::f16, 1, 4096, 4096, true});
    items.push_back({"GEMV bf16 4096 from memory", Kind::gemv, Type::bf16, 1, 4096, 4096, true});
    for (auto [name, type] : {std::pair{"int8", Type::int8}, {"int4", Type::int4}}) {
        // In blocks of 128 they have as many bytes as q8_0 and q4_0 in ggml, in blocks of 32 a fifth and a third more.
        for (size_t block : {32, 128})
            items.push_back({std::string("GEMV ") + name + ", blocks of " + std::to_string(block) + ", 4096 from memory", Kind::gemv, type, 1, 4096, 4096, true,
                             block == 128 ? 1.0 : 0.0, 0, 0.7, block});
    }
    for (auto [name, type] : blocks) items.push_back({std::string("GEMV ") + name + " 4096 from memory", Kind::gemv, type, 1, 4096, 4096, true, 1});
    for (auto [name, type] : {std::pair{"int8", Type::int8}, {"int4", Type::int4}})
        items.push_back({std::string("GEMV ") + name + ", blocks of 128, int8 activations, 4096 from memory", Kind::gemv_rounded, type, 1, 4096, 4096, true, 1, 0, 0.7, 128});
    for (auto [name, type] : blocks) items.push_back({std::string("GEMV ") + name + ", int8 activations, 4096 from memory", Kind::gemv_rounded, type, 1, 4096, 4096, true, 1, 0, 0, weights_of(type)});
    items.push_back({"attention f32, 16 heads x 512 x 64", Kind::attention, Type::f32, 512, 512, 64, false, 1, 16});
    items.push_back({"attention f32, 16 heads x 1 of 4096 x 64", Kind::attention, Type::f32, 1, 4096, 64, false, 1, 16});
    items.push_back({"copy 200 MB", Kind::copy, Type::f32, 25, 1000000, 0, false, 0.95});
    items.push_back({"copy 800 MB", Kind::copy, Type::f32, 100, 1000000, 0, false, 0.95});
    for (auto [name, kind] : {std::pair{"softmax", Kind::softmax}, {"layernorm", Kind::layernorm}, {"RMSnorm", Kind::rmsnorm}, {"GELU", Kind::gelu}, {"SiLU", Kind::silu}}) {
        for (size_t rows : {32, 512}) // from L2, and from the LLC, where a copy is the limit
            items.push_back({std::string(name) + " " + std::to_string(rows) + "x4096", kind, Type::f32, rows, 4096, 0, false, 1.5});
    }
    for (auto [name, kind] : {std::pair{"f16 to f32, ", Kind::widen}, {"f32 to f16, ", Kind::narrow}}) {
        for (size_t rows : {1, 8, 256}) // the first as in GEMMs and GEMVs: in L1
            items.push_back({name + std::to_string(rows * 4096) + " elements", kind, Type::f16, rows, 4096});
    }
    for (auto [name, type, goal] : {std::tuple{"int8", Type::int8, 0.6}, {"int4", Type::int4, 0.6}, {"ternary", Type::ternary, 0.0}, {"e4m3", Type::e4m3, 0.0}}) {
        for (size_t block : {32, 64, 128})
            items.push_back({std::string("quantize ") + name + ", blocks of " + std::to_string(block), Kind::quantize, type, 1024, 4096, block, true, 0, 0, goal});
    }
    return items;
}
