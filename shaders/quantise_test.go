package shaders

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// quantised runs the references of quantise and dequantise on x and returns what comes back, with each element's scale.
func quantised(t *testing.T, kind Type, q QuantParams, c Constants, x View) (back, scales []float64) {
	t.Helper()
	k := MustFind("quantise" + suffix(kind))
	if err := k.Check(q, c); err != nil {
		t.Fatal(err)
	}
	args := []View{x}
	for i := 1; i < 4; i++ {
		args = append(args, View{k.Args[i].Type, make([]byte, k.Bytes(i, q))})
	}
	for arg := 3; arg > 0; arg-- {
		for i := range k.Args[arg].Len(q) {
			args[arg].Set(i, k.Reference(q, c, args, arg, i).Want)
		}
	}
	d := MustFind("dequantise" + suffix(kind))
	for i := range elements(q) {
		back = append(back, d.Reference(q, nil, []View{args[1], args[2], args[3], {}}, 3, i).Want)
		scales = append(scales, args[2].At(q.BlockOf(i/int(q.Cols), i%int(q.Cols))))
	}
	return back, scales
}

func floats(values ...float64) View {
	v := View{F32, make([]byte, 4*len(values))}
	for i, x := range values {
		v.Set(i, x)
	}
	return v
}

// withinHalfAStep wants every element back within half its block's scale. The scale and zero point are stored as
// floats, and the zero point of a block far from 0 is large, so that its rounding costs a few ε of the value.
func withinHalfAStep(t *testing.T, what string, x View, back, scales []float64) {
	t.Helper()
	for i, b := range back {
		want := x.At(i)
		if limit := math.Abs(scales[i])/2*(1+1e-3) + 1e-6*math.Abs(want); math.Abs(b-want) > limit {
			t.Fatalf("%s: element %d is %g, comes back as %g: more than %g away", what, i, want, b, limit)
		}
	}
}

func TestQuantisedIsWithinHalfAStep(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, kind := range []Type{I8, I4} {
		for _, c := range MustFind("quantise" + suffix(kind)).Cases {
			q := c.Params.(QuantParams)
			x := View{F32, make([]byte, 4*elements(q))}
			for i := range elements(q) {
				x.Set(i, r.NormFloat64()*0.3+0.1)
			}
			back, scales := quantised(t, kind, q, c.Constants, x)
			withinHalfAStep(t, fmt.Sprintf("%v %+v {%s}", kind, q, c.Constants.Key()), x, back, scales)
		}
	}
}

func TestConstantBlocksComeBackExactly(t *testing.T) {
	for _, kind := range []Type{I8, I4} {
		for _, c := range []Constants{nil, {Symmetric: 1}} {
			for _, value := range []float64{0, 1, -3.25, 0.1, 1e30, -1e-30, math.MaxFloat32} {
				x := floats(value, value, value, value, value)
				back, _ := quantised(t, kind, QuantParams{1, 5, 0}, c, x)
				for _, b := range back {
					if b != x.At(0) {
						t.Errorf("%v {%s}: a block of %g comes back as %g", kind, c.Key(), x.At(0), b)
					}
				}
			}
		}
	}
}

func TestQuantiseByHand(t *testing.T) {
	// 0 … 255 in steps of 1: scale 1, zero −128, code x − 128
	k := MustFind("quantise_i8")
	q := QuantParams{1, 4, 0}
	args := []View{floats(0, 1, 100, 255), {I8, make([]byte, 4)}, floats(0), floats(0)}
	for arg, want := range map[int]float64{2: 1, 3: -128} {
		if got := k.Reference(q, nil, args, arg, 0).Want; got != want {
			t.Errorf("%s is %g, want %g", k.Args[arg].Name, got, want)
		}
		args[arg].Set(0, want)
	}
	for i, want := range []float64{-128, -127, -28, 127} {
		if got := k.Reference(q, nil, args, 1, i).Want; got != want {
			t.Errorf("code %d is %g, want %g", i, got, want)
		}
	}
	// symmetric: scale absmax/127, zero 0
	sym := Constants{Symmetric: 1}
	if got := k.Reference(q, sym, args, 2, 0).Want; got != 255.0/127 {
		t.Errorf("symmetric scale is %g, want 255/127", got)
	}
	if got := k.Reference(q, sym, args, 3, 0).Want; got != 0 {
		t.Errorf("symmetric zero point is %g", got)
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
		if len(seen) != elements(q) {
			t.Errorf("%+v: the blocks hold %d of %d elements", q, len(seen), elements(q))
		}
	}
}

// TestQuantMatmulIsTheProductOfDequantised compares the fused reference with dequantise followed by matmul.
func TestQuantMatmulIsTheProductOfDequantised(t *testing.T) {
	for _, kind := range []Type{I8, I4} {
		fused, deq, plain := MustFind("matmul"+suffix(kind)), MustFind("dequantise"+suffix(kind)), MustFind("matmul_f32")
		p := QuantMatmulParams{3, 5, 37, 8}
		args := computed(&fused, Case{Params: p})
		w := View{F32, make([]byte, 4*p.N*p.K)}
		for i := range w.Len() {
			w.Set(i, deq.Reference(p.Weights(), nil, []View{args[1], args[2], args[3], {}}, 3, i).Want)
		}
		m := MatmulParams{p.M, p.N, p.K}
		res := plain.Verify(m, Constants{TransposeB: 1}, []View{args[0], w, {}, args[4]}, 0, 0)
		if !res.OK() || res.Checked != 15 {
			t.Errorf("%v: %+v", kind, res)
		}
	}
}

func FuzzQuantisedIsWithinHalfAStep(f *testing.F) {
	f.Add(uint64(1), 1.0, 0.0, byte(0))
	f.Add(uint64(2), 1e-3, 50.0, byte(1))
	f.Add(uint64(3), 1e20, -1e19, byte(2))
	f.Add(uint64(4), 0.0, 3.0, byte(3))
	f.Fuzz(func(t *testing.T, seed uint64, spread, centre float64, how byte) {
		if !(math.Abs(spread) < 1e30 && math.Abs(centre) < 1e30) {
			t.Skip("the range of values would overflow a float")
		}
		kind, c := []Type{I8, I4}[how&1], Constants{Symmetric: int32(how >> 1 & 1)}
		q := QuantParams{3, 21, uint32(how>>2&3) * 8}
		r := rand.New(rand.NewPCG(seed, 9))
		x := View{F32, make([]byte, 4*elements(q))}
		for i := range elements(q) {
			x.Set(i, centre+spread*r.NormFloat64())
		}
		back, scales := quantised(t, kind, q, c, x)
		withinHalfAStep(t, fmt.Sprintf("%v %+v {%s}", kind, q, c.Key()), x, back, scales)
	})
}
