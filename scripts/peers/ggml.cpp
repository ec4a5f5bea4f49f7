// ggml, if it is compiled with a folder of its source: GEMMs with blocks of q8_0 and q4_0, flash attention, f16 to floats and back.
#include "peers.hpp"

#if !defined(PEERS_GGML)

Run make_ggml(const Item &, int) { return {}; }

#else

#include <cstring>
#include <ggml-backend.h>
#include <ggml-cpu.h>
#include <ggml.h>

namespace {

// Graphs with their memory and threads. Weights are in separate memory, where the library may choose their layout.
struct Graphs {
    ggml_context *context, *weights;
    std::vector<ggml_backend_buffer_t> buffers;
    std::vector<ggml_cgraph *> turns;
    ggml_threadpool *pool = nullptr;
    ggml_cplan plan = {};
    std::vector<uint8_t> work;
    size_t turn = 0;

    explicit Graphs(size_t bytes)
        : context(ggml_init({bytes + (64 << 20), nullptr, false})), weights(ggml_init({4 << 20, nullptr, true})) {}
    Graphs(const Graphs &) = delete;
    ~Graphs() {
        for (ggml_backend_buffer_t b : buffers) ggml_backend_buffer_free(b);
        if (pool) ggml_threadpool_free(pool);
        ggml_free(weights);
        ggml_free(context);
    }
};

ggml_type type_of(const Item &t) {
    switch (t.type) {
    case Type::f16: return GGML_TYPE_F16;
    case Type::bf16: return GGML_TYPE_BF16;
    case Type::int8: return GGML_TYPE_Q8_0;
    case Type::q8_0: return GGML_TYPE_Q8_0;
    case Type::int4: case Type::q4_0: return GGML_TYPE_Q4_0;
    case Type::q4_1: return GGML_TYPE_Q4_1;
    case Type::q4_K: return GGML_TYPE_Q4_K;
    case Type::q6_K: return GGML_TYPE_Q6_K;
    default: return GGML_TYPE_F32;
    }
}

ggml_tensor *filled(ggml_tensor *x) {
    const size_t n = (size_t)ggml_nelements(x);
    memcpy(x->data, floats(n).at(), 4 * n);
    return x;
}

// The library's layout for a GEMM, as llama.cpp chooses it: for AMX, or for rows side by side; otherwise the plain one.
ggml_backend_buffer_type_t layout_of(ggml_tensor *weights, const ggml_tensor *product) {
    ggml_backend_reg_t reg = ggml_backend_cpu_reg();
    ggml_backend_dev_t device = ggml_backend_reg_dev_get(reg, 0);
    const auto list = (ggml_backend_dev_get_extra_bufts_t)ggml_backend_reg_get_proc_address(reg, "ggml_backend_dev_get_extra_bufts");
    for (auto *type = list ? list(device) : nullptr; type && *type; type++) {
        weights->buffer = ggml_backend_buft_alloc_buffer(*type, 0);
        const bool supported = ggml_backend_dev_supports_op(device, product);
        ggml_backend_buffer_free(weights->buffer);
        weights->buffer = nullptr;
        if (supported) return *type;
    }
    return ggml_backend_cpu_buffer_type();
}

// n rows of k weights as the type stores them.
std::vector<char> codes_of(ggml_type type, int64_t n, int64_t k) {
    const Array from = floats((size_t)(n * k));
    std::vector<char> codes(ggml_row_size(type, k) * (size_t)n);
    if (type == GGML_TYPE_F32) memcpy(codes.data(), from.at(), codes.size());
    else ggml_quantize_chunk(type, (const float *)from.at(), codes.data(), 0, n, k, nullptr);
    return codes;
}

// x times new weights, in a layout of the library's choice.
ggml_tensor *product_of(Graphs &g, ggml_tensor *x, ggml_type type, int64_t n, const std::vector<char> &codes) {
    ggml_tensor *w = ggml_new_tensor_2d(g.weights, type, x->ne[0], n), *product = ggml_mul_mat(g.context, w, x);
    ggml_backend_buffer_type_t layout = layout_of(w, product);
    g.buffers.push_back(ggml_backend_buft_alloc_buffer(layout, ggml_backend_buft_get_alloc_size(layout, w)));
    ggml_backend_tensor_alloc(g.buffers.back(), w, ggml_backend_buffer_get_base(g.buffers.back()));
    ggml_backend_tensor_set(w, codes.data(), 0, codes.size());
    return product;
}

// Computes one result after the other.
Run run_of(const std::shared_ptr<Graphs> &g, const std::vector<ggml_tensor *> &results, int threads) {
    auto params = ggml_threadpool_params_default(threads);
    g->pool = ggml_threadpool_new(&params);
    for (ggml_tensor *r : results) {
        g->turns.push_back(ggml_new_graph(g->context));
        ggml_build_forward_expand(g->turns.back(), r);
    }
    g->plan = ggml_graph_plan(g->turns[0], threads, g->pool);
    g->work.resize(g->plan.work_size);
    g->plan.work_data = g->work.data();
    return [g] { ggml_graph_compute(g->turns[g->turn++ % g->turns.size()], &g->plan); };
}

Run make_product(const Item &t, int threads) {
    auto g = std::make_shared<Graphs>(8 * t.m * (t.n + t.k) * t.copies() + (t.copies() << 20));
    ggml_tensor *x = filled(ggml_new_tensor_2d(g->context, GGML_TYPE_F32, (int64_t)t.k, (int64_t)t.m));
    const std::vector<char> codes = codes_of(type_of(t), (int64_t)t.n, (int64_t)t.k);
    std::vector<ggml_tensor *> results;
    for (size_t c = 0; c < t.copies(); c++) results.push_back(product_of(*g, x, type_of(t), (int64_t)t.n, codes));
    return run_of(g, results, threads);
}

// Keys and values in f32, like Assay's.
Run make_attention(const Item &t, int threads) {
    auto g = std::make_shared<Graphs>(4 * t.heads * t.k * (2 * t.m + 2 * t.n));
    const auto tensor = [&](size_t rows) {
        return filled(ggml_new_tensor_3d(g->context, GGML_TYPE_F32, (int64_t)t.k, (int64_t)rows, (int64_t)t.heads));
    };
    ggml_tensor *q = tensor(t.m), *k = tensor(t.n), *v = tensor(t.n);
    return run_of(g, {ggml_flash_attn_ext(g->context, q, k, v, nullptr, 0.125f, 0, 0)}, threads);
}

Run make_widen(const Item &t) {
    const auto n = (int64_t)(t.m * t.n);
    Array in = raw(2 * (size_t)n, 1), out = floats((size_t)n);
    return [=] { ggml_cpu_fp16_to_fp32((const ggml_fp16_t *)in.at(), (float *)out.at(), n); };
}

Run make_narrow(const Item &t) {
    const auto n = (int64_t)(t.m * t.n);
    Array in = floats((size_t)n), out = raw(2 * (size_t)n, 1);
    return [=] { ggml_cpu_fp32_to_fp16((const float *)in.at(), (ggml_fp16_t *)out.at(), n); };
}

} // namespace

Run make_ggml(const Item &t, int threads) {
    ggml_log_set([](ggml_log_level, const char *, void *) {}, nullptr);
    ggml_cpu_init();
    if (t.kind == Kind::attention) return make_attention(t, threads);
    if (t.kind == Kind::widen) return threads == 1 ? make_widen(t) : Run{};
    if (t.kind == Kind::narrow) return threads == 1 ? make_narrow(t) : Run{};
    const bool quantized = t.type == Type::int8 || t.type == Type::int4 || in_blocks(t.type);
    if (t.vector() || t.rounded() || (t.kind == Kind::gemm && quantized)) return make_product(t, threads);
    return {};
}

#endif
