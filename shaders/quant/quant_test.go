package quant

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"assay/shaders"
)

// quantized runs the references of quantize and dequantize on x and returns the result, with each element's scale.
func quantized(t *testing.T, kind shaders.Type, q QuantParams, c shaders.Constants, x shaders.View) (back, scales []float64) {
	t.Helper()
	k := quantize().Kernel(kind).With(c)
	if err := k.Check(q); err != nil {
		t.Fatal(err)
	}
	args := []shaders.View{x}
	for i := 1; i < 4; i++ {
		args = append(args, shaders.View{Type: k.Args[i].Type, Data: make([]byte, k.Bytes(i, q))})
	}
	for arg := 3; arg > 0; arg-- {
		for i := range k.Len(arg, q) {
			args[arg].Set(i, k.Reference(q, args, arg, i).Want)
		}
	}
	d := dequantize().Kernel(kind)
	n := int(q.Rows) * int(q.Cols)
	for i := range n {
		back = append(back, d.Reference(q, []shaders.View{args[1], args[2], args[3], {}}, 3, i).Want)
		scales = append(scales, args[2].At(q.BlockOf(i/int(q.Cols), i%int(q.Cols))))
	}
	return back, scales
}

func integerTypes() []shaders.Type { return []shaders.Type{shaders.I8, shaders.I4} }

func floats(values ...float64) shaders.View {
	v := shaders.View{Type: shaders.F32, Data: make([]byte, 4*len(values))}
	for i, x := range values {
		v.Set(i, x)
	}
	return v
}

// withinHalfAStep requires every element to come back within half its block's scale. The scale and zero point are stored as
// floats, and the zero point of a block far from 0 is large, so that its rounding costs a few ε of the value.
func withinHalfAStep(t *testing.T, what string, x shaders.View, back, scales []float64) {
	t.Helper()
	for i, b := range back {
		want := x.At(i)
		if limit := math.Abs(scales[i])/2*(1+1e-3) + 1e-6*math.Abs(want); math.Abs(b-want) > limit {
			t.Fatalf("%s: element %d is %g, comes back as %g: more than %g away", what, i, want, b, limit)
		}
	}
}

func TestQuantizedIsWithinHalfAStep(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, kind := range integerTypes() {
		for _, c := range quantizeCases() {
			q := c.Params.(QuantParams)
			x := shaders.View{Type: shaders.F32, Data: make([]byte, 4*q.Rows*q.Cols)}
			for i := range x.Len() {
				x.Set(i, r.NormFloat64()*0.3+0.1)
			}
			back, scales := quantized(t, kind, q, c.Constants, x)
			withinHalfAStep(t, fmt.Sprintf("%v %+v {%s}", kind, q, c.Constants.Key()), x, back, scales)
		}
	}
}

func TestConstantBlocksComeBackExactly(t *testing.T) {
	for _, kind := range integerTypes() {
		for _, c := range []shaders.Constants{nil, {Symmetric: 1}} {
			for _, value := range []float64{0, 1, -3.25, 0.1, 1e30, -1e-30, math.MaxFloat32} {
				x := floats(value, value, value, value, value)
				back, _ := quantized(t, kind, QuantParams{Rows: 1, Cols: 5, Block: 8}, c, x)
				for _, b := range back {
					if b != x.At(0) {
						t.Errorf("%v {%s}: a block of %g comes back as %g", kind, c.Key(), x.At(0), b)
					}
				}
			}
		}
	}
}

func TestQuantizeByHand(t *testing.T) {
	// 0 … 255 in steps of 1: scale 1, zero −128, code x − 128
	k := quantize().Kernel(shaders.I8)
	q := QuantParams{Rows: 1, Cols: 4, Block: 4}
	args := []shaders.View{floats(0, 1, 100, 255), {Type: shaders.I8, Data: make([]byte, 4)}, floats(0), floats(0)}
	for arg, want := range map[int]float64{2: 1, 3: -128} {
		if got := k.Reference(q, args, arg, 0).Want; got != want {
			t.Errorf("%s is %g, want %g", k.Args[arg].Name, got, want)
		}
		args[arg].Set(0, want)
	}
	for i, want := range []float64{-128, -127, -28, 127} {
		if got := k.Reference(q, args, 1, i).Want; got != want {
			t.Errorf("code %d is %g, want %g", i, got, want)
		}
	}
	// symmetric: scale absmax/127, zero 0
	sym := k.With(shaders.Constants{Symmetric: 1})
	if got := sym.Reference(q, args, 2, 0).Want; got != 255.0/127 {
		t.Errorf("symmetric scale is %g, want 255/127", got)
	}
	if got := sym.Reference(q, args, 3, 0).Want; got != 0 {
		t.Errorf("symmetric zero point is %g", got)
	}
}

