// Assay's kernels, through the interface that its Go code uses.
#include "peers.hpp"

#include <cstring>
#include <map>
#include <stdexcept>

extern "C" {
#include "cpu.h"
#include "params/attention.h"
#include "params/blocks.h"
#include "params/elementwise.h"
#include "params/gemm.h"
#include "params/norm.h"
#include "params/quant.h"
#include "params/stream.h"

void peers_widen(cpu_stream *s, const void *in, float *out, size_t n); // all in loops.c
void peers_narrow(cpu_stream *s, const float *in, void *out, size_t n);
void peers_copy(cpu_stream *s, const float *in, float *out, size_t n);
}

namespace {

const std::map<Type, int> cpu_type{
    {Type::f32, CPU_F32}, {Type::f16, CPU_F16}, {Type::bf16, CPU_BF16}, {Type::int8, CPU_I8}, {Type::int4, CPU_I4},
    {Type::e4m3, CPU_E4M3}, {Type::ternary, CPU_TERNARY},
    {Type::q8_0, CPU_Q8_0}, {Type::q6_K, CPU_Q6_K}, {Type::q4_1, CPU_Q4_1}, {Type::q4_K, CPU_Q4_K}, {Type::q4_0, CPU_Q4_0}};

// The best instruction set of this machine, or the one named by the variable ISA.
const isa *instructions() {
    const char *name = getenv("ISA");
    if (!name || !*name) return cpu_isa_at(0);
    for (int i = 0; const isa *set = cpu_isa_at(i); i++)
        if (!strcmp(cpu_isa_name(set), name)) return set;
    fprintf(stderr, "ISA=%s: this machine does not support it\n", name);
    exit(2);
}

struct Engine {
    cpu_pool *pool;
    cpu_stream *stream;
    explicit Engine(int threads) : pool(cpu_pool_open(instructions(), threads)), stream(cpu_stream_open(pool)) {}
    Engine(const Engine &) = delete;
    ~Engine() {
        cpu_stream_close(stream);
        cpu_pool_close(pool);
    }
};

// One or several dispatches with their parameters, constants and arguments.
struct Program {
    std::vector<cpu_command> commands;
    std::vector<uint32_t> words;
    std::vector<void *> args;
    std::vector<Array> kept;

