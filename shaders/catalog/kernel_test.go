package catalog

import (
	"errors"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"testing"

	"assay/shaders"
	"assay/shaders/attention"
	"assay/shaders/conv"
	"assay/shaders/elementwise"
	"assay/shaders/entropy"
	"assay/shaders/gemm"
	"assay/shaders/norm"
	"assay/shaders/quant"
	"assay/shaders/stream"
)

// eachCase runs f for every case of every kernel, which has the case's constants.
func eachCase(t *testing.T, f func(t *testing.T, k *shaders.Kernel, p any)) {
	for _, k := range All() {
		t.Run(k.Name, func(t *testing.T) {
			for _, c := range k.Cases() {
				with := k.With(c.Constants)
				f(t, &with, c.Params)
			}
		})
	}
}

// own lists the kernels that have a source.
func own() []shaders.Kernel {
	return slices.DeleteFunc(All(), func(k shaders.Kernel) bool { return k.Impl.Library != shaders.Own })
}

func TestDescriptionsAreComplete(t *testing.T) {
	for _, k := range All() {
		op, impl := k.Impl.Op, k.Impl
		if op.About == "" || k.About() == "" || op.Cost == nil || op.Reference == nil || op.Tolerance == nil ||
			len(k.Outputs()) == 0 || impl.Name == "" || (impl.Launch == nil) != (impl.Library != shaders.Own) ||
			(impl.Dims == nil) != (impl.Library == shaders.Own) {
			t.Errorf("%s: the description has gaps: %+v", k.Name, k)
		}
		zero := reflect.New(reflect.TypeOf(op.Params)).Elem().Interface()
		if op.Params != zero {
			t.Errorf("%s: Params is %+v, want the zero value", k.Name, op.Params)
		}
		found, ok := Find(k.Name)
		if !ok || found.ID() != k.ID() {
			t.Errorf("Find(%q) gives %q, %v", k.Name, found.ID(), ok)
		}
		picked, err := Pick(shaders.Pick{Op: op.Name, Impl: impl.Name, Type: k.Type})
		if err != nil || picked.Name != k.Name {
			t.Errorf("%s: picked %q, %v", k.ID(), picked.Name, err)
		}
		if len(k.Cases()) == 0 {
			t.Errorf("%s has no case", k.Name)
		}
		for _, c := range impl.Constants {
			if c.About == "" || c.Max < 1 || !slices.Contains(op.Constants, c) {
				t.Errorf("%s: constant %+v says nothing about itself, or is none of the operation's", k.Name, c)
			}
		}
		for _, u := range impl.Tunables {
			if u.About == "" || !slices.Contains(u.Values, u.Default) {
				t.Errorf("%s: tunable %+v says nothing about itself, or its default is not a value", k.Name, u)
			}
		}
	}
	if _, ok := Find("no_such_kernel"); ok {
		t.Error("Find knows a kernel that does not exist")
	}
}

func TestPick(t *testing.T) {
	for _, c := range []struct {
		pick shaders.Pick
		want string // a name, or words of the error
	}{
		{shaders.Pick{Op: "matmul", Type: shaders.F16}, "matmul_tiled_f16"},
		{shaders.Pick{Op: "matmul", Impl: "mps", Type: shaders.F32}, "matmul_mps_f32"},
		{shaders.Pick{Op: "add", Type: shaders.F32}, "add_f32"},
		{shaders.Pick{Op: "matmul", Impl: "mps", Type: shaders.I8}, "MPS has no matmul in int8; it has one in f32, f16"},
		{shaders.Pick{Op: "matmul", Impl: "other"}, "those in this type are tiled, naive, blocked"},
		{shaders.Pick{Op: "nothing"}, `no operation "nothing"`},
	} {
		k, err := Pick(c.pick)
		if got := k.Name; err == nil && got != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %q, %v; want %q", c.pick, got, err, c.want)
		}
	}
}

