package shaders

import (
	"bytes"
	"math"
	"reflect"
	"testing"
)

// eachCase runs f for every case of every kernel.
func eachCase(t *testing.T, f func(t *testing.T, k *Kernel, c Case)) {
	for _, k := range All() {
		t.Run(k.Name, func(t *testing.T) {
			for _, c := range k.Cases {
				f(t, &k, c)
			}
		})
	}
}

func TestDescriptionsAreComplete(t *testing.T) {
	for _, k := range All() {
		if k.About == "" || k.Launch == nil || k.Cost == nil || k.Reference == nil || k.Tolerance == nil || len(k.Outputs()) == 0 {
			t.Errorf("%s: the description has gaps: %+v", k.Name, k)
		}
		zero := reflect.New(reflect.TypeOf(k.Params)).Elem().Interface()
		if k.Params != zero {
			t.Errorf("%s: Params is %+v, want the zero value", k.Name, k.Params)
		}
		found, ok := Find(k.Name)
		if !ok || found.Name != k.Name || found.File != k.File {
			t.Errorf("Find(%q) gives %q of %s, %v", k.Name, found.Name, found.File, ok)
		}
		for _, c := range k.Constants {
			if c.About == "" {
				t.Errorf("%s: constant %s says nothing about itself", k.Name, c.Name)
			}
		}
	}
	if _, ok := Find("no_such_kernel"); ok {
		t.Error("Find knows a kernel that does not exist")
	}
}

func TestCasesAreValid(t *testing.T) {
	eachCase(t, func(t *testing.T, k *Kernel, c Case) {
		if err := k.Check(c.Params, c.Constants); err != nil {
			t.Errorf("%+v: %v", c.Params, err)
		}
		if tol := k.Tolerance(c.Params, c.Constants); tol.Rel < 0 || tol.Abs < 0 || tol.Why == "" {
			t.Errorf("%+v: tolerance %+v", c.Params, tol)
		}
	})
}

func TestCheckRefuses(t *testing.T) {
	matmul, quant := MustFind("matmul_f32"), MustFind("quantise_i4")
	for _, c := range []struct {
		name string
		err  error
	}{
		{"no parameters", matmul.Check(nil, nil)},
		{"another kernel's parameters", matmul.Check(CopyParams{}, nil)},
		{"a pointer to the parameters", matmul.Check(&MatmulParams{}, nil)},
		{"an unknown constant", matmul.Check(MatmulParams{}, Constants{"nope": 1})},
		{"a constant too large", matmul.Check(MatmulParams{}, Constants{Activation: ActGelu + 1})},
		{"a negative constant", matmul.Check(MatmulParams{}, Constants{HasBias: -1})},
		{"an odd block of int4", quant.Check(QuantParams{Rows: 1, Cols: 9, Block: 3}, nil)},
	} {
		if c.err == nil {
			t.Errorf("%s passes", c.name)
		}
	}
}

// TestLaunchCoversTheOutput wants at least a thread for every thread's share of the largest output.
func TestLaunchCoversTheOutput(t *testing.T) {
	share := map[string]int{"elementwise.metal": 4, "stream.metal": 4, "matmul.metal": 16, "matmul_quant.metal": 16, "": 16}
	eachCase(t, func(t *testing.T, k *Kernel, c Case) {
		l := k.Launch(c.Params)
		threads, group := 1, 1
		for d := range 3 {
			threads *= int(l.Groups[d]) * int(l.Threads[d])
			group *= int(l.Threads[d])
		}
		if group < 1 || group > 1024 || group%32 != 0 {
			t.Errorf("%+v: %d threads in a threadgroup, want 1…1024 in whole SIMD groups", c.Params, group)
		}
		each, known := share[k.File]
		if !known {
			each = 1
		}
		switch p := c.Params.(type) {
		case QuantParams:
			if k.Outputs()[0] == 1 { // quantise: a threadgroup per block, whose threads loop
				if threads/group != p.Blocks() {
					t.Errorf("%+v: %d threadgroups for %d blocks", p, threads/group, p.Blocks())
				}
				return
			}
		case BiasParams:
			each = 1
		}
		for _, i := range k.Outputs() {
			if n := k.Args[i].Len(c.Params); threads*each < n {
				t.Errorf("%+v: %d threads × %d cover less than %d elements", c.Params, threads, each, n)
			}
		}
	})
}

