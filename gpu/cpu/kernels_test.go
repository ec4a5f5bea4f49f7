package cpu_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"assay/gpu"
	"assay/gpu/cpu"
	"assay/internal/race"
	"assay/shaders"
	"assay/shaders/attention"
	"assay/shaders/blocks"
	"assay/shaders/conv"
	"assay/shaders/elementwise"
	"assay/shaders/gemm"
	"assay/shaders/image"
	"assay/shaders/norm"
	"assay/shaders/quant"
	"assay/shaders/reduce"
	"assay/shaders/train"
)

// like maps an instruction set to the one whose loops it shares, except those for codes and tiles.
var like = map[string]string{"amx": "avx512bf16", "avx512bf16": "avx512vnni", "avx512vnni": "avx512", "avxvnni": "avx2"}

// settings are every instruction set with loops of its own on three threads, and the best also on one.
func settings() []cpu.Options {
	var differ []cpu.Options
	same := map[string]bool{}
	for _, o := range allSettings() {
		if !same[o.ISA] {
			differ = append(differ, o)
		}
		for name := like[o.ISA]; name != ""; name = like[name] {
			same[name] = true
		}
	}
	return differ
}

// allSettings has every instruction set. The race detector does not see C code: one setting is enough for it.
func allSettings() []cpu.Options {
	if race.On {
		return []cpu.Options{{ISA: cpu.ISAs()[0], Threads: 3}}
	}
	all := []cpu.Options{{ISA: cpu.ISAs()[0], Threads: 1}}
	for _, name := range cpu.ISAs() {
		all = append(all, cpu.Options{ISA: name, Threads: 3})
	}
	return all
}

// onEach runs f as a subtest for each of settings, onAll for each of allSettings.
func onEach(t *testing.T, f func(t *testing.T, r *bench)) { onSome(t, settings(), f) }
func onAll(t *testing.T, f func(t *testing.T, r *bench))  { onSome(t, allSettings(), f) }

func onSome(t *testing.T, options []cpu.Options, f func(t *testing.T, r *bench)) {
	for _, o := range options {
		t.Run(fmt.Sprintf("%s/%d", o.ISA, o.Threads), func(t *testing.T) { f(t, newBench(t, o)) })
	}
}

// verify runs d and compares some elements of each output with the reference; tests draw enough shapes to cover all kinds of
// positions.
func (b *bench) verify(d gpu.Launch) {
	b.Helper()
	b.run(d)
	spec := d.Kernel.Spec()
	views := make([]shaders.View, len(spec.Args))
	for i, a := range spec.Args {
		if buf := d.Bindings[i].Buffer; buf != nil {
			views[i] = shaders.View{Type: a.Type, Data: buf.Bytes()[d.Bindings[i].Offset:]}
		}
	}
	if res := spec.Verify(d.Params, views, 300, 3); !res.OK() {
		b.Errorf("%+v %v: %s", d.Params, spec.Constants(), res.Failure)
	}
}

// guarded binds buffers that are larger than what the kernel touches, from an offset, and checks that nothing else changes.
func (b *bench) guarded(name string, p any, c shaders.Constants) {
	b.Helper()
	const before, after = 2 * gpu.Align, 64
	d := b.dispatch(name, p, c)
	spec := d.Kernel.Spec()
	for i := range spec.Args {
		if !spec.Uses(i) {
			continue
		}
		n := spec.Bytes(i, p)
		buf, err := b.engine.NewBuffer(before+n+after, gpu.Shared, "guarded")
		b.must(err)
		defer func() { b.must(buf.Release()) }()
		b.must(buf.Fill(0xFF), buf.Write(before, d.Bindings[i].Buffer.Bytes()[:n]))
		d.Bindings[i] = gpu.Binding{Buffer: buf, Offset: before}
	}
	b.verify(d)
	for i, a := range spec.Args {
		if d.Bindings[i].Buffer == nil {
			continue
		}
		mem, n := d.Bindings[i].Buffer.Bytes(), spec.Bytes(i, p)
		if !allOnes(mem[:before]) || !allOnes(mem[before+n:]) {
			b.Errorf("%s %+v: memory around argument %s changed", name, p, a.Name)
		}
	}
}

func allOnes(mem []byte) bool { return bytes.Count(mem, []byte{0xFF}) == len(mem) }

