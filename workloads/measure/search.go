package measure

import "context"

// Trial is a setting that was tried, and its outcome.
type Trial[S any] struct {
	Setting S
	Value   float64 // the measured value, such as seconds; 0 if Err is set
	Err     error   // why the setting has no value
}

// Search looks for a setting by measuring: it proposes, measures and decides until nothing is left to propose.
type Search[S any] struct {
	// Propose returns the setting to try next, from the trials so far; false ends the search.
	Propose func(tried []Trial[S]) (S, bool)
	Measure func(ctx context.Context, setting S) (float64, error)
	// MaxTrials bounds the search, which may then end without a result; 0: 1000.
	MaxTrials int
}

const defaultTrials = 1000

// Run searches, and returns the trials in order. A setting that cannot be measured is a trial with an error; Run itself
// only fails if ctx is canceled, and drops the trial in progress.
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
