package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Wilson's interval by hand, and at the edges.
func TestShare(t *testing.T) {
	for _, tc := range []struct {
		k, n   int
		lo, hi float64
	}{{9, 10, 0.5958, 0.9821}, {0, 10, 0, 0.2775}, {10, 10, 0.7225, 1}, {500, 1000, 0.4691, 0.5309}} {
		got := Share(tc.k, tc.n)
		if math.Abs(got.Lo-tc.lo) > 1e-4 || math.Abs(got.Hi-tc.hi) > 1e-4 || got.Median != float64(tc.k)/float64(tc.n) {
			t.Errorf("%d of %d: %v, want %v to %v", tc.k, tc.n, got, tc.lo, tc.hi)
		}
	}
	for _, tc := range []struct {
		first, second, n int
		lo, hi           float64
	}{{0, 0, 100, -0.0370, 0.0370}, {1, 0, 100, -0.0272, 0.0545}, {14, 14, 100, -0.1052, 0.1052}} {
		got := PairedShares(tc.first, tc.second, tc.n)
		if math.Abs(got.Lo-tc.lo) > 2e-3 || math.Abs(got.Hi-tc.hi) > 2e-3 {
			t.Errorf("%d and %d of %d: %v, want %v to %v", tc.first, tc.second, tc.n, got, tc.lo, tc.hi)
		}
	}
	if got := Share(0, 0); got.Bounded() {
		t.Errorf("of nothing: %v", got)
	}
}

// Intervals of shares and of their differences contain the truth at least 93 times in 100, even if few differ.
func TestSharesCover(t *testing.T) {
	const tries, n = 4000, 200
	r := rand.New(rand.NewPCG(1, 2))
	for _, tc := range []struct{ only1, only2, both float64 }{{0.01, 0.01, 0.9}, {0.08, 0.02, 0.8}, {0, 0.02, 0.95}, {0.2, 0.3, 0.1}} {
		shares, differences := 0, 0
		for range tries {
			var first, second, both int
			for range n {
				switch x := r.Float64(); {
				case x < tc.only1:
					first++
				case x < tc.only1+tc.only2:
					second++
				case x < tc.only1+tc.only2+tc.both:
					both++
				}
			}
			if s := Share(first+both, n); s.Lo <= tc.only1+tc.both && tc.only1+tc.both <= s.Hi {
				shares++
			}
			if d := PairedShares(first, second, n); d.Lo <= tc.only1-tc.only2 && tc.only1-tc.only2 <= d.Hi {
				differences++
			}
		}
		if shares < tries*93/100 || differences < tries*93/100 {
			t.Errorf("%+v: %d shares and %d differences of %d within their intervals", tc, shares, differences, tries)
		}
	}
}
