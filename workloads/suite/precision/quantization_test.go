package precision

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/gpu/gputest"
	shquant "assay/shaders/quant"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/bench/benchtest"
	"assay/workloads/quant"
	"assay/workloads/quant/weighttest"
)

// tensor is an F32 tensor to write to a file.
type tensor struct {
	name   string
	shape  []int
	values []float32
}

// saveTensors writes a .safetensors file and returns its path.
func saveTensors(t *testing.T, tensors ...tensor) string {
	t.Helper()
	header := map[string]any{}
	var data []byte
	for _, x := range tensors {
		at := len(data)
		var err error
		if data, err = binary.Append(data, binary.LittleEndian, x.values); err != nil {
			t.Fatal(err)
		}
		header[x.name] = map[string]any{"dtype": "F32", "shape": x.shape, "data_offsets": []int{at, len(data)}}
	}
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	path := filepath.Join(t.TempDir(), "w.safetensors")
	if err := os.WriteFile(path, bytes.Join([][]byte{file, text, data}, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Every kind of format has an element type of its size; other kinds are rejected.
func TestKindsHaveElementTypes(t *testing.T) {
	for _, k := range measuredKinds() {
		typ, err := typeOf(k)
		if err != nil || typ.Bits() != k.Bits() || !typ.Float() && !k.Quantized() {
			t.Errorf("weights in %v are of type %v, %v", k, typ, err)
		}
	}
	beyond := quant.Kind("int5")
	if _, err := typeOf(beyond); err == nil || !strings.Contains(err.Error(), beyond.String()) {
		t.Errorf("weights in %v: %v, want an error", beyond, err)
	}
}

// A format's size in bytes equals the size of the buffers that the kernels need.
func TestFormatBytesAreTheKernels(t *testing.T) {
	for _, f := range inScaleTypes("all", allFormats(quant.MinBlock, quant.MaxBlock))[3:] { // those with codes
		typ, err := typeOf(f.Kind)
		if err != nil {
			t.Fatal(err)
		}
		for _, rows := range []int{1, 3, 64} {
			for _, cols := range []int{1, 2, 31, 32, 33, 255, 256, 257} {
				if typ.Block() != nil {
					if got, want := f.Bytes(rows, cols), int64(typ.Bytes(rows*cols)); f.Check(cols) == nil && got != want {
						t.Errorf("%v [%d, %d]: %d B, the kernels need %d B", f, rows, cols, got, want)
					}
					continue
				}
				l := layer{rows: rows, cols: cols}
				p := shquant.QuantParams{Rows: uint32(rows), Cols: uint32(cols), Block: uint32(l.blockOf(f))}
				if got, want := f.Bytes(rows, cols), int64(typ.Bytes(p.Codes(typ))+shquant.ScaleType(scaleConstants(f)).Bytes(p.Blocks()+shquant.Zeros(p, typ))); got != want {
					t.Errorf("%v [%d, %d]: %d B, the kernels need %d B", f, rows, cols, got, want)
				}
			}
		}
	}
}

// The workload's errors of weights agree with the reference quantizer and IEEE rounding on the same weights.
func TestQuantizationErrorsAgreeWithTheReference(t *testing.T) {
	for _, scheme := range []quant.Scheme{quant.Affine, quant.Symmetric} {
		const rows = 6
		cols := map[quant.Scheme]int{quant.Affine: 150, quant.Symmetric: 256}[scheme]
		b := benchtest.New(t, gputest.Script{})
		set := workloads.Values{"rows": rows, "cols": cols, "scheme": scheme.String(), "scale_type": "all"}
		if err := b.Run(t.Context(), t, Quantization(), set); err != nil {
			t.Fatal(err)
		}
		for _, r := range b.Measured {
			outliers := quant.Outliers{}
			if r.Setting("weights") == "outliers" {
				outliers = quant.UsualOutliers()
			}
			w := make([]float32, rows*cols)
			quant.NewGenerator(b.Env.Seed, cols, outliers).Fill(w)
			all := inScaleTypes("all", allFormats(quant.MinBlock, quant.MaxBlock))
			if r.Variant == bitLinear {
				continue // see TestBitLinearErrsInItsOutput
			}
			at := slices.IndexFunc(all, func(f quant.Format) bool { return f.String() == r.Variant })
			if at < 0 {
				t.Fatalf("unknown format %q", r.Variant)
			}
			f := all[at]
			var want quant.Errors
			if err := want.Add(w, approximated(t, w, rows, cols, f, scheme)); err != nil {
				t.Fatal(err)
			}
			got := []float64{r.Number(workloads.WeightErrorMax), r.Number(workloads.WeightErrorRel), r.Number(workloads.SNR), r.Number(workloads.Cosine), r.Number(workloads.Footprint)}
			for i, x := range []float64{want.MaxAbs, want.Rel(), want.SNR(), want.Cosine(), float64(f.Bytes(rows, cols))} {
				if got[i] != x && math.Abs(got[i]-x) > 2e-3*math.Abs(x) { // a code at a tie may differ
					t.Errorf("%s %s %v: error %d is %g, want %g", r.Case, r.Variant, scheme, i, got[i], x)
				}
			}
			if r.Setting("format") != series(f) || f.Half != (r.Setting("scale_type") == "f16") || f.Kind.Quantized() && r.Setting("block") != f.Shared(rows, cols) {
				t.Errorf("%s: settings %v", r.Variant, r.Settings)
			}
		}
	}
}

// approximated returns the weights after a round trip through the format.
func approximated(t *testing.T, w []float32, rows, cols int, f quant.Format, s quant.Scheme) []float32 {
	t.Helper()
	switch f.Kind {
	case quant.F32:
		return w
	case quant.F16, quant.BF16:
		typ, err := typeOf(f.Kind)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]float32, len(w))
		for i, x := range w {
			out[i] = float32(typ.Round(float64(x)))
		}
		return out
	}
	if f.Scheme = s; f.Check(cols) != nil {
		f.Scheme = quant.Usual // floats, ternary codes and blocks have only one
	}
	p, _, err := f.Encode(w, rows, cols)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float32, len(w))
	if err := p.Decode(out); err != nil {
		t.Fatal(err)
	}
	return out
}

