// oneDNN. A primitive that this version lacks leaves an empty cell in the table.
#include "peers.hpp"

#include <cmath>
#include <oneapi/dnnl/dnnl.hpp>
#include <omp.h>

using dnnl::memory;

namespace {

const auto any = memory::data_type::f32;

memory::data_type type_of(Type t) {
    switch (t) {
    case Type::f16: return memory::data_type::f16;
    case Type::bf16: return memory::data_type::bf16;
    case Type::int8: return memory::data_type::s8;
    default: return any;
    }
}

struct Primitive {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    std::vector<Array> kept;
    dnnl::primitive primitive;
    std::vector<std::unordered_map<int, memory>> args; // one per run, in rotation
    size_t turn = 0;

    memory matrix(size_t rows, size_t cols, memory::data_type type, bool transposed = false, size_t copy = 0, const Array *from = nullptr) {
        const memory::dims dims = {(memory::dim)rows, (memory::dim)cols};
        const memory::dims strides = transposed ? memory::dims{1, (memory::dim)rows} : memory::dims{(memory::dim)cols, 1};
        const memory::desc d(dims, type, strides);
        if (from) return memory(d, engine, from->at(copy, d.get_size()));
        kept.push_back(type == any ? floats(rows * cols) : raw(d.get_size(), 5));
        return memory(d, engine, kept.back().at());
    }
};

Run run_of(const std::shared_ptr<Primitive> &p) {
    return [p] {
        p->primitive.execute(p->stream, p->args[p->turn++ % p->args.size()]);
        p->stream.wait();
    };
}

// A GEMM whose weights keep their layout instead of one of the library's choice.
Run make_product(const Item &t) {
    if ((t.type == Type::int8 && t.kind != Kind::gemm_int8) || t.type == Type::int4 || in_blocks(t.type)) return {}; // no scales per block
    auto p = std::make_shared<Primitive>();
    const auto type = type_of(t.type), to = t.type == Type::int8 ? memory::data_type::s32 : type;
    const size_t each = (size_t)t.weight_bytes();
    Array weights = t.type == Type::f32 ? floats(t.n * t.k * t.copies()) : raw(each * t.copies(), 4);
    p->kept.push_back(weights);
    memory a = p->matrix(t.m, t.k, type), out = p->matrix(t.m, t.n, to), bias = p->matrix(1, t.n, type);
    for (size_t c = 0; c < t.copies(); c++) {
        memory b = p->matrix(t.k, t.n, type, t.kind == Kind::gemv || t.kind == Kind::gemm_int8, c, &weights);
        p->args.push_back({{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, out}});
        if (t.kind == Kind::bias_relu) p->args.back().insert({DNNL_ARG_BIAS, bias});
        if (c > 0) continue;
        dnnl::primitive_attr attr;
        dnnl::post_ops relu;
        relu.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
        if (t.kind == Kind::bias_relu) attr.set_post_ops(relu);
        const auto d = t.kind == Kind::bias_relu
                           ? dnnl::matmul::desc(a.get_desc(), b.get_desc(), bias.get_desc(), out.get_desc())
                           : dnnl::matmul::desc(a.get_desc(), b.get_desc(), out.get_desc());
        p->primitive = dnnl::matmul(dnnl::matmul::primitive_desc(d, attr, p->engine));
    }
    return run_of(p);
}

// This version has no attention: its batched GEMMs and its softmax, one after the other.
Run make_attention(const Item &t) {
    auto p = std::make_shared<Primitive>();
    const auto h = (memory::dim)t.heads, q = (memory::dim)t.m, n = (memory::dim)t.n, dim = (memory::dim)t.k;
    const auto tensor = [&](memory::dim rows, memory::dim cols, memory::format_tag tag) {
        p->kept.push_back(floats((size_t)(h * rows * cols)));
        return memory({{h, rows, cols}, any, tag}, p->engine, p->kept.back().at());
    };
    const auto plain = memory::format_tag::abc;
    memory queries = tensor(q, dim, plain), keys = tensor(dim, n, memory::format_tag::acb), scores = tensor(q, n, plain);
    memory values = tensor(n, dim, plain), out = tensor(q, dim, plain);
    dnnl::primitive_attr scaled;
    scaled.set_output_scales(0, {1 / std::sqrt((float)dim)});
    const dnnl::matmul first({{queries.get_desc(), keys.get_desc(), scores.get_desc()}, scaled, p->engine});
    const dnnl::softmax_forward weigh({{dnnl::prop_kind::forward_inference, scores.get_desc(), 2}, p->engine});
    const dnnl::matmul second({{scores.get_desc(), values.get_desc(), out.get_desc()}, p->engine});
    return [=] {
        first.execute(p->stream, {{DNNL_ARG_SRC, queries}, {DNNL_ARG_WEIGHTS, keys}, {DNNL_ARG_DST, scores}});
        weigh.execute(p->stream, {{DNNL_ARG_SRC, scores}, {DNNL_ARG_DST, scores}});
        second.execute(p->stream, {{DNNL_ARG_SRC, scores}, {DNNL_ARG_WEIGHTS, values}, {DNNL_ARG_DST, out}});
        p->stream.wait();
    };
}

Run make_rows(const Item &t) {
    auto p = std::make_shared<Primitive>();
    const auto forward = dnnl::prop_kind::forward_inference;
    memory x = p->matrix(t.m, t.n, any), out = p->matrix(t.m, t.n, any);
    p->args.push_back({{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, out}});
    switch (t.kind) {
    case Kind::softmax:
        p->primitive = dnnl::softmax_forward(dnnl::softmax_forward::primitive_desc({forward, x.get_desc(), 1}, p->engine));
        return run_of(p);
    case Kind::layernorm: {
        const auto flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
        const dnnl::layer_normalization_forward::primitive_desc d({forward, x.get_desc(), 1e-5f, flags}, p->engine);
        p->primitive = dnnl::layer_normalization_forward(d);
        for (int arg : {DNNL_ARG_SCALE, DNNL_ARG_SHIFT}) {
            p->kept.push_back(floats(t.n));
            p->args[0].insert({arg, memory({{(memory::dim)t.n}, any, memory::format_tag::a}, p->engine, p->kept.back().at())});
        }
        return run_of(p);
    }
    case Kind::gelu: case Kind::silu: {
        const auto op = t.kind == Kind::gelu ? dnnl::algorithm::eltwise_gelu_tanh : dnnl::algorithm::eltwise_swish;
        p->primitive = dnnl::eltwise_forward(dnnl::eltwise_forward::primitive_desc({forward, op, x.get_desc(), 1.0f, 0.0f}, p->engine));
        return run_of(p);
    }
    case Kind::widen: {
        memory in = p->matrix(t.m, t.n, memory::data_type::f16);
        p->primitive = dnnl::reorder(in, out);
        p->args[0] = {{DNNL_ARG_FROM, in}, {DNNL_ARG_TO, out}};
        return run_of(p);
    }
    case Kind::narrow: {
        memory half = p->matrix(t.m, t.n, memory::data_type::f16);
        p->primitive = dnnl::reorder(x, half);
        p->args[0] = {{DNNL_ARG_FROM, x}, {DNNL_ARG_TO, half}};
        return run_of(p);
    }
    default: return {};
    }
}

} // namespace

Run make_onednn(const Item &t, int threads) {
    omp_set_num_threads(threads);
    try {
        if (t.kind == Kind::attention) return make_attention(t);
        return t.product() ? make_product(t) : make_rows(t);
    } catch (const dnnl::error &) {
        return {};
    }
}
