package measure

import (
	"fmt"
	"math"
	"testing"
	"time"

	"assay/internal/stats"
)

// In as many pairs of passes as there are subjects, each is at each position equally often and follows each other equally often. None
// follows itself, except where a pass reverses, which happens to each once.
func TestTurnsAreBalanced(t *testing.T) {
	for n := 1; n <= 13; n++ {
		subjects := make([]int, n)
		for i := range subjects {
			subjects[i] = i
		}
		places, follows := make(map[[2]int]int), make(map[[2]int]int)
		last := -1
		for pass := range 2 * n {
			for place, i := range turns(pass, subjects) {
				places[[2]int{i, place}]++
				if place > 0 || pass%2 == 1 {
					follows[[2]int{i, last}]++
				} else if i == last && n > 1 {
					t.Errorf("of %d, %d follows itself from one round to the next", n, i)
				}
				last = i
			}
		}
		for i := range n {
			for j := range n {
				if got := places[[2]int{i, j}]; got != 2 {
					t.Errorf("of %d, %d is at place %d %d times, want 2", n, i, j, got)
				}
				want := 2
				if i == j {
					want = 1
				}
				if got := follows[[2]int{i, j}]; got != want {
					t.Errorf("of %d, %d follows %d %d times, want %d", n, i, j, got, want)
				}
			}
		}
	}
}

// A steady drift adds the same amount to each subject in each pair of passes.
func TestTurnsCancelDrift(t *testing.T) {
	subjects := []int{3, 5, 8, 9, 12}
	for round := range 7 {
		sums := map[int]int{}
		for half := range 2 {
			for place, i := range turns(2*round+half, subjects) {
				sums[i] += half*len(subjects) + place
			}
		}
		for _, i := range subjects {
			if sums[i] != 2*len(subjects)-1 {
				t.Errorf("round %d: subject %d stands at places that sum to %d, want %d", round, i, sums[i], 2*len(subjects)-1)
			}
		}
	}
}

// The same holds for pairs of samples when an odd number of steps was discarded before them.
func TestPairsCancelDriftAfterWarmUp(t *testing.T) {
	for _, n := range []int{2, 3, 5} {
		var st stage
		var scripts []*script
		for i := range n {
			scripts = append(scripts, &script{name: fmt.Sprint(i), time: func(int) float64 { return 0.001 * math.Exp(0.002*float64(len(st.log))) }})
		}
		for _, schedule := range []Schedule{{Warmup: 1, Active: 40, Repeat: 1}, {Wait: 1, Warmup: 2, Active: 10, Repeat: 4}} {
			st.log = nil
			results := st.run(t, Options{Schedule: schedule}, scripts...)
			for _, r := range results[1:] {
				if e := stats.Speedup(results[0].Samples, r.Samples); math.Abs(e.Median-1) > 1e-9 || math.Abs(e.Hi-e.Lo) > 1e-9 {
					t.Errorf("of %d, schedule %v: %s is %.6f (%.6f to %.6f) times as fast as 0", n, schedule, r.Name, e.Median, e.Lo, e.Hi)
				}
			}
		}
	}
}

// Subjects that are alike are found to be alike even if a sample finds its operands in the cache only after a sample of the same
// subject, or takes longer after a certain other one.
func TestWhoRanBeforeFavorsNobody(t *testing.T) {
	for _, n := range []int{2, 3, 4, 7, 10} {
		var st stage
		var scripts []*script
		for i := range n {
			s := &script{name: fmt.Sprint(i)}
			s.time = func(int) float64 {
				if len(st.log) < 2 || st.log[len(st.log)-2] == s.name { // the last is this sample
					return 0.001
				}
				if st.log[len(st.log)-2] == "1" {
					return 0.003
				}
				return 0.002
			}
			if i > 0 {
				s.base = "0"
			}
			scripts = append(scripts, s)
		}
		results := st.run(t, Options{MinSamples: 10 * n, MaxSamples: 40 * n, Budget: time.Hour}, scripts...)
		for _, r := range results[1:] {
			if e := stats.Speedup(results[0].Samples, r.Samples); e.Lo > 1 || e.Hi < 1 {
				t.Errorf("of %d that are alike, %s is %.3f (%.3f to %.3f) times as fast as 0", n, r.Name, e.Median, e.Lo, e.Hi)
			}
		}
	}
}
