package quant

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// encoded returns w in the format.
func encoded(t *testing.T, w []float32, rows, cols int, f Format) (*Packed, Tally) {
	t.Helper()
	p, tally, err := f.Encode(w, rows, cols)
	if err != nil {
		t.Fatal(err)
	}
	return p, tally
}

// decoded returns the weights that p represents.
func decoded(t *testing.T, p *Packed) []float32 {
	t.Helper()
	out := make([]float32, p.Rows*p.Cols)
	if err := p.Decode(out); err != nil {
		t.Fatal(err)
	}
	return out
}

func codesOf(t *testing.T, p *Packed) []int16 {
	t.Helper()
	out := make([]int16, p.Rows*p.Cols)
	if err := p.Codes(out); err != nil {
		t.Fatal(err)
	}
	return out
}

// everyFormat lists each kind with every group that may share a scale, each scheme and each type of scales.
func everyFormat() []Format {
	var all []Format
	for _, k := range Kinds() {
		if !k.Scaled() {
			all = append(all, Format{Kind: k})
			continue
		}
		for _, block := range []int{0, PerRow, 32, 64, 1024} {
			for _, s := range k.describe().scheme {
				if s == k.describe().scheme[0] {
					s = Usual
				}
				all = append(all, Format{k, block, s, false}, Format{k, block, s, true})
			}
		}
	}
	return all
}

func TestEncodeByHand(t *testing.T) {
	for _, tc := range []struct {
		format      Format
		w           []float32
		scale, zero float64
		codes       []int16
		bytes       []byte
	}{
		{Format{Kind: Int4}, []float32{-1, 0, 0.5, 2}, float64(float32(0.2)), -3, []int16{-8, -3, -1, 7}, []byte{0xd8, 0x7f}},
		{Format{Kind: Int4, Scheme: Symmetric}, []float32{-1, 0, 0.25, 3.5}, 0.5, 0, []int16{-2, 0, 0, 7}, []byte{0x0e, 0x70}},
		{Format{Kind: Int8, Scheme: Symmetric}, []float32{-127, 0.5, 1.5, -2.5}, 1, 0, []int16{-127, 0, 2, -2}, []byte{0x81, 0, 2, 0xfe}},
		{Format{Kind: Ternary}, []float32{-1, 0.25, 0.5, 4, 0.25}, 1.2, 0, []int16{-1, 0, 0, 1, 0}, []byte{0x94, 0x01}},
		{Format{Kind: E4M3, Half: true}, []float32{448, -1, 0x1p-9, 0x1p-11}, 1, 0, []int16{0x7e, 0x7f - 0xb8, 0x01, 0}, []byte{0x7e, 0xb8, 0x01, 0}},
		{Format{Kind: E5M2}, []float32{57344, 1.25, -0x1p-16}, 1, 0, []int16{0x7b, 0x3d, 0x7f - 0x81}, []byte{0x7b, 0x3d, 0x81}},
	} {
		p, _ := encoded(t, tc.w, 1, len(tc.w), tc.format)
		scale, zero := p.Scale(0)
		if math.Abs(scale-tc.scale) > 1e-7 || math.Abs(zero-tc.zero) > 1e-6 {
			t.Errorf("%v: scale %v, zero point %v, want %v, %v", tc.format, scale, zero, tc.scale, tc.zero)
		}
		if got := codesOf(t, p); !slices.Equal(got, tc.codes) || !slices.Equal(p.Planes[0], tc.bytes) {
			t.Errorf("%v: codes %v in %x, want %v in %x", tc.format, got, p.Planes[0], tc.codes, tc.bytes)
		}
	}
}

// A weight differs from its code by at most half a step, unless an f16 scale makes the last codes fall short of the extremes.
func TestErrorsAreHalfAStep(t *testing.T) {
	const rows, cols = 9, 301
	for _, o := range []Outliers{{}, UsualOutliers()} {
		w := generated(3, rows, cols, o)
		for _, f := range everyFormat() {
			if f.Kind != Int8 && f.Kind != Int4 {
				continue
			}
			p, _ := encoded(t, w, rows, cols, f)
			slack := 1e-4
			if f.Half {
				slack = 0.3
			}
			blocks := map[int]bool{}
			got := decoded(t, p)
			for i := range got {
				b := blockOf(f, cols, i)
				blocks[b] = true
				scale, _ := p.Scale(b)
				half := math.Abs(scale) / 2
				if d := math.Abs(float64(got[i]) - float64(w[i])); d > half*(1+slack) {
					t.Fatalf("%v: weight %d is off by %g, more than half a step %g", f, i, d, half)
				}
			}
			if len(blocks) != f.Scales(rows, cols) {
				t.Errorf("%v: %d blocks, want %d", f, len(blocks), f.Scales(rows, cols))
			}
		}
	}
}