// TestChoose: if no implementation is named, the first preference that fits the call and the device is used.
func TestChoose(t *testing.T) {
	all := func(shaders.Kernel) error { return nil }
	without := func(lacks shaders.Feature) func(k shaders.Kernel) error {
		return func(k shaders.Kernel) error {
			if k.Needs()&lacks != 0 {
				return errors.New("missing")
			}
			return nil
		}
	}
	square, row := gemm.MatmulParams{M: 512, N: 512, K: 512, Batch: 1}, gemm.MatmulParams{M: 1, N: 512, K: 512, Batch: 1}
	prompt := attention.AttentionParams{Heads: 2, KVHeads: 1, Queries: 9, Keys: 9, Dim: 64}
	codes := gemm.QuantMatmulParams{M: 1, N: 512, K: 512, Block: 32}
	for _, c := range []struct {
		name   string
		pick   shaders.Pick
		p      any
		device shaders.Device
		want   string
		words  string // of the reason
	}{
		{"a row", shaders.Pick{Op: "matmul"}, row, shaders.Device{Family: 9, Supports: all}, "matmul/gemv/f32{transpose_b=1}", "few rows"},
		{"M1", shaders.Pick{Op: "matmul"}, square, shaders.Device{Family: 7, Supports: all}, "matmul/blocked/f32{transpose_b=1}", "M1"},
		{"M2 in half", shaders.Pick{Op: "matmul", Type: shaders.F16}, square, shaders.Device{Family: 8, Supports: all}, "matmul/simd/f16{transpose_b=1}", "simdgroup_matrix"},
		{"M4", shaders.Pick{Op: "matmul"}, square, shaders.Device{Family: 9, Supports: all}, "matmul/simd/f32{staging=0,tile=32,transpose_b=1}", "straight from memory"},
		{"a CPU", shaders.Pick{Op: "matmul"}, square, shaders.Device{Supports: without(shaders.Threadgroups)}, "matmul/tiled/f32{transpose_b=1}", "default"},
		{"no gemv", shaders.Pick{Op: "matmul", Impl: "tiled"}, row, shaders.Device{Supports: all}, "matmul/tiled/f32{transpose_b=1}", ""},
		{"a row of codes", shaders.Pick{Op: "matmul_quant", Type: shaders.I4}, codes, shaders.Device{Supports: all}, "matmul_quant/gemv/int4", "few rows"},
		{"many rows of codes", shaders.Pick{Op: "matmul_quant", Type: shaders.I8}, gemm.QuantMatmulParams{M: 5, N: 64, K: 64}, shaders.Device{Supports: all}, "matmul_quant/tiled/int8", "default"},
		{"a row of floats of 8 bits on an H200", shaders.Pick{Op: "matmul_quant", Type: shaders.E4M3}, codes, shaders.Device{Compute: 90, Supports: all}, "matmul_quant/vector/e4m3{groups=2}", "few rows"},
		{"a row of codes by int8", shaders.Pick{Op: "matmul_quant_int8", Type: shaders.I4}, gemm.QuantInt8MatmulParams{M: 4, N: 64, K: 64, Block: 32}, shaders.Device{Supports: all}, "matmul_quant_int8/gemv/int4", "few rows"},
		{"codes on a CPU", shaders.Pick{Op: "matmul_quant", Type: shaders.I8}, codes, shaders.Device{Supports: without(shaders.Threadgroups)}, "matmul_quant/tiled/int8", "default"},
		{"an H200", shaders.Pick{Op: "matmul"}, gemm.MatmulParams{M: 2048, N: 2048, K: 512, Batch: 1}, shaders.Device{Compute: 90, Supports: all}, "matmul/blocked/f32{buffered=1,tile_cols=128,tile_depth=8,tile_rows=128,transpose_b=1}", "large tiles"},
		{"a small product on an H200", shaders.Pick{Op: "matmul"}, square, shaders.Device{Compute: 90, Supports: all}, "matmul/blocked/f32{buffered=1,tile_cols=128,transpose_b=1}", "NVIDIA"},
		{"one query", shaders.Pick{Op: "attention"}, attention.AttentionParams{Heads: 2, KVHeads: 1, Queries: 1, Keys: 9, Dim: 64}, shaders.Device{Compute: 90, Supports: all}, "attention/decode/f32", "one query"},
		{"a prompt on an H200", shaders.Pick{Op: "attention"}, prompt, shaders.Device{Compute: 90, Supports: all}, "attention/flash_blocked/f32{tile_keys=64,tile_queries=128}", "NVIDIA"},
		{"a prompt on an M4", shaders.Pick{Op: "attention", Type: shaders.F16}, prompt, shaders.Device{Family: 9, Supports: all}, "attention/flash_simd/f16", "simdgroup_matrix"},
		{"a prompt on a CPU", shaders.Pick{Op: "attention"}, prompt, shaders.Device{Supports: without(shaders.Threadgroups | shaders.SIMDGroupMatrix)}, "attention/flash/f32", "default"},
		{"rows for registers", shaders.Pick{Op: "layernorm", Type: shaders.F16}, norm.LayerNormParams{Rows: 2, Cols: 16384}, shaders.Device{Compute: 90, Supports: all}, "layernorm/registers/f16{whole=1}", "registers"},
		{"rows too long", shaders.Pick{Op: "layernorm", Type: shaders.F16}, norm.LayerNormParams{Rows: 2, Cols: 16385}, shaders.Device{Compute: 90, Supports: all}, "layernorm/plain/f16", "the default"},
		{"rows in half on an H200", shaders.Pick{Op: "softmax", Type: shaders.F16}, norm.SoftmaxParams{Rows: 9, Cols: 2048}, shaders.Device{Compute: 90, Supports: all}, "softmax/registers/f16{whole=1}", "registers"},
		{"rows of whole floats on an H200", shaders.Pick{Op: "layernorm"}, norm.LayerNormParams{Rows: 2, Cols: 16384}, shaders.Device{Compute: 90, Supports: all}, "layernorm/registers/f32{kept=8,whole=1}", "registers"},
		{"rows that end within 16 bytes", shaders.Pick{Op: "softmax", Type: shaders.F16}, norm.SoftmaxParams{Rows: 9, Cols: 2049}, shaders.Device{Compute: 90, Supports: all}, "softmax/registers/f16{kept=8}", "registers"},
		{"tuned for an H200", shaders.Pick{Op: "attention", Impl: attention.FlashBlocked, Tuned: true}, prompt, shaders.Device{Compute: 90, Supports: all}, "attention/flash_blocked/f32{tile_keys=64,tile_queries=128}", "NVIDIA"},
		{"tuned for an M4", shaders.Pick{Op: "attention", Impl: attention.FlashBlocked, Tuned: true}, prompt, shaders.Device{Family: 9, Supports: all}, "attention/flash_blocked/f32", ""},
		{"not tuned", shaders.Pick{Op: "attention", Impl: attention.FlashBlocked}, prompt, shaders.Device{Compute: 90, Supports: all}, "attention/flash_blocked/f32", ""},
		{"no preferences", shaders.Pick{Op: "add"}, elementwise.ElementwiseParams{N: 3}, shaders.Device{Supports: all}, "add/plain/f32", "the default"},
	} {
		constants := shaders.Constants{gemm.TransposeB: 1}
		if c.pick.Op != "matmul" {
			constants = nil
		}
		k, why, err := Choose(c.pick, constants, c.p, c.device)
		if err != nil || k.ID() != c.want || !strings.Contains(why, c.words) || (why == "") != (c.words == "") {
			t.Errorf("%s: %s because %q, %v; want %s", c.name, k.ID(), why, err, c.want)
		}
	}
	if _, _, err := Choose(shaders.Pick{Op: "nothing"}, nil, row, shaders.Device{Supports: all}); err == nil {
		t.Error("an operation that does not exist was chosen")
	}
}