// All formats compute the same layer, x · Wᵀ, within their accuracy.
func TestQuantizationFormatsAgree(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	w := Quantization()
	v := w.Defaults(true)
	const size = 256 // whole blocks; square: Wᵀ and W have the same shape
	v["rows"], v["cols"], v["batch"] = size, size, 3
	sources, done, err := weightSources(v, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	s := bench.New(b.Env).NewScope(t.Context())
	defer s.Release()
	l, err := newLayer(s, &sources[0], v)
	if err != nil {
		t.Fatal(err)
	}
	limits := map[string]float64{
		"f32": 0, "f16": 2e-3, "bf16": 8e-3, "e4m3": 0.05, "e5m2": 0.1, "int8": 0.03, "int4": 0.3, "ternary": 0.8,
		"q8_0": 0.03, "q6_K": 0.06, "q4_1": 0.3, "q4_K": 0.3, "q4_0": 0.3,
	}
	var exact []float32
	for _, f := range chosenFormats(v) {
		sets, _, err := l.gemm(f, 1)
		if err != nil {
			t.Fatal(err)
		}
		d := sets[0][0]
		if err := s.Verify(d); err != nil {
			t.Fatal(err)
		}
		spec, arg := d.Kernel.Spec(), d.Kernel.Spec().Outputs()[0]
		got := make([]float32, 3*size)
		if err := s.Floats(d.Bindings[arg].Buffer, spec.Args[arg].Type)(got, 0); err != nil {
			t.Fatal(err)
		}
		if exact == nil {
			exact = got
		}
		var e quant.Errors
		if err := e.Add(exact, got); err != nil {
			t.Fatal(err)
		}
		if limit := limits[f.Kind.String()]; e.Rel() > limit {
			t.Errorf("%s: the product differs from f32's by %g, want at most %g", f, e.Rel(), limit)
		}
	}
}

func TestQuantizationFormatsAreChosen(t *testing.T) {
	for formats, want := range map[string]string{
		"f16":  "f32, f16",
		"bf16": "f32, bf16",
		"int8": "f32, int8 tensor, int8 block 128, int8 block 64",
		"int4": "f32, int4 tensor, int4 block 128, int4 block 64",
		"q4_K": "f32, q4_K",
		"e4m3": "f32, e4m3 tensor, e4m3 block 128, e4m3 block 64",
		"all": "f32, f16, bf16, e4m3 tensor, e4m3 block 128, e5m2 tensor, e5m2 block 128, " +
			"int8 tensor, int8 block 128, int8 block 64, int4 tensor, int4 block 128, int4 block 64, ternary tensor, ternary block 128, bitlinear",
	} {
		b := benchtest.New(t, gputest.Script{})
		set := workloads.Values{"rows": 2, "cols": 3, "weights": "normal", "formats": formats, "min_block": 64, "max_block": 128}
		if err := b.Run(t.Context(), t, Quantization(), set); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range b.Measured {
			got = append(got, r.Variant)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("formats %s: %v, want %s", formats, got, want)
		}
	}
}

// The type of scales is chosen for formats that have scales, and each format's name shows it.
func TestScaleTypesAreChosen(t *testing.T) {
	for chosen, want := range map[string]string{
		"f32": "f32, int8 tensor, int8 block 64", "f16": "f32, int8 tensor, f16 scales, int8 block 64, f16 scales",
		"all": "f32, int8 tensor, int8 tensor, f16 scales, int8 block 64, int8 block 64, f16 scales",
	} {
		set := workloads.Values{
			"rows": 4, "cols": 96, "weights": "normal", "formats": "int8", "min_block": 64, "max_block": 64, "scale_type": chosen,
			"dequantize_first": true, "int8_activations": true,
		}
		var got []string
		results := measured(t, set)
		for i := range results {
			r := &results[i]
			name := strings.TrimSuffix(strings.TrimSuffix(r.Variant, unfusedSuffix), roundedSuffix)
			if name == r.Variant {
				got = append(got, name)
			}
			half, bytes := strings.HasSuffix(name, quant.HalfScales), r.Number(workloads.Footprint)
			if r.Status != workloads.OK || half != (r.Setting("scale_type") == "f16") || half != (r.Setting("format") == "int8, f16 scales") {
				t.Errorf("%s: %s %q, settings %v", r.Variant, r.Status, r.Failure.Text, r.Settings)
			}
			if want := map[string]float64{"int8 block 64": 4*96 + 4*2*8, "int8 block 64, f16 scales": 4*96 + 4*2*4}[name]; want > 0 && bytes != want {
				t.Errorf("%s: %g B, want %g", r.Variant, bytes, want)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("scales in %s: %v, want %s", chosen, got, want)
		}
		w := Quantization()
		if n := w.Variants(w.Defaults(false).With(set)); n != len(results) {
			t.Errorf("scales in %s: %d results, %d promised", chosen, len(results), n)
		}
	}
}

// Blocks that contain their scales need rows of whole blocks: a format requested by name reports that.
func TestBlocksNeedWholeRows(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	set := workloads.Values{"rows": 2, "cols": 32, "weights": "normal", "formats": "q4_K"}
	if err := b.Run(t.Context(), t, Quantization(), set); err != nil {
		t.Fatal(err)
	}
	if len(b.Measured) != 2 {
		t.Fatalf("%d results, want f32 and q4_K", len(b.Measured))
	}
	if r := &b.Measured[1]; r.Status != workloads.Unsupported || !strings.Contains(r.Failure.Text, "rows of 32 weights: q4_K has blocks of 256") {
		t.Errorf("q4_K with rows of 32: %s %q", r.Status, r.Failure.Text)
	}
	set["formats"], b.Measured = "all", nil
	if err := b.Run(t.Context(), t, Quantization(), set); err != nil {
		t.Fatal(err)
	}
	last := b.Findings[len(b.Findings)-1]
	if want := "Weights normal 2×32: left out because rows of 32 weights are not whole blocks: q6_K, q4_K."; last.Text != want {
		t.Errorf("the last finding is %q, want %q", last.Text, want)
	}
	set["cols"], b.Measured = 512, nil
	if err := b.Run(t.Context(), t, Quantization(), set); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for i := range b.Measured {
		if r := &b.Measured[i]; strings.HasPrefix(r.Variant, "q") && r.Status == workloads.OK && r.Number(workloads.SNR) > 15 {
			seen++
		}
	}
	if seen != 5 {
		t.Errorf("%d kinds of blocks were measured, want 5", seen)
	}
}

// BitLinear also rounds activations: its output error exceeds ternary's by the loss from int8; its weight errors are the same.
func TestBitLinearErrsInItsOutput(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Quantization(), workloads.Values{"rows": 40, "cols": 130, "batch": 3, "weights": "normal", "scales": "tensor"}); err != nil {
		t.Fatal(err)
	}
	of := map[string]*workloads.Result{}
	for i := range b.Measured {
		of[b.Measured[i].Variant] = &b.Measured[i]
	}
	bit, ternary := of[bitLinear], of["ternary tensor"]
	if bit == nil || ternary == nil || bit.Status != workloads.OK || bit.Setting("format") != bitLinear {
		t.Fatalf("results %v", of)
	}
	if x, y := bit.Number(workloads.SNR), ternary.Number(workloads.SNR); x != y || bit.Number(workloads.Footprint) != ternary.Number(workloads.Footprint) {
		t.Errorf("the weights have an SNR of %g dB, ternary ones %g", x, y)
	}
	x, y := bit.Number(workloads.OutputErrorRel), ternary.Number(workloads.OutputErrorRel)
	if d := math.Abs(x - y); d == 0 || d > 0.02 {
		t.Errorf("the output is off by %g of it, with ternary weights alone by %g", x, y)
	}
}

// A row of any length may have a single scale.
func TestQuantizationByRows(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Quantization(), workloads.Values{"rows": 3, "cols": 61, "weights": "normal", "scales": "rows"}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range b.Measured {
		r := &b.Measured[i]
		got = append(got, r.Variant)
		if bytes := r.Number(workloads.Footprint); r.Variant == "ternary row" && (bytes != 3*(16+4) || r.Setting("block") != 61) || r.Status != workloads.OK {
			t.Errorf("%s: %s, %g B, %v weights share a scale", r.Variant, r.Status, bytes, r.Setting("block"))
		}
	}
	if want := "f32, f16, bf16, e4m3 row, e5m2 row, int8 row, int4 row, ternary row"; strings.Join(got, ", ") != want {
		t.Errorf("formats %v, want %s", got, want)
	}
}

// Blocks may be larger than the default maximum.
func TestQuantizationOfLargeBlocks(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	set := workloads.Values{"rows": 3, "cols": 2100, "weights": "normal", "scales": "blocks", "min_block": 512, "max_block": 1024}
	if err := b.Run(t.Context(), t, Quantization(), set); err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range b.Measured {
		r := &b.Measured[i]
		got = append(got, r.Variant)
		if r.Status != workloads.OK || !(r.Number(workloads.SNR) > 5) {
			t.Errorf("%s: %s %q, SNR %g dB", r.Variant, r.Status, r.Failure.Text, r.Number(workloads.SNR))
		}
	}
	if want := "f32, f16, bf16, e4m3 block 1024, e5m2 block 1024, int8 block 1024, int8 block 512, int4 block 1024, int4 block 512, " +
		"ternary block 1024"; strings.Join(got, ", ") != want {
		t.Errorf("formats %v, want %s", got, want)
	}
}

func TestQuantizationReadsAFile(t *testing.T) {
	const formats = 20 // no block of ggml fits
	big := make([]float32, 3*40)
	quant.NewGenerator(3, 40, quant.Outliers{}).Fill(big)
	path := saveTensors(t,
		tensor{"a.small", []int{2, 2}, []float32{1, 2, 3, 4}},
		tensor{"b.large", []int{3, 40}, big},
		tensor{"c.vector", []int{500}, make([]float32, 500)},
		tensor{"d.beyond", []int{1, 4}, []float32{1, 70000, -80000, 2}},
		tensor{"e.zeros", []int{2, 3}, make([]float32, 6)},
	)
	for name, want := range map[string]string{"": "b.large 3×40", "a.small": "a.small 2×2", "e.zeros": "e.zeros 2×3"} {
		b := benchtest.New(t, gputest.Script{})
		if err := b.Run(t.Context(), t, Quantization(), workloads.Values{"weights": "file", "file": path, "tensor": name}); err != nil {
			t.Fatal(err)
		}
		b.NoLive(t)
		for i := range b.Measured {
			r := &b.Measured[i]
			benchtest.CheckMeasured(t, &workloads.Workload{Axes: Quantization().Axes}, r)
			if r.Case != want || r.Setting("tensor") != strings.Fields(want)[0] {
				t.Errorf("tensor %q: case %q of tensor %v, want %q", name, r.Case, r.Setting("tensor"), want)
			}
		}
		if len(b.Measured) != formats {
			t.Errorf("tensor %q: %d results, want %d", name, len(b.Measured), formats)
		}
	}
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Quantization(), workloads.Values{"rows": 2, "cols": 2, "file": path, "tensor": "d.beyond"}); err != nil {
		t.Fatal(err)
	}
	if len(b.Measured) != 3*formats {
		t.Errorf("%d results of both generated weights and the file, want %d", len(b.Measured), 3*formats)
	}
	for i := range b.Measured {
		r := &b.Measured[i]
		if r.Setting("tensor") == "d.beyond" && r.Variant == "f16" {
			if !math.IsInf(r.Number(workloads.SNR), -1) || !math.IsInf(r.Number(workloads.WeightErrorMax), 1) || !math.IsNaN(r.Number(workloads.Cosine)) ||
				!slices.Contains(r.Warnings, workloads.Warning{Kind: workloads.Infinite, Text: "2 of 4 weights lie beyond the range of the format, which makes them infinite"}) {
				t.Errorf("f16 overflows: SNR %g, max error %g, cosine %g, warnings %q", r.Number(workloads.SNR), r.Number(workloads.WeightErrorMax), r.Number(workloads.Cosine), r.Warnings)
			}
			continue
		}
		if r.Status != workloads.OK || !(r.Number(workloads.SNR) > 0) {
			t.Errorf("%s %s: %s %q, SNR %g", r.Case, r.Variant, r.Status, r.Failure.Text, r.Number(workloads.SNR))
		}
	}
}