// blockOf returns the block of weight i, by definition.
func blockOf(f Format, cols, i int) int {
	switch f.Block {
	case 0:
		return 0
	case PerRow:
		return i / cols
	}
	return i/cols*ceil(cols, f.Block) + i%cols/f.Block
}

func TestEncodeEdges(t *testing.T) {
	for _, tc := range []struct {
		name string
		in   []float32
		want []float32
	}{
		{"constant", []float32{0.3, 0.3, 0.3}, []float32{0.3, 0.3, 0.3}},
		{"negative constant", []float32{-7e30, -7e30}, []float32{-7e30, -7e30}},
		{"zeros", []float32{0, 0}, []float32{0, 0}},
		{"subnormal constant", []float32{1e-40, 1e-40}, []float32{0, 0}},
		{"subnormal range", []float32{-1e-40, 1e-40}, []float32{0, 0}},
		{"none", []float32{}, []float32{}},
	} {
		for _, f := range everyFormat() {
			if f.Half || !f.Kind.Scaled() {
				continue
			}
			p, _ := encoded(t, tc.in, 1, len(tc.in), f)
			if got := decoded(t, p); !slices.Equal(got, tc.want) {
				t.Errorf("%s as %v: %v, want %v", tc.name, f, got, tc.want)
			}
		}
	}
}

