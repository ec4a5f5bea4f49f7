package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/shaders"
	"assay/shaders/elementwise"
	"assay/shaders/gemm"
	"assay/shaders/quant"
	"assay/shaders/stream"
	"assay/shaders/train"
)

// computed returns a case of a kernel with uniform inputs and the reference's own outputs. The kernel has the case's constants.
func computed(k *shaders.Kernel, p any) []shaders.View {
	args := make([]shaders.View, len(k.Args))
	r := rand.New(rand.NewPCG(11, 12))
	for i, a := range k.Args {
		args[i] = shaders.View{Type: a.Type, Data: make([]byte, k.Bytes(i, p))}
		if a.Access != shaders.Out {
			args[i].FillUniform(r)
		}
	}
	read := slices.Clone(args)
	for i, a := range k.Args {
		if a.Access == shaders.InOut {
			args[i].Before = bytes.Clone(args[i].Data)
			read[i].Data = args[i].Before
		}
	}
	for _, arg := range slices.Backward(k.Outputs()) { // codes are compared using the scales stored after them
		for i := range k.Len(arg, p) {
			args[arg].Set(i, k.Reference(p, read, arg, i).Want)
		}
	}
	return args
}

// mutant changes one element; it must be seen.
type mutant struct {
	name   string
	change func(v shaders.View, i int)
}

func mutants(t shaders.Type) []mutant {
	if !t.Float() {
		return []mutant{
			{"two codes off", func(v shaders.View, i int) {
				if x := v.At(i); x > 0 {
					v.Set(i, x-2)
				} else {
					v.Set(i, x+2)
				}
			}},
			{"the other end of the range", func(v shaders.View, i int) { v.Set(i, math.Copysign(7, -0.5-v.At(i))) }},
		}
	}
	if t.Bits() == 8 {
		return []mutant{
			{"NaN", func(v shaders.View, i int) { v.Set(i, math.NaN()) }},
			{"a few steps off", func(v shaders.View, i int) { v.Set(i, v.At(i)*0.6+math.Copysign(0.5, -v.At(i))) }},
		}
	}
	poison := func(v shaders.View, i int) {
		size := v.Type.Bytes(1)
		for b := range size {
			v.Data[i*size+b] = 0xFF
		}
	}
	return []mutant{
		{"NaN", func(v shaders.View, i int) { v.Set(i, math.NaN()) }},
		{"infinity", func(v shaders.View, i int) { v.Set(i, math.Inf(1)) }},
		{"poison", poison},
		{"off by 1 % and a bit", func(v shaders.View, i int) { v.Set(i, v.At(i)*1.01+math.Copysign(0.05, v.At(i))) }},
		{"negated", func(v shaders.View, i int) { v.Set(i, -v.At(i)-0.05) }},
	}
}

// mutable returns the last case small enough to compare repeatedly.
func mutable(k shaders.Kernel) (shaders.Kernel, any) {
	for _, c := range slices.Backward(k.Cases()) {
		with, n := k.With(c.Constants), 0
		for _, o := range k.Outputs() {
			n += with.Len(o, c.Params)
		}
		if n > 0 && with.Cost(c.Params).Ops < 2e5 {
			return with, c.Params
		}
	}
	panic("no small case: " + k.Name)
}

func TestVerifySeesEveryMutant(t *testing.T) {
	for _, k := range All() {
		with, p := mutable(k)
		args := computed(&with, p)
		if res := with.Verify(p, args, 0, 0); !res.OK() || res.Checked == 0 {
			t.Errorf("%s %+v: the reference does not pass itself: %+v", k.Name, p, res)
			continue
		}
		for _, out := range with.Outputs() {
			n := with.Len(out, p)
			if n == 0 {
				continue // zero points of a type that has none
			}
			for _, i := range []int{0, n / 2, n - 1} {
				checkMutants(t, &with, p, args, out, i)
			}
		}
	}
}

func checkMutants(t *testing.T, k *shaders.Kernel, p any, args []shaders.View, out, i int) {
	t.Helper()
	for _, m := range mutants(k.Args[out].Type) {
		kept := args[out].At(i)
		m.change(args[out], i)
		if got := args[out].At(i); got == kept {
			t.Errorf("%s %s[%d]: mutant %q changes nothing of %g", k.Name, k.Args[out].Name, i, m.name, kept)
		}
		res := k.Verify(p, args, 0, 0)
		if res.OK() || !strings.Contains(res.Failure, k.Name) {
			t.Errorf("%s %s[%d]: mutant %q of %g passes as %g", k.Name, k.Args[out].Name, i, m.name, kept, args[out].At(i))
		}
		args[out].Set(i, kept)
	}
}

