package measure

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"assay/internal/stats"
)

// Halving looks for a candidate faster than the anchor, which is the default without a search. Each round keeps the faster half of the
// candidates. The last one is confirmed by a separate measurement that played no part in choosing it.
type Halving struct {
	Candidates int // numbered from 0
	// Measure measures the candidates of a round side by side with the anchor, so that drift between rounds affects no gain. An error
	// from Measure ends the search.
	Measure func(ctx context.Context, r Round) (Scores, error)
	// Floor is the relative gain that matters; see Confirm.
	Floor float64
}

// Round is what to measure together.
type Round struct {
	Number, Of int // from 1; the last one confirms
	Candidates []int
	// Confirms is true for the last round, which must use other data and more samples, and measure the anchor twice.
	Confirms bool
}

// Score is how much faster a candidate is than the anchor, from paired samples; Err explains why it is not known, and excludes the
// candidate.
type Score struct {
	Gain stats.Interval
	Err  error
}

// Scores are the scores of a round's candidates, in their order; when confirming, Twin is how much faster the anchor is than itself.
type Scores struct {
	Of   []Score
	Twin stats.Interval
}

// Elected is the outcome of a search.
type Elected struct {
	Best     int            // the fastest correct candidate; −1: there is none
	Kept     bool           // it replaces the anchor
	Gain     stats.Interval // of the best candidate, as confirmed
	Noise    float64        // relative: what a gain must exceed
	Excluded map[int]error  // candidates that failed, and why
}

// Rounds returns how many rounds it takes to choose one of n candidates, not counting the confirmation.
func Rounds(n int) int {
	rounds := 0
	for ; n > 1; n = half(n) {
		rounds++
	}
	return rounds
}

func half(n int) int { return (n + 1) / 2 }

// errAnchor ends a search whose anchor has no time.
var errAnchor = errors.New("no candidate could be compared with the default")

// Run searches. A candidate that fails its confirmation is excluded, and the next one of the last round takes its place.
func (h *Halving) Run(ctx context.Context) (Elected, error) {
	e := Elected{Best: -1, Gain: stats.Unknown(), Excluded: map[int]error{}}
	left := make([]int, h.Candidates)
	for i := range left {
		left[i] = i
	}
	of := Rounds(h.Candidates) + 1
	ranked := left
	for n := 1; len(left) > 1; n++ {
		scores, err := h.measure(ctx, Round{Number: n, Of: of, Candidates: left})
		if err != nil {
			return e, err
		}
		ranked = e.rank(left, scores.Of)
		left = slices.Sorted(slices.Values(ranked[:min(half(len(left)), len(ranked))]))
	}
	for _, best := range ranked {
		scores, err := h.measure(ctx, Round{Number: of, Of: of, Candidates: []int{best}, Confirms: true})
		if err != nil {
			return e, err
		}
		if err := scores.Of[0].Err; err != nil {
			e.Excluded[best] = err
			continue
		}
		e.Best, e.Gain = best, scores.Of[0].Gain
		e.Kept, e.Noise = Confirm(e.Gain, scores.Twin, h.Floor)
		break
	}
	return e, nil
}

func (h *Halving) measure(ctx context.Context, r Round) (Scores, error) {
	scores, err := h.Measure(ctx, r)
	if err == nil && len(scores.Of) != len(r.Candidates) {
		err = errAnchor
	}
	return scores, cmp.Or(ctx.Err(), err)
}

// rank sorts candidates by their gain, the largest first, and excludes those without one.
func (e *Elected) rank(candidates []int, scores []Score) []int {
	gain := map[int]float64{}
	var ranked []int
	for i, c := range candidates {
		if scores[i].Err != nil {
			e.Excluded[c] = scores[i].Err
			continue
		}
		gain[c] = scores[i].Gain.Median
		ranked = append(ranked, c)
	}
	slices.SortStableFunc(ranked, func(a, b int) int { return cmp.Compare(gain[b], gain[a]) })
	return ranked
}

// Confirm reports whether a choice does no harm: the whole interval of its gain must exceed the noise, which is the larger of floor
// and the difference of the anchor from itself.
func Confirm(gain, twin stats.Interval, floor float64) (kept bool, noise float64) {
	if !twin.Bounded() {
		return false, math.Inf(1)
	}
	noise = max(floor, twin.Hi-1, 1-twin.Lo)
	return stats.Rule{Floor: noise}.Judge(gain) == stats.Faster, noise
}