// Weights of a .gguf file are the values that its blocks represent.
func TestQuantizationReadsGGUF(t *testing.T) {
	const rows, cols = 4, 512
	w := make([]float32, rows*cols)
	quant.NewGenerator(3, cols, quant.Outliers{}).Fill(w)
	path := (&weighttest.GGUF{Align: 32, Tensors: []weighttest.Tensor{
		weighttest.Matrix(t, "blk.0.ffn_up.weight", 12, "q4_K", w, rows),
		{Name: "other", ID: 13, Shape: []int64{8, 256}, Data: make([]byte, 8*176)},
	}}).Save(t)
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Quantization(), workloads.Values{"weights": "file", "file": path, "formats": "int4", "scales": "blocks"}); err != nil {
		t.Fatal(err)
	}
	for i := range b.Measured {
		r := &b.Measured[i]
		if r.Case != "blk.0.ffn_up.weight 4×512" || r.Status != workloads.OK || !(r.Number(workloads.SNR) > 10) {
			t.Errorf("%s %s: %s %q, SNR %g dB", r.Case, r.Variant, r.Status, r.Failure.Text, r.Number(workloads.SNR))
		}
	}
	if len(b.Measured) != 5 {
		t.Errorf("%d results, want 5", len(b.Measured))
	}
	set := workloads.Values{"weights": "file", "file": path, "tensor": "other"}
	if err := b.Run(t.Context(), t, Quantization(), set); err == nil || !strings.Contains(err.Error(), `tensor "other": type q5_K is not available`) {
		t.Errorf("a tensor that cannot be read: %v", err)
	}
}