func TestVerifyNamesTheElement(t *testing.T) {
	k := MustFind("add_f32")
	p := elementwise.ElementwiseParams{N: 10}
	args := computed(&k, p)
	args[2].Set(7, 100)
	res := k.Verify(p, args, 0, 0)
	if !strings.Contains(res.Failure, "kernel add_f32: out[7] is 100, want") {
		t.Errorf("failure %q does not name out[7]", res.Failure)
	}
	want := math.Abs(100 - args[0].At(7) - args[1].At(7))
	if math.Abs(res.MaxError-want) > 1e-5 {
		t.Errorf("largest error %g, want %g", res.MaxError, want)
	}
}

func TestVerifyMeasuresErrorsWithinTolerance(t *testing.T) {
	k := MustFind("matmul_tiled_f32")
	float := func() shaders.View { return shaders.View{Type: shaders.F32, Data: make([]byte, 4)} }
	args := []shaders.View{float(), float(), {}, float()}
	args[0].Set(0, 2)
	args[1].Set(0, 4)
	args[3].Set(0, 8+8*0x1p-20)
	res := k.Verify(gemm.MatmulParams{M: 1, N: 1, K: 1, Batch: 1}, args, 0, 0)
	if !res.OK() || res.MaxError != 8*0x1p-20 || res.MaxRel != 0x1p-20 {
		t.Errorf("%+v, want errors of 8·2⁻²⁰ and 2⁻²⁰", res)
	}
}

// TestVerifyIsExactAboutWiderOutputs: the loss of softmax_xent is a float, whatever the type of the logits.
func TestVerifyIsExactAboutWiderOutputs(t *testing.T) {
	k := MustFind("softmax_xent_f16")
	p := train.SoftmaxXentParams{Rows: 1, Cols: 10}
	args := computed(&k, p)
	if res := k.Verify(p, args, 0, 0); !res.OK() {
		t.Fatal(res.Failure)
	}
	args[2].Set(0, args[2].At(0)*(1+0x1p-12)) // a quarter of a unit in the last place of f16
	if res := k.Verify(p, args, 0, 0); res.OK() {
		t.Error("a loss that was rounded to half passes")
	}
}

// TestVerifyIsExactAboutInfinity: an infinite term has an infinite scale, which must not excuse every result.
func TestVerifyIsExactAboutInfinity(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		kernel    string
		a, b, got float64
		ok        bool
	}{
		{"add_f32", inf, 1, inf, true},
		{"add_f32", inf, 1, -inf, false},
		{"add_f32", inf, 1, 5, false},
		{"add_f32", inf, -inf, math.NaN(), true},
		{"add_f32", inf, -inf, 0, false},
		{"add_relu_f32", -inf, 1, 0, true},
		{"add_relu_f32", -inf, 1, 3, false},
		{"add_relu_f32", math.NaN(), 1, 0, false},
		{"add_f16", 65504, 65504, inf, true},
		{"add_f16", 65504, 65504, 65504, false},
	} {
		k := MustFind(c.kernel)
		var args []shaders.View
		for _, x := range []float64{c.a, c.b, c.got} {
			v := shaders.View{Type: k.Args[0].Type, Data: make([]byte, k.Args[0].Type.Bytes(1))}
			v.Set(0, x)
			args = append(args, v)
		}
		if res := k.Verify(elementwise.ElementwiseParams{N: 1}, args, 0, 0); res.OK() != c.ok {
			t.Errorf("%s(%g, %g) = %g: accepted %v, want %v (%s)", c.kernel, c.a, c.b, c.got, res.OK(), c.ok, res.Failure)
		}
	}
}

// TestVerifySeesADroppedTile: a long sum that lacks 16 neighboring terms is wrong, and most elements must show it.
func TestVerifySeesADroppedTile(t *testing.T) {
	const tile, elements = 16, 32
	for _, kernel := range []string{"matmul_tiled_f32", "matmul_tiled_f16"} {
		k := MustFind(kernel)
		k = k.With(shaders.Constants{gemm.TransposeB: 1})
		for _, depth := range []int{4096, 16384} {
			p := gemm.MatmulParams{M: 1, N: elements, K: uint32(depth), Batch: 1}
			args := computed(&k, p)
			seen := 0
			for i := range elements {
				right := args[3].At(i)
				lost := 0.0
				for d := range tile {
					lost += args[0].At(d) * args[1].At(i*depth+d)
				}
				args[3].Set(i, right-lost)
				if !k.Verify(p, args, 0, 0).OK() {
					seen++
				}
				args[3].Set(i, right)
			}
			if seen < elements*3/4 {
				t.Errorf("%s, k = %d: %d of %d elements without a tile of %d are seen", kernel, depth, seen, elements, tile)
			}
		}
	}
}