// TestIDs: an ID contains operation, implementation, type and constants.
func TestIDs(t *testing.T) {
	k := MustFind("matmul_tiled_f16")
	for want, c := range map[string]shaders.Constants{
		"matmul/tiled/f16":                             nil,
		"matmul/tiled/f16{transpose_b=1}":              {gemm.TransposeB: 1, gemm.HasBias: 0},
		"matmul/tiled/f16{activation=2,transpose_b=1}": {gemm.TransposeB: 1, gemm.Activation: shaders.ActGelu},
	} {
		with := k.With(c)
		if got := with.ID(); got != want {
			t.Errorf("%v: ID %q, want %q", c, got, want)
		}
	}
	if got := k.ID(); got != "matmul/tiled/f16" {
		t.Errorf("With changed the kernel that it was asked of: %s", got)
	}
}

// TestLibraryHasThePlainCases: a library's GEMM is tested in everything that it has in common with ours.
func TestLibraryHasThePlainCases(t *testing.T) {
	mps, ours := MustFind("matmul_mps_f32"), MustFind("matmul_naive_f32") // has only the operation's cases
	plain := 0
	for _, c := range ours.Cases() {
		if c.Constants[gemm.HasBias] == 0 && c.Constants[gemm.Activation] == 0 {
			plain++
		}
	}
	if got := len(mps.Cases()); got != plain || plain < 20 {
		t.Errorf("%d cases, want the %d of ours that only multiply", got, plain)
	}
	for _, c := range []shaders.Constants{{gemm.HasBias: 1}, {gemm.Activation: 1}} {
		if with := mps.With(c); with.CheckConstants() == nil {
			t.Errorf("%v passes", c)
		}
	}
}