    // The constants are those that are not 0, by index.
    template <class Params>
    bool add(const char *op, int type, const Params &p, const std::map<int, int> &constants, const std::vector<void *> &arg,
             const char *impl = "plain") {
        const cpu_kernel *k = cpu_find(op, impl, type);
        if (!k) return false;
        cpu_command c = {};
        c.kind = CPU_LAUNCH;
        c.launch = {k, (uint32_t)words.size(), (uint32_t)(words.size() + sizeof p / 4), (uint32_t)args.size(), type};
        words.resize(words.size() + sizeof p / 4 + 16);
        memcpy(&words[c.launch.params], &p, sizeof p);
        for (auto [at, value] : constants) words[c.launch.constants + (size_t)at] = (uint32_t)value;
        args.insert(args.end(), arg.begin(), arg.end());
        commands.push_back(c);
        return true;
    }
};

MatmulParams matmul_params(const Item &t) {
    MatmulParams p = {};
    p.m = (uint)t.m, p.n = (uint)t.n, p.k = (uint)t.k, p.batch = 1;
    return p;
}

// Activations, rounded to int8 in blocks, times weights.
bool add_rounded(Program &p, const Item &t, size_t copy, const std::vector<Array> &x) {
    const size_t scales = t.n * t.k / t.block * 4, weights = (size_t)t.weight_bytes(), last = x.size() - 3;
    void *codes = x[last].at(), *scale = x[last + 1].at();
    const uint m = (uint)t.m, n = (uint)t.n, k = (uint)t.k, block = (uint)t.block;
    if (!p.add("quantize", CPU_I8, QuantParams{m, k, block}, {{QUANTIZE_SYMMETRIC, 1}}, {x[0].at(), codes, scale, x[last + 2].at()})) return false;
    if (in_blocks(t.type))
        return p.add("matmul_blocks_int8", cpu_type.at(t.type), BlockMatmulParams{m, n, k}, {}, {codes, scale, x[1].at(copy, weights), x[2].at()}, "tiled");
    return p.add("matmul_quant_int8", cpu_type.at(t.type), QuantInt8MatmulParams{m, n, k, block}, {},
                 {codes, scale, x[1].at(copy, weights), x[3].at(copy, scales), x[4].at(copy, scales), x[2].at()}, "tiled");
}

// A GEMM with rows of weights, if it is a GEMV, as models store them.
bool add_product(Program &p, const Item &t, size_t copy, const std::vector<Array> &x, bool bias) {
    const size_t weights = (size_t)t.weight_bytes();
    if (t.kind == Kind::gemm_int8) {
        const Int8MatmulParams q = {(uint)t.m, (uint)t.n, (uint)t.k};
        return p.add("matmul_int8", CPU_I8, q, {}, {x[0].at(), x[1].at(), x[2].at()}, "tiled");
    }
    if (t.rounded()) return add_rounded(p, t, copy, x);
    if (t.type == Type::int8 || t.type == Type::int4) {
        const QuantMatmulParams q = {(uint)t.m, (uint)t.n, (uint)t.k, (uint)t.block};
        const size_t scales = t.n * t.k / t.block * 4;
        return p.add("matmul_quant", cpu_type.at(t.type), q, {},
                     {x[0].at(), x[1].at(copy, weights), x[3].at(copy, scales), x[4].at(copy, scales), x[2].at()}, "tiled");
    }
    if (in_blocks(t.type)) {
        const BlockMatmulParams q = {(uint)t.m, (uint)t.n, (uint)t.k};
        return p.add("matmul_blocks", cpu_type.at(t.type), q, {}, {x[0].at(), x[1].at(copy, weights), x[2].at()}, "tiled");
    }
    std::map<int, int> constants;
    if (t.vector()) constants[MATMUL_TRANSPOSE_B] = 1;
    if (bias) constants[MATMUL_HAS_BIAS] = 1, constants[MATMUL_ACTIVATION] = 1;
    return p.add("matmul", cpu_type.at(t.type), matmul_params(t), constants,
                 {x[0].at(), x[1].at(copy, weights), bias ? x[3].at() : nullptr, x[2].at()},
                 t.vector() ? "gemv" : "tiled");
}

// a, the weights, the output, then a bias, or scales and zero points, and the rounded a with its scales.
std::vector<Array> operands(const Item &t) {
    const bool quantized = t.type == Type::int8 || t.type == Type::int4;
    const auto make = [&](size_t n) { return t.type == Type::f32 || quantized || in_blocks(t.type) ? floats(n) : raw(n * 2, 3); };
    std::vector<Array> x = {make(t.m * t.k), raw((size_t)t.weight_bytes() * t.copies(), 2), make(t.m * t.n)};
    if (t.type == Type::f32) x[1] = floats(t.n * t.k * t.copies());
    if (quantized) {
        for (int i = 0; i < 2; i++) x.push_back(floats(t.n * t.k / t.block * t.copies()));
    } else {
        x.push_back(make(t.n));
    }
    if (t.rounded()) {
        x.push_back(raw(t.m * t.k, 4));
        for (int i = 0; i < 2; i++) x.push_back(floats(t.m * t.k / t.block));
    }
    return x;
}

// Programs that run in rotation, each with its copy of the operands. A single one runs as one command buffer: its clock is read as
// often as for other libraries.
Run run_all(std::vector<Program> programs, int threads) {
    auto engine = std::make_shared<Engine>(threads);
    auto turn = std::make_shared<size_t>(0);
    return [engine, turn, programs = std::move(programs)](int repeat) {
        const int together = programs.size() == 1 ? repeat : 1;
        for (; repeat > 0; repeat -= together) {
            const Program &p = programs[(*turn)++ % programs.size()];
            double seconds;
            if (cpu_run(engine->stream, p.commands.data(), (int)p.commands.size(), p.words.data(), p.args.data(), together, 1, &seconds, nullptr) >= 0) // brief: others do not read the CPU clock
                throw std::runtime_error("no scratch memory");
        }
    };
}

Run make_product(const Item &t, int threads, bool separate) {
    const std::vector<Array> x = operands(t);
    std::vector<Program> programs(t.copies());
    for (size_t c = 0; c < programs.size(); c++) {
        Program &p = programs[c];
        p.kept = x;
        if (!add_product(p, t, c, x, t.kind == Kind::bias_relu && !separate)) return {};
        if (!separate) continue;
        const int type = cpu_type.at(t.type);
        p.add("add_bias", type, BiasParams{(uint)t.m, (uint)t.n}, {}, {x[2].at(), x[3].at(), x[2].at()});
        p.add("relu", type, ElementwiseParams{(uint)(t.m * t.n)}, {}, {x[2].at(), x[2].at()});
    }
    return run_all(std::move(programs), threads);
}

Run make_attention(const Item &t, int threads) {
    const AttentionParams q = {(uint)t.heads, (uint)t.heads, (uint)t.m, (uint)t.n, (uint)t.k};
    const size_t queries = t.heads * t.m * t.k, keys = t.heads * t.n * t.k;
    Program p;
    p.kept = {floats(queries), floats(keys), floats(keys), floats(queries)};
    const auto &x = p.kept;
    return p.add("attention", CPU_F32, q, {}, {x[0].at(), x[1].at(), x[2].at(), nullptr, x[3].at()}, "flash") ? run_all({p}, threads) : Run{};
}

Run make_widen(const Item &t, int threads) {
    auto engine = std::make_shared<Engine>(threads);
    const size_t n = t.m * t.n;
    Array in = raw(2 * n, 1), out = floats(n);
    return [=] { peers_widen(engine->stream, in.at(), (float *)out.at(), n); };
}

Run make_narrow(const Item &t, int threads) {
    auto engine = std::make_shared<Engine>(threads);
    const size_t n = t.m * t.n;
    Array in = floats(n), out = raw(2 * n, 1);
    return [=] { peers_narrow(engine->stream, (const float *)in.at(), out.at(), n); };
}

Run make_rows(const Item &t, int threads) {
    const size_t n = t.m * t.n;
    const uint rows = (uint)t.m, cols = (uint)t.n;
    Array x = floats(n), out = floats(n), weight = floats(t.n), bias = floats(t.n);
    Program p;
    p.kept = {x, out, weight, bias};
    bool found = false;
    switch (t.kind) {
    case Kind::softmax: found = p.add("softmax", CPU_F32, SoftmaxParams{rows, cols}, {}, {x.at(), out.at()}); break;
    case Kind::layernorm:
        found = p.add("layernorm", CPU_F32, LayerNormParams{rows, cols, 1e-5f}, {}, {x.at(), weight.at(), bias.at(), out.at()});
        break;
    case Kind::rmsnorm:
        for (size_t i = 0; i < t.n; i++) ((float *)weight.at())[i] = 1; // it is in place: other weights would lead to subnormal numbers
        found = p.add("rmsnorm", CPU_F32, RMSNormParams{rows, cols, 1e-5f}, {}, {x.at(), weight.at()}); break;
    case Kind::gelu: found = p.add("gelu", CPU_F32, ElementwiseParams{(uint)n}, {}, {x.at(), out.at()}); break;
    case Kind::silu: found = p.add("silu", CPU_F32, ElementwiseParams{(uint)n}, {}, {x.at(), out.at()}); break;
    case Kind::copy: found = p.add("copy", CPU_F32, CopyParams{(uint)n}, {}, {x.at(), out.at()}); break;
    default: break;
    }
    return found ? run_all({p}, threads) : Run{};
}

// Quantizing in blocks, symmetric only if there are no zero points.
Run make_quantize(const Item &t, int threads) {
    const size_t n = t.m * t.n, codes = (size_t)((double)n * bytes_of(t.type)), scales = n / t.k * 4;
    const std::vector<Array> x = {floats(n * t.copies()), raw(codes * t.copies(), 2), floats(scales / 4 * t.copies()), floats(scales / 4 * t.copies())};
    std::vector<Program> programs(t.copies());
    for (size_t c = 0; c < programs.size(); c++) {
        programs[c].kept = x;
        if (!programs[c].add("quantize", cpu_type.at(t.type), QuantParams{(uint)t.m, (uint)t.n, (uint)t.k}, {},
                             {x[0].at(c, 4 * n), x[1].at(c, codes), x[2].at(c, scales), x[3].at(c, scales)}))
            return {};
    }
    return run_all(std::move(programs), threads);
}

} // namespace