func TestCostIsPlausible(t *testing.T) {
	eachCase(t, func(t *testing.T, k *Kernel, c Case) {
		cost := k.Cost(c.Params, c.Constants)
		var total float64
		for i := range k.Args {
			if k.Uses(i, c.Constants) {
				total += float64(k.Bytes(i, c.Params))
			}
		}
		if cost.Ops < 0 || cost.Bytes != total {
			t.Errorf("%+v {%s}: cost %+v, the operands are %g B", c.Params, c.Constants.Key(), cost, total)
		}
	})
}

func TestCostByHand(t *testing.T) {
	for _, c := range []struct {
		kernel string
		p      any
		c      Constants
		want   Cost
	}{
		{"copy_f32", CopyParams{10}, nil, Cost{0, 80}},
		{"triad_f32", TriadParams{10, 3}, nil, Cost{20, 120}},
		{"add_f16", ElementwiseParams{10}, nil, Cost{10, 60}},
		{"add_relu_f32", ElementwiseParams{10}, nil, Cost{20, 120}},
		{"affine_f32", ElementwiseParams{10}, nil, Cost{20, 160}},
		{"add_bias_f32", BiasParams{2, 5}, nil, Cost{10, 100}},
		{"matmul_f32", MatmulParams{2, 3, 4}, nil, Cost{48, 4 * (8 + 12 + 6)}},
		{"matmul_f16", MatmulParams{2, 3, 4}, Constants{HasBias: 1, Activation: ActRelu}, Cost{48 + 12, 2 * (8 + 12 + 6 + 3)}},
		{"mps_matmul_f32", MatmulParams{2, 3, 4}, nil, Cost{48, 4 * (8 + 12 + 6)}},
		{"matmul_i4", QuantMatmulParams{2, 3, 5, 4}, nil, Cost{60, 4*10 + 9 + 8*6 + 4*6}},
		{"quantise_i8", QuantParams{2, 64, 32}, nil, Cost{6 * 128, 4*128 + 128 + 8*4}},
		{"dequantise_i4", QuantParams{2, 5, 0}, nil, Cost{20, 6 + 8 + 40}},
	} {
		k := MustFind(c.kernel)
		if got := k.Cost(c.p, c.c); got != c.want {
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
		{"matmul_f32", MatmulParams{most, 1, most}, 0},
		{"matmul_f16", MatmulParams{1 << 31, 1 << 31, 1}, 3},
		{"matmul_i4", QuantMatmulParams{1, most, most, 32}, 1},
		{"matmul_i8", QuantMatmulParams{1, most, most, 1}, 2},
		{"quantise_i8", QuantParams{most, most, 1}, 0},
		{"quantise_i4", QuantParams{most, most, 2}, 3},
		{"dequantise_i8", QuantParams{most, most, 0}, 3},
		{"add_bias_f32", BiasParams{most, most}, 0},
	} {
		k := MustFind(c.kernel)
		if got := k.Bytes(c.arg, c.p); got < 1<<59 {
			t.Errorf("%s %+v: argument %s needs %d B", c.kernel, c.p, k.Args[c.arg].Name, got)
		}
	}
	if got := (QuantParams{3, 100, most}).Blocks(); got != 3 {
		t.Errorf("3 rows in one block each are %d blocks", got)
	}
}

func TestConstantsKey(t *testing.T) {
	for _, c := range []struct {
		c    Constants
		want string
	}{
		{nil, ""}, {Constants{}, ""}, {Constants{"a": 0}, ""}, {Constants{"b": 2, "a": 1, "c": 0}, "a=1,b=2"},
	} {
		if got := c.c.Key(); got != c.want {
			t.Errorf("%v: key %q, want %q", c.c, got, c.want)
		}
	}
}

func TestEncodeParams(t *testing.T) {
	got := EncodeParams(TriadParams{0x01020304, 1})
	want := []byte{4, 3, 2, 1, 0, 0, 0x80, 0x3F} // the machines that Assay runs on are little-endian
	if !bytes.Equal(got, want) {
		t.Errorf("encoded as %x, want %x", got, want)
	}
}