// skipArithmetic skips a test of C arithmetic under the race detector, which would only slow down the reference.
func skipArithmetic(t *testing.T) {
	t.Helper()
	if race.On {
		t.Skip("one goroutine launches and compares: nothing to race with")
	}
}

// TestRandomShapes draws shapes around the edges of vectors, panels and blocks.
func TestRandomShapes(t *testing.T) {
	skipArithmetic(t)
	onEach(t, func(t *testing.T, r *bench) {
		rng := rand.New(rand.NewPCG(7, 11))
		size := func(most int) uint32 { return uint32(rng.IntN(1 + rng.IntN(most))) }
		for range 20 {
			m, n, k := size(150), size(200), size(900)
			c := shaders.Constants{
				gemm.TransposeA: rng.Int32N(2), gemm.TransposeB: rng.Int32N(2), gemm.HasBias: rng.Int32N(2),
				gemm.Activation: rng.Int32N(int32(len(shaders.Activations()))),
			}
			r.guarded("matmul_tiled_f32", gemm.MatmulParams{M: m, N: n, K: k, Batch: 1}, c)
			r.guarded("matmul_tiled_f16", gemm.MatmulParams{M: m, N: n, K: k, Batch: 1}, c)
			r.guarded("matmul_tiled_bf16", gemm.MatmulParams{M: m / 2, N: n / 2, K: k / 4, Batch: 3}, c)
			r.guarded("matmul_quant_tiled_int8", gemm.QuantMatmulParams{M: m, N: n, K: k, Block: size(70)}, nil)
			r.guarded("matmul_quant_tiled_int4", gemm.QuantMatmulParams{M: m, N: n, K: k, Block: 2 * size(70)}, nil)
			r.guarded("matmul_quant_tiled_ternary", gemm.QuantMatmulParams{M: m, N: n, K: k, Block: 4 * size(70)}, nil)
			r.guarded("matmul_quant_tiled_e4m3", gemm.QuantMatmulParams{M: m, N: n, K: k, Block: size(70)}, nil)
			r.guarded("matmul_quant_int8_tiled_int8", gemm.QuantInt8MatmulParams{M: m, N: n, K: k, Block: size(70)}, nil)
			r.guarded("matmul_quant_int8_tiled_int4", gemm.QuantInt8MatmulParams{M: m, N: n, K: k, Block: 2 * size(70)}, nil)
			half := shaders.Constants{quant.HalfScales: 1}
			r.guarded("matmul_quant_tiled_int8", gemm.QuantMatmulParams{M: m, N: n, K: k, Block: size(70)}, half)
			r.guarded("matmul_quant_int8_tiled_int4", gemm.QuantInt8MatmulParams{M: m, N: n, K: k, Block: 2 * size(70)}, half)
			r.guarded("matmul_int8_tiled_int8", gemm.Int8MatmulParams{M: m, N: n, K: k}, nil)
			r.guarded("matmul_bitlinear_tiled_ternary", gemm.BitLinearParams{M: m, N: n, K: k}, nil)
			r.guarded("quantize_rows_int8", quant.RowsParams{Rows: m, Cols: n}, nil)
			r.guarded("softmax_f32", norm.SoftmaxParams{Rows: m, Cols: n}, nil)
			r.guarded("softmax_f16", norm.SoftmaxParams{Rows: n, Cols: m}, nil)
			symmetric := shaders.Constants{quant.Symmetric: rng.Int32N(2)}
			for _, kind := range quant.Types() {
				p := quant.QuantParams{Rows: m, Cols: n, Block: 4 * (1 + size(39))}
				r.guarded("quantize_"+kind.String(), p, symmetric)
				r.guarded("quantize_tensor_"+kind.String(), quant.TensorParams{Rows: m, Cols: n, Parts: 1 + size(9)}, symmetric)
				r.guarded("dequantize_"+kind.String(), p, nil)
				r.guarded("dequantize_"+kind.String(), p, half)
				both := shaders.Constants{quant.HalfScales: 1, quant.Symmetric: symmetric[quant.Symmetric]}
				r.guarded("quantize_"+kind.String(), p, both)
				whole := quant.QuantParams{Rows: m, Cols: p.Block * size(5), Block: p.Block}
				r.guarded("quantize_"+kind.String(), whole, symmetric)
				r.guarded("quantize_"+kind.String(), whole, both)
				r.guarded("quantize_tensor_"+kind.String(), quant.TensorParams{Rows: m, Cols: n, Parts: 1 + size(9)}, both)
			}
		}
	})
}