func TestCasesAreValid(t *testing.T) {
	eachCase(t, func(t *testing.T, k *shaders.Kernel, p any) {
		if err := k.Check(p); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
		if tol := k.Tolerance(p); tol.Rel < 0 || tol.Abs < 0 || tol.Why == "" {
			t.Errorf("%+v: tolerance %+v", p, tol)
		}
	})
}

func TestCheckRefuses(t *testing.T) {
	matmul, quantize := MustFind("matmul_tiled_f32"), MustFind("quantize_int4")
	with := func(c shaders.Constants) error {
		k := matmul.With(c)
		return k.Check(gemm.MatmulParams{Batch: 1})
	}
	for _, c := range []struct {
		name string
		err  error
	}{
		{"no parameters", matmul.Check(nil)},
		{"another kernel's parameters", matmul.Check(stream.CopyParams{})},
		{"a pointer to the parameters", matmul.Check(&gemm.MatmulParams{Batch: 1})},
		{"more rows than an index", matmul.Check(gemm.MatmulParams{M: 1 << 31, Batch: 1})},
		{"a batch of nothing", matmul.Check(gemm.MatmulParams{M: 1, N: 1, K: 1})},
		{"an unknown constant", with(shaders.Constants{"nope": 1})},
		{"a constant too large", with(shaders.Constants{gemm.Activation: int32(len(shaders.Activations()))})},
		{"a negative constant", with(shaders.Constants{gemm.HasBias: -1})},
		{"an odd block of int4", quantize.Check(quant.QuantParams{Rows: 1, Cols: 9, Block: 3})},
	} {
		if c.err == nil {
			t.Errorf("%s passes", c.name)
		}
	}
}

func TestConvolutionRefuses(t *testing.T) {
	k := MustFind("conv2d_direct_f32")
	for name, p := range map[string]conv.ConvParams{
		"no channels":            {N: 1, H: 8, W: 8, O: 1, Side: 3, Stride: 1},
		"no filters":             {N: 1, C: 1, H: 8, W: 8, Side: 3, Stride: 1},
		"a filter too large":     {N: 1, C: 1, H: 8, W: 8, O: 1, Side: 8, Stride: 1},
		"no stride":              {N: 1, C: 1, H: 8, W: 8, O: 1, Side: 3},
		"a stride too large":     {N: 1, C: 1, H: 8, W: 8, O: 1, Side: 3, Stride: 5},
		"padding past a filter":  {N: 1, C: 1, H: 8, W: 8, O: 1, Side: 3, Stride: 1, Pad: 3},
		"an image too small":     {N: 1, C: 1, H: 8, W: 2, O: 1, Side: 3, Stride: 1},
		"an image without lines": {N: 1, C: 1, W: 8, O: 1, Side: 3, Stride: 1, Pad: 1},
		"a filter past 2³²":      {N: 1, C: 1 << 28, H: 1, W: 1, O: 1, Side: 4, Stride: 1, Pad: 3},
		"an image past 2³¹":      {N: 1 << 11, C: 1 << 10, H: 1 << 5, W: 1 << 6, O: 1, Side: 1, Stride: 1},
		"a height past 2³²":      {N: 1, C: 1, H: math.MaxUint32, W: 1, O: 1, Side: 3, Stride: 1, Pad: 2},
		"an output past 2³¹":     {N: 1, C: 1, H: 1 << 15, W: 1 << 15, O: 3, Side: 1, Stride: 1},
	} {
		if k.Check(p) == nil {
			t.Errorf("%s passes", name)
		}
	}
	unfold := MustFind("im2col_f32")
	if p := (conv.ConvParams{N: 1, C: 1 << 10, H: 1 << 9, W: 1 << 9, O: 1, Side: 7, Stride: 1, Pad: 3}); unfold.Check(p) == nil {
		t.Error("im2col of more than 2³¹ elements passes")
	}
}