// Weights beyond the range of codes are clamped to its end, and counted.
func TestTally(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, tc := range []struct {
		format Format
		w      []float32
		want   Tally
		got    []float32
	}{
		{Format{Kind: F16}, []float32{65519, 65520, -70000, 1}, Tally{Infinite: 2}, []float32{65504, inf, -inf, 1}},
		{Format{Kind: BF16}, []float32{3.3e38, math.MaxFloat32, -math.MaxFloat32, 1}, Tally{Infinite: 2}, []float32{0x1.fp127, inf, -inf, 1}},
		{Format{Kind: F32}, []float32{math.MaxFloat32}, Tally{}, []float32{math.MaxFloat32}},
		{Format{Kind: Ternary}, []float32{1, 1, -2, 0}, Tally{Clamped: 1}, []float32{1, 1, -1, 0}},
	} {
		p, tally := encoded(t, tc.w, 1, len(tc.w), tc.format)
		if got := decoded(t, p); tally != tc.want || !slices.Equal(got, tc.got) {
			t.Errorf("%v of %v: %v, %+v; want %v, %+v", tc.format, tc.w, got, tally, tc.got, tc.want)
		}
	}
	// q4_0 has −8 to 7 steps of an eighth of the extreme.
	w := make([]float32, 32)
	w[3], w[9] = -8, 8
	p, tally := encoded(t, w, 1, 32, Format{Kind: "q4_0"})
	if got := decoded(t, p); tally.Clamped != 1 || got[3] != -8 || got[9] != 7 {
		t.Errorf("q4_0: %+v of %v", tally, got)
	}
	// A scale determined by more than these rows.
	p, err := NewPacked(Format{Kind: Int8, Scheme: Symmetric}, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	tally, err = p.Encode([]float32{1, 126.7, 130}, &Span{Count: 4, Min: -127, Max: 127})
	if got := decoded(t, p); err != nil || tally.Clamped != 1 || !slices.Equal(got, []float32{1, 127, 127}) {
		t.Errorf("rows of a larger tensor: %v, %+v, %v", got, tally, err)
	}
}

// Encoding in parts with the tensor's span gives the same codes as encoding at once.
func TestEncodeInParts(t *testing.T) {
	const rows, cols = 12, 512
	w := generated(4, rows, cols, UsualOutliers())
	var whole Span
	for at := 0; at < len(w); at += 1000 {
		whole.Add(w[at:min(at+1000, len(w))])
	}
	for _, f := range everyFormat() {
		all, wantTally := encoded(t, w, rows, cols, f)
		want := decoded(t, all)
		var got []float32
		var tally Tally
		for r := 0; r < rows; r += 5 {
			n := min(5, rows-r)
			p, err := NewPacked(f, n, cols)
			if err != nil {
				t.Fatal(err)
			}
			part, err := p.Encode(w[r*cols:(r+n)*cols], &whole)
			if err != nil {
				t.Fatal(err)
			}
			tally.Clamped += part.Clamped
			got = append(got, decoded(t, p)...)
		}
		if !slices.Equal(got, want) || tally != wantTally {
			t.Errorf("%v: other weights in parts than at once, %+v and %+v", f, tally, wantTally)
		}
	}
}

// Encoding is stable: encoding decoded weights changes nothing, if the scale is recovered.
func TestEncodeTwice(t *testing.T) {
	w := generated(8, 4, 512, Outliers{})
	for _, k := range []Kind{F32, F16, BF16, "q8_0", "q4_0"} {
		p, _ := encoded(t, w, 4, 512, Format{Kind: k})
		once := decoded(t, p)
		p, _ = encoded(t, once, 4, 512, Format{Kind: k})
		var e Errors
		if err := e.Add(once, decoded(t, p)); err != nil || e.Rel() > 1e-3 {
			t.Errorf("%v: a second time changes weights by %g, %v", k, e.Rel(), err)
		}
	}
}

func TestHistogram(t *testing.T) {
	w := []float32{-1, 0.25, 0.5, 4, 0.25}
	p, _ := encoded(t, w, 1, 5, Format{Kind: Ternary})
	h := NewHistogram(Ternary)
	h.Add(codesOf(t, p))
	h.Add([]int16{-2, 2}) // not codes
	if h.Lo != -1 || !slices.Equal(h.Counts, []int{1, 3, 1}) {
		t.Errorf("codes from %d: %v", h.Lo, h.Counts)
	}
	for _, f := range everyFormat() {
		w := generated(2, 3, 256, Outliers{})
		p, _ := encoded(t, w, 3, 256, f)
		h := NewHistogram(f.Kind)
		h.Add(codesOf(t, p))
		sum := 0
		for _, n := range h.Counts {
			sum += n
		}
		if want := len(w); f.Kind.Quantized() && sum != want || !f.Kind.Quantized() && len(h.Counts) != 0 {
			t.Errorf("%v: %d weights counted, want %d", f, sum, want)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, tc := range []struct {
		format     Format
		n          int
		rows, cols int
		want       string
	}{
		{Format{Kind: Int8}, 5, 2, 3, "5 weights for a [2, 3] matrix"},
		{Format{Kind: Int8}, 0, -1, 3, "no negative size"},
		{Format{Kind: "q4_K"}, 128, 1, 128, "rows of 128 weights: q4_K has blocks of 256"},
		{Format{Kind: "q9"}, 0, 0, 0, `no kind "q9"; there are f32, f16`},
		{Format{Kind: Int8, Block: 48}, 3, 1, 3, "power of two from 32 to 1024"},
		{Format{Kind: Int8, Scheme: Absmean}, 3, 1, 3, "int8 has no scheme absmean, want affine or symmetric"},
		{Format{Kind: F16, Block: 32}, 3, 1, 3, "f16 has no scales"},
		{Format{Kind: "q8_0", Half: true}, 32, 1, 32, "q8_0 has no scales"},
	} {
		_, _, err := tc.format.Encode(make([]float32, tc.n), tc.rows, tc.cols)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: %v, want %q", tc.format, err, tc.want)
		}
	}
	p, _ := encoded(t, []float32{1, 2}, 1, 2, Format{Kind: Int8})
	if err := p.Decode(make([]float32, 3)); err == nil || !strings.Contains(err.Error(), "3 weights for a [1, 2]") {
		t.Errorf("decode: %v", err)
	}
	if err := p.Codes(nil); err == nil {
		t.Error("codes of other weights were read")
	}
}

func TestSmallerBlocksLoseLess(t *testing.T) {
	const rows, cols = 64, 2048
	for _, o := range []Outliers{{}, UsualOutliers()} {
		w := generated(11, rows, cols, o)
		for _, f := range everyFormat() {
			if f.Block != 0 || f.Kind != Int8 && f.Kind != Int4 || f.Half {
				continue
			}
			last := math.Inf(1)
			for _, block := range []int{0, 1024, 512, 256, 128, 64, 32} {
				f.Block = block
				p, _ := encoded(t, w, rows, cols, f)
				rel := errorsOf(t, w, decoded(t, p)).Rel()
				if rel >= last {
					t.Errorf("%v: relative error %g, no better than %g with larger blocks", f, rel, last)
				}
				last = rel
			}
		}
	}
}