// TestLargeShapes exceeds the sizes at which work is split among threads and into blocks, and at which stores become
// non-temporal.
func TestLargeShapes(t *testing.T) {
	skipArithmetic(t)
	onEach(t, func(t *testing.T, r *bench) {
		act := shaders.Constants{gemm.HasBias: 1, gemm.Activation: shaders.ActGelu}
		transposed := shaders.Constants{gemm.TransposeB: 1}
		for _, p := range []gemm.MatmulParams{{M: 2100, N: 70, K: 33, Batch: 1}, {M: 40, N: 4200, K: 50, Batch: 1}, {M: 150, N: 130, K: 1100, Batch: 1}} {
			r.guarded("matmul_tiled_f32", p, act)
			r.guarded("matmul_tiled_f32", p, transposed)
			r.guarded("matmul_tiled_f16", p, act)
		}
		r.guarded("matmul_int8_tiled_int8", gemm.Int8MatmulParams{M: 2070, N: 40, K: 1070}, nil)
		// Outputs of more than the 12 MB that may stay in caches, in whole lines.
		r.guarded("matmul_int8_tiled_int8", gemm.Int8MatmulParams{M: 49_201, N: 80, K: 100}, nil)
		r.guarded("matmul_tiled_bf16", gemm.MatmulParams{M: 66_001, N: 96, K: 40, Batch: 1}, shaders.Constants{gemm.HasBias: 1})
		for _, p := range []gemm.MatmulParams{{M: 70, N: 900, K: 500, Batch: 1}, {M: 64, N: 256, K: 512, Batch: 1}} { // in stages along k
			r.guarded("matmul_tiled_bf16", p, act)
			r.guarded("matmul_tiled_bf16", p, shaders.Constants{gemm.TransposeA: 1, gemm.TransposeB: 1})
		}
		for m := uint32(1); m <= 5; m++ {
			r.guarded("matmul_gemv_f32", gemm.MatmulParams{M: m, N: 700, K: 1500, Batch: 1}, act)
			r.guarded("matmul_gemv_f16", gemm.MatmulParams{M: m, N: 700, K: 1501, Batch: 1}, transposed)
			r.guarded("matmul_gemv_f16", gemm.MatmulParams{M: m, N: 701, K: 1501, Batch: 1}, act)
			r.guarded("matmul_gemv_bf16", gemm.MatmulParams{M: m, N: 70, K: 301, Batch: 2}, shaders.Constants{gemm.TransposeA: 1})
			r.guarded("matmul_quant_tiled_int8", gemm.QuantMatmulParams{M: m, N: 333, K: 2500, Block: 32}, nil)
			r.guarded("matmul_quant_tiled_int4", gemm.QuantMatmulParams{M: m, N: 333, K: 2501, Block: 64}, nil)
			r.guarded("matmul_quant_tiled_int4", gemm.QuantMatmulParams{M: m, N: 1101, K: 64, Block: 32}, nil) // as many outputs per task as possible
		}
		for name, n := range map[string]uint32{"affine_f32": 3_200_003, "add_relu_f32": 3_200_003, "gelu_f32": 3_200_003, "mul_f16": 6_400_003} {
			r.guarded(name, elementwise.ElementwiseParams{N: n}, nil)
		}
		rows := norm.LayerNormParams{Rows: 206, Cols: 16_384, Eps: 1e-5} // two of a task's rows remain after whole fours
		r.guarded("layernorm_f32", rows, nil)
		r.guarded("layernorm_twopass_f32", rows, nil)
		rows.Rows *= 2
		r.guarded("layernorm_f16", rows, nil)
		rows = norm.LayerNormParams{Rows: 131, Cols: 1003, Eps: 1e-5} // three rows remain, and some elements of each beyond whole vectors
		r.guarded("layernorm_f32", rows, nil)
		r.guarded("layernorm_twopass_bf16", rows, nil)
		r.guarded("layernorm_f32", norm.LayerNormParams{Rows: 70_000, Cols: 48, Eps: 1e-5}, nil) // past the caches, half a step remains of each
		r.guarded("quantize_tensor_int8", quant.Tensor(3000, 77), nil)
		r.guarded("extremes_f32", quant.Tensor(3000, 77).Extremes(), nil)
		r.guarded("quantize_int4", quant.QuantParams{Rows: 5, Cols: 30_001, Block: 30_000}, nil)
	})
}