// TestConvolutionSeesNoPixelBetweenStrides counts the pixels that filters see one by one.
func TestConvolutionSeesNoPixelBetweenStrides(t *testing.T) {
	unfold := MustFind("im2col_f32")
	for _, p := range []conv.ConvParams{
		{H: 9, Side: 1, Stride: 4},
		{H: 12, Side: 2, Stride: 4},
		{H: 12, Side: 3, Stride: 4, Pad: 2},
		{H: 13, Side: 5, Stride: 2, Pad: 2},
		{H: 2, Side: 3, Stride: 2, Pad: 2},
	} {
		p.N, p.C, p.O, p.W = 1, 1, 1, p.H
		seen := map[int]bool{}
		for out := range p.Rows() {
			for tap := range int(p.Side) {
				if at := out*int(p.Stride) + tap - int(p.Pad); at >= 0 && at < int(p.H) {
					seen[at] = true
				}
			}
		}
		want := 4 * float64(len(seen)*len(seen)+p.Rows()*p.Cols()*p.Taps())
		if got := unfold.Cost(p).Bytes; got != want {
			t.Errorf("%+v: %g B, want %g", p, got, want)
		}
	}
}

func TestAttentionRefuses(t *testing.T) {
	attend := MustFind("attention_flash_f32")
	for name, c := range map[string]shaders.Case{
		"heads that cannot share keys":      {Params: attention.AttentionParams{Heads: 3, KVHeads: 2, Queries: 1, Keys: 1, Dim: 8}},
		"no heads of keys":                  {Params: attention.AttentionParams{Heads: 3, Queries: 1, Keys: 1, Dim: 8}},
		"a head dimension too large":        {Params: attention.AttentionParams{Heads: 1, KVHeads: 1, Queries: 1, Keys: 1, Dim: 129}},
		"no keys":                           {Params: attention.AttentionParams{Heads: 1, KVHeads: 1, Queries: 1, Dim: 8}},
		"a query that comes before all":     {Params: attention.AttentionParams{Heads: 1, KVHeads: 1, Queries: 2, Keys: 1, Dim: 8}, Constants: shaders.Constants{attention.Causal: 1}},
		"another dimension than its kernel": {Params: attention.AttentionParams{Heads: 1, KVHeads: 1, Queries: 1, Keys: 1, Dim: 8}, Constants: shaders.Constants{attention.HeadDim: 64}},
	} {
		k := attend.With(c.Constants)
		if k.Check(c.Params) == nil {
			t.Errorf("%s passes", name)
		}
	}
}

// TestLaunchCoversTheOutput requires at least a thread for every thread's share of the largest output.
func TestLaunchCoversTheOutput(t *testing.T) {
	share := map[string]int{
		"elementwise.metal": 4, "stream.metal": 4, "matmul.metal": 16, "matmul_quant.metal": 16, "matmul_int8.metal": 16, "matmul_bitlinear.metal": 16, "matmul_quant_int8.metal": 16,
		"matmul_blocked.metal": 64, "matmul_simd.metal": 32, "matmul_gemv.metal": 32, "matmul_quant_gemv.metal": 4,
		"scores.metal": 16, "values.metal": 16, "dequantize.metal": 8,
		"matmul_blocks.metal": 16, "matmul_blocks_int8.metal": 16, "dequantize_blocks.metal": 4, "quantize_blocks.metal": 5,
		"direct.metal": 4, "tiled.metal": 8, "bias.metal": 4,
		"resize.metal": 4, // the channels of a pixel
		"blur.metal":   8, "transpose_tiled.metal": 4,
		"peak.metal": 32, "tiles.metal": 32, // chains of vectors; sums of tiles
	}
	eachCase(t, func(t *testing.T, k *shaders.Kernel, p any) {
		if k.Impl.Library != shaders.Own {
			return
		}
		l, err := k.Launch(p, shaders.Limits{Threads: 1024, Shared: 32 << 10})
		if err != nil {
			t.Fatal(err)
		}
		threads, group := 1, 1
		for d := range 3 {
			threads *= int(l.Groups[d]) * int(l.Threads[d])
			group *= int(l.Threads[d])
		}
		if group < 1 || group > 1024 || group%32 != 0 {
			t.Errorf("%+v: %d threads in a threadgroup, want 1…1024 in whole SIMD groups", p, group)
		}
		each, known := share[k.Impl.Source.File]
		if !known {
			each = max(1, int(k.Call(p).Constants[entropy.Run]))
		}
		if wide := []string{"broadcast.metal", "normalize.metal", "relu_grad.metal", "sgd.metal"}; slices.Contains(wide, k.Impl.Source.File) {
			each = shaders.Sixteen(k.Type)
		}
		groups := map[string]func() int{ // of kernels whose threads loop
			"quantize": func() int { // a lane for each 16 elements of a block, in powers of two
				q := p.(quant.QuantParams)
				lanes := 1 << min(5, bits.Len32((max(q.Block, 1)-1)/16))
				return (q.Blocks()*lanes + group - 1) / group
			},
			"column_sum":      func() int { return (k.Len(1, p)*k.Type.Bytes(1) + 16*int(l.Threads[0]) - 1) / (16 * int(l.Threads[0])) },
			"softmax_xent":    func() int { return (k.Len(2, p) + int(l.Threads[1]) - 1) / int(l.Threads[1]) },
			"quantize_rows":   func() int { return int(p.(quant.RowsParams).Rows) },
			"extremes":        func() int { return int(p.(quant.ExtremesParams).Parts) },
			"quantize_tensor": func() int { return (k.Bytes(4, p) + 16383) / 16384 },
			"attention": func() int { // blocks of queries of each head
				a := p.(attention.AttentionParams)
				block := map[string]int{
					attention.Flash: group / 32 * 4, attention.FlashSIMD: group / 32 * 8, attention.FlashBlocked: group, attention.Decode: 1,
				}[k.Impl.Name]
				if k.Impl.Name == attention.FlashBlocked && a.Dim > 64 {
					block /= 2
				}
				return int(a.Heads) * ((int(a.Queries) + block - 1) / block)
			},
		}
		if _, sliced := p.(interface{ Slices() uint32 }); sliced {
			groups[k.Impl.Op.Name] = func() int { return int(p.(interface{ Slices() uint32 }).Slices()) }
		}
		if byRows := func(t shaders.Tunable) bool { return t.Name == norm.Rows }; slices.ContainsFunc(k.Impl.Tunables, byRows) {
			rows := reflect.ValueOf(p).FieldByName("Rows").Uint()
			groups[k.Impl.Op.Name] = func() int { return (int(rows) + int(l.Threads[1]) - 1) / int(l.Threads[1]) }
		}
		if want := groups[k.Impl.Op.Name]; want != nil {
			if threads/group != want() {
				t.Errorf("%+v: %d threadgroups, want %d", p, threads/group, want())
			}
			return
		}
		for _, i := range k.Outputs() {
			if n := k.Len(i, p); threads*each < n {
				t.Errorf("%+v: %d threads × %d cover less than %d elements", p, threads, each, n)
			}
		}
	})
}

