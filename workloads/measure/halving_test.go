package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/internal/stats"
)

// world is candidates with true gains over the anchor, measured under noise on a machine whose speed drifts.
type world struct {
	r      *rand.Rand
	gains  []float64
	fails  map[int]error // candidates that fail in the rounds of failing
	noise  float64       // of a sample, relative
	drift  float64       // of the machine's speed, from sample to sample
	speed  float64
	rounds []Round
}

// paired samples the anchor and others in turns, A B B A.
func (w *world) paired(n int, gains ...float64) (anchor []float64, others [][]float64) {
	others = make([][]float64, len(gains))
	one := func(gain float64) float64 {
		w.speed *= math.Exp(w.drift * w.r.NormFloat64())
		return w.speed / gain * math.Exp(w.noise*w.r.NormFloat64())
	}
	for i := range n {
		order := make([]int, len(gains)+1)
		for k := range order {
			order[k] = k
		}
		if i%2 == 1 {
			slices.Reverse(order)
		}
		for _, k := range order {
			if k == 0 {
				anchor = append(anchor, one(1))
			} else {
				others[k-1] = append(others[k-1], one(gains[k-1]))
			}
		}
	}
	return anchor, others
}

func (w *world) measure(_ context.Context, r Round) (Scores, error) {
	w.rounds = append(w.rounds, r)
	var gains []float64
	for _, c := range r.Candidates {
		gains = append(gains, w.gains[c])
	}
	n := 8
	if r.Confirms {
		n, gains = 40, append(gains, 1)
	}
	anchor, others := w.paired(n, gains...)
	var s Scores
	for i, c := range r.Candidates {
		s.Of = append(s.Of, Score{stats.Speedup(anchor, others[i]).Interval, w.fails[c]})
	}
	if r.Confirms {
		s.Twin = stats.Speedup(anchor, others[len(others)-1]).Interval
	}
	return s, nil
}