func TestCachedBytes(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct{ cache, cluster, want int }{
		{0, 0, 4},
		{4, 0, 2},
		{16, 0, 6},
		{32, 0, 12},
		{64, 0, 12},
		{300, 0, 8},
		{400, 0, 10},
		{480, 0, 12},
		{16, 32, 6},
		{32, 32, 12},
		{508, 32, 12},
		{256, 16, 6},
	} {
		if got := cpu.CachedBytes(c.cache*mb, c.cluster*mb); got != c.want*mb {
			t.Errorf("of %d MB of cache, %d MB a cluster, an output may take %d B, want %d MB", c.cache, c.cluster, got, c.want)
		}
	}
	for cache, want := range map[int]int{0: 800_000, mb / 16: mb / 8, mb / 4: mb * 3 / 16, mb / 2: mb * 3 / 8, mb: mb * 3 / 4, 2 * mb: 800_000, 16 * mb: 800_000} {
		if got := cpu.KeptBytes(cache); got != want {
			t.Errorf("of %d B of cache an operand may take %d B, want %d", cache, got, want)
		}
	}
}

// TestProductThreads checks the threads of GEMMs of 64 × 64 × 64 to 128 × 128 × 128 on cores as fast as a Zen 5's, a Zen 4's,
// and ones without a rate.
func TestProductThreads(t *testing.T) {
	for _, c := range []struct {
		n, rate       float64
		threads, want int
	}{{64, 122e9, 2, 1}, {72, 122e9, 2, 1}, {64, 59e9, 2, 2}, {64, 0, 2, 2}, {64, 0, 16, 1}, {128, 122e9, 2, 2}, {128, 122e9, 16, 16}, {32, 0, 2, 1}, {64, 122e9, 1, 1}} {
		if got := cpu.ProductThreads(c.n*c.n*c.n, c.threads, c.rate); got != c.want {
			t.Errorf("%v cubed at %.0f G/s: %d of %d threads, want %d", c.n, c.rate/1e9, got, c.threads, c.want)
		}
	}
}

// TestHalfExhaustive passes every f16 value through relu, which converts it to float and back.
func TestHalfExhaustive(t *testing.T) {
	onEach(t, func(t *testing.T, r *bench) {
		d := r.dispatch("relu_f16", elementwise.ElementwiseParams{N: 1 << 16}, nil)
		in, out := d.Bindings[0].Buffer.Bytes(), d.Bindings[1].Buffer.Bytes()
		for i := range 1 << 16 {
			binary.NativeEndian.PutUint16(in[2*i:], uint16(i))
		}
		r.run(d)
		src, dst := shaders.View{Type: shaders.F16, Data: in}, shaders.View{Type: shaders.F16, Data: out}
		for i := range 1 << 16 {
			x, got := src.At(i), dst.At(i)
			want := x
			if x < 0 {
				want = 0
			}
			if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Fatalf("relu of half %#04x (%g) is %g", i, x, got)
			}
		}
	})
}

// TestHalfRounding checks float to f16 against every kind of tie: products of random f16 values need all 22 bits.
func TestHalfRounding(t *testing.T) {
	onEach(t, func(t *testing.T, r *bench) {
		const n = 200_000
		d := r.dispatch("mul_f16", elementwise.ElementwiseParams{N: n}, nil)
		rng := rand.New(rand.NewPCG(3, 5))
		for _, b := range d.Bindings[:2] {
			for i := range n {
				binary.NativeEndian.PutUint16(b.Buffer.Bytes()[2*i:], uint16(rng.Uint32()))
			}
		}
		r.run(d)
		view := func(i int) shaders.View { return shaders.View{Type: shaders.F16, Data: d.Bindings[i].Buffer.Bytes()} }
		a, b, out := view(0), view(1), view(2)
		for i := range n { // the product of two f16 values is exact in float, so the result must be its nearest f16
			want, got := shaders.F16.Round(a.At(i)*b.At(i)), out.At(i)
			if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Fatalf("%g · %g is %g, want %g", a.At(i), b.At(i), got, want)
			}
		}
	})
}