// TestSumsInFloatPass: sums as an engine may take them, one term after another or in lanes, are within tolerance.
func TestSumsInFloatPass(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, depth := range []int{1, 7, 64, 4096, 16384, 1 << 18} {
		a, b := shaders.View{Type: shaders.F32, Data: make([]byte, 4*depth)}, shaders.View{Type: shaders.F32, Data: make([]byte, 4*depth)}
		for _, lanes := range []int{1, 8, 256} {
			for _, positive := range []bool{false, true} { // all terms positive: nothing cancels, the worst for rounding
				a.FillUniform(r)
				b.FillUniform(r)
				sums := make([]float32, lanes)
				for d := range depth {
					if positive {
						a.Set(d, math.Abs(a.At(d)))
						b.Set(d, math.Abs(b.At(d)))
					}
					sums[d%lanes] += float32(a.At(d)) * float32(b.At(d))
				}
				var sum float32
				for _, s := range sums {
					sum += s
				}
				out := shaders.View{Type: shaders.F32, Data: make([]byte, 4)}
				out.Set(0, float64(sum))
				k := MustFind("matmul_tiled_f32")
				res := k.Verify(gemm.MatmulParams{M: 1, N: 1, K: uint32(depth), Batch: 1}, []shaders.View{a, b, {}, out}, 0, 0)
				if !res.OK() {
					t.Errorf("k = %d in %d lanes, positive %v: %s", depth, lanes, positive, res.Failure)
				}
				t.Logf("k = %d in %d lanes, positive %v: error %.2g·√k·2⁻²⁴", depth, lanes, positive,
					res.MaxRel/(math.Sqrt(float64(depth))*0x1p-24))
			}
		}
	}
}

func TestVerifyEndsWithItsContext(t *testing.T) {
	k := MustFind("copy_f32")
	p := stream.CopyParams{N: 100}
	args := computed(&k, p)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	asked, impl, op := 0, *k.Impl, *k.Impl.Op
	op.Reference = func(c shaders.Call, args []shaders.View, arg, i int) shaders.Value {
		if asked++; asked == 3 {
			cancel()
		}
		return k.Impl.Op.Reference(c, args, arg, i)
	}
	impl.Op = &op
	canceling := impl.Kernel(shaders.F32)
	if res, err := canceling.VerifyContext(ctx, p, args, 0, 0); !errors.Is(err, context.Canceled) || res.Checked != 3 || asked != 3 {
		t.Errorf("stopped at the third element: %d compared, %v", res.Checked, err)
	}
	if res, err := k.VerifyContext(t.Context(), p, args, 0, 0); err != nil || res.Checked != 100 || !res.OK() {
		t.Errorf("not stopped: %d compared, %v", res.Checked, err)
	}
}

func TestVerifyLimit(t *testing.T) {
	k := MustFind("copy_f32")
	p := stream.CopyParams{N: 1000}
	for _, limit := range []int{1, 2, 50, 999} {
		if res := k.Verify(p, computed(&k, p), limit, 1); !res.OK() || res.Checked != max(limit, 2) {
			t.Errorf("limit %d: %+v", limit, res)
		}
	}
	for _, i := range []int{0, 999} { // both ends are always compared
		args := computed(&k, p)
		args[1].Set(i, 7)
		if res := k.Verify(p, args, 2, 1); res.OK() || !strings.Contains(res.Failure, fmt.Sprintf("out[%d]", i)) {
			t.Errorf("element %d: %+v", i, res)
		}
	}
}

// TestQuantMatmulIsTheProductOfDequantized compares the fused reference with dequantize followed by matmul.
func TestQuantMatmulIsTheProductOfDequantized(t *testing.T) {
	plain := MustFind("matmul_tiled_f32")
	plain = plain.With(shaders.Constants{gemm.TransposeB: 1})
	for _, kind := range quant.Types() {
		fused, deq := MustFind("matmul_quant_tiled_"+kind.String()), MustFind("dequantize_"+kind.String())
		p := gemm.QuantMatmulParams{M: 3, N: 5, K: 37, Block: 8}
		args := computed(&fused, p)
		w := shaders.View{Type: shaders.F32, Data: make([]byte, 4*p.N*p.K)}
		for i := range w.Len() {
			w.Set(i, deq.Reference(p.Weights(), []shaders.View{args[1], args[2], args[3], {}}, 3, i).Want)
		}
		m := gemm.MatmulParams{M: p.M, N: p.N, K: p.K, Batch: 1}
		res := plain.Verify(m, []shaders.View{args[0], w, {}, args[4]}, 0, 0)
		if !res.OK() || res.Checked != 15 {
			t.Errorf("%s: %+v", kind, res)
		}
	}
}