// TestLaunchKeepsItsLimits: launches that do not fit are refused; if fewer threads suffice, there are as many as fit.
func TestLaunchKeepsItsLimits(t *testing.T) {
	add, extremes := MustFind("add_f32"), MustFind("extremes_f32")
	for _, c := range []struct {
		name   string
		kernel *shaders.Kernel
		p      any
		limit  int
		want   uint32 // 0: refused
	}{
		{"fits", &add, elementwise.ElementwiseParams{N: 1000}, 1024, 256},
		{"fits exactly", &add, elementwise.ElementwiseParams{N: 1000}, 256, 256},
		{"not known", &add, elementwise.ElementwiseParams{N: 1000}, 0, 256},
		{"too many", &add, elementwise.ElementwiseParams{N: 1000}, 224, 0},
		{"fewer will do", &extremes, quant.ExtremesParams{N: 5000, Parts: 3}, 300, 288},
		{"not one SIMD group", &extremes, quant.ExtremesParams{N: 5000, Parts: 3}, 31, 0},
	} {
		l, err := c.kernel.Launch(c.p, shaders.Limits{Threads: c.limit})
		if (err == nil) != (c.want > 0) || err == nil && l.Threads[0] != c.want {
			t.Errorf("%s: %v, %v; want %d threads", c.name, l.Threads, err, c.want)
		}
	}
}

func TestCostIsPlausible(t *testing.T) {
	eachCase(t, func(t *testing.T, k *shaders.Kernel, p any) {
		cost := k.Cost(p)
		var total float64
		for i, a := range k.Args {
			if k.Uses(i) {
				total += float64(k.Bytes(i, p))
			}
			if a.Access == shaders.InOut {
				total += float64(k.Bytes(i, p))
			}
		}
		if windows, ok := p.(entropy.EntropyParams); ok && windows.Stride > 2*entropy.Half && cost.Bytes < total {
			return // the bytes between windows are not read
		}
		if list, ok := p.(stream.ChaseParams); ok {
			total = 4 * float64(list.Threads*(1+list.Steps)) // each load counts, not each place
		}
		if cost.Ops < 0 || cost.Bytes != total {
			t.Errorf("%+v {%s}: cost %+v, the operands are %g B", p, k.Key(), cost, total)
		}
	})
}