// TestGeluRange sweeps GELU over every magnitude.
func TestGeluRange(t *testing.T) {
	onEach(t, func(t *testing.T, r *bench) {
		const n = 1 << 16
		d := r.dispatch("gelu_f32", elementwise.ElementwiseParams{N: n}, nil)
		in := d.Bindings[0].Buffer.Bytes()
		for i := range n { // the upper halves of all floats, NaN and the infinities among them
			binary.NativeEndian.PutUint32(in[4*i:], uint32(i)<<16|0x1234*uint32(i&1))
		}
		r.run(d)
		views := []shaders.View{{Data: in}, {Data: d.Bindings[1].Buffer.Bytes()}}
		if res := d.Kernel.Spec().Verify(d.Params, views, 0, 0); !res.OK() {
			t.Error(res.Failure)
		}
	})
}

// TestPaddingMeetsNoInfinity puts infinities in the last column of a and the last row of b, next to which panels end.
func TestPaddingMeetsNoInfinity(t *testing.T) {
	onEach(t, func(t *testing.T, r *bench) {
		for _, m := range []uint32{1, 5, 29} {
			p := gemm.MatmulParams{M: m, N: 37, K: 261, Batch: 1}
			for _, c := range []shaders.Constants{nil, {gemm.TransposeB: 1}} {
				name := "matmul_tiled_f32"
				if m == 1 {
					name = "matmul_gemv_f32"
				}
				d := r.dispatch(name, p, c)
				a := shaders.View{Data: d.Bindings[0].Buffer.Bytes()}
				b := shaders.View{Data: d.Bindings[1].Buffer.Bytes()}
				for i := range int(m) {
					a.Set(i*261+260, math.Inf(1))
				}
				for i := range b.Len() {
					b.Set(i, 1)
				}
				r.verify(d)
				if got := (shaders.View{Data: d.Bindings[3].Buffer.Bytes()}).At(0); !math.IsInf(got, 1) {
					t.Errorf("M = %d, %v: the sum is %g, want +Inf", m, c, got)
				}
			}
		}
	})
}

// TestThreadsAgree wants bit-identical results from one thread and many: the order of sums must not depend on them.
func TestThreadsAgree(t *testing.T) {
	square := gemm.MatmulParams{M: 210, N: 190, K: 700, Batch: 1}
	few := attention.AttentionParams{Heads: 4, KVHeads: 2, Queries: 1, Keys: 700, Dim: 64}
	many := attention.AttentionParams{Heads: 2, KVHeads: 1, Queries: 90, Keys: 300, Dim: 64}
	for _, c := range []struct {
		kernel string
		p      any
	}{
		{"matmul_tiled_f32", square},
		{"matmul_tiled_bf16", square},
		{"matmul_gemv_f32", gemm.MatmulParams{M: 1, N: 900, K: 700, Batch: 1}},
		{"matmul_quant_tiled_int8", gemm.QuantMatmulParams{M: 2, N: 333, K: 640, Block: 32}},
		{"matmul_quant_tiled_int4", gemm.QuantMatmulParams{M: 100, N: 333, K: 640, Block: 32}},
		{"matmul_quant_int8_tiled_int8", gemm.QuantInt8MatmulParams{M: 3, N: 333, K: 1280, Block: 32}},
		{"matmul_quant_int8_tiled_int4", gemm.QuantInt8MatmulParams{M: 100, N: 333, K: 1280, Block: 32}},
		{"matmul_quant_int8_tiled_int4", gemm.QuantInt8MatmulParams{M: 50, N: 70, K: 1300, Block: 48}},
		{"matmul_blocks_tiled_q6_K", blocks.BlockMatmulParams{M: 100, N: 333, K: 1280}},
		{"matmul_blocks_int8_tiled_q4_K", blocks.BlockMatmulParams{M: 100, N: 333, K: 1280}},
		{"matmul_blocks_int8_tiled_q6_K", blocks.BlockMatmulParams{M: 300, N: 333, K: 512}},
		{"attention_flash_f32", many},
		{"attention_decode_f32", few},
		{"attention_scores_tiled_f32", many},
		{"attention_values_tiled_f32", many},
		{"layernorm_f32", norm.LayerNormParams{Rows: 206, Cols: 16_384, Eps: 1e-5}},
		{"layernorm_f32", norm.LayerNormParams{Rows: 15, Cols: 1503, Eps: 1e-5}}, // through the caches: seven rows remain, or all are in one task
		{"layernorm_f16", norm.LayerNormParams{Rows: 15, Cols: 1503, Eps: 1e-5}},
		{"rmsnorm_f32", norm.RMSNormParams{Rows: 15, Cols: 1503, Eps: 1e-5}},
		{"sum_f32", reduce.ReduceParams{N: 500_003, Parts: 3}},
		{"sum_into_f32", reduce.ReduceParams{N: 500_003, Parts: 3}},
		{"conv2d_direct_f32", conv.ConvParams{N: 2, C: 20, H: 40, W: 40, O: 30, Side: 3, Stride: 1, Pad: 1}},
	} {
		var first []byte
		for _, threads := range []int{1, 2, 5} {
			r := newBench(t, cpu.Options{Threads: threads})
			d := r.dispatch(c.kernel, c.p, nil)
			r.run(d)
			out := d.Bindings[d.Kernel.Spec().Outputs()[0]].Buffer.Bytes()
			if first == nil {
				first = bytes.Clone(out)
			} else if !bytes.Equal(first, out) {
				t.Errorf("%s %+v: %d threads give another result than 1", c.kernel, c.p, threads)
			}
		}
	}
}