// A copy in the same rotation, with half of the bytes read and half written.
Run make_copy(const Item &t, int threads) {
    const size_t n = (size_t)(t.moved() / 8) / 16 * 16;
    if (n == 0) return {};
    const Array from = floats(n * t.copies()), to = floats(n * t.copies());
    if (t.memory) {
        auto engine = std::make_shared<Engine>(threads);
        auto turn = std::make_shared<size_t>(0);
        return [=, copies = t.copies()] {
            const size_t c = (*turn)++ % copies;
            peers_copy(engine->stream, (const float *)from.at(c, 4 * n), (float *)to.at(c, 4 * n), n);
        };
    }
    Program p;
    p.kept = {from, to};
    p.add("copy", CPU_F32, CopyParams{(uint)n}, {}, {from.at(), to.at()});
    return run_all({p}, threads);
}

std::string assay_instructions() {
    const isa *set = instructions();
    return (set == cpu_isa_at(0) ? "" : "limited to ") + std::string(cpu_isa_name(set));
}

Run make_assay(const Item &t, int threads) {
    if (t.kind == Kind::widen) return make_widen(t, threads);
    if (t.kind == Kind::narrow) return make_narrow(t, threads);
    if (t.kind == Kind::attention) return make_attention(t, threads);
    if (t.kind == Kind::quantize) return make_quantize(t, threads);
    return t.product() ? make_product(t, threads, false) : make_rows(t, threads);
}

Run make_assay_separate(const Item &t, int threads) {
    return t.kind == Kind::bias_relu ? make_product(t, threads, true) : Run{};
}