func TestQuantizationRefusesAFile(t *testing.T) {
	nan := float32(math.NaN())
	good := saveTensors(t, tensor{"a", []int{1, 2}, []float32{1, 2}}, tensor{"v", []int{2}, []float32{1, 2}})
	flat := saveTensors(t, tensor{"v", []int{2}, []float32{1, 2}}, tensor{"none", []int{0, 5}, nil})
	junk := filepath.Join(t.TempDir(), "junk")
	if err := os.WriteFile(junk, []byte("no tensors here"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ path, tensor, want string }{
		{junk, "", "the limit is 100000000 B"},
		{filepath.Join(t.TempDir(), "missing"), "", "no such file"},
		{good, "b", `no tensor "b"; it has a, v`},
		{good, "v", `tensor "v" has shape [2], want two nonzero dimensions`},
		{flat, "", "2 tensors, none a non-empty matrix"},
		{flat, "none", `tensor "none" has shape [0 5]`},
	} {
		b := benchtest.New(t, gputest.Script{})
		err := b.Run(t.Context(), t, Quantization(), workloads.Values{"weights": "file", "file": tc.path, "tensor": tc.tensor})
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), tc.path) {
			t.Errorf("%s %q: %v, want the path and %q", tc.path, tc.tensor, err, tc.want)
		}
	}
	for name, bad := range map[string]float32{"NaN": nan, "+Inf": float32(math.Inf(1)), "-3e+38": -3e38} {
		path := saveTensors(t, tensor{"w", []int{2, 3}, []float32{1, 2, 3, 4, bad, nan}})
		b := benchtest.New(t, gputest.Script{})
		if err := b.Run(t.Context(), t, Quantization(), workloads.Values{"weights": "file", "file": path}); err != nil {
			t.Fatal(err)
		}
		b.NoLive(t)
		want := `tensor "w": weight [1, 1] is ` + name
		if r := b.Measured[0]; len(b.Measured) != 1 || r.Status != workloads.Errored || !strings.Contains(r.Failure.Text, want) ||
			!strings.Contains(r.Failure.Text, path) {
			t.Errorf("a weight of %s: %s %q, want %q", name, r.Status, r.Failure.Text, want)
		}
	}
}

