package shaders

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"assay/internal/ggml"
)

func TestViewHoldsEveryHalf(t *testing.T) {
	v := View{Type: F16, Data: make([]byte, 2)}
	for bits := range 1 << 16 {
		v.Data[0], v.Data[1] = byte(bits), byte(bits>>8)
		x := v.At(0)
		if want := half(uint16(bits)); x != want && !(math.IsNaN(x) && math.IsNaN(want)) {
			t.Fatalf("half %#04x reads as %g, want %g", bits, x, want)
		}
		if got := F16.Round(x); got != x && !math.IsNaN(x) {
			t.Fatalf("half %#04x (%g) rounds to %g", bits, x, got)
		}
		v.Set(0, x)
		if back := int(v.Data[0]) | int(v.Data[1])<<8; back != bits && !math.IsNaN(x) {
			t.Fatalf("half %#04x comes back as %#04x", bits, back)
		}
	}
}

// half decodes binary16 by its definition.
func half(bits uint16) float64 {
	sign := 1.0
	if bits>>15 == 1 {
		sign = -1
	}
	exp, frac := int(bits>>10&31), float64(bits&1023)
	switch exp {
	case 0:
		return sign * math.Ldexp(frac, -24)
	case 31:
		if frac != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}

// TestViewHoldsEveryBF16 decodes every bfloat16 by its definition, and stores it back.
func TestViewHoldsEveryBF16(t *testing.T) {
	v := View{Type: BF16, Data: make([]byte, 2)}
	for bits := range 1 << 16 {
		v.Data[0], v.Data[1] = byte(bits), byte(bits>>8)
		x, want := v.At(0), bfloat(uint16(bits))
		if x != want && !(math.IsNaN(x) && math.IsNaN(want)) {
			t.Fatalf("bfloat16 %#04x reads as %g, want %g", bits, x, want)
		}
		if got := BF16.Round(x); got != x && !math.IsNaN(x) {
			t.Fatalf("bfloat16 %#04x (%g) rounds to %g", bits, x, got)
		}
		v.Set(0, x)
		if back := int(v.Data[0]) | int(v.Data[1])<<8; back != bits && !(math.IsNaN(x) && math.IsNaN(v.At(0))) {
			t.Fatalf("bfloat16 %#04x comes back as %#04x", bits, back)
		}
	}
}

// bfloat decodes bfloat16 by its definition.
func bfloat(bits uint16) float64 {
	sign := 1.0
	if bits>>15 == 1 {
		sign = -1
	}
	exp, frac := int(bits>>7&255), float64(bits&127)
	switch exp {
	case 0:
		return sign * math.Ldexp(frac, -133)
	case 255:
		if frac != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(128+frac, exp-134)
}

// TestBF16RoundsToTheNearest draws floats of all magnitudes: no other bfloat16 may be nearer, and of two that are equally near
// the even one is expected.
func TestBF16RoundsToTheNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for range 200_000 {
		x := float64(math.Float32frombits(r.Uint32()))
		if r.IntN(4) == 0 { // a tie
			x = float64(math.Float32frombits(r.Uint32()&0xFFFF0000 | 0x8000))
		}
		if math.IsNaN(x) || math.Abs(x) > 0x1.FEp127 {
			continue
		}
		got := BF16.Round(x)
		bits := math.Float32bits(float32(got)) >> 16
		below, above := bfloat(uint16(bits-1)), bfloat(uint16(bits+1))
		off := math.Abs(got - x)
		if bits&0x7FFF == 0 { // 0: neighbors have opposite signs
			below = -above
		}
		if math.IsInf(above, 0) || off < math.Abs(below-x) && off < math.Abs(above-x) {
			continue
		}
		if tie := off == math.Abs(below-x) || off == math.Abs(above-x); !tie || bits%2 != 0 {
			t.Fatalf("%g rounds to %g (%#04x); beside it lie %g and %g", x, got, bits, below, above)
		}
	}
}

// TestTypesAreComplete requires every part of every row of the table.
func TestTypesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range Types() {
		i := types[kind]
		if i.name == "" || seen[i.name] || i.bits == 0 || i.round == nil || i.load == nil || (i.store == nil) != (i.block != nil) || !i.float && i.lo >= i.hi {
			t.Errorf("type %d has gaps: %+v", kind, i)
		}
		seen[i.name] = true
	}
	if got := Type(200).String(); got != "type 200" {
		t.Errorf("a type beyond the table is called %q", got)
	}
}

func TestRoundByHand(t *testing.T) {
	for _, c := range []struct {
		t       Type
		x, want float64
	}{
		{F16, 65519.99, 65504},
		{F16, 65520, math.Inf(1)},
		{F16, 2049, 2048}, // a tie goes to even
		{F16, 2051, 2052},
		{F16, 0x1p-25, 0},
		{F32, 1 + 0x1p-24, 1},
		{F32, 1e39, math.Inf(1)},
		{I8, 2.5, 2},
		{I8, 3.5, 4},
		{I8, 127.5, 127},
		{I8, -1000, -128},
		{I4, 7.9, 7},
		{I4, -8.6, -8},
		{I4, -0.5, 0},
		{BF16, 1 + 0x1p-8, 1}, // a tie goes to even
		{BF16, 1 + 3*0x1p-8, 1 + 0x1p-6},
		{BF16, 1 + 0x1p-8 + 0x1p-20, 1 + 0x1p-7},
		{BF16, -1 - 0x1p-8, -1},
		{BF16, 0x1.FEp127, 0x1.FEp127}, // the largest
		{BF16, 0x1.FFp127, math.Inf(1)},
		{BF16, -0x1.FFp127, math.Inf(-1)},
		{BF16, 0x1p-134, 0}, // half the smallest
		{BF16, 0x1.8p-133, 0x1p-132},
		{BF16, math.Inf(-1), math.Inf(-1)},
		{I32, 1 << 40, math.MaxInt32},
		{I32, -1 << 40, math.MinInt32},
		{I32, -2.5, -2},
		{U32, -1, 0},
		{U32, 1 << 40, math.MaxUint32},
		{U32, 4294967294.5, 4294967294},
	} {
		if got := c.t.Round(c.x); got != c.want {
			t.Errorf("%v: %g rounds to %g, want %g", c.t, c.x, got, c.want)
		}
	}
}