func (w *world) search(t *testing.T) Elected {
	t.Helper()
	w.speed = 1
	h := Halving{Candidates: len(w.gains), Measure: w.measure, Floor: 0.01}
	e, err := h.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestHalvingDoesNoHarm counts how often a search keeps a choice that is not faster than the default, when few candidates or none are
// much faster, and how often it finds a faster one.
func TestHalvingDoesNoHarm(t *testing.T) {
	const worlds = 300
	near := func(r *rand.Rand, i int) float64 { return math.Exp(0.02 * r.NormFloat64()) }
	for _, tc := range []struct {
		name         string
		gain         func(r *rand.Rand, i int) float64
		noise, drift float64
		found        float64 // share of the worlds in which a choice within 3 % of the best must be kept
	}{
		{"all alike", func(*rand.Rand, int) float64 { return 1 }, 0.03, 0, 0},
		{"all slower", func(r *rand.Rand, _ int) float64 { return 0.8 + 0.2*r.Float64() }, 0.05, 0, 0},
		{"near the default", near, 0.03, 0, 0},
		{"near the default, drifting", near, 0.03, 0.02, 0},
		{"near the default, noisy", near, 0.2, 0.01, 0},
		{"one is faster", func(_ *rand.Rand, i int) float64 { return map[bool]float64{true: 1.2, false: 0.95}[i == 5] }, 0.04, 0.01, 0.9},
		{"two are faster", func(_ *rand.Rand, i int) float64 { return map[bool]float64{true: 1.15, false: 1}[i == 3 || i == 11] }, 0.03, 0.01, 0.9},
	} {
		harmed, found := 0, 0
		for seed := range uint64(worlds) {
			w := world{r: rand.New(rand.NewPCG(seed, 9)), noise: tc.noise, drift: tc.drift}
			for i := range 16 {
				w.gains = append(w.gains, tc.gain(w.r, i))
			}
			e := w.search(t)
			if e.Kept && w.gains[e.Best] <= 1 {
				harmed++
			}
			if e.Kept && w.gains[e.Best] >= slices.Max(w.gains)/1.03 {
				found++
			}
		}
		t.Logf("%s: kept without a gain in %d of %d, found in %d", tc.name, harmed, worlds, found)
		if harmed > worlds/20 {
			t.Errorf("%s: kept without a gain in %d of %d searches, want fewer than 5 %%", tc.name, harmed, worlds)
		}
		if float64(found) < tc.found*worlds {
			t.Errorf("%s: found in %d of %d searches, want at least %.0f %%", tc.name, found, worlds, 100*tc.found)
		}
	}
}

// A candidate that is wrong, or whose command buffer never completes, is not chosen, however fast it seems.
func TestHalvingExcludesWhatFails(t *testing.T) {
	wrong, hung := errors.New("wrong result: out[3] is 1, want 2"), errors.New("no answer within 1m0s")
	w := world{r: rand.New(rand.NewPCG(1, 2)), noise: 0.02, gains: []float64{9, 1, 1.3, 5, 0.7}, fails: map[int]error{0: wrong, 3: hung}}
	e := w.search(t)
	if e.Best != 2 || !e.Kept || len(e.Excluded) != 2 || !errors.Is(e.Excluded[0], wrong) || !errors.Is(e.Excluded[3], hung) {
		t.Errorf("%+v, want candidate 2, without 0 and 3", e)
	}
	if got := fmt.Sprint(w.rounds[1].Candidates); got != "[1 2 4]" {
		t.Errorf("the second round has %s, want [1 2 4]", got)
	}
	last := w.rounds[len(w.rounds)-1]
	if !last.Confirms || len(last.Candidates) != 1 {
		t.Errorf("the last round is %+v, want one that confirms", last)
	}
}

// A candidate that fails only when confirmed on other data is replaced by the next one.
func TestHalvingConfirmsTheNext(t *testing.T) {
	w := world{r: rand.New(rand.NewPCG(1, 3)), noise: 0.02, gains: []float64{1.5, 1.3, 0.9}, fails: map[int]error{}}
	h := Halving{Candidates: 3, Floor: 0.01, Measure: func(ctx context.Context, r Round) (Scores, error) {
		if r.Confirms {
			w.fails[0] = errors.New("wrong result")
		}
		return w.measure(ctx, r)
	}}
	w.speed = 1
	if e, err := h.Run(t.Context()); err != nil || e.Best != 1 || !e.Kept || e.Excluded[0] == nil {
		t.Errorf("%+v, %v, want candidate 1", e, err)
	}
}

func TestHalvingWithoutCandidates(t *testing.T) {
	w := world{r: rand.New(rand.NewPCG(1, 4))}
	if e := w.search(t); e.Best != -1 || e.Kept || len(w.rounds) != 0 {
		t.Errorf("%+v after %d rounds, want none", e, len(w.rounds))
	}
	w = world{r: w.r, gains: []float64{2, 2}, fails: map[int]error{0: errAnchor, 1: errAnchor}}
	if e := w.search(t); e.Best != -1 || e.Kept || len(e.Excluded) != 2 {
		t.Errorf("%+v, want both excluded", e)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	h := Halving{Candidates: 2, Measure: w.measure}
	if _, err := h.Run(canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// A gain smaller than the difference of the default from itself does not count.
func TestConfirm(t *testing.T) {
	i := func(lo, m, hi float64) stats.Interval { return stats.Interval{Median: m, Lo: lo, Hi: hi} }
	for _, tc := range []struct {
		gain, twin stats.Interval
		kept       bool
		noise      float64
	}{
		{i(1.05, 1.06, 1.07), i(0.999, 1, 1.001), true, 0.01},
		{i(1.05, 1.06, 1.07), i(0.92, 0.95, 0.98), false, 0.08},
		{i(1.005, 1.02, 1.03), i(0.999, 1, 1.001), false, 0.01},
		{i(1.05, 1.06, 1.07), stats.Unknown(), false, math.Inf(1)},
		{stats.Unknown(), i(0.999, 1, 1.001), false, 0.01},
	} {
		kept, noise := Confirm(tc.gain, tc.twin, 0.01)
		if kept != tc.kept || math.Abs(noise-tc.noise) > 1e-9 && noise != tc.noise {
			t.Errorf("%+v beside %+v: %v above %g, want %v above %g", tc.gain, tc.twin, kept, noise, tc.kept, tc.noise)
		}
	}
}
