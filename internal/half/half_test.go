package half

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/x448/float16"
)

func TestEveryHalfComesBack(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		want := float16.Frombits(h).Float32()
		got := To(h)
		if math.Float32bits(got) != math.Float32bits(want) && !math.IsNaN(float64(want)) {
			t.Fatalf("To(%#x) = %g, want %g", h, got, want)
		}
		switch back := From(got); {
		case math.IsNaN(float64(got)):
			if !math.IsNaN(float64(want)) || back&0x7c00 != 0x7c00 || back&0x3ff == 0 {
				t.Fatalf("%#x is NaN and becomes %#x", h, back)
			}
		case back != h:
			t.Fatalf("%#x = %g comes back as %#x", h, got, back)
		}
	}
}

func TestFromRounds(t *testing.T) {
	check := func(f float32) {
		if got, want := From(f), float16.Fromfloat32(f).Bits(); got != want && f == f {
			t.Fatalf("From(%g) = %#x, want %#x", f, got, want)
		}
	}
	// Each value, the midpoint to the next, and both sides of it.
	for h := range uint16(0x7c00) {
		a := To(h)
		mid := (a + min(To(h+1), 65536)) / 2
		for _, f := range []float32{a, mid, math.Nextafter32(mid, 0), math.Nextafter32(mid, 1e9)} {
			check(f)
			check(-f)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		check(math.Float32frombits(rng.Uint32()))
	}
}

func BenchmarkFrom(b *testing.B) {
	b.SetBytes(4)
	var sum uint16
	for i := 0; b.Loop(); i++ {
		sum += From(float32(i & 0xffff))
	}
	_ = sum
}

func BenchmarkTo(b *testing.B) {
	b.SetBytes(2)
	var sum float32
	for i := 0; b.Loop(); i++ {
		sum += To(uint16(i) & 0x3fff)
	}
	_ = sum
}