func TestNibbles(t *testing.T) {
	v := View{Type: I4, Data: make([]byte, 2)}
	for i, x := range []float64{-8, 7, -1, 3} {
		v.Set(i, x)
	}
	if want := []byte{0x78, 0x3F}; !bytes.Equal(v.Data, want) { // the even element in the low nibble
		t.Errorf("−8, 7, −1, 3 are stored as %x, want %x", v.Data, want)
	}
	for low := -8; low < 8; low++ {
		for high := -8; high < 8; high++ {
			v.Set(0, float64(low))
			v.Set(1, float64(high))
			if v.At(0) != float64(low) || v.At(1) != float64(high) || v.At(2) != -1 || v.At(3) != 3 {
				t.Fatalf("nibbles %d, %d read as %g, %g, then %g, %g", low, high, v.At(0), v.At(1), v.At(2), v.At(3))
			}
		}
	}
}

func TestTypeBytes(t *testing.T) {
	for _, c := range []struct {
		t       Type
		n, want int
	}{{F32, 3, 12}, {F16, 3, 6}, {I8, 3, 3}, {I4, 3, 2}, {I4, 4, 2}, {I4, 0, 0}, {BF16, 3, 6}, {I32, 3, 12}, {U32, 3, 12}, {Q8_0, 64, 68}, {Q4_0, 33, 36}, {Q4_1, 0, 0}, {Q4_K, 512, 288}, {Q6_K, 1, 210}} {
		if got := c.t.Bytes(c.n); got != c.want {
			t.Errorf("%d of %v are %d B, want %d", c.n, c.t, got, c.want)
		}
		if got := (View{Type: c.t, Data: make([]byte, c.want)}).Len(); got < c.n {
			t.Errorf("%d B hold %d of %v, want %d", c.want, got, c.t, c.n)
		}
	}
}

func TestFillUniform(t *testing.T) {
	for _, c := range []struct {
		t      Type
		lo, hi float64
	}{{F32, -1, 1}, {F16, -1, 1}, {I8, -128, 127}, {I4, -8, 7}, {BF16, -1, 1}, {I32, math.MinInt32, math.MaxInt32}, {U32, 0, math.MaxUint32}} {
		v := View{Type: c.t, Data: make([]byte, 8000)}
		v.FillUniform(rand.New(rand.NewPCG(1, 2)))
		lo, hi, total := math.Inf(1), math.Inf(-1), 0.0
		for i := range v.Len() {
			x := v.At(i)
			lo, hi, total = min(lo, x), max(hi, x), total+x
		}
		span := c.hi - c.lo
		if lo < c.lo || hi > c.hi || lo > c.lo+0.02*span || hi < c.hi-0.02*span {
			t.Errorf("%v: from %g to %g, want %g to %g", c.t, lo, hi, c.lo, c.hi)
		}
		if mean, want := total/float64(v.Len()), (c.lo+c.hi)/2; math.Abs(mean-want) > 0.03*span {
			t.Errorf("%v: mean %g, want about %g", c.t, mean, want)
		}
	}
}

func FuzzViewSetIsRound(f *testing.F) {
	f.Add(byte(0), 1.0, 0)
	f.Add(byte(1), 65520.0, 3)
	f.Add(byte(2), -128.5, 5)
	f.Add(byte(3), math.Inf(1), 6)
	f.Add(byte(4), math.NaN(), 1)
	f.Add(byte(5), -2.5, 2)
	f.Add(byte(6), 4e9, 3)
	f.Fuzz(func(t *testing.T, kind byte, x float64, at int) {
		v := View{Type: Type(int(kind) % len(Types())), Data: bytes.Repeat([]byte{0x35}, 32)}
		if math.IsNaN(x) && !v.Type.Float() || v.Type.Block() != nil {
			t.Skip("integers have no NaN, and elements in blocks are not set")
		}
		i := int(uint(at) % uint(v.Len()))
		before := make([]float64, v.Len())
		for j := range before {
			before[j] = v.At(j)
		}
		v.Set(i, x)
		for j := range before {
			want := before[j]
			if j == i {
				want = v.Type.Round(x)
			}
			if got := v.At(j); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%v: Set(%d, %g): element %d is %g, want %g", v.Type, i, x, j, got, want)
			}
		}
	})
}

// TestBlockTypesAreGGMLs requires the types of blocks in the order of their descriptions, and weights that a view reads from the
// right block.
func TestBlockTypesAreGGMLs(t *testing.T) {
	for i, b := range ggml.Blocks() {
		kind := Q8_0 + Type(i)
		if kind.String() != b.Name || kind.Bits() != b.Bits || kind.Block().Name != b.Name {
			t.Fatalf("type %d is %v of %d bits, want %s", kind, kind, kind.Bits(), b.Name)
		}
		v := View{Type: kind, Data: make([]byte, 3*b.Bytes)}
		v.FillUniform(rand.New(rand.NewPCG(1, 2)))
		for at := range v.Len() {
			if got, want := v.At(at), b.At(v.Data[at/b.Weights*b.Bytes:], at%b.Weights); got != want {
				t.Fatalf("%v: weight %d is %g, want %g", kind, at, got, want)
			}
		}
	}
}