func TestCostByHand(t *testing.T) {
	for _, c := range []struct {
		kernel string
		p      any
		c      shaders.Constants
		want   shaders.Cost
	}{
		{"copy_f32", stream.CopyParams{N: 10}, nil, shaders.Cost{Bytes: 80}},
		{"triad_f32", stream.TriadParams{N: 10, S: 3}, nil, shaders.Cost{Ops: 20, Bytes: 120}},
		{"add_f16", elementwise.ElementwiseParams{N: 10}, nil, shaders.Cost{Ops: 10, Bytes: 60}},
		{"add_relu_f32", elementwise.ElementwiseParams{N: 10}, nil, shaders.Cost{Ops: 20, Bytes: 120}},
		{"affine_f32", elementwise.ElementwiseParams{N: 10}, nil, shaders.Cost{Ops: 20, Bytes: 160}},
		{"add_bias_f32", elementwise.BiasParams{Rows: 2, Cols: 5}, nil, shaders.Cost{Ops: 10, Bytes: 100}},
		{"matmul_tiled_f32", gemm.MatmulParams{M: 2, N: 3, K: 4, Batch: 1}, nil, shaders.Cost{Ops: 48, Bytes: 4 * (8 + 12 + 6)}},
		{
			"matmul_tiled_f16",
			gemm.MatmulParams{M: 2, N: 3, K: 4, Batch: 1},
			shaders.Constants{gemm.HasBias: 1, gemm.Activation: shaders.ActRelu},
			shaders.Cost{Ops: 48 + 12, Bytes: 2 * (8 + 12 + 6 + 3)},
		},
		{"matmul_mps_f32", gemm.MatmulParams{M: 2, N: 3, K: 4, Batch: 1}, nil, shaders.Cost{Ops: 48, Bytes: 4 * (8 + 12 + 6)}},
		{
			"matmul_quant_tiled_int4",
			gemm.QuantMatmulParams{M: 2, N: 3, K: 5, Block: 4},
			nil,
			shaders.Cost{Ops: 60, Bytes: 4*10 + 9 + 8*6 + 4*6},
		},
		{"matmul_bitlinear_gemv_ternary", gemm.BitLinearParams{M: 2, N: 3, K: 5}, nil, shaders.Cost{Ops: 60, Bytes: 10 + 6 + 4*(6+2+1)}},
		{"matmul_quant_int8_tiled_int4", gemm.QuantInt8MatmulParams{M: 2, N: 3, K: 5, Block: 4}, nil, shaders.Cost{Ops: 60, Bytes: 10 + 9 + 4*(4+12+6)}},
		{"quantize_rows_int8", quant.RowsParams{Rows: 2, Cols: 5}, nil, shaders.Cost{Ops: 40, Bytes: 40 + 10 + 8}},
		{"matmul_int8_tiled_int8", gemm.Int8MatmulParams{M: 2, N: 3, K: 5}, nil, shaders.Cost{Ops: 60, Bytes: 10 + 15 + 4*6}},
		{"quantize_int8", quant.QuantParams{Rows: 2, Cols: 64, Block: 32}, nil, shaders.Cost{Ops: 6 * 128, Bytes: 4*128 + 128 + 8*4}},
		{"rmsnorm_bf16", norm.RMSNormParams{Rows: 2, Cols: 5}, nil, shaders.Cost{Ops: 40, Bytes: 2 * (10 + 10 + 5)}},
		{"softmax_f16", norm.SoftmaxParams{Rows: 2, Cols: 5}, nil, shaders.Cost{Ops: 50, Bytes: 2 * (10 + 10)}},
		{
			"attention_flash_f16",
			attention.AttentionParams{Heads: 4, KVHeads: 2, Queries: 3, Keys: 5, Dim: 8},
			shaders.Constants{attention.Causal: 1, attention.HasMask: 1},
			shaders.Cost{Ops: 4 * (3 + 4 + 5) * (4*8 + 5), Bytes: 2 * (2*4*3*8 + 2*2*5*8 + 3*5)},
		},
		{
			"attention_scores_tiled_f32",
			attention.AttentionParams{Heads: 4, KVHeads: 2, Queries: 3, Keys: 5, Dim: 8},
			nil,
			shaders.Cost{Ops: 60 * 17, Bytes: 4 * (4*3*8 + 2*5*8 + 60)},
		},
		{
			"attention_values_tiled_f32",
			attention.AttentionParams{Heads: 4, KVHeads: 2, Queries: 3, Keys: 5, Dim: 8},
			nil,
			shaders.Cost{Ops: 60 * 16, Bytes: 4 * (60 + 2*5*8 + 4*3*8)},
		},
		{
			"conv2d_tiled_f16",
			conv.ConvParams{N: 2, C: 3, H: 5, W: 7, O: 4, Side: 3, Stride: 2, Pad: 1},
			shaders.Constants{conv.HasBias: 1},
			shaders.Cost{Ops: 2 * 4 * 3 * 4 * (2*27 + 1), Bytes: 2 * (2*3*5*7 + 4*27 + 2*4*3*4 + 4)},
		},
		{"im2col_f32", conv.ConvParams{N: 2, C: 3, H: 5, W: 7, O: 4, Side: 3, Stride: 2, Pad: 1}, nil, shaders.Cost{Bytes: 4 * (2*3*5*7 + 2*27*3*4)}},
		{"entropy_int8", entropy.EntropyParams{N: 5000, Stride: 300}, nil, shaders.Cost{Ops: 4 * (128 + 16*256), Bytes: 128 + 16*256 + 4*17}},
		{"extremes_f32", quant.ExtremesParams{N: 10, Parts: 3}, nil, shaders.Cost{Ops: 30, Bytes: 4 * (10 + 9)}},
		{"quantize_tensor_int4", quant.TensorParams{Rows: 2, Cols: 5, Parts: 3}, nil, shaders.Cost{Ops: 40, Bytes: 4*(10+9) + 6 + 8}},
		{"dequantize_ternary", quant.QuantParams{Rows: 2, Cols: 5, Block: 4}, nil, shaders.Cost{Ops: 20, Bytes: 4 + 16 + 40}},
		{"matmul_quant_vector_e4m3", gemm.QuantMatmulParams{M: 1, N: 3, K: 5, Block: 4}, nil, shaders.Cost{Ops: 30, Bytes: 4*5 + 15 + 4*6 + 4*3}},
		{"dequantize_int4", quant.QuantParams{Rows: 2, Cols: 5}, nil, shaders.Cost{Ops: 20, Bytes: 6 + 8 + 40}},
	} {
		k := MustFind(c.kernel)
		k = k.With(c.c)
		if got := k.Cost(c.p); got != c.want {
			t.Errorf("%s %+v: cost %+v, want %+v", c.kernel, c.p, got, c.want)
		}
	}
}

