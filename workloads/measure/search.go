package measure

import "context"

// Trial is a setting that was tried, and what came of it.
type Trial[S any] struct {
	Setting S
	Value   float64 // what is searched for, such as seconds; 0 where Err is set
	Err     error   // why the setting gave no value
}

// Search looks for a setting by measuring: propose, measure, decide, until nothing is left to propose.
type Search[S any] struct {
	// Propose gives the setting to try next, from the trials so far; false ends the search.
	Propose func(tried []Trial[S]) (S, bool)
	Measure func(ctx context.Context, setting S) (float64, error)
	// MaxTrials bounds the search, which may end with less than it looked for; 0: 1000.
	MaxTrials int
}

const defaultTrials = 1000

// Run searches, and returns the trials in order. A setting that cannot be measured is a trial with an error; only the
// end of ctx is one of Run's, and the trial that it cut short is dropped.
func (s *Search[S]) Run(ctx context.Context) ([]Trial[S], error) {
	limit := s.MaxTrials
	if limit <= 0 {
		limit = defaultTrials
	}
	var tried []Trial[S]
	for len(tried) < limit {
		setting, more := s.Propose(tried)
		if !more {
			break
		}
		value, err := s.Measure(ctx, setting)
		if ctx.Err() != nil {
			return tried, ctx.Err()
		}
		if err != nil {
			value = 0
		}
		tried = append(tried, Trial[S]{setting, value, err})
	}
	return tried, nil
}

// Lowest is the trial of the smallest value, nil if none has one.
func Lowest[S any](tried []Trial[S]) *Trial[S] {
	var best *Trial[S]
	for i := range tried {
		if t := &tried[i]; t.Err == nil && (best == nil || t.Value < best.Value) {
			best = t
		}
	}
	return best
}

// InTurn proposes each setting of a list.
func InTurn[S any](settings ...S) func([]Trial[S]) (S, bool) {
	return func(tried []Trial[S]) (next S, more bool) {
		if len(tried) < len(settings) {
			return settings[len(tried)], true
		}
		return next, false
	}
}

// Bisection narrows whole numbers down to the smallest that is good: all below it are not, it and all above it are. What
// cannot be measured is not good.
type Bisection struct {
	// Lo is known not to be good, Hi to be good. Neither is tried.
	Lo, Hi int
	Good   func(value float64) bool
}

// bounds are Lo and Hi after the trials.
func (b *Bisection) bounds(tried []Trial[int]) (lo, hi int) {
	lo, hi = b.Lo, b.Hi
	for _, t := range tried {
		if t.Err == nil && b.Good(t.Value) {
			hi = min(hi, t.Setting)
		} else {
			lo = max(lo, t.Setting)
		}
	}
	return lo, hi
}

// Propose is Search.Propose.
func (b *Bisection) Propose(tried []Trial[int]) (int, bool) {
	lo, hi := b.bounds(tried)
	return lo + (hi-lo)/2, hi-lo > 1
}

// Smallest is the smallest good number after the trials of a search.
func (b *Bisection) Smallest(tried []Trial[int]) int {
	_, hi := b.bounds(tried)
	return hi
}
