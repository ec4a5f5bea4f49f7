package quant

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/shaders"
)

// TestTensorWorkIsBounded: with 16 M elements no threadgroup takes more than 16384, in either pass.
func TestTensorWorkIsBounded(t *testing.T) {
	const n = 16 << 20
	p := Tensor(4096, 4096)
	groups := func(k shaders.Kernel, params any) int {
		t.Helper()
		if err := k.Check(params); err != nil {
			t.Fatal(err)
		}
		l, err := k.Launch(params, shaders.Limits{Threads: 1024, Shared: 32 << 10})
		if err != nil {
			t.Fatal(err)
		}
		return int(l.Groups[0])
	}
	for _, kind := range Types() {
		if got := groups(quantizeTensor().Kernel(kind), p) * chunk; got < kind.Bytes(n) {
			t.Errorf("%v: threadgroups of %d B make %d B of %d", kind, chunk, got, kind.Bytes(n))
		}
		one := quantize().Kernel(kind)
		if one.Check(p.Matrix()) == nil {
			t.Errorf("%v: quantize takes the whole tensor in one threadgroup", kind)
		}
	}
	if got := groups(extremes().Kernel(shaders.F32), p.Extremes()); got*chunk < n || p.Extremes().part() > chunk {
		t.Errorf("%d threadgroups take %d elements each", got, p.Extremes().part())
	}
	if p := Tensor(1<<14, 1<<14); p.Parts != maxParts || p.Extremes().part()*maxParts < 1<<28 {
		t.Errorf("a larger tensor: %+v", p)
	}
	if p := Tensor(0, 5); p.Parts != 1 {
		t.Errorf("an empty tensor: %+v", p)
	}
}

// TestTensorIsOneBlock: both passes give the same result as one block of all elements, except for the rounding of sums.
func TestTensorIsOneBlock(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x := shaders.View{Type: shaders.F32, Data: make([]byte, 4*151*301)}
	for i := range x.Len() {
		x.Set(i, r.NormFloat64())
	}
	p := Tensor(151, 301)
	if p.Parts < 2 {
		t.Fatalf("one part: %+v", p)
	}
	first := extremes().Kernel(shaders.F32)
	parts := []shaders.View{x}
	for arg := 1; arg < 4; arg++ {
		parts = append(parts, shaders.View{Type: shaders.F32, Data: make([]byte, 4*p.Parts)})
		for i := range int(p.Parts) {
			parts[arg].Set(i, first.Reference(p.Extremes(), parts, arg, i).Want)
		}
	}
	for _, kind := range Types() {
		for _, c := range []shaders.Constants{nil, {Symmetric: 1}} {
			tensor, block := quantizeTensor().Kernel(kind).With(c), quantize().Kernel(kind).With(c)
			s := blockSpan(block.Call(p.Matrix()), x, 0)
			scale, zero := scaleReference(block.Call(p.Matrix()), s).Want, zeroReference(block.Call(p.Matrix()), s).Want
			args := slices.Concat(parts, []shaders.View{{Type: kind, Data: make([]byte, tensor.Bytes(4, p))}, floats(0), floats(0)})
			if got := tensor.Reference(p, args, 5, 0).Want; math.Abs(got-scale) > 1e-6*scale { // sums are stored as floats
				t.Errorf("%v %v: scale %g, want %g", kind, c, got, scale)
			}
			if got := tensor.Reference(p, args, 6, 0).Want; got != zero {
				t.Errorf("%v %v: zero point %g, want %g", kind, c, got, zero)
			}
			args[5].Set(0, scale)
			args[6].Set(0, zero)
			one := []shaders.View{x, args[4], args[5], args[6]}
			for i := range tensor.Len(4, p) {
				if got, want := tensor.Reference(p, args, 4, i).Want, block.Reference(p.Matrix(), one, 1, i).Want; got != want {
					t.Fatalf("%v %v: code %d is %g, want %g", kind, c, i, got, want)
				}
			}
		}
	}
}
