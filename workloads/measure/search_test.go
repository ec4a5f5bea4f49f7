package measure

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
)

func TestBisectionFindsTheSmallestGood(t *testing.T) {
	for hi := 1; hi < 70; hi++ {
		for want := 1; want <= hi; want++ {
			b := Bisection{Lo: 0, Hi: hi, Good: func(v float64) bool { return v >= 0 }}
			s := Search[int]{Propose: b.Propose, Measure: func(_ context.Context, n int) (float64, error) {
				if n <= 0 || n >= hi {
					t.Fatalf("%d was tried, which is known", n)
				}
				return float64(n - want), nil
			}}
			tried, err := s.Run(t.Context())
			if got := b.Smallest(tried); err != nil || got != want {
				t.Fatalf("up to %d: %d, error %v; want %d", hi, got, err, want)
			}
			if most := int(math.Ceil(math.Log2(float64(hi)))); len(tried) > most {
				t.Errorf("up to %d: %d trials, want at most %d", hi, len(tried), most)
			}
		}
	}
}

// A setting that cannot be measured is a trial like others, and not good.
func TestSearchGoesOnAfterAFailure(t *testing.T) {
	boom := errors.New("boom")
	s := Search[string]{Propose: InTurn("a", "b", "c"), Measure: func(_ context.Context, name string) (float64, error) {
		return map[string]float64{"a": 3, "b": 1, "c": 2}[name], map[string]error{"b": boom}[name]
	}}
	tried, err := s.Run(t.Context())
	if err != nil || len(tried) != 3 || !errors.Is(tried[1].Err, boom) {
		t.Fatalf("%+v, error %v", tried, err)
	}
	if best := Lowest(tried); best == nil || best.Setting != "c" {
		t.Errorf("the best is %+v, want c", best)
	}
	if best := Lowest(tried[1:2]); best != nil {
		t.Errorf("the best of failures is %+v", best)
	}
	b := Bisection{Lo: 0, Hi: 9, Good: func(float64) bool { return true }}
	if got := b.Smallest([]Trial[int]{{4, 0, boom}}); got != 9 {
		t.Errorf("the smallest is %d although nothing was measured, want 9", got)
	}
}

func TestSearchIsBounded(t *testing.T) {
	endless := func(tried []Trial[int]) (int, bool) { return len(tried), true }
	measured := func(context.Context, int) (float64, error) { return 1, nil }
	tried, err := (&Search[int]{Propose: endless, Measure: measured, MaxTrials: 7}).Run(t.Context())
	if err != nil || len(tried) != 7 {
		t.Errorf("%d trials, error %v", len(tried), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var seen []int
	tried, err = (&Search[int]{Propose: endless, Measure: func(_ context.Context, n int) (float64, error) {
		if seen = append(seen, n); n == 2 {
			cancel()
		}
		return 1, nil
	}}).Run(ctx)
	if !errors.Is(err, context.Canceled) || len(tried) != 2 || !slices.Equal(seen, []int{0, 1, 2}) {
		t.Errorf("stopped: %d trials, %v, error %v", len(tried), seen, err)
	}
}