// A matrix too large for a buffer is rejected before the host allocates its weights.
func TestQuantizationTooLarge(t *testing.T) {
	b := benchtest.New(t, gputest.Script{MemoryLimit: 1 << 20})
	set := workloads.Values{"rows": 16384, "cols": 16384}
	if err := b.Run(t.Context(), t, Quantization(), set); err != nil {
		t.Fatal(err)
	}
	b.NoLive(t)
	for i := range b.Measured {
		r := &b.Measured[i]
		benchtest.Untimed(t, r)
		if r.Status != workloads.Errored || !strings.Contains(r.Failure.Text, "out of memory") || !strings.Contains(r.Failure.Text, "1073741824 B") {
			t.Errorf("%s: %s %q", r.Case, r.Status, r.Failure.Text)
		}
	}
	if len(b.Measured) != 2 {
		t.Errorf("%d results, want one for each kind of weights", len(b.Measured))
	}
}

func TestFileThatWouldNotBeReadIsRefused(t *testing.T) {
	w := Quantization()
	v := w.Defaults(true)
	v["file"], v["weights"] = "model.safetensors", "normal"
	if err := w.Check(v); err == nil || !strings.Contains(err.Error(), "weights is normal") {
		t.Errorf("error %v", err)
	}
	for _, use := range []string{"file", "all"} {
		if v["weights"] = use; w.Check(v) != nil {
			t.Errorf("weights=%s with a file is refused: %v", use, w.Check(v))
		}
	}
}