// Scales stored in f16 are rounded before use, to a finite number; a scale that rounds to zero becomes 1.
func TestHalfScalesByHand(t *testing.T) {
	for _, c := range []struct {
		kind        shaders.Type
		symmetric   int32
		x           shaders.View
		scale, zero float64
		codes       []float64
	}{
		{shaders.I4, 0, floats(-1, 0, 0.5, 2), 0.199951171875, -2.998046875, []float64{-8, -3, 0, 7}},
		{shaders.I4, 1, floats(-1, 0, 0.5, 3.5), 0.5, 0, []float64{-2, 0, 1, 7}},
		{shaders.I8, 1, floats(1e9, -1e9, 0, 65504*3), 65504, 0, []float64{127, -128, 0, 3}},
		{shaders.I8, 0, floats(1e9, 1e9+64, 1e9+128, 1e9+640), 2.509765625, -65504, []float64{127, 127, 127, 127}},
		{shaders.I8, 0, floats(1e-9, -1e-9, 0, 0), 1, 0, []float64{0, 0, 0, 0}},
		{shaders.E4M3, 0, floats(0x1p-15, 0, 0, 0), 0x1p-24, 0, []float64{448, 0, 0, 0}},
		{shaders.Ternary, 0, floats(0.3, 0.3, -0.3, 0.3), 0.300048828125, 0, []float64{1, 1, -1, 1}},
		{shaders.I8, 0, floats(0.3, 0.3, 0.3, 0.3), 0.300048828125, 0, []float64{1, 1, 1, 1}},
	} {
		k := quantize().Kernel(c.kind).With(shaders.Constants{HalfScales: 1, Symmetric: c.symmetric})
		q := QuantParams{Rows: 1, Cols: 4, Block: 4}
		args := []shaders.View{c.x, {}, {Type: k.Args[2].Type, Data: make([]byte, 2)}, {Type: k.Args[3].Type, Data: make([]byte, 2)}}
		for arg, want := range map[int]float64{2: c.scale, 3: c.zero} {
			if got := k.Args[arg].Type.Round(k.Reference(q, args, arg, 0).Want); got != want || k.Args[arg].Type != shaders.F16 {
				t.Errorf("%v: %s of %v is %g, want %g", c.kind, k.Args[arg].Name, k.Args[arg].Type, got, want)
			}
			args[arg].Set(0, want)
		}
		for i, want := range c.codes {
			if got := k.Reference(q, args, 1, i).Want; got != want {
				t.Errorf("%v: code %d is %g, want %g", c.kind, i, got, want)
			}
		}
	}
}

func TestBlocksPartitionTheMatrix(t *testing.T) {
	for _, q := range []QuantParams{{3, 33, 32}, {5, 100, 64}, {7, 129, 0}, {1, 1, 32}, {4, 6, 2}, {2, 100, 1 << 31}} {
		seen := map[int]int{}
		for b := range q.Blocks() {
			r0, r1, c0, c1 := q.span(b)
			for r := r0; r < r1; r++ {
				for c := c0; c < c1; c++ {
					seen[r*int(q.Cols)+c]++
					if got := q.BlockOf(r, c); got != b {
						t.Fatalf("%+v: element %d,%d is in the span of block %d, BlockOf says %d", q, r, c, b, got)
					}
				}
			}
		}
		if len(seen) != int(q.Rows*q.Cols) {
			t.Errorf("%+v: the blocks hold %d of %d elements", q, len(seen), q.Rows*q.Cols)
		}
	}
}

func FuzzQuantizedIsWithinHalfAStep(f *testing.F) {
	f.Add(uint64(1), 1.0, 0.0, byte(0))
	f.Add(uint64(2), 1e-3, 50.0, byte(1))
	f.Add(uint64(3), 1e20, -1e19, byte(2))
	f.Add(uint64(4), 0.0, 3.0, byte(3))
	f.Fuzz(func(t *testing.T, seed uint64, spread, center float64, how byte) {
		if !(math.Abs(spread) < 1e30 && math.Abs(center) < 1e30) {
			t.Skip("the range of values would overflow a float")
		}
		kind, c := integerTypes()[how&1], shaders.Constants{Symmetric: int32(how >> 1 & 1)}
		q := QuantParams{3, 21, (1 + uint32(how>>2&3)) * 8}
		r := rand.New(rand.NewPCG(seed, 9))
		x := shaders.View{Type: shaders.F32, Data: make([]byte, 4*q.Rows*q.Cols)}
		for i := range x.Len() {
			x.Set(i, center+spread*r.NormFloat64())
		}
		back, scales := quantized(t, kind, q, c, x)
		withinHalfAStep(t, fmt.Sprintf("%v %+v {%s}", kind, q, c.Key()), x, back, scales)
	})
}

func TestBounds(t *testing.T) {
	v := shaders.View{Type: shaders.F32, Data: make([]byte, 4*6)}
	for i, x := range []float64{9, -2, 0.5, 3, -1, -9} {
		v.Set(i, x)
	}
	for _, c := range []struct {
		from, to        int
		least, greatest float64
	}{{0, 6, -9, 9}, {1, 5, -2, 3}, {2, 3, 0.5, 0.5}, {4, 6, -9, -1}, {3, 3, math.Inf(1), math.Inf(-1)}} {
		if least, greatest, _ := bounds(v, c.from, c.to); least != c.least || greatest != c.greatest {
			t.Errorf("elements %d to %d lie from %g to %g, want %g to %g", c.from, c.to, least, greatest, c.least, c.greatest)
		}
	}
}