// TestAttentionBlocks covers several blocks of keys and of queries, and heads that share keys.
func TestAttentionBlocks(t *testing.T) {
	masked := shaders.Constants{attention.HasMask: 1, attention.Causal: 1}
	onEach(t, func(t *testing.T, r *bench) {
		for _, kind := range []string{"f32", "f16", "bf16"} {
			p := attention.AttentionParams{Heads: 4, KVHeads: 2, Queries: 150, Keys: 300, Dim: 80}
			r.guarded("attention_flash_"+kind, p, masked)
			r.guarded("attention_scores_tiled_"+kind, p, masked)
			r.guarded("attention_values_tiled_"+kind, p, nil)
			p.Queries, p.Dim = 3, 128
			r.guarded("attention_flash_"+kind, p, masked)
			r.guarded("attention_decode_"+kind, p, masked)
			p.Queries, p.Dim = 1, 37
			r.guarded("attention_decode_"+kind, p, nil)
		}
	})
}

// TestConvolutionBlocks covers several panels of filters, vectors of pixels and tasks, in either layout.
func TestConvolutionBlocks(t *testing.T) {
	onEach(t, func(t *testing.T, r *bench) {
		for _, p := range []conv.ConvParams{
			{N: 2, C: 19, H: 40, W: 75, O: 37, Side: 3, Stride: 1, Pad: 1},
			{N: 1, C: 40, H: 31, W: 90, O: 70, Side: 1, Stride: 3, Pad: 0},
			{N: 1, C: 3, H: 61, W: 70, O: 9, Side: 7, Stride: 2, Pad: 6},
			{N: 1, C: 2, H: 20, W: 33, O: 3, Side: 2, Stride: 4, Pad: 0},
		} {
			for byPixel := range int32(2) {
				c := shaders.Constants{conv.ByPixel: byPixel}
				r.guarded("im2col_f32", p, c)
				r.guarded("im2col_f16", p, c)
				r.guarded("conv2d_direct_f16", p, c)
				r.guarded("conv2d_direct_f32", p, shaders.Constants{conv.ByPixel: byPixel, conv.HasBias: 1, conv.Activation: shaders.ActGelu})
			}
		}
	})
}

// TestSeveralPieces covers more than one task of kernels whose test cases otherwise fit into one.
func TestSeveralPieces(t *testing.T) {
	onEach(t, func(t *testing.T, r *bench) {
		r.guarded("relu_grad_f32", train.ReluGradParams{N: 40_003}, nil)
		r.guarded("gray_f32", image.GrayParams{Pixels: 17_001, Channels: 3}, nil)
		r.guarded("normalize_f32", image.NormalizeParams{Pixels: 12_001, Channels: 3}, nil)
		r.guarded("blur_f32", image.BlurParams{N: 2, H: 70, W: 90, C: 3}, nil)
		r.guarded("resize_f16", image.ResizeParams{N: 2, H: 70, W: 90, C: 3, OutH: 61, OutW: 99}, nil)
		r.guarded("add_broadcast_f32", elementwise.BroadcastParams{D0: 3, D1: 5, D2: 70, D3: 100, A: 0b0100, B: 0b0011}, nil)
	})
}
