package measure

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
)

// The next setting depends on earlier trials: bisection finds the smallest good number.
func TestSearchGoesByItsTrials(t *testing.T) {
	for hi := 1; hi < 70; hi++ {
		for want := 1; want <= hi; want++ {
			lo, up := 0, hi
			s := Search[int]{Propose: func(tried []Trial[int]) (int, bool) {
				if n := len(tried); n > 0 && tried[n-1].Value >= 0 {
					up = tried[n-1].Setting
				} else if n > 0 {
					lo = tried[n-1].Setting
				}
				return lo + (up-lo)/2, up-lo > 1
			}, Measure: func(_ context.Context, n int) (float64, error) { return float64(n - want), nil }}
			tried, err := s.Run(t.Context())
			if err != nil || up != want {
				t.Fatalf("up to %d: %d, error %v; want %d", hi, up, err, want)
			}
			if most := int(math.Ceil(math.Log2(float64(hi)))); len(tried) > most {
				t.Errorf("up to %d: %d trials, want at most %d", hi, len(tried), most)
			}
		}
	}
}

// A setting that cannot be measured is a trial without a value.
func TestSearchGoesOnAfterAFailure(t *testing.T) {
	boom := errors.New("boom")
	names := []string{"a", "b", "c"}
	s := Search[string]{Propose: func(tried []Trial[string]) (string, bool) {
		if len(tried) == len(names) {
			return "", false
		}
		return names[len(tried)], true
	}, Measure: func(_ context.Context, name string) (float64, error) {
		return map[string]float64{"a": 3, "b": 1, "c": 2}[name], map[string]error{"b": boom}[name]
	}}
	tried, err := s.Run(t.Context())
	want := []Trial[string]{{"a", 3, nil}, {"b", 0, boom}, {"c", 2, nil}}
	if err != nil || !slices.Equal(tried, want) {
		t.Fatalf("%+v, error %v; want %+v", tried, err, want)
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