func TestSizesThatOverflowStayLarge(t *testing.T) {
	const most = math.MaxUint32
	for _, c := range []struct {
		kernel string
		p      any
		arg    int
	}{
		{"matmul_tiled_f32", gemm.MatmulParams{M: most, N: 1, K: most, Batch: 1}, 0},
		{"matmul_tiled_f16", gemm.MatmulParams{M: 1 << 31, N: 1 << 31, K: 1, Batch: 1}, 3},
		{"matmul_quant_tiled_int4", gemm.QuantMatmulParams{M: 1, N: most, K: most, Block: 32}, 1},
		{"matmul_quant_tiled_int8", gemm.QuantMatmulParams{M: 1, N: most, K: most, Block: 1}, 2},
		{"quantize_int8", quant.QuantParams{Rows: most, Cols: most, Block: 1}, 0},
		{"quantize_int4", quant.QuantParams{Rows: most, Cols: most, Block: 2}, 3},
		{"dequantize_int8", quant.QuantParams{Rows: most, Cols: most, Block: 0}, 3},
		{"add_bias_f32", elementwise.BiasParams{Rows: most, Cols: most}, 0},
	} {
		k := MustFind(c.kernel)
		if got := k.Bytes(c.arg, c.p); got < 1<<59 {
			t.Errorf("%s %+v: argument %s needs %d B", c.kernel, c.p, k.Args[c.arg].Name, got)
		}
	}
	if got := (quant.QuantParams{Rows: 3, Cols: 100, Block: most}).Blocks(); got != 3 {
		t.Errorf("3 rows in one block each are %d blocks", got)
	}
}

// TestConstantsHaveCases: each constant of an implementation is set in one of the cases that engines are tested with.
func TestConstantsHaveCases(t *testing.T) {
	for _, k := range own() {
		for _, c := range k.Impl.Constants {
			if !slices.ContainsFunc(k.Cases(), func(x shaders.Case) bool { return x.Constants[c.Name] != 0 }) {
				t.Errorf("%s: no case sets %s", k.Name, c.Name)
			}
		}
	}
}
